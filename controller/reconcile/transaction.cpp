#include "reconcile/transaction.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "reconcile/ledger.hpp"
#include "reconcile/table_difference.hpp"
#include "reconcile/undo_log.hpp"

namespace spark {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A changed value that does not show after this long will not show.
constexpr auto kReadBackDeadline = std::chrono::seconds(2);
/// IPv6 duplicate address detection: up to one second's delay and one a probe (RFC 4862 5.4).
constexpr auto kSettleDeadline = std::chrono::seconds(5);
/// Not everything that settles is told: nobody hears of a new GID.
constexpr milliseconds kLongestPause{50};
/// Someone else's changes may never end; after so many looks the last one counts.
constexpr int kMostLooks = 8;

template <class Function>
StepReport timed(std::size_t index, Function&& function) {
  const auto start = Clock::now();
  StepReport report{.step = index, .result = std::forward<Function>(function)()};
  report.took = Clock::now() - start;
  return report;
}

/// The step needs another machine, or what someone else holds.
bool waits_for_others(const Step& step, const Error& error) {
  return step.may_wait && (error.code == ErrorCode::kTimeout || error.code == ErrorCode::kBusy);
}

/// A fresh look at the host, with what it still shows of the steps that were to be done.
struct Look {
  Plan plan;
  std::vector<const Step*> not_held;
};

Look look(Host& host, const Node& node, const Plan& done, std::span<const StepReport> reports,
          const Ledger& ledger) {
  View view(host);
  Look look{.plan = make_plan(node, view, ledger)};
  std::set<std::string> touched;
  for (const auto& report : reports) {
    if (!report.waits) {
      touched.insert(done.steps[report.step].name());
    }
  }
  for (const auto& step : look.plan.steps) {
    if (touched.contains(step.name())) {
      look.not_held.push_back(&step);
    }
  }
  return look;
}

/// Looks until every step holds, nothing settles any more and no event came meanwhile, or the
/// deadline passes. Waits for events, never for time alone.
Look read_back(Host& host, const Node& node, const Plan& done, std::span<const StepReport> reports,
               const Ledger& ledger) {
  const auto start = Clock::now();
  for (int looks = 1;; ++looks) {
    // What our own changes caused is taken first: the dump that follows includes it.
    static_cast<void>(host.netlink.wait_for_event(milliseconds(0)));
    auto current = look(host, node, done, reports, ledger);
    const bool holds = current.not_held.empty();
    const bool quiet = !host.netlink.wait_for_event(milliseconds(0)).value_or(false);
    if (holds && !current.plan.settling && (quiet || looks >= kMostLooks)) {
      return current;
    }
    const auto deadline = start + (holds ? kSettleDeadline : kReadBackDeadline);
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      return current;
    }
    if (quiet) {
      static_cast<void>(host.netlink.wait_for_event(std::min(left, kLongestPause)));
    }
  }
}

Error not_read_back(const Step& step) {
  return {ErrorCode::kSystem,
          fmt::format("{} does not hold: it reads {} after it was set to {}", step.name(),
                      step.before.value_or("absent"), step.after.value_or("absent"))};
}

/// The step's device was there when the plan was made and is gone.
bool lost_its_device(Host& host, const Step& step, const Error& error) {
  if (error.code != ErrorCode::kNotFound || step.effect.link.empty()) {
    return false;
  }
  View now(host);
  return now.links() && now.link(step.effect.link) == nullptr;
}

/// The links of the attempted steps that are still there, and those stacked on them, which a change
/// below may change too.
std::set<std::string> touched_links(const Plan& plan, std::size_t attempted, View& before,
                                    View& after) {
  std::set<std::string> names;
  for (const auto& step : plan.steps | std::views::take(attempted)) {
    names.insert(step.effect.link);
  }
  const auto& links = before.links();
  for (bool grew = bool{links}; grew;) {
    grew = false;
    for (const auto& upper : *links) {
      grew |= std::ranges::any_of(*links,
                                  [&](const LinkInfo& lower) {
                                    return names.contains(lower.name) && stands_on(upper, lower);
                                  }) &&
              names.insert(upper.name).second;
    }
  }
  std::erase_if(names, [&](const auto& name) { return after.link(name) == nullptr; });
  return names;
}

