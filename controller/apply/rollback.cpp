#include "apply/rollback.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include <fmt/format.h>

#include "apply/read_back.hpp"
#include "base/text.hpp"
#include "plan/current.hpp"
#include "state/in_force_file.hpp"
#include "state/ledger.hpp"
#include "state/snapshot_diff.hpp"

namespace spark::apply {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

using Steps = std::vector<const plan::Step*>;

/// Those of the touched links that are still there.
std::set<std::string> links_still_there(const Steps& steps, host::View& before, host::View& after) {
  auto names = touched_links(steps, before);
  std::erase_if(names, [&](const auto& name) { return after.link(name) == nullptr; });
  return names;
}

/// What the kernel removed with a link or an address, though no step of the journal asked for that.
/// A reboot empties the tables, and a comparison means nothing then.
std::vector<std::string> taken_along(const state::Journal& journal, host::View& after) {
  std::set<std::string> links;
  for (const auto& link : journal.tables) links.insert(link.first);
  return state::gone_from_tables(journal.tables, state::read_tables(after, links));
}

/// Fills in what of the steps does not read as before them.
void compare_steps(const Steps& steps, const plan::CurrentOfSteps& current,
                   const std::set<std::string>& links, Report& report) {
  report.differs.clear();
  report.stays.clear();
  for (const auto* step : steps) {
    if (!step->effect.link.empty() && !links.contains(step->effect.link)) {
      continue;  // its device went away meanwhile, and nothing of ours with it
    }
    const auto& now = current.at(step).value;
    if (now == step->before) continue;
    if (step->after_rollback && now == step->after_rollback) {
      report.stays.push_back(fmt::format("{}: {}", step->name(), *step->after_rollback));
    } else {
      report.differs.push_back(fmt::format("{}: was {}", step->name(), or_absent(step->before)));
    }
  }
}

/// The steps of one rollback: each is rolled back as it is added, the last of the plan first.
class Rollback {
 public:
  Rollback(host::Host& host, Report& report) : host_(host), report_(report) {}

  StepReport roll_back(std::size_t index, const plan::Step& step) {
    steps_.push_back(&step);
    return timed(index, [&] { return step.roll_back(host_); });
  }

  /// Nothing of it was made, so there is nothing to do, but it has to read as before.
  void expect_as_before(const plan::Step& step) { steps_.push_back(&step); }

  /// Compares, by `compare(steps in the plan's order)`, until nothing differs or is missing, no
  /// event comes any more, or the deadline passes.
  template <class Compare>
  void read_back(Compare compare) {
    std::ranges::reverse(steps_);
    const auto start = Clock::now();
    do {
      compare(steps_);
    } while (!(report_.differs.empty() && report_.taken_along.empty()) &&
             Clock::now() - start < kReadBackDeadline &&
             host_.netlink.wait_for_event(milliseconds(kReadBackDeadline)).value_or(false));
    report_.outcome = report_.differs.empty() ? Report::Outcome::kRolledBack
                                              : Report::Outcome::kRollbackIncomplete;
  }

 private:
  host::Host& host_;
  Report& report_;
  Steps steps_;
};

/// The rollback is whole but for this.
void spoil(Report& report, const Result<>& done) {
  if (!done) {
    report.differs.push_back(done.error().what);
    report.outcome = Report::Outcome::kRollbackIncomplete;
  }
}

}  // namespace

std::set<std::string> touched_links(const std::vector<const plan::Step*>& steps, host::View& view) {
  std::set<std::string> names;
  const auto& links = view.links();
  for (const auto* step : steps) {
    if (links && step->effect.ends_ipv6 && step->effect.link.empty()) {
      for (const auto& link : *links) names.insert(link.name);
    }
    names.insert(step->effect.link);
  }
  for (bool grew = bool{links}; grew;) {
    grew = false;
    for (const auto& upper : *links) {
      grew |=
          std::ranges::any_of(*links,
                              [&](const host::LinkInfo& lower) {
                                return names.contains(lower.name) && host::stands_on(upper, lower);
                              }) &&
          names.insert(upper.name).second;
    }
  }
  return names;
}

