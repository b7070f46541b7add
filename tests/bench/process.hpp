#pragma once
// One whole process, and what it cost.

#include <string>
#include <vector>

#include <sys/types.h>

namespace spark::bench {

struct Cost {
  double wall_seconds = 0;  ///< CLOCK_MONOTONIC, from before the spawn until the process is reaped
  double cpu_seconds = 0;   ///< user and system
  double peak_bytes = 0;    ///< resident; never less than this process has (exec_mmap, fs/exec.c)
};

/// Both, one after the other.
Cost operator+(const Cost& first, const Cost& second);

using Argv = std::vector<std::string>;

/// Starts argv[0], a path, with stdout to /dev/null; `environment` ("NAME=value") is put before
/// what this process has.
pid_t spawn(const Argv& argv, const std::vector<std::string>& environment = {});

/// Runs argv[0], a path, to its end, with stdout to /dev/null. What does not exit with `expected`
/// has no figure: it ends the benchmarks.
Cost run(const Argv& argv, int expected = 0);

/// Says why on stderr and ends the benchmarks.
[[noreturn]] void give_up(const std::string& why);

}  // namespace spark::bench