/// Whether a step that was undone left what it said it would: `again` is the same step of a new
/// plan, null when that has none.
bool left_as_said(const Step& step, const Step* again) {
  return step.undone && (again == nullptr ? step.after : again->before) == step.undone;
}

/// Fills in what of the touched resources does not read as it did before the first change.
void compare_after_undo(Host& host, const Node& node, const Plan& plan, std::size_t attempted,
                        View& before, const Ledger& ledger, Report& report) {
  View after(host);
  const auto again = make_plan(node, after, ledger);
  auto& differs = report.differs;
  differs.clear();
  report.stays.clear();
  const auto links = touched_links(plan, attempted, before, after);
  for (const auto& step : plan.steps | std::views::take(attempted)) {
    if (!step.effect.link.empty() && !links.contains(step.effect.link)) {
      continue;  // its device went away meanwhile, and nothing of ours with it
    }
    const auto found = std::ranges::find(again.steps, step.name(), &Step::name);
    const auto* const same = found == again.steps.end() ? nullptr : &*found;
    if (same != nullptr && same->before == step.before) {
      continue;
    }
    if (left_as_said(step, same)) {
      report.stays.push_back(fmt::format("{}: {}", step.name(), *step.undone));
    } else {
      differs.push_back(fmt::format("{}: was {}", step.name(), step.before.value_or("absent")));
    }
  }
  std::ranges::move(table_difference(before, after, links), std::back_inserter(differs));
}

/// Undoes the first `attempted` steps, the last first, and reads back.
void roll_back(Host& host, const Node& node, const Plan& plan, std::size_t attempted, View& before,
               const Ledger& ledger, const Watcher& watcher, Report& report) {
  for (std::size_t i = attempted; i > 0; --i) {
    const auto& step = plan.steps[i - 1];
    // The step that failed may be half done, so it is undone too; what that says does not matter,
    // what reads back does.
    const bool failed_itself = i == report.steps.size() && !report.steps.back().result;
    // One that waits for another machine has left a unit that goes on trying.
    if (i <= report.steps.size() && report.steps[i - 1].waits && !step.may_wait) {
      continue;
    }
    const auto undone = timed(i - 1, [&] { return step.undo(host); });
    if (undone.result || !failed_itself) {
      watcher.on_step(step, undone, true);
    }
  }
  const auto start = Clock::now();
  do {
    compare_after_undo(host, node, plan, attempted, before, ledger, report);
  } while (!report.differs.empty() && Clock::now() - start < kReadBackDeadline &&
           host.netlink.wait_for_event(milliseconds(kReadBackDeadline)).value_or(false));
  report.outcome =
      report.differs.empty() ? Report::Outcome::kRolledBack : Report::Outcome::kRollbackIncomplete;
  // An incomplete undo keeps its log: it says what was there before.
  if (report.differs.empty()) {
    if (auto removed = remove_undo_log(host.files, plan.node); !removed) {
      report.differs.push_back(removed.error().what);
    }
  }
}

bool was_cut_off(const Plan& plan, View& before) {
  const auto& undo_log = before.file(undo_log_path(plan.node));
  return undo_log && *undo_log;
}

/// What must be on disk or listening before the first change.
Result<> prepare(Host& host, const Plan& plan, View& before, const Ledger& ledger) {
  if (auto watching = host.netlink.watch(); !watching) return watching;
  // Read now, to be compared with if this apply is undone.
  static_cast<void>(before.routes());
  static_cast<void>(before.addresses());
  // What only the log of an apply that was cut off remembers outlives that log, which ours
  // replaces.
  if (was_cut_off(plan, before)) {
    if (auto written = write_ledger(host.files, plan.node, ledger); !written) return written;
  }
  return write_undo_log(host, plan);
}

/// The first step that gives something back; there is none: past the last. From there on others act
/// on what was ours, so all before it is read back before it.
std::size_t first_given_back(const Plan& plan) {
  const auto found =
      std::ranges::find_if(plan.steps, [](const Step& step) { return step.effect.gives_back; });
  return static_cast<std::size_t>(found - plan.steps.begin());
}

