#pragma once
// publish: what others may read of the daemon's state, below /run.

#include <string>

#include "daemon/common/node_state.hpp"
#include "daemon/export/node_document.hpp"
#include "host/files.hpp"

namespace spark::daemon {

/// Replaces the files of status and metrics and those for spark-peers and spark-web, which all may
/// read, with what is so at that moment. A file that cannot be written stops nothing.
void publish(host::Files& files, const NodeDocument& document, const Moment& at);

/// Replaces that of spark-web alone, before there is a status.
void publish_document(host::Files& files, const NodeDocument& document);

/// Removes what was published: nobody updates it any more.
void remove(host::Files& files);

/// "ready; 23 in sync": for `systemctl status`.
std::string one_line(const NodeState& state);

}  // namespace spark::daemon
