#include "node_state/node_state.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kinds/network/address.hpp"

namespace spark::node_state {

std::string_view name_of(Drift::State state) {
  return kDriftStates.at(static_cast<std::size_t>(state));
}

std::size_t count_left_alone(const NodeState& state) {
  return state.drifts.size() - static_cast<std::size_t>(std::ranges::count(
                                   state.drifts, Drift::State::kDiffers, &Drift::state));
}

std::string_view name_of(ChangeRecord::Cause cause) {
  return kChangeCauses.at(static_cast<std::size_t>(cause));
}

std::string writer_clause(std::string_view kind, std::string_view writer) {
  if (writer.empty()) return "";
  return kind == kinds::Address::kName
             ? fmt::format(", by {}", writer)
             : fmt::format(", while {} changed addresses of the link", writer);
}

}  // namespace spark::node_state
