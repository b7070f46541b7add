#pragma once
// Plan: what would change on this node, step by step, and everything that a reader has to know
// first.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.hpp"
#include "resource/resource.hpp"

namespace spark {

/// One change of one resource, whatever its kind.
struct Step {
  std::string_view kind;
  std::string key;
  std::optional<std::string> before;  ///< empty: it is added
  std::optional<std::string> after;   ///< empty: it is removed
  std::optional<std::string> left;    ///< what is there once it is removed; empty: nothing
  /// What is there once the step was undone, where that may not be `before`: what cannot be taken
  /// back, and does no harm.
  std::optional<std::string> undone;
  Effect effect;
  Where where;  ///< the line that asks for it; line 0: its line is gone
  /// It needs another machine: what that does not answer, or who keeps a thing busy, is no failure
  /// of the transaction (kTimeout, kBusy).
  bool may_wait = false;
  std::function<Result<>(Host&)> apply;
  std::function<Result<>(Host&)> undo;
  /// Both values as JSON text ("null" where there is none), complete enough to undo from.
  std::function<std::string()> record_before;
  std::function<std::string()> record_after;

  /// "address enp1s0f0np0 192.168.177.11": the same step of two plans has the same name.
  [[nodiscard]] std::string name() const;
};

/// A wanted resource that takes no part, and why.
struct SetAside {
  std::string_view kind;
  std::string key;
  Aside aside;
  Where where;
};

struct Plan {
  std::string node;
  std::string cluster;
  std::string digest;  ///< of the file
  std::vector<Step> steps;
  std::vector<SetAside> aside;
  std::vector<Preserved> preserved;
  std::vector<Objection> objections;
  std::size_t in_sync = 0;  ///< resources that need nothing
  Ledger remember;          ///< the ledger once the plan is carried out
  bool settling = false;    ///< the kernel is still at work on a wanted resource

  /// How the node stands if nothing is done: kDone when in sync, else kDifferences, kWaiting,
  /// kUnknown, kRefused or kError, the worst of them.
  [[nodiscard]] ExitCode standing() const;
};

/// Compares what `node` asks for with what `view` shows. Reads only; the steps are in the order in
/// which they are to be carried out. Links that go down come last of all.
Plan make_plan(const Node& node, View& view, const Ledger& ledger);

/// One line a step, the same for the same change: two plans with equal text change the same things.
std::string fingerprint(const Plan& plan);

/// "waiting", "unknown", "not_held", "pending": as JSON has it.
std::string_view name_of(Aside::Why why);

/// The exit code of one set-aside resource.
ExitCode exit_code_of(Aside::Why why);

}  // namespace spark