void roll_back_steps(host::Host& host, const plan::Plan& plan, bool released, std::size_t tried,
                     host::View& before, const kinds::Ledger& ledger,
                     const TransactionObserver& observer, Report& report) {
  Rollback rollback(host, report);
  for (std::size_t i = tried; i > 0; --i) {
    const auto& step = plan.steps[i - 1];
    if (observer.abandons()) {
      report.abandoned = true;
      report.outcome = Report::Outcome::kRollbackIncomplete;
      report.differs.push_back(fmt::format("{} and all before it", step.name()));
      return;
    }
    const auto& made = report.steps[i - 1];
    if (made.lost_device) {
      rollback.expect_as_before(step);
      continue;
    }
    // The step that failed may be half done. What its rollback says does not matter; what reads
    // back does. A step that waits for another machine has left a unit that tries again.
    const bool failed = !made.is_done() && i == tried;
    const auto done = rollback.roll_back(i - 1, step);
    if (done.is_done() || !failed) observer.on_step(step, done, true);
  }
  rollback.read_back([&](const Steps& steps) {
    host::View after(host);
    const auto links = links_still_there(steps, before, after);
    compare_steps(steps, plan::read_current(plan.steps, released, after, ledger), links, report);
    std::ranges::move(state::table_difference(state::read_tables(before, links),
                                              state::read_tables(after, links)),
                      std::back_inserter(report.differs));
  });
}

Report roll_back_journal(host::Host& host, const state::Journal& journal,
                         const TransactionObserver& observer, state::Generation::Outcome outcome) {
  Report report;
  if (auto watching = host.netlink.watch(); !watching) {
    report.outcome = Report::Outcome::kNotStarted;
    report.failure = watching.error();
    return report;
  }
  const bool rebooted = journal.boot_id != state::boot_id(host);
  host::View before(host);
  const auto read = [&, known = journal.known()](host::View& view) {
    return plan::read_current(journal.steps, journal.released, view, known);
  };
  const auto there = read(before);
  Rollback rollback(host, report);
  std::set<const plan::Step*> failed;
  for (std::size_t i = journal.steps.size(); i > 0; --i) {
    const auto& step = journal.steps[i - 1];
    if ((rebooted && step.is_volatile) || there.at(&step).value == step.before) {
      continue;  // it is as it was
    }
    report.steps.push_back(rollback.roll_back(i - 1, step));
    if (!report.steps.back().is_done()) failed.insert(&step);
    observer.on_step(step, report.steps.back(), true);
  }
  rollback.read_back([&](const Steps& steps) {
    host::View after(host);
    auto again = read(after);
    // At boot the links may not be there yet: what the rollback of the step says has to do.
    for (auto& [step, current] : again) {
      if (current.is_skipped && !failed.contains(step)) current.value = step->before;
    }
    compare_steps(steps, again, links_still_there(steps, before, after), report);
    if (!rebooted) report.taken_along = taken_along(journal, after);
  });
  if (report.differs.empty()) {
    spoil(report, state::write_ledger(host.files, journal.node, journal.before));
  }
  state::discard_unfinished(host.files, journal.node, before);
  spoil(report, state::clean_up_after(host, journal, journal.before));
  // Before the journal goes: if this rollback is interrupted here, the next one does it again.
  spoil(report, tell_in_force(host.files, journal, outcome));
  const bool whole = report.outcome == Report::Outcome::kRolledBack;
  const auto noted =
      note_outcome(host.files, journal, whole ? outcome : state::Generation::Outcome::kIncomplete);
  if (!noted) report.unnoted = noted.error();
  remove_rolled_back_journal(
      host.files, journal.node,
      journal.over.empty() ? std::nullopt : std::optional(journal.over.front()), report);
  return report;
}

void remove_rolled_back_journal(host::Files& files, const std::string& node,
                                const std::optional<state::Journal>& interrupted, Report& report) {
  if (report.outcome == Report::Outcome::kRolledBack) {
    spoil(report, state::remove_journal(files, node, interrupted));
  }
}

Result<> tell_in_force(host::Files& files, const state::Journal& journal,
                       state::Generation::Outcome outcome) {
  // A correction and a release are of no file.
  if (journal.request.text.empty() || journal.released) return {};
  state::InForceEvent event =
      state::events::Confirmed{{.digest = journal.digest, .id = journal.id}};
  if (outcome != state::Generation::Outcome::kApplied) {
    event = state::events::Rejected{state::rolled_back(journal.digest, journal.request.by, now())};
  }
  const auto told = state::tell_in_force(files, event, journal.request.text);
  return told ? Result<>() : std::unexpected(told.error());
}

Result<> note_outcome(host::Files& files, const state::Journal& journal,
                      state::Generation::Outcome outcome) {
  if (journal.request.text.empty()) return {};  // a correction, which no history has
  const auto known =
      state::note_outcome(files, journal.node, journal.id, outcome, journal.request.change_id);
  if (!known) return std::unexpected(known.error());
  if (*known) return {};
  return state::add_to_history(files, journal.node,
                               {.id = journal.id,
                                .at = utc_text(journal.began.wall),
                                .by = journal.request.by,
                                .file = journal.request.file,
                                .digest = journal.digest,
                                .changes = journal.steps.size(),
                                .outcome = outcome,
                                .commit = journal.request.commit,
                                .change_id = journal.request.change_id},
                               journal.request.text);
}

}  // namespace spark::apply
