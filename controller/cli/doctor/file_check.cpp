#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/doctor/checks.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/input/verb.hpp"
#include "diagnosis/kinds.hpp"
#include "protocol/paths.hpp"
#include "state/in_force_file.hpp"

namespace spark::cli {
namespace {

/// "line 9: unknown key 'mtuu', did you mean 'mtu'?", of the first error.
std::string first_error(const std::vector<config::Diagnostic>& diagnostics) {
  const auto first =
      std::ranges::find(diagnostics, config::Severity::kError, &config::Diagnostic::severity);
  return fmt::format("line {}: {}", first->where.line, first->message);
}

Finding finding_of(const std::string& name, Severity severity, const ClusterFile& file) {
  if (file.valid()) {
    return {name, Severity::kGood, fmt::format("'{}' is valid", file.name), ""};
  }
  return {name, severity,
          fmt::format("'{}' has errors, the first in {}", file.name,
                      first_error(file.parsed.diagnostics)),
          fmt::format("`spark-reconcile validate -f {}` names them", file.name)};
}

/// `detail`: kAbsent: there is no file; empty: it has errors.
Findings no_file(Finding finding, std::optional<gate::Detail> detail) {
  finding.problems = {problem_named(diagnosis::kFileThere, detail)};
  return {std::move(finding)};
}

}  // namespace

Findings check_file(const Command& command) {
  // As it is, also where another text is in force.
  const auto file = read_cluster_file({.verb = verb_named("validate"),
                                       .file = command.arguments.file,
                                       .root = command.arguments.root},
                                      command.host.files);
  if (file) {
    auto finding = finding_of("file", Severity::kPrevents, *file);
    return is_good(finding) ? Findings{finding} : no_file(std::move(finding), {});
  }
  const auto& error = file.error();
  if (!command.arguments.file.empty()) {
    return no_file({"file", Severity::kPrevents, error.what, "name the cluster's file with -f"},
                   gate::Detail::kUnread);
  }
  if (error.code == ErrorCode::kNotFound) {
    return no_file(
        {"file", Severity::kPrevents, fmt::format("there is no '{}'", protocol::kDefaultFile),
         "`sudo spark-reconcile init --discover` writes a first one"},
        gate::Detail::kAbsent);
  }
  return no_file({"file", Severity::kPrevents, error.what,
                  error.code == ErrorCode::kPermission ? "`sudo spark-reconcile doctor`"
                                                       : "put a regular file there"},
                 gate::Detail::kUnread);
}

Findings check_last_good(const Command& command) {
  const auto kept = state::read_in_force(command.host.files);
  if (!kept) {
    return {{"last good", Severity::kLook, kept.error().what, "put a regular file there"}};
  }
  const auto* text = kept->text();
  if (text == nullptr) return {};
  return {finding_of("last good", Severity::kLook,
                     parse_cluster_text(protocol::kInForceRecord, *text))};
}

}  // namespace spark::cli
