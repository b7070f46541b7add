#pragma once
// run_bench_task: has spark-peers, as a user without privileges, take part in one measurement.

#include <functional>
#include <vector>

#include "base/result.hpp"
#include "protocol/bench.hpp"

namespace spark::cli {

using OnBenchProgress = std::function<void(const protocol::BenchProgress& progress)>;

/// One for each route of the task, in their order. Errors: the helper does not start, or ended
/// without saying how it went.
Result<std::vector<protocol::BenchEnded>> run_bench_task(const protocol::BenchTask& task,
                                                         const OnBenchProgress& on_progress);

}  // namespace spark::cli
