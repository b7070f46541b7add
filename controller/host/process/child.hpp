#pragma once
// run_child: another program of this project, without a shell, under a deadline that holds whatever
// it does.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace spark::host {

struct ChildOutput {
  int status = 0;   ///< exit status; 128 and more: the signal that ended it
  std::string out;  ///< what it wrote to stdout, at most 64 KiB
  std::string err;  ///< what it wrote to stderr, at most 64 KiB
};

/// What a child gets beside its words.
struct ChildSetup {
  std::vector<std::string> environment;  ///< "NAME=value"; nothing else is handed down
  int in = -1;                           ///< its stdin; -1: /dev/null
  std::uint64_t most_memory = 0;         ///< as SpawnRequest has it
  /// Gets what it writes to stdout as it comes, in place of ChildOutput::out; empty: nobody does.
  std::function<void(std::string_view bytes)> on_out;
};

/// Starts `words[0]` (a path; nothing is searched), and waits for its end. Errors: kNotFound when
/// there is no such program; kTimeout when it was killed at the deadline with all that it started,
/// or would not even die: a process may be stuck in the kernel, and is then left behind.
Result<ChildOutput> run_child(const std::vector<std::string>& words,
                              std::chrono::milliseconds deadline, const ChildSetup& setup = {});

}  // namespace spark::host
