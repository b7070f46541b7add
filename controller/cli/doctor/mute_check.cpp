#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/muted_alerts.hpp"

namespace spark::cli {

Findings check_muted(const Command& command) {
  const auto here = node_here(command.host).value_or(std::nullopt);
  if (!here || here->state.mutes.empty()) return {};
  std::vector<std::string> all;
  for (const auto& [mute, subjects, raised] : here->state.mutes) {
    all.push_back(printable(fmt::format("{} until {}: {}", muted_subject(mute),
                                        utc_text(mute.until.wall), mute.reason)));
  }
  return {{"muted", Severity::kLook, fmt::format("nobody is told of {}", fmt::join(all, "; ")),
           "`spark-reconcile mute` lists what is muted, and `mute --end ID` ends it"}};
}

}  // namespace spark::cli
