#pragma once
// kernel_lines: what the kernel logged of memory, GPU and card, as signs that are seen and not
// judged. No name and no number of a process is in them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "host/process/journal.hpp"
#include "jobs/recorded.hpp"

namespace spark::jobs {

/// Of what `journalctl -k -o json` prints: each time that memory ran out, each Xid of a GPU, and
/// lines of mlx5_core about an error or a link. A line that is no entry is passed over.
std::vector<Recorded> kernel_signs(std::string_view entries);

/// The same of that time, from the journal. Errors: those of `read`.
Result<std::vector<Recorded>> kernel_lines(
    Time since, Time until, const host::ReadJournal& read = host::read_kernel_journal);

}  // namespace spark::jobs
