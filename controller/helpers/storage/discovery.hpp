#pragma once
// What a target offers this host, as its discovery controller reports it.

#include <vector>

#include "helpers/storage/fabrics.hpp"

namespace spark::helpers {

struct Discovered {
  std::vector<protocol::NvmeOffer> offers;
  std::optional<ConnectFailure> failure;
};

/// Connects to the target's discovery controller, reads its log page and disconnects. `wanted.nqn`
/// is not used.
Discovered discover(Connection wanted, std::chrono::milliseconds deadline);

}  // namespace spark::helpers
