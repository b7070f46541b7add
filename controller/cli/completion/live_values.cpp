#include "cli/completion/live_values.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "cli/input/cluster_file.hpp"

namespace spark::cli {
namespace {

/// A shell leaves the tilde to the command that it completes.
std::string with_home(const std::string& path) {
  const char* home = std::getenv("HOME");
  return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path;
}

std::string about_node(const config::NodeSpec& node) {
  return node.number ? fmt::format("number {}", node.number->value) : std::string();
}

/// Those of a file with errors too: somebody is writing it.
std::vector<Candidate> nodes_of_file(Arguments arguments, host::Files& files) {
  if (arguments.file == "-") {
    return {};
  }
  arguments.file = with_home(arguments.file);
  const auto file = read_cluster_file(arguments, files);
  std::vector<Candidate> nodes;
  if (file) {
    for (const auto& [name, node] : file->parsed.cluster.nodes) {
      nodes.push_back({name, about_node(node)});
    }
  }
  return nodes;
}

}  // namespace

LiveValues live_values(host::Files& files) {
  return {.nodes = [&files](const Arguments& typed) { return nodes_of_file(typed, files); }};
}

}  // namespace spark::cli
