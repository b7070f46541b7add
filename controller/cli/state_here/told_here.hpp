#pragma once
// told_here: what this node and its peers told each other in this boot.

#include <optional>

#include "cluster/told.hpp"
#include "host/host.hpp"

namespace spark::cli {

/// As the daemon and spark-peers wrote it down; nobody is asked. Empty: they have not, or it is of
/// an earlier boot, which says nothing of now.
std::optional<cluster::Told> told_here(host::Host& host);

}  // namespace spark::cli
