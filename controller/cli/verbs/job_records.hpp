#pragma once
// What jobs did on this node: `jobs --since` and `jobs N`, for root alone.

#include <chrono>
#include <cstdint>

#include "cli/command.hpp"

namespace spark::cli {

/// Those that had queue pairs in the last `since`.
ExitCode show_job_records(const Command& command, std::chrono::milliseconds since);

/// One of them whole, and whether the network ended it.
ExitCode show_job_record(const Command& command, std::uint64_t number);

}  // namespace spark::cli
