#pragma once
// The mark of a released node: nothing is set on it until somebody applies or resumes. The mark is
// in the ledger, so a transaction sets, removes and restores it with all the rest.

#include "kinds/common/kind.hpp"

namespace spark::plan {

[[nodiscard]] bool is_released(const kinds::Ledger& ledger);
void mark_released(kinds::Ledger& ledger);
void unmark_released(kinds::Ledger& ledger);

}  // namespace spark::plan
