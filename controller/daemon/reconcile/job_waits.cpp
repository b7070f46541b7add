#include "daemon/reconcile/job_waits.hpp"

#include <algorithm>
#include <string_view>

#include "base/json_document.hpp"
#include "protocol/paths.hpp"
#include "state/journal.hpp"

namespace spark::daemon {
namespace {

struct KeptWait {
  std::string step;
  Moment since;
};

template <EitherConst<KeptWait> T, class Visit>
void each_field(T& wait, Visit visit) {
  visit("step", wait.step);
  visit("since", wait.since);
}

struct KeptWaits {
  std::string boot_id;
  std::string digest;  ///< of the file
  std::vector<KeptWait> steps;
};

template <EitherConst<KeptWaits> T, class Visit>
void each_field(T& waits, Visit visit) {
  visit("boot_id", waits.boot_id);
  visit("digest", waits.digest);
  visit("steps", waits.steps);
}

}  // namespace

void JobWaits::begin_pass(host::Host& host, const GoodFile* in_force, bool is_first,
                          const Pass& pass) {
  if (pass.order.answer) ask_.take(*pass.order.answer, pass.start);
  question_.reset();
  if (pass.happened.restored) forget_file();  // this pass writes it again
  if (is_first && in_force != nullptr) restore(host, in_force->cluster.digest);
}

Asked JobWaits::ask(const Snapshot& snapshot, std::set<std::string> links, const Moment& now) {
  if (links.empty()) return {};
  const AskOrder order{snapshot.node.name, std::move(links), snapshot.node.digest};
  auto asked = ask_.ask(order, now);
  if (asked.is == Asked::Is::kAsked) question_ = order;
  return asked;
}

std::optional<std::set<std::string>> JobWaits::steps_to_wait(Snapshot& snapshot, Machine& machine,
                                                             const GoodFile* in_force,
                                                             const Moment& now) {
  auto look = observe_waits(snapshot.plan, snapshot.node, snapshot.view,
                            [](const plan::Step& /*step*/) { return true; });
  if (look.steps.empty() && look.free_rails().empty()) return std::set<std::string>{};
  if (in_force != nullptr) {
    if (const auto before = machine.of_all(*in_force)) {
      leave_to_corrections(look, snapshot.plan, before->plan);
    }
  }
  auto asked = ask(snapshot, look.free_rails(), now);
  if (asked.is == Asked::Is::kAsked) return std::nullopt;
  if (!asked.why.empty()) look.wait_for_all(snapshot.plan, std::move(asked.why));
  return look.names();
}

Result<> JobWaits::begin(const std::set<std::string>& steps, const std::string& digest,
                         host::Host& host, const Moment& now) {
  const auto before = std::exchange(since_, {});
  for (const auto& step : steps) {
    const auto known = before.find(step);
    since_.emplace(step, known == before.end() ? now : known->second);
  }
  digest_ = digest;
  tried_together_ = false;
  return keep(host);
}

Result<> JobWaits::end_pass(const plan::Plan& plan, host::Host& host) {
  if (since_.empty()) return keep(host);
  std::erase_if(since_, [&plan](const auto& entry) {
    const auto& name = entry.first;
    const auto kind = std::string_view(name).substr(0, name.find(' '));
    const auto is_unread = [kind](const auto& item) {
      return item.skipped.why == kinds::Skipped::Why::kUnknown && item.kind == kind;
    };
    return std::ranges::find(plan.steps, name, &plan::Step::name) == plan.steps.end() &&
           std::ranges::none_of(plan.skipped, is_unread);
  });
  return keep(host);
}

void JobWaits::restore(host::Host& host, const std::string& digest) {
  written_ = host.files.read(protocol::kDisturbWaitsFile).value_or(std::nullopt).value_or("");
  // A damaged file must never prevent corrections: then nothing waits.
  const auto kept = value_from_text<KeptWaits>(written_);
  if (!kept || kept->boot_id != state::boot_id(host) || kept->digest != digest) return;
  digest_ = digest;
  for (const auto& [step, since] : kept->steps) since_.emplace(step, since);
}

Result<> JobWaits::keep(host::Host& host) {
  if (since_.empty() && written_.empty()) return {};
  if (since_.empty()) {
    auto removed = host.files.remove(protocol::kDisturbWaitsFile);
    if (removed) written_.clear();
    return removed;
  }
  KeptWaits kept{.boot_id = state::boot_id(host), .digest = digest_};
  for (const auto& [step, since] : since_) kept.steps.push_back({step, since});
  auto text = json_text(TextJsonWriter::write(kept), 1) + "\n";
  if (text == written_) return {};
  constexpr unsigned kMode = 0600;
  auto written = host.files.write_durably(protocol::kDisturbWaitsFile, text, kMode);
  if (written) written_ = std::move(text);
  return written;
}

void JobWaits::look(Snapshot& snapshot) {
  waiting_ = observe_waits(snapshot.plan, snapshot.node, snapshot.view,
                           [this](const plan::Step& step) { return has(step); });
}

void JobWaits::look_again(Snapshot& snapshot) {
  auto earlier = std::move(waiting_);
  look(snapshot);
  waiting_.keep_waiting(std::move(earlier));
}

void JobWaits::ask_about_freed(const Snapshot& snapshot, const Moment& now) {
  auto asked = ask(snapshot, waiting_.free_rails(), now);
  if (!asked.why.empty()) waiting_.wait_for_all(snapshot.plan, std::move(asked.why));
}

std::optional<std::chrono::milliseconds> JobWaits::next_question() const {
  return waiting_.asked.empty() ? std::nullopt : ask_.next();
}

void JobWaits::record(const Snapshot& snapshot) {
  records_.clear();
  users_.clear();
  if (since_.empty()) return;
  for (const auto& step : snapshot.plan.steps) {
    const auto rails = waiting_.steps.find(step.name());
    if (rails == waiting_.steps.end()) continue;
    auto& wait = records_.emplace_back(DisturbWait{.kind = std::string(step.kind),
                                                   .key = step.key,
                                                   .have = step.before,
                                                   .want = step.after,
                                                   .line = line_of(*snapshot.file, step.where),
                                                   .since = since(step),
                                                   .on = step.on});
    for (const auto& rail : rails->second) {
      const auto use = waiting_.uses.find(rail);
      if (use == waiting_.uses.end()) continue;
      wait.uses.push_back(plan::without_names(use->second));
      users_.insert(*use);
    }
    if (wait.uses.empty()) wait.asked = waiting_.asked;
  }
}

bool JobWaits::users_changed(host::Rdma& rdma) const {
  return std::ranges::any_of(users_,
                             [&rdma](const auto& use) { return has_changed(use.second, rdma); });
}

}  // namespace spark::daemon
