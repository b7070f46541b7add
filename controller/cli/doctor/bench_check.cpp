#include <fmt/format.h>

#include "cli/bench/last_measured.hpp"
#include "cli/doctor/checks.hpp"
#include "state/bench_results.hpp"

namespace spark::cli {

Findings check_bench(const Command& command) {
  const auto results = state::read_bench_results(command.host.files);
  if (!results) {
    return {
        {"bench", Severity::kLook, results.error().what,
         "`sudo spark-reconcile bench` measures again; a file that is no regular one, move away"}};
  }
  Findings findings;
  for (const auto& measured : last_measured(*results, command.host.files)) {
    if (!measured.before) continue;
    findings.push_back(
        {"bench", Severity::kLook, last_measured_text(measured),
         fmt::format("`spark-reconcile bench {}` measures again and says what such a number means",
                     measured.peer)});
  }
  return findings;
}

}  // namespace spark::cli
