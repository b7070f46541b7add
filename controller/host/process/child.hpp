#pragma once
// run_child: another program of this project, without a shell, under a deadline that holds whatever
// it does.

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace spark::host {

struct ChildOutput {
  int status = 0;   ///< exit status; 128 and more: the signal that ended it
  std::string out;  ///< what it wrote to stdout, at most 64 KiB
  std::string err;  ///< what it wrote to stderr, at most 64 KiB
};

/// Starts `words[0]` (a path; nothing is searched) with an empty environment and /dev/null as its
/// input, and waits for its end. Errors: kNotFound when there is no such
/// program; kTimeout when it was killed at the deadline, or would not even die: a process may be
/// stuck in the kernel, and is then left behind.
Result<ChildOutput> run_child(const std::vector<std::string>& words,
                              std::chrono::milliseconds deadline);

}  // namespace spark::host
