#pragma once
#include <string>

#include "daemon/node_state.hpp"
namespace spark {
std::string status_json(const NodeState& state, const Moment& now);
}
