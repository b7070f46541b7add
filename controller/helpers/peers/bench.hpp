#pragma once
// run_bench_task: one measurement with a peer, for the verb `bench`. It is a process of its own:
// the one that may change this machine parses nothing that a network sent.

#include "base/result.hpp"

namespace spark::helpers {

/// Reads the BenchTask from `in`, takes part in it over all of its rails at once, and prints the
/// lines of protocol/bench.hpp on `out`. Once a line cannot be printed it ends. As root it becomes
/// the user of spark-peers first, without any capability.
/// Errors: no task was read; there is no such user.
Result<> run_bench_task(int in, int out);

}  // namespace spark::helpers
