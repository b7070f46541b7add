#pragma once
// Release: a node that gives everything back.

#include "kinds/common/kind.hpp"

namespace spark {

/// The node when nothing is asked of it any more: what was ours goes, and links get the MTU, the
/// state and the link-local mode back that they had before.
Node released(const Node& node, const Ledger& ledger);

}  // namespace spark
