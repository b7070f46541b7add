#include "apply/transaction.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apply/connectivity.hpp"
#include "apply/rollback.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"
#include "state/release_mark.hpp"

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
  std::vector<const Step*> not_in_place;
};

Look look(Host& host, const Node& node, const Plan& done, std::span<const StepReport> reports,
          const Ledger& ledger) {
  View view(host);
  Look look{.plan = make_plan(node, view, ledger, done.kinds)};
  std::set<std::string> touched;
  for (const auto& report : reports) {
    if (!report.waits) {
      touched.insert(done.steps[report.step].name());
    }
  }
  for (const auto& step : look.plan.steps) {
    if (touched.contains(step.name())) {
      look.not_in_place.push_back(&step);
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
    const bool holds = current.not_in_place.empty();
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

/// Waits, as long as something settles, until all is alive again; gives what is not.
std::vector<std::string> await_vitals(Host& host, const Connectivity& connectivity) {
  const auto start = Clock::now();
  while (true) {
    View after(host);
    auto lost = lost_connectivity(connectivity, after);
    const auto left = std::chrono::ceil<milliseconds>(start + kSettleDeadline - Clock::now());
    if (lost.empty() || left.count() <= 0) {
      return lost;
    }
    static_cast<void>(host.netlink.wait_for_event(left));
  }
}

/// What must be on disk or listening before the first change.
Result<> prepare(Host& host, const Plan& plan, View& before, const Ledger& ledger,
                 Journal& journal) {
  if (auto watching = host.netlink.watch(); !watching) return watching;
  // Read now, to be compared with if this apply is undone. A correction has no time for routes.
  static_cast<void>(before.addresses());
  if (plan.kinds == Kinds::kAll) {
    std::vector<const Step*> steps;
    std::ranges::transform(plan.steps, std::back_inserter(steps),
                           [](const Step& step) { return &step; });
    // What one that was cut off had seen of a link counts.
    journal.tables.merge(read_tables(before, touched_links(steps, before)));
  }
  const auto interrupted = find_journal(before, plan.node).value_or(std::nullopt);
  if (!interrupted) {
    return write_journal(host.files, journal);
  }
  // What only the journal of an apply that was cut off remembers outlives it, since ours replaces
  // it.
  if (auto written = write_ledger(host.files, plan.node, ledger); !written) return written;
  return write_journal(host.files, journal, interrupted->first);
}

/// The first step that gives something back; there is none: past the last. From there on others act
/// on what was ours, so all before it is read back before it.
std::size_t first_given_back(const Plan& plan) {
  const auto found =
      std::ranges::find_if(plan.steps, [](const Step& step) { return step.effect.gives_back; });
  return static_cast<std::size_t>(found - plan.steps.begin());
}

/// What was done is done: a history that cannot be written is no reason to undo it.
void remember_in_history(Host& host, const Plan& plan, const ApplyRequest& request,
                         Generation generation, Report& report) {
  generation.at = utc_text(now().wall);
  generation.by = request.by;
  generation.file = request.file;
  generation.digest = plan.digest;
  const auto noted = add_to_history(host.files, plan.node, std::move(generation), request.text,
                                    request.takes_back);
  if (!noted) report.unnoted = noted.error();
}

/// What a plan that was carried out is in the history.
Generation::Outcome good_outcome(const Plan& plan) {
  return is_released(plan.remember) ? Generation::Outcome::kReleased
                                    : Generation::Outcome::kApplied;
}

/// The history ends with this file, or with this release.
bool is_in_history(Host& host, const Plan& plan) {
  const auto history = read_history(host.files, plan.node);
  if (!history || ends_with_release(*history) != is_released(plan.remember)) {
    return false;
  }
  const auto now = in_force(*history);
  return is_released(plan.remember) || (now && now->digest == plan.digest);
}

/// Nothing to change: only the ledger may be behind, after an adoption or an apply that was cut
/// off, which the history then lacks; or the history, after a return to what is there already.
Report only_remember(Host& host, const Plan& plan, View& before, const Ledger& ledger,
                     const ApplyRequest& request) {
  Report report;
  if (!request.takes_back.empty()) {
    const auto noted = note_rolled_back(host.files, plan.node, request.takes_back);
    if (!noted) report.unnoted = noted.error();
  }
  const auto interrupted = interrupted_before(before, plan.node);
  if (plan.remember == ledger && !interrupted) {
    return report;
  }
  auto done = write_ledger(host.files, plan.node, plan.remember);
  if (done && interrupted) {
    discard_unfinished(host.files, plan.node, before);
    done = clean_up_after(host, *interrupted, plan.remember);
  }
  if (done && !request.text.empty() && (interrupted || !is_in_history(host, plan))) {
    remember_in_history(host, plan, request,
                        {.id = interrupted ? interrupted->id : new_id(now()),
                         .changes = interrupted ? interrupted->steps.size() : 0,
                         .outcome = good_outcome(plan)},
                        report);
  }
  if (done && interrupted) {
    done = remove_journal(host.files, plan.node);
  }
  if (!done) {
    report.outcome = Report::Outcome::kNotStarted;
    report.failure = done.error();
  }
  return report;
}

Report make_changes(Host& host, const Node& node, const Plan& plan, View& before,
                    const Ledger& ledger, const TransactionObserver& observer,
                    const ApplyRequest& request) {
  Report report;
  auto journal = begin_journal(host, plan, ledger, request);
  journal.released = node.released;
  if (const auto likewise = also_interrupted(before, node, plan)) {
    journal = going_on_from(*likewise, std::move(journal));
  } else if (auto interrupted = interrupted_before(before, plan.node)) {
    auto after = beginning_after(std::move(*interrupted), std::move(journal));
    if (!after) {
      report.outcome = Report::Outcome::kNotStarted;
      report.failure = after.error();
      return report;
    }
    journal = std::move(*after);
  }
  // Nothing was changed; whatever comes of this, the error before it is what is told.
  const auto remove = [&] {
    static_cast<void>(remove_journal(host.files, plan.node, interrupted_before(before, plan.node)));
  };
  if (auto ready = prepare(host, plan, before, ledger, journal); !ready) {
    remove();
    report.outcome = Report::Outcome::kNotStarted;
    report.failure = ready.error();
    return report;
  }
  report.journal = journal.id;
  if (auto begun = observer.begins(journal); !begun) {
    remove();
    report.outcome = Report::Outcome::kNotStarted;
    report.failure = begun.error();
    return report;
  }
  // A correction puts back what was so before: where that ends nothing, it brings no harm.
  const auto connectivity =
      request.text.empty() && !node.released
          ? Connectivity{}
          : record_connectivity(plan, before, request.confirm_within.has_value());
  const auto given_back = first_given_back(plan);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto& step = plan.steps[i];
    if (i == given_back) {
      const auto current = read_back(host, node, plan, report.steps, merged(ledger, plan.remember));
      if (!current.not_in_place.empty()) {
        report.overwritten = true;
        report.failure = not_read_back(*current.not_in_place.front());
        roll_back(host, node, plan, i, before, ledger, observer, report);
        return report;
      }
    }
    if (observer.interrupted()) {
      report.interrupted = true;
      report.failure = Error{ErrorCode::kBusy, fmt::format("interrupted before {}", step.name())};
      roll_back(host, node, plan, i, before, ledger, observer, report);
      return report;
    }
    report.steps.push_back(timed(i, [&] { return step.apply(host); }));
    auto& done = report.steps.back();
    done.waits = !done.result && (lost_its_device(host, step, done.result.error()) ||
                                  waits_for_others(step, done.result.error()));
    observer.on_step(step, report.steps.back(), false);
    if (const auto& result = done.result; !result && !done.waits) {
      report.failure =
          Error{result.error().code, fmt::format("{}: {}", step.name(), result.error().what)};
      roll_back(host, node, plan, i + 1, before, ledger, observer, report);
      return report;
    }
  }
  const auto start = Clock::now();
  const auto unread = given_back == plan.steps.size() ? 0 : given_back;
  auto current = read_back(host, node, plan, std::span(report.steps).subspan(unread),
                           merged(ledger, plan.remember));
  report.read_back_took = Clock::now() - start;
  if (!current.not_in_place.empty()) {
    report.overwritten = true;
    report.failure = not_read_back(*current.not_in_place.front());
  } else if (const auto lost = await_vitals(host, connectivity); !lost.empty()) {
    report.failure = Error{ErrorCode::kSystem, fmt::format("{}", fmt::join(lost, "; "))};
  } else if (current.plan.remember != ledger) {
    if (auto written = write_ledger(host.files, plan.node, current.plan.remember); !written) {
      report.failure = written.error();
      // It may be there all the same, and only not known to be on disk.
      static_cast<void>(restore_ledger(host.files, plan.node, ledger));
    }
  }
  if (report.failure) {
    roll_back(host, node, plan, plan.steps.size(), before, ledger, observer, report);
    return report;
  }
  report.outcome = Report::Outcome::kApplied;
  if (request.confirm_within) {
    journal.applied = true;
    if (auto written = write_journal(host.files, journal); !written) {
      report.failure = written.error();
      roll_back(host, node, plan, plan.steps.size(), before, ledger, observer, report);
      return report;
    }
  }
  report.left = std::move(current.plan);
  if (node.released) {
    report.left->steps.clear();  // what the next owner makes of a link is not for us to mend
  }
  return report;
}

Generation generation_of(const Plan& plan, const Report& report, const ApplyRequest& request) {
  const auto made = std::ranges::count_if(
      report.steps, [](const StepReport& step) { return step.result && !step.waits; });
  const auto outcome = [&] {
    switch (report.outcome) {
      case Report::Outcome::kRolledBack:
        return Generation::Outcome::kRolledBack;
      case Report::Outcome::kRollbackIncomplete:
        return Generation::Outcome::kIncomplete;
      default:
        return request.confirm_within ? Generation::Outcome::kPending : good_outcome(plan);
    }
  }();
  return {.id = report.journal, .changes = static_cast<std::size_t>(made), .outcome = outcome};
}

}  // namespace

ExitCode Report::exit_code() const {
  switch (outcome) {
    case Outcome::kNotStarted:
      // Nobody would take it back, as was asked for.
      return failure && failure->code == ErrorCode::kUnsupported ? ExitCode::kRefused
                                                                 : ExitCode::kError;
    case Outcome::kRolledBack:
      return interrupted ? ExitCode::kInterrupted : ExitCode::kRolledBack;
    case Outcome::kRollbackIncomplete:
      return ExitCode::kRollbackIncomplete;
    case Outcome::kNothingToDo:
    case Outcome::kApplied: {
      const bool waits = std::ranges::any_of(steps, &StepReport::waits);
      const auto code = worse(left ? left->standing() : ExitCode::kDone,
                              waits ? ExitCode::kWaiting : ExitCode::kDone);
      return failure ? worse(code, ExitCode::kError) : code;
    }
  }
  return ExitCode::kError;
}

Report carry_out(Host& host, const Node& node, const Plan& plan, View& before, const Ledger& ledger,
                 const TransactionObserver& observer, const ApplyRequest& request) {
  if (plan.steps.empty()) {
    return only_remember(host, plan, before, ledger, request);
  }
  auto report = make_changes(host, node, plan, before, ledger, observer, request);
  if (report.outcome != Report::Outcome::kNotStarted && !request.text.empty()) {
    remember_in_history(host, plan, request, generation_of(plan, report, request), report);
  }
  if (report.outcome != Report::Outcome::kApplied) {
    return report;
  }
  const auto interrupted = interrupted_before(before, plan.node);
  auto done = interrupted ? clean_up_after(host, *interrupted, plan.remember) : Result<>{};
  // Last of all: whoever is cut off before finds it, and does what is left to do.
  if (done && !request.confirm_within) {
    if (interrupted) discard_unfinished(host.files, plan.node, before);
    done = remove_journal(host.files, plan.node);
  }
  if (!done) report.failure = done.error();
  return report;
}

}  // namespace spark
