#include "daemon/agent_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <syslog.h>

#include "base/text.hpp"
#include "host/process/trusted_file.hpp"
#include "state/source.hpp"

namespace spark::daemon {
namespace {

using state::kAgentFile;

/// Empty: it is left out.
std::optional<config::Agent> parsed(host::Files& files, const std::string& root,
                                    const DaemonLog& log) {
  if (const auto may = host::check_takeable(root.empty() ? "/" : root, kAgentFile); !may) {
    log(LOG_WARNING, may.error().what);
    return std::nullopt;
  }
  const auto text = files.read(kAgentFile).value_or(std::nullopt).value_or("");
  auto parsed = config::parse_agent(text);
  const bool is_spoilt = std::ranges::any_of(parsed.diagnostics, config::spoils_agent);
  if (!has_errors(parsed.diagnostics)) return std::move(parsed.agent);
  for (const auto& diagnostic : parsed.diagnostics) {
    const auto shown = render(diagnostic, kAgentFile, text);
    for (const auto line : lines_of(shown)) log(LOG_WARNING, line);
  }
  if (is_spoilt) return std::nullopt;
  return std::move(parsed.agent);
}

}  // namespace

config::Agent read_agent_file(host::Files& files, const std::string& root, const DaemonLog& log) {
  auto agent = parsed(files, root, log);
  if (!agent) {
    log(LOG_WARNING, fmt::format("'{}' is left out; all in it has its default", kAgentFile));
    agent.emplace();
  }
  return std::move(*agent);
}

}  // namespace spark::daemon
