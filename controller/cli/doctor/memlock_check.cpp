#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/doctor/checks.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "host/processes.hpp"
#include "host/view.hpp"
#include "kinds/memlock/memlock.hpp"

namespace spark::cli {
namespace {

using kinds::MemlockSetting;

/// Where the file does not say what a job may lock, less than this is worth a look.
constexpr std::uint64_t kLittleBytes = std::uint64_t{1} << 30;

std::string limit_text(const std::optional<std::uint64_t>& soft) {
  return soft ? host::memlock_text(*soft) : "what systemd gives by default";
}

/// As of a file that wants no limit: the kind compares what is there with it.
Result<kinds::Observed<MemlockSetting>> limits_here(host::View& view) {
  config::Node wanted;
  wanted.memlock = config::At<config::Memlock>{};
  const kinds::Ledger nothing;
  return MemlockSetting::observe(view, MemlockSetting::desired(wanted), {wanted, nothing});
}

}  // namespace

Findings check_memlock(const Command& command) {
  host::View view(command.host);
  const auto node = wanted_node(command, view);
  const auto limits = limits_here(view);
  if (!limits) {
    return {{"memlock", Severity::kLook, limits.error().what, "`ulimit -l` in a login shows one"}};
  }
  std::vector<std::string> all;
  std::vector<std::string> low;
  std::size_t by_others = 0;  // of `low`: a file of somebody else says so
  for (const auto& [key, stated] : limits->state) {
    auto text = fmt::format("{} {}", key.scope, limit_text(stated.soft));
    // A line that goes before any of ours counts as held, and is named here.
    const auto short_of = limits->shortfalls.find(key);
    if (short_of != limits->shortfalls.end() &&
        short_of->second.why == kinds::Skipped::Why::kNotEnforced) {
      ++by_others;
      low.push_back(fmt::format("{}: {}", key.scope, short_of->second.reason));
    } else if (stated.soft.value_or(0) < kLittleBytes) {
      low.push_back(text);
    }
    all.push_back(std::move(text));
  }
  if (all.empty()) return {};
  if (low.empty() || (node && node->memlock)) {
    return {{"memlock", Severity::kGood,
             fmt::format("memory that new ones may lock: {}", fmt::join(all, ", ")), ""}};
  }
  return {{"memlock", Severity::kLook,
           fmt::format("what starts from now on may lock too little memory: {}; a job that "
                       "registers more for RDMA "
                       "fails with 'Cannot allocate memory'",
                       fmt::join(low, ", ")),
           low.size() == by_others
               ? "do what is said there; no key of the file changes what somebody else's file says"
               : "`memlock: unlimited` below `host:` in the file, then `spark-reconcile apply`"}};
}

}  // namespace spark::cli
