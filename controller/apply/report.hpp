#pragma once
// Report: how a transaction went, step by step and as a whole. TransactionObserver: follows it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "plan/plan.hpp"
#include "state/journal.hpp"

namespace spark::apply {

/// How one step went, in the order of the plan.
struct StepReport {
  std::size_t step = 0;  ///< index into Plan::steps
  kinds::Outcome outcome;
  /// The step failed because its device went away meanwhile, as a Spark's does without a cable.
  bool lost_device = false;
  std::chrono::nanoseconds took{};

  [[nodiscard]] bool is_done() const { return kinds::is_done(outcome); }
  /// The step waits for its device, or for what the outcome says, and stops no other.
  [[nodiscard]] bool waits() const { return lost_device || (outcome && *outcome); }
  /// Why the step is not done; empty: it is.
  [[nodiscard]] std::string why_not() const;
  /// The same with the names of processes, for a terminal of this node alone.
  [[nodiscard]] std::string why_not_here() const;
};

/// Runs `function` for that step and takes its time.
template <class Function>
StepReport timed(std::size_t step, Function function) {
  const auto start = std::chrono::steady_clock::now();
  StepReport report{.step = step, .outcome = function()};
  report.took = std::chrono::steady_clock::now() - start;
  return report;
}

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
  bool interrupted = false;  ///< the failure is that the observer ended it
  bool abandoned = false;    ///< the observer ended the rollback: the journal has the rest
  bool overwritten = false;  ///< the failure is that a value did not stay as it was set
  std::vector<std::string> differs;
  std::vector<std::string> stays;  ///< what a rollback leaves on purpose, as each step announced
  /// What was there before, was not ours, and went away with a link or an address of ours. All of
  /// ours is nevertheless as before.
  std::vector<std::string> taken_along;
  std::optional<plan::Plan> left;  ///< what a fresh look at the host still shows, after success
  std::chrono::nanoseconds read_back_took{};
  std::string journal;           ///< its id, of what was applied
  std::optional<Error> unnoted;  ///< the history could not be written, and lacks this apply

  /// From `outcome` and, where it is kApplied, from `left`: one value decides code, text and JSON.
  [[nodiscard]] ExitCode exit_code() const;
};

/// Follows a transaction, and may end it. The default does neither.
struct TransactionObserver {
  /// Called before each step that is carried out.
  std::function<void(const plan::Step& step)> begins_step = [](const plan::Step&) {};
  /// Called after each step, also while rolling back (`rolling_back` true).
  std::function<void(const plan::Step& step, const StepReport& report, bool rolling_back)> on_step =
      [](const plan::Step&, const StepReport&, bool) {};
  /// Asked before each step: true rolls back what was done so far.
  std::function<bool()> interrupted = [] { return false; };
  /// Called once the journal is on disk, before the first change; an error ends the transaction
  /// with nothing changed.
  std::function<Result<>(const state::Journal&)> begins = [](const state::Journal&) {
    return Result<>();
  };
  /// Asked before each step of a rollback: true leaves the rest to the journal.
  std::function<bool()> abandons = [] { return false; };
};

}  // namespace spark::apply
