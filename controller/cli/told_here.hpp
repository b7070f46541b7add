#pragma once
// told_here: what this node and its peers told each other in this boot.

#include <optional>

#include "cluster/told.hpp"
#include "host/host.hpp"

namespace spark::cli {

using ToldHere = cluster::Told;

/// As the daemon and spark-peers wrote it down; nobody is asked. Empty: they have not, or it is of
/// an earlier boot, which says nothing of now.
std::optional<ToldHere> told_here(host::Host& host);

}  // namespace spark::cli
