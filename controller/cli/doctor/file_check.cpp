#include "cli/doctor/file_check.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/parse/parse.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

/// "line 9: unknown key 'mtuu', did you mean 'mtu'?", of the first error.
std::string first_error(const std::vector<config::Diagnostic>& diagnostics) {
  const auto first =
      std::ranges::find(diagnostics, config::Severity::kError, &config::Diagnostic::severity);
  return fmt::format("line {}: {}", first->where.line, first->message);
}

/// Empty: there is no such file.
std::optional<Finding> observe_file(const std::string& name, Severity severity,
                                    const std::string& path, host::Files& files) {
  const auto text = files.read(path);
  if (!text) {
    return Finding{name, severity, text.error().what, "put a regular file there"};
  }
  if (!*text) return std::nullopt;
  const auto parsed = config::parse(**text);
  return config::has_errors(parsed.diagnostics)
             ? Finding{name, severity,
                       fmt::format("'{}' has errors, the first in {}", path,
                                   first_error(parsed.diagnostics)),
                       fmt::format("`spark-reconcile validate -f {}` names them", path)}
             : Finding{name, Severity::kGood, fmt::format("'{}' is valid", path), ""};
}

}  // namespace

Findings check_file(const Command& command) {
  auto finding =
      observe_file("file", Severity::kPrevents, protocol::kDefaultFile, command.host.files);
  return {finding ? *std::move(finding)
                  : Finding{"file", Severity::kPrevents,
                            fmt::format("there is no '{}'", protocol::kDefaultFile),
                            "`spark-reconcile init` writes a first one"}};
}

Findings check_last_good(const Command& command) {
  auto finding =
      observe_file("last good", Severity::kLook, protocol::kLastGoodFile, command.host.files);
  return finding ? Findings{*std::move(finding)} : Findings{};
}

}  // namespace spark::cli
