#include "daemon/reconcile/job_waits.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace spark::daemon {

void JobWaits::begin_pass(const std::optional<AskAnswer>& answer, const Moment& now) {
  if (answer) ask_.take(*answer, now);
  question_.reset();
}

Asked JobWaits::ask(const Snapshot& snapshot, std::set<std::string> links, const Moment& now) {
  if (links.empty()) return {};
  const AskOrder order{snapshot.node.name, std::move(links), snapshot.node.digest};
  auto asked = ask_.ask(order, now);
  if (asked.is == Asked::Is::kAsked) question_ = order;
  return asked;
}

std::optional<std::set<std::string>> JobWaits::steps_to_wait(Snapshot& snapshot,
                                                             Snapshots& snapshots,
                                                             const GoodFile* in_force,
                                                             const Moment& now) {
  auto look = look_at_waits(snapshot.plan, snapshot.node, snapshot.view);
  if (look.steps.empty() && look.free_rails().empty()) return std::set<std::string>{};
  if (in_force != nullptr) {
    if (const auto before = snapshots.of_all(*in_force)) {
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
  waits_.begin(steps, digest, now);
  return waits_.keep(host);
}

void JobWaits::look(Snapshot& snapshot) {
  waiting_ = look_at_waits(snapshot.plan, snapshot.node, snapshot.view, waits_);
}

void JobWaits::look_again(Snapshot& snapshot) {
  auto look = look_at_waits(snapshot.plan, snapshot.node, snapshot.view, waits_);
  look.keep_waiting(std::move(waiting_));
  waiting_ = std::move(look);
}

void JobWaits::ask_about_freed(const Snapshot& snapshot, const Moment& now) {
  auto asked = ask(snapshot, waiting_.free_rails(), now);
  if (!asked.why.empty()) waiting_.wait_for_all(snapshot.plan, std::move(asked.why));
}

std::optional<std::chrono::milliseconds> JobWaits::next_question() const {
  return waiting_.asked.empty() ? std::nullopt : ask_.next();
}

Result<> JobWaits::end_pass(const Snapshot& snapshot, host::Host& host) {
  waits_.end_pass(snapshot.plan);
  return waits_.keep(host);
}

std::vector<DisturbWait> JobWaits::records(const Snapshot& snapshot) const {
  std::vector<DisturbWait> records;
  for (const auto& step : snapshot.plan.steps) {
    const auto rails = waiting_.steps.find(step.name());
    if (rails == waiting_.steps.end()) continue;
    auto& wait = records.emplace_back(DisturbWait{.kind = std::string(step.kind),
                                                  .key = step.key,
                                                  .have = step.before,
                                                  .want = step.after,
                                                  .line = line_of(*snapshot.file, step.where),
                                                  .since = waits_.since(step),
                                                  .uses = {}});
    for (const auto& rail : rails->second) {
      const auto use = waiting_.uses.find(rail);
      if (use != waiting_.uses.end()) wait.uses.push_back(use->second);
    }
    if (wait.uses.empty()) wait.asked = waiting_.asked;
  }
  return records;
}

bool users_changed(const std::vector<DisturbWait>& waits, host::Rdma& rdma) {
  std::map<std::string, const plan::RailUse*> uses;
  for (const auto& wait : waits) {
    for (const auto& use : wait.uses) uses.emplace(use.link, &use);
  }
  return std::ranges::any_of(uses,
                             [&rdma](const auto& use) { return has_changed(*use.second, rdma); });
}

}  // namespace spark::daemon
