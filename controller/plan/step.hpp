#pragma once
// Step: one change of one resource, whatever its kind, in memory and as the journal keeps it.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "host/host.hpp"
#include "kinds/common/kind.hpp"

namespace spark {

struct Step {
  std::string_view kind;
  std::string key;
  std::optional<std::string> before;  ///< empty: it is added
  std::optional<std::string> after;   ///< empty: it is removed
  std::optional<std::string> left;    ///< what is there once it is removed; empty: nothing
  /// What is there once the step was undone, where that may not be `before`: what cannot be taken
  /// back, and does no harm.
  std::optional<std::string> after_rollback;
  Effect effect;
  Where where;               ///< the line that asks for it; line 0: its line is gone
  bool is_volatile = false;  ///< a reboot forgets both values
  /// It needs another machine: what that does not answer, or who keeps a thing busy, is no failure
  /// of the transaction (kTimeout, kBusy).
  bool may_wait = false;
  std::function<Result<>(Host&)> apply;
  std::function<Result<>(Host&)> roll_back;
  /// Takes back what a kill in the middle of either leaves beside the resource. Empty: nothing.
  std::function<Result<>(const Ledger& remembered, Host&)> clean_up;
  /// Complete enough to undo it from in another process: `read_step` reads it.
  std::function<nlohmann::json()> record;

  /// "address enp1s0f0np0 192.168.177.11": the same step of two plans has the same name.
  [[nodiscard]] std::string name() const;
};

/// The step that `record` wrote, on no line. Errors: kInvalid, saying where it is wrong.
Result<Step> read_step(const nlohmann::json& record);

}  // namespace spark
