#pragma once
// What spark-peers is to report of this node, and whom it is to expect, as far as a pass knows it.

#include <string>

#include "config/node.hpp"
#include "host/view.hpp"
#include "protocol/peers.hpp"

namespace spark::daemon {

protocol::PeersOrder peers_order(const config::Node& node, host::View& view,
                                 const std::string& boot_id);

}  // namespace spark::daemon
