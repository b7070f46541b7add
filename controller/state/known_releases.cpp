#include "state/known_releases.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "config/releases.hpp"

namespace spark::state {

KnownReleases read_known_releases(host::Files& files) {
  KnownReleases known;
  const auto text = files.read(kReleasesFile);
  if (!text) {
    known.fault = text.error().what;
    return known;
  }
  if (!*text) return known;
  auto parsed = config::parse_releases(**text);
  const auto error = std::ranges::find(parsed.diagnostics, config::Severity::kError,
                                       &config::Diagnostic::severity);
  if (error != parsed.diagnostics.end()) {
    known.fault = fmt::format("{}:{}:{}: {}", kReleasesFile, error->where.line, error->where.column,
                              error->message);
    return known;
  }
  std::vector<host::KernelRelease> over;
  for (auto& [release, fault, unless, source, date] : parsed.releases) {
    over.push_back({.release = std::move(release),
                    .fault = std::move(fault),
                    .cure = std::move(unless),
                    .source = std::move(source),
                    .date = std::move(date)});
  }
  known.releases = host::KernelReleases(std::move(over));
  return known;
}

}  // namespace spark::state
