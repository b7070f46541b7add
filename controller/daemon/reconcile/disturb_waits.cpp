#include "daemon/reconcile/disturb_waits.hpp"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "base/json_document.hpp"
#include "kinds/network/address.hpp"
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

/// The step brings an address that is on another link as long as `other` waits.
bool needs_address_of(const plan::Step& step, const plan::Step& other) {
  if (step.kind != kinds::Address::kName || !step.after) return false;
  // The key of an address is its link and the address itself.
  const auto ip = IpAddress::parse(step.key.substr(step.key.rfind(' ') + 1));
  return ip && step.effect.link != other.effect.link &&
         std::ranges::find(other.effect.ips, *ip) != other.effect.ips.end();
}

/// Others act on what is handed to them: not before the link is as they are to have it.
bool is_handed_on_after(const plan::Step& step, const plan::Step& other) {
  return step.effect.hands_back &&
         (step.effect.link.empty() || step.effect.link == other.effect.link);
}

}  // namespace

RailsOfSteps steps_that_wait(const plan::Plan& plan, const RailsOfSteps& disturbed,
                             const std::set<std::string>& used) {
  RailsOfSteps waiting;
  std::vector<const plan::Step*> first;
  for (const auto& step : plan.steps) {
    const auto rails = disturbed.find(step.name());
    if (rails == disturbed.end()) continue;
    std::set<std::string> busy;
    std::ranges::set_intersection(rails->second, used, std::inserter(busy, busy.end()));
    if (!busy.empty()) {
      waiting.emplace(step.name(), std::move(busy));
      first.push_back(&step);
    }
  }
  for (const auto& step : plan.steps) {
    if (!disturbed.contains(step.name()) || waiting.contains(step.name())) continue;
    const auto needed = std::ranges::find_if(first, [&step](const plan::Step* other) {
      return needs_address_of(step, *other) || is_handed_on_after(step, *other);
    });
    if (needed != first.end()) waiting.emplace(step.name(), waiting.at((*needed)->name()));
  }
  return waiting;
}

std::set<std::string> WaitLook::names() const {
  const auto names = steps | std::views::keys;
  return {names.begin(), names.end()};
}

std::set<std::string> WaitLook::free_rails() const {
  std::set<std::string> free;
  for (const auto& [step, rails] : disturbed) {
    if (!steps.contains(step)) free.insert(rails.begin(), rails.end());
  }
  return free;
}

void WaitLook::keep_waiting(WaitLook earlier) {
  steps.merge(earlier.steps);
  uses.merge(earlier.uses);
  if (asked.empty()) asked = std::move(earlier.asked);
}

void WaitLook::wait_for_all(const plan::Plan& plan, std::string why) {
  std::set<std::string> all;
  for (const auto& [step, rails] : disturbed) all.insert(rails.begin(), rails.end());
  steps = steps_that_wait(plan, disturbed, all);
  asked = std::move(why);
}

void DisturbWaits::begin(const std::set<std::string>& steps, std::string digest,
                         const Moment& now) {
  const auto before = std::exchange(since_, {});
  for (const auto& step : steps) {
    const auto known = before.find(step);
    since_.emplace(step, known == before.end() ? now : known->second);
  }
  digest_ = std::move(digest);
  tried_together_ = false;
}

void DisturbWaits::end_pass(const plan::Plan& plan) {
  if (since_.empty() || plan.kinds != plan::Kinds::kAll) return;
  std::set<std::string> there;
  for (const auto& step : plan.steps) there.insert(step.name());
  std::set<std::string_view> unread;
  for (const auto& item : plan.skipped) {
    if (item.skipped.why == kinds::Skipped::Why::kUnknown) unread.insert(item.kind);
  }
  std::erase_if(since_, [&](const auto& entry) {
    const auto kind = std::string_view(entry.first).substr(0, entry.first.find(' '));
    return !there.contains(entry.first) && !unread.contains(kind);
  });
}

void DisturbWaits::restore(host::Host& host, const std::string& digest) {
  written_ = host.files.read(protocol::kDisturbWaitsFile).value_or(std::nullopt).value_or("");
  // A damaged file must never prevent corrections: then nothing waits.
  const auto kept = value_from_text<KeptWaits>(written_);
  if (!kept || kept->boot_id != state::boot_id(host) || kept->digest != digest) return;
  digest_ = digest;
  for (const auto& [step, since] : kept->steps) since_.emplace(step, since);
}

Result<> DisturbWaits::keep(host::Host& host) {
  if (since_.empty() && written_.empty()) return {};
  if (since_.empty()) {
    auto removed = host.files.remove(protocol::kDisturbWaitsFile);
    if (removed) written_.clear();
    return removed;
  }
  KeptWaits kept{.boot_id = state::boot_id(host), .digest = digest_, .steps = {}};
  for (const auto& [step, since] : since_) kept.steps.push_back({step, since});
  auto text = json_text(TextJsonWriter::write(kept), 1) + "\n";
  if (text == written_) return {};
  constexpr unsigned kMode = 0600;
  auto written = host.files.write_durably(protocol::kDisturbWaitsFile, text, kMode);
  if (written) written_ = std::move(text);
  return written;
}

namespace {

template <class Counts>
WaitLook look_where(const plan::Plan& plan, const config::Node& node, host::View& view,
                    Counts counts) {
  RailsOfSteps disturbed;
  std::set<std::string> rails;
  for (const auto& step : plan.steps) {
    if (!counts(step)) continue;
    auto of_step = plan::disturbed_rails(step, node, view);
    rails.insert(of_step.begin(), of_step.end());
    disturbed.emplace(step.name(), std::move(of_step));
  }
  WaitLook look;
  std::set<std::string> used;
  for (const auto& rail : rails) {
    auto use = plan::use_of_rail(rail, node, view);
    if (!use.is_used()) continue;
    used.insert(rail);
    look.uses.emplace(rail, std::move(use));
  }
  if (!used.empty()) look.steps = steps_that_wait(plan, disturbed, used);
  look.disturbed = std::move(disturbed);
  return look;
}

}  // namespace

WaitLook look_at_waits(const plan::Plan& plan, const config::Node& node, host::View& view) {
  return look_where(plan, node, view, [](const plan::Step& /*step*/) { return true; });
}

WaitLook look_at_waits(const plan::Plan& plan, const config::Node& node, host::View& view,
                       const DisturbWaits& waits) {
  return look_where(plan, node, view, [&waits](const plan::Step& step) { return waits.has(step); });
}

void leave_to_corrections(WaitLook& look, const plan::Plan& of_new_file, const plan::Plan& plan) {
  for (const auto& step : of_new_file.steps) {
    const auto is_same = [&step](const plan::Step& other) {
      return other.kind == step.kind && other.key == step.key && other.after == step.after;
    };
    if (std::ranges::none_of(plan.steps, is_same)) continue;
    look.steps.erase(step.name());
    look.disturbed.erase(step.name());
  }
}

bool has_changed(const plan::RailUse& use, host::Rdma& rdma) {
  if (use.device.empty()) return rdma.ports().has_value();
  const auto users = rdma.users(use.device);
  const bool is_known = users || users.error().code == ErrorCode::kNotFound;
  const bool was_known = use.unknown.empty();
  if (!is_known || !was_known) return is_known != was_known;
  const auto pids =
      users ? std::set<std::uint32_t>(users->begin(), users->end()) : std::set<std::uint32_t>{};
  return !std::ranges::equal(pids, use.processes, {}, {}, &host::RunningProcess::pid);
}

}  // namespace spark::daemon
