#pragma once
// Sockets for the frames by which nodes hear each other, for a process that may not make one.

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

/// Hears frames of kHelloEtherType on every link, and nothing else for as long as it lives: its
/// filter is locked (SO_LOCK_FILTER, socket(7)), so that the process that holds it cannot listen to
/// other traffic, even bound to another protocol. Errors: kPermission without CAP_NET_RAW.
Result<UniqueFd> open_hello_socket();

/// The same for the frames of `spark-peers discover`: hears those that begin with its magic.
Result<UniqueFd> open_discover_socket();

}  // namespace spark::host
