#pragma once
// ask_peer_records: what the peers of this node recorded, from them themselves.

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/node.hpp"
#include "host/host.hpp"
#include "protocol/records.hpp"

namespace spark::cli {

struct PeerRecord {
  std::string node;
  std::string why;            ///< why nothing came: a clause with the node's name; empty: it came
  protocol::NodeSigns signs;  ///< by its clock, with how far that is ahead
  std::optional<protocol::RailsTold> rails;  ///< empty: its daemon has not looked at them yet
};

/// One for each peer of this node, in the order of the file; with `only`, of that one. `window`: by
/// the clock of this node, and half an hour around it is asked for, since clocks differ; empty: no
/// signs are asked for. All texts are printable. Takes seconds where a peer does not answer.
/// Errors: the helper does not start, or ended without saying how it went.
Result<std::vector<PeerRecord>> ask_peer_records(host::Host& host, const config::Node& node,
                                                 const std::optional<protocol::Span>& window,
                                                 const std::string& only = {});

}  // namespace spark::cli
