#include "apply/rollback.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "apply/recovery.hpp"
#include "state/ledger.hpp"
#include "state/snapshot_diff.hpp"

namespace spark {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A value that was put back and does not show after this long will not show.
constexpr auto kReadBackDeadline = std::chrono::seconds(2);

using Steps = std::vector<const Step*>;

/// Those of the touched links that are still there.
std::set<std::string> links_still_there(const Steps& steps, View& before, View& after) {
  auto names = touched_links(steps, before);
  std::erase_if(names, [&](const auto& name) { return after.link(name) == nullptr; });
  return names;
}

/// What the kernel took along with a link or an address, as the journal of a transaction that was
/// no step of it. A reboot forgets the tables, and what is in them says nothing then.
std::vector<std::string> taken_along(const Journal& journal, View& after) {
  std::set<std::string> links;
  for (const auto& link : journal.tables) {
    links.insert(link.first);
  }
  return gone_from_tables(journal.tables, read_tables(after, links));
}

/// The same step of another plan; null: it has none.
const Step* same_step(const Plan& plan, const Step& step) {
  const auto found = std::ranges::find(plan.steps, step.name(), &Step::name);
  return found == plan.steps.end() ? nullptr : &*found;
}

/// What is there now of the step's resource: a plan without such a step has what that was to bring.
const std::optional<std::string>& current(const Step& step, const Step* same) {
  return same == nullptr ? step.after : same->before;
}

/// Whether the plan sets the resource aside, as a file that names links which are not there: then
/// what is there cannot be compared.
bool is_aside(const Plan& plan, const Step& step) {
  return std::ranges::any_of(plan.skipped, [&](const SkippedResource& skipped) {
    return skipped.kind == step.kind && skipped.key == step.key;
  });
}

/// Fills in what of the steps does not read as before them.
void compare_steps(const Steps& steps, const Plan& again, const std::set<std::string>& links,
                   Report& report) {
  report.differs.clear();
  report.stays.clear();
  for (const auto* step : steps) {
    if (!step->effect.link.empty() && !links.contains(step->effect.link)) {
      continue;  // its device went away meanwhile, and nothing of ours with it
    }
    const auto& now = current(*step, same_step(again, *step));
    if (now == step->before) {
      continue;
    }
    if (step->after_rollback && now == step->after_rollback) {
      report.stays.push_back(fmt::format("{}: {}", step->name(), *step->after_rollback));
    } else {
      report.differs.push_back(
          fmt::format("{}: was {}", step->name(), step->before.value_or("absent")));
    }
  }
}

StepReport timed_rollback(std::size_t index, const Step& step, Host& host) {
  const auto start = Clock::now();
  StepReport report{.step = index, .result = step.roll_back(host)};
  report.took = Clock::now() - start;
  return report;
}

/// Compares until nothing differs or is missing, no event comes any more, or the deadline passes.
void read_back(Host& host, Report& report, const std::function<void()>& compare) {
  const auto start = Clock::now();
  do {
    compare();
  } while (!(report.differs.empty() && report.taken_along.empty()) &&
           Clock::now() - start < kReadBackDeadline &&
           host.netlink.wait_for_event(milliseconds(kReadBackDeadline)).value_or(false));
  report.outcome =
      report.differs.empty() ? Report::Outcome::kRolledBack : Report::Outcome::kRollbackIncomplete;
}

/// An incomplete undo keeps its journal: it says what was there before. `cut_off`: of what was open
/// before, and is open again.
void finish(Host& host, const std::string& node, const std::optional<Journal>& interrupted,
            Report& report) {
  if (report.outcome != Report::Outcome::kRolledBack) {
    return;
  }
  if (auto ended = remove_journal(host.files, node, interrupted); !ended) {
    report.differs.push_back(ended.error().what);
    report.outcome = Report::Outcome::kRollbackIncomplete;
  }
}

}  // namespace

std::set<std::string> touched_links(const std::vector<const Step*>& steps, View& view) {
  std::set<std::string> names;
  const auto& links = view.links();
  for (const auto* step : steps) {
    if (links && step->effect.ends_ipv6 && step->effect.link.empty()) {
      for (const auto& link : *links) {
        names.insert(link.name);
      }
    }
    names.insert(step->effect.link);
  }
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
  return names;
}

