#pragma once
// RolloutSkips: nodes for which the roll-out that is held here does not wait, as a person said.
// They are forgotten when this node takes the file.

#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/result.hpp"
#include "host/files.hpp"

namespace spark::state {

struct RolloutSkip {
  std::string node;
  std::string why;
  std::string by;  ///< user name, as far as it is known
  std::string at;  ///< UTC
  bool operator==(const RolloutSkip&) const = default;
};

template <EitherConst<RolloutSkip> T, class Visit>
void each_field(T& skip, Visit visit) {
  visit("node", skip.node);
  visit("why", skip.why);
  visit("by", skip.by);
  visit("at", skip.at);
}

/// What is damaged is as good as nothing: the roll-out waits again.
std::vector<RolloutSkip> read_rollout_skips(host::Files& files);

/// In place of an earlier one of that node. Errors: those of the files port; kInvalid, there are as
/// many as are kept.
Result<> add_rollout_skip(host::Files& files, RolloutSkip skip);

/// Errors: those of the files port.
Result<> forget_rollout_skips(host::Files& files);

}  // namespace spark::state
