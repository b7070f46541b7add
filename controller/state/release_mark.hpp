#pragma once
// The mark of a node that was given back: nobody sets anything on it until somebody applies or
// resumes. It stands in the ledger, so a transaction sets, ends and restores it with all the rest.

#include <string>

#include "host/host.hpp"
#include "kinds/common/kind.hpp"

namespace spark {

[[nodiscard]] bool is_released(const Ledger& ledger);
void mark_released(Ledger& ledger);
void unmark_released(Ledger& ledger);

/// Ends it without an apply: the daemon sets the node up again. Only where no journal is open, and
/// under the lock. Errors: those of the ledger.
Result<> end_release(Host& host, const std::string& node);

}  // namespace spark
