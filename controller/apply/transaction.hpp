#pragma once
// carry_out: makes the changes of a plan as one transaction: all of them hold, or the host is as
// before.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "plan/plan.hpp"
#include "state/journal.hpp"

namespace spark {

/// How one step went, in the order of the plan.
struct StepReport {
  std::size_t step = 0;  ///< index into Plan::steps
  Result<> result;
  /// It failed since its device went away meanwhile, as a Spark's does without a cable, or since
  /// another machine does not answer, or someone holds what it needs: it waits, and stops no other.
  bool waits = false;
  std::chrono::nanoseconds took{};
};

struct Report {
  enum class Outcome : std::uint8_t {
    kNothingToDo,
    kApplied,             ///< every step was read back
    kNotStarted,          ///< failed before the first change
    kRolledBack,          ///< failed, and everything reads as before
    kRollbackIncomplete,  ///< failed, and `differs` says what does not read as before
  };
  Outcome outcome = Outcome::kNothingToDo;
  std::vector<StepReport> steps;
  std::optional<Error> failure;
  bool interrupted = false;  ///< the failure is that the watcher ended it
  bool abandoned = false;    ///< the watcher ended the undo: the journal has the rest
  bool overwritten = false;  ///< the failure is that a value did not hold, though it was set
  std::vector<std::string> differs;
  std::vector<std::string> stays;  ///< what an undo leaves on purpose, as each step had said
  /// What of others was there before and went with a link or an address of ours; all of ours is as
  /// before nevertheless.
  std::vector<std::string> taken_along;
  std::optional<Plan> left;  ///< what a fresh look at the host still shows, after success
  std::chrono::nanoseconds read_back_took{};
  std::string journal;           ///< its id, of what was applied
  std::optional<Error> unnoted;  ///< the history could not be written, and does not say so

  /// Outcome and, where it was applied, what is left: one value decides code, text and JSON.
  [[nodiscard]] ExitCode exit_code() const;
};

/// Who follows a transaction, and may end it; as it is made, nobody does.
struct TransactionObserver {
  /// Called after each step, also while undoing (`undoing` true).
  std::function<void(const Step& step, const StepReport& report, bool rolling_back)> on_step =
      [](const Step&, const StepReport&, bool) {};
  /// Origin before each step: true undoes what was done so far.
  std::function<bool()> interrupted = [] { return false; };
  /// Called once the journal is on disk, before the first change; an error is the end, with nothing
  /// changed.
  std::function<Result<>(const Journal&)> begins = [](const Journal&) { return Result<>(); };
  /// Origin before each undo: true leaves the rest to the journal.
  std::function<bool()> abandons = [] { return false; };
};

/// `plan` must have been made from `before` for `node`, hold no objection, and not be settling on
/// someone else's change. Writes nothing when the plan has no steps and remembers what `ledger`
/// does.
/// Where `wish` wants a confirmation, the journal stays, and says that it is waited for.
Report carry_out(Host& host, const Node& node, const Plan& plan, View& before, const Ledger& ledger,
                 const TransactionObserver& observer, const ApplyRequest& request = {});

}  // namespace spark
