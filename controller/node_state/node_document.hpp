#pragma once
// NodeDocument: how the node is, for spark-web and the verbs, which show it.

#include <string>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "config/agent.hpp"
#include "node_state/node_state.hpp"

namespace spark::node_state {

struct NodeDocument {
  config::Endpoint listen;  ///< where spark-web serves
  std::string token_file;   ///< of the token that it asks for off loopback; empty: none is named
  std::string hostname;     ///< a name under which the page may be asked for
  std::string boot_id;  ///< of this boot, which the moments of `state` belong to; empty: unknown
  Moment at;  ///< when it was written; not set: before the first pass, with nothing to say yet
  NodeState state;
};

/// The text of protocol::kNodeStateFile. Without loss, bytes that are no text included.
std::string node_document_text(const NodeDocument& document);

/// What a daemon of before does not say is as in a NodeState of which nothing is known.
/// Errors: kInvalid, where the text is no such document.
Result<NodeDocument> node_document_from(const std::string& text);

}  // namespace spark::node_state
