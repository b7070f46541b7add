#pragma once
// What a target offers this host, as its discovery controller reports it.

#include <string>
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

/// The entries of a discovery log page (NVM Express over Fabrics, 5.3), whole or cut off.
std::vector<protocol::NvmeOffer> read_log_page(const std::vector<unsigned char>& page);

}  // namespace spark::helpers