void roll_back(Host& host, const Node& node, const Plan& plan, std::size_t attempted, View& before,
               const Ledger& ledger, const TransactionObserver& observer, Report& report) {
  Steps rolled_back;
  for (std::size_t i = attempted; i > 0; --i) {
    const auto& step = plan.steps[i - 1];
    if (observer.abandons()) {
      report.abandoned = true;
      report.outcome = Report::Outcome::kRollbackIncomplete;
      report.differs.push_back(fmt::format("{} and all before it", step.name()));
      return;
    }
    rolled_back.push_back(&step);
    // The step that failed may be half done, so it is undone too; what that says does not matter,
    // what reads back does.
    const bool failed_itself = i == report.steps.size() && !report.steps.back().result;
    // One that waits for another machine has left a unit that goes on trying.
    if (i <= report.steps.size() && report.steps[i - 1].waits && !step.may_wait) {
      continue;
    }
    const auto done = timed_rollback(i - 1, step, host);
    if (done.result || !failed_itself) {
      observer.on_step(step, done, true);
    }
  }
  std::ranges::reverse(rolled_back);
  read_back(host, report, [&] {
    View after(host);
    const auto links = links_still_there(rolled_back, before, after);
    compare_steps(rolled_back, make_plan(node, after, ledger, plan.kinds), links, report);
    std::ranges::move(table_difference(read_tables(before, links), read_tables(after, links)),
                      std::back_inserter(report.differs));
  });
  // One that went on from where another was cut off is now where it began: not yet at its end.
  if (!also_interrupted(before, node, plan)) {
    finish(host, plan.node, interrupted_before(before, plan.node), report);
  }
}

Report roll_back_journal(Host& host, const Node& node, const Journal& journal,
                         const TransactionObserver& observer, Generation::Outcome outcome) {
  Report report;
  if (auto watching = host.netlink.watch(); !watching) {
    report.outcome = Report::Outcome::kNotStarted;
    report.failure = watching.error();
    return report;
  }
  const bool rebooted = journal.boot_id != boot_id(host);
  View before(host);
  const auto known = journal.known();
  const auto now = make_plan(node, before, known);
  Steps rolled_back;
  std::set<const Step*> failed;
  for (std::size_t i = journal.steps.size(); i > 0; --i) {
    const auto& step = journal.steps[i - 1];
    const auto& there = current(step, same_step(now, step));
    if ((rebooted && step.is_volatile) || there == step.before) {
      continue;  // it is as it was
    }
    rolled_back.push_back(&step);
    report.steps.push_back(timed_rollback(i - 1, step, host));
    if (!report.steps.back().result) failed.insert(&step);
    observer.on_step(step, report.steps.back(), true);
  }
  std::ranges::reverse(rolled_back);
  read_back(host, report, [&] {
    View after(host);
    const auto again = make_plan(node, after, known);
    // At boot the links may not be there yet: the word of the undo has to do.
    auto comparable = rolled_back;
    std::erase_if(comparable, [&](const Step* step) {
      return same_step(again, *step) == nullptr && is_aside(again, *step) && !failed.contains(step);
    });
    compare_steps(comparable, again, links_still_there(rolled_back, before, after), report);
    if (!rebooted) report.taken_along = taken_along(journal, after);
  });
  if (report.differs.empty()) {
    if (auto written = write_ledger(host.files, journal.node, journal.before); !written) {
      report.differs.push_back(written.error().what);
      report.outcome = Report::Outcome::kRollbackIncomplete;
    }
  }
  discard_unfinished(host.files, journal.node, before);
  if (auto cleaned = clean_up_after(host, journal, journal.before); !cleaned) {
    report.differs.push_back(cleaned.error().what);
    report.outcome = Report::Outcome::kRollbackIncomplete;
  }
  // Before the journal goes: whoever is cut off here does it again.
  const bool whole = report.outcome == Report::Outcome::kRolledBack;
  const auto noted =
      note_outcome(host.files, journal, whole ? outcome : Generation::Outcome::kIncomplete);
  if (!noted) report.unnoted = noted.error();
  finish(host, journal.node,
         journal.over.empty() ? std::nullopt : std::optional(journal.over.front()), report);
  return report;
}

}  // namespace spark
