#include "daemon/common/node_state.hpp"

namespace spark::daemon {

std::string_view name_of(Drift::State state) {
  return kDriftStates.at(static_cast<std::size_t>(state));
}

std::string_view name_of(ChangeRecord::Cause cause) {
  return kChangeCauses.at(static_cast<std::size_t>(cause));
}

}  // namespace spark::daemon
