#pragma once
// PeersService: hears the other nodes, answers them, has RDMA proven with them, and writes
// peers.json.

#include <string>

#include "base/result.hpp"
#include "helpers/peers/device_users.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

struct PeersPlaces {
  std::string order = protocol::kPeersOrderFile;
  std::string door = protocol::kHelloDoor;
  std::string report = protocol::kPeersReportFile;
};

/// Runs until it is ended by a signal. Errors: what it cannot do without.
Result<> run_peers_service(const PeersPlaces& places, DeviceUsers users);

}  // namespace spark::helpers
