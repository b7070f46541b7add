#pragma once
// bench_peer: all numbers between this node and one peer, one measurement after the other, each by
// a spark-peers that runs as a user without privileges.

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "protocol/bench.hpp"
#include "state/bench_results.hpp"

namespace spark::cli {

using OnBenchProgress = std::function<void(const protocol::BenchProgress& progress)>;

/// One for each route of the task, in their order. Errors: the helper does not start, or ended
/// without saying how it went.
Result<std::vector<protocol::BenchEnded>> run_bench_task(const protocol::BenchTask& task,
                                                         const OnBenchProgress& on_progress);

/// run_bench_task, or what stands for it in tests.
using RunBenchTask = std::function<Result<std::vector<protocol::BenchEnded>>(
    const protocol::BenchTask& task, const OnBenchProgress& on_progress)>;
/// Called with what is measured just now: "rail 0 WRITE to spark2: 97.2 Gb/s (3 of 13)".
using OnBenchText = std::function<void(const std::string& text)>;

/// What is measured with whom. `rails` and `routes` are of the same links, in the same order.
struct BenchPlan {
  state::BenchResult result;  ///< without figures
  std::vector<protocol::RailRoute> routes;
  std::string run;
  bool beside_jobs = false;
  std::string key_file;  ///< ready.key_file; empty: the nodes have no key
};

struct BenchOutcome {
  state::BenchResult result;
  std::string failed;    ///< why there is no number at all; empty: there is one
  bool is_busy = false;  ///< of that: a job or another measurement is in the way
};

/// How many measurements there are over so many rails, that of the latency included.
std::size_t bench_count(std::size_t rails);

/// Latency and path MTU of each rail; each rail alone, WRITE and READ in both directions; all of
/// them together; and WRITE in both directions at once. A rail over which RDMA fails is left out of
/// the rest, and its figures say why.
BenchOutcome bench_peer(BenchPlan plan, const RunBenchTask& run, const OnBenchText& show);

}  // namespace spark::cli
