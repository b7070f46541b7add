#pragma once
// run_web_service: shows over HTTP what the daemon knows of its node.

#include <string>

#include "base/result.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "protocol/web.hpp"

namespace spark::helpers {

struct WebPlaces {
  std::string state = protocol::kNodeStateFile;           ///< its folder is watched
  std::string lock = protocol::kDaemonLockFile;           ///< held: the daemon is there
  std::string daemon_alive = protocol::kDaemonAliveFile;  ///< until when `state` counts
  std::string report = protocol::kWebReportFile;
  std::string alive = protocol::kWebAliveFile;          ///< until when `report` counts
  std::string peers_order = protocol::kPeersOrderFile;  ///< what this node tells the others
  std::string peers = protocol::kPeersReportFile;       ///< what they told it; may be absent
  std::string peers_alive = protocol::kPeersAliveFile;  ///< until when that counts
  std::string top = "/";                                ///< below which the file of the token is
};

/// Listens where the daemon's document says, follows it to another place, and tries again where the
/// kernel refuses. What the daemon wrote is shown as long as it lives, and no longer. Returns after
/// SIGTERM or SIGINT. Errors: kNotFound, the folder of the document is not there any more.
Result<> run_web_service(const WebPlaces& places);

}  // namespace spark::helpers
