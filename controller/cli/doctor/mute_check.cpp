#include "cli/doctor/mute_check.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/daemon_status.hpp"
#include "cli/muted_alerts.hpp"

namespace spark::cli {

Findings check_muted(const Command& command) {
  const auto word = read_last_status(command.host).value_or(std::nullopt);
  if (!word || word->muted.empty()) return {};
  std::vector<std::string> all;
  for (const auto& [mute, subjects, raised] : word->muted) {
    all.push_back(printable(fmt::format("{} until {}: {}", muted_subject(mute),
                                        utc_text(mute.until.wall), mute.reason)));
  }
  return {{"muted", Severity::kLook, fmt::format("nobody is told of {}", fmt::join(all, "; ")),
           "`spark-reconcile mute` lists what is muted, and `mute --end ID` ends it"}};
}

}  // namespace spark::cli
