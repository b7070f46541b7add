#pragma once
// A released node: the plan that restores what was there before the first apply, and the mark in
// the ledger by which nothing is set on it until somebody applies or resumes. A transaction sets,
// removes and restores the mark with all the rest.

#include "kinds/common/kind.hpp"

namespace spark::plan {

/// The node when nothing is asked of it any more: what was ours goes, and links have the MTU, the
/// state and the link-local mode again that they had before the first apply.
config::Node released(const config::Node& node, const kinds::Ledger& ledger);

[[nodiscard]] bool is_released(const kinds::Ledger& ledger);
void mark_released(kinds::Ledger& ledger);
void unmark_released(kinds::Ledger& ledger);

}  // namespace spark::plan