/// Nothing to change: only the ledger may be behind, after an adoption or an apply that was cut
/// off.
Report only_remember(Host& host, const Plan& plan, View& before, const Ledger& ledger) {
  Report report;
  const bool cut_off = was_cut_off(plan, before);
  if (plan.remember == ledger && !cut_off) {
    return report;
  }
  auto done = write_ledger(host.files, plan.node, plan.remember);
  if (done && cut_off) {
    done = remove_undo_log(host.files, plan.node);
  }
  if (!done) {
    report.outcome = Report::Outcome::kNotStarted;
    report.failure = done.error();
  }
  return report;
}

}  // namespace

ExitCode Report::exit_code() const {
  switch (outcome) {
    case Outcome::kNotStarted:
      return ExitCode::kError;
    case Outcome::kRolledBack:
      return interrupted ? ExitCode::kInterrupted : ExitCode::kRolledBack;
    case Outcome::kRollbackIncomplete:
      return ExitCode::kRollbackIncomplete;
    case Outcome::kNothingToDo:
    case Outcome::kApplied: {
      const bool waits = std::ranges::any_of(steps, &StepReport::waits);
      return worse(left ? left->standing() : ExitCode::kDone,
                   waits ? ExitCode::kWaiting : ExitCode::kDone);
    }
  }
  return ExitCode::kError;
}

Report carry_out(Host& host, const Node& node, const Plan& plan, View& before, const Ledger& ledger,
                 const Watcher& watcher) {
  if (plan.steps.empty()) {
    return only_remember(host, plan, before, ledger);
  }
  Report report;
  if (auto ready = prepare(host, plan, before, ledger); !ready) {
    report.outcome = Report::Outcome::kNotStarted;
    report.failure = ready.error();
    return report;
  }
  const auto given_back = first_given_back(plan);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto& step = plan.steps[i];
    if (i == given_back) {
      const auto current = read_back(host, node, plan, report.steps, merged(ledger, plan.remember));
      if (!current.not_held.empty()) {
        report.failure = not_read_back(*current.not_held.front());
        roll_back(host, node, plan, i, before, ledger, watcher, report);
        return report;
      }
    }
    if (watcher.interrupted()) {
      report.interrupted = true;
      report.failure = Error{ErrorCode::kBusy, fmt::format("interrupted before {}", step.name())};
      roll_back(host, node, plan, i, before, ledger, watcher, report);
      return report;
    }
    report.steps.push_back(timed(i, [&] { return step.apply(host); }));
    auto& done = report.steps.back();
    done.waits = !done.result && (lost_its_device(host, step, done.result.error()) ||
                                  waits_for_others(step, done.result.error()));
    watcher.on_step(step, report.steps.back(), false);
    if (const auto& result = done.result; !result && !done.waits) {
      report.failure =
          Error{result.error().code, fmt::format("{}: {}", step.name(), result.error().what)};
      roll_back(host, node, plan, i + 1, before, ledger, watcher, report);
      return report;
    }
  }
  const auto start = Clock::now();
  const auto unread = given_back == plan.steps.size() ? 0 : given_back;
  auto current = read_back(host, node, plan, std::span(report.steps).subspan(unread),
                           merged(ledger, plan.remember));
  report.read_back_took = Clock::now() - start;
  if (!current.not_held.empty()) {
    report.failure = not_read_back(*current.not_held.front());
  } else if (current.plan.remember != ledger) {
    if (auto written = write_ledger(host.files, plan.node, current.plan.remember); !written) {
      report.failure = written.error();
    }
  }
  if (report.failure) {
    roll_back(host, node, plan, plan.steps.size(), before, ledger, watcher, report);
    return report;
  }
  report.outcome = Report::Outcome::kApplied;
  if (auto removed = remove_undo_log(host.files, plan.node); !removed) {
    report.failure = removed.error();
  }
  report.left = std::move(current.plan);
  if (node.released) {
    report.left->steps.clear();  // what the next owner makes of a link is not for us to mend
  }
  return report;
}

}  // namespace spark
