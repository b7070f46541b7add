#pragma once
// released: the node whose plan restores what was there before the first apply.

#include "kinds/common/kind.hpp"

namespace spark::plan {

/// The node when nothing is asked of it any more: what was ours goes, and links have the MTU, the
/// state and the link-local mode again that they had before the first apply.
config::Node released(const config::Node& node, const kinds::Ledger& ledger);

}  // namespace spark::plan
