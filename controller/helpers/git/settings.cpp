#include "helpers/git/settings.hpp"

#include <fmt/format.h>

#include "config/agent.hpp"
#include "config/yaml/diagnostic.hpp"
#include "config/yaml/diagnostic_ids.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::helpers {
namespace {

constexpr std::size_t kLargestSettings = std::size_t{1024} * 1024;

}  // namespace

OrFault<config::SourceSpec> read_settings(const std::string& path, bool may_lack_host_key) {
  const auto text = host::read_of_root(path, kLargestSettings);
  if (!text) return found(GitId::kSettings, text.error());
  auto parsed = config::parse_agent(*text);
  for (const auto& diagnostic : parsed.diagnostics) {
    if (may_lack_host_key && diagnostic.id == config::text_of(config::SpecId::kSourceIncomplete))
      continue;
    if (config::spoils_agent(diagnostic)) {
      return found(GitId::kSettings, fmt::format("{}:{}:{}: {}", path, diagnostic.where.line,
                                                 diagnostic.where.column, diagnostic.message));
    }
  }
  if (!parsed.agent.source) {
    return found(GitId::kSettings, fmt::format("'{}' has no section 'source'", path));
  }
  return std::move(*parsed.agent.source);
}

}  // namespace spark::helpers
