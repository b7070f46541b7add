#include "cli/doctor/file_check.hpp"

#include <string>

#include <fmt/format.h>

#include "config/parse/parse.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

Finding observe_file(const std::string& name, const std::string& path, host::Files& files) {
  const auto text = files.read(path);
  if (!text) {
    return {name, false, text.error().what, "put a regular file there"};
  }
  if (!*text) {
    return {name, name != "file", fmt::format("there is no '{}'", path),
            name == "file" ? "`spark-reconcile init` writes a first one" : ""};
  }
  const auto parsed = config::parse(**text);
  return config::has_errors(parsed.diagnostics)
             ? Finding{name, false, fmt::format("'{}' has errors", path),
                       fmt::format("`spark-reconcile validate -f {}` names them", path)}
             : Finding{name, true, fmt::format("'{}' is valid", path), ""};
}

}  // namespace

Findings check_file(const Command& command) {
  return {observe_file("file", protocol::kDefaultFile, command.host.files)};
}

Findings check_last_good(const Command& command) {
  return {observe_file("last good", protocol::kLastGoodFile, command.host.files)};
}

}  // namespace spark::cli
