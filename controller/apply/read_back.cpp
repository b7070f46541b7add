#include "apply/read_back.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::apply {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// IPv6 duplicate address detection: up to one second's delay and one a probe (RFC 4862 5.4).
constexpr auto kSettleDeadline = std::chrono::seconds(5);
/// Not everything that settles is announced: the kernel sends no event for a new GID.
constexpr milliseconds kLongestPause{50};
/// Other programs' changes may never end; after so many looks the last one counts.
constexpr int kMostLooks = 8;

ReadBack look(host::Host& host, const config::Node& node, const plan::Plan& done,
              std::span<const StepReport> made, const kinds::Ledger& ledger) {
  host::View view(host);
  ReadBack now{.plan = plan::make_plan(node, view, ledger, done.kinds)};
  std::set<std::string> touched;
  for (const auto& report : made) {
    if (!report.waits()) touched.insert(done.steps[report.step].name());
  }
  for (const auto& step : now.plan.steps) {
    if (touched.contains(step.name())) now.not_in_place.push_back(&step);
  }
  return now;
}

}  // namespace

ReadBack read_back(host::Host& host, const config::Node& node, const plan::Plan& done,
                   std::span<const StepReport> made, const kinds::Ledger& ledger) {
  const auto start = Clock::now();
  for (int looks = 1;; ++looks) {
    // The events of our own changes are taken first: the dump that follows includes them.
    static_cast<void>(host.netlink.wait_for_event(milliseconds(0)));
    auto current = look(host, node, done, made, ledger);
    const bool holds = current.not_in_place.empty();
    const bool quiet = !host.netlink.wait_for_event(milliseconds(0)).value_or(false);
    if (holds && !current.plan.settling && (quiet || looks >= kMostLooks)) return current;
    const auto deadline = start + (holds ? kSettleDeadline : kReadBackDeadline);
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return current;
    if (quiet) static_cast<void>(host.netlink.wait_for_event(std::min(left, kLongestPause)));
  }
}

Error does_not_hold(const plan::Step& step) {
  return {ErrorCode::kSystem,
          fmt::format("{} does not hold: it reads {} after it was set to {}", step.name(),
                      or_absent(step.before), or_absent(step.after))};
}

}  // namespace spark::apply
