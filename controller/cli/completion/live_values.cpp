#include <cstdlib>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/completion/completion.hpp"
#include "cli/explain/resource.hpp"
#include "cli/explain/words.hpp"
#include "cli/input/cluster_file.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"

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
  if (arguments.file == "-") return {};
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

/// The newest first; of every node that this machine was, unless one is named.
std::vector<Candidate> generations_of(const Arguments& arguments, host::Files& files) {
  const auto known = arguments.node.empty() ? files.list(protocol::kStateDirectory)
                                            : Result<std::vector<std::string>>({arguments.node});
  std::vector<Candidate> generations;
  for (const auto& node : known.value_or(std::vector<std::string>{})) {
    const auto history = state::read_history(files, node);
    if (!history) continue;
    for (const auto& generation : *history | std::views::reverse) {
      generations.push_back(
          {std::to_string(generation.number),
           fmt::format("{}, {}, by {}", generation.at, in_words(state::name_of(generation.outcome)),
                       generation.by)});
    }
  }
  return generations;
}

/// Of the tables, and the resources that the file asks of this node.
std::vector<Candidate> words_to_explain(Arguments arguments, host::Host& host) {
  arguments.file = with_home(arguments.file);
  std::vector<Candidate> found;
  for (const auto& table : word_tables()) {
    for (auto& word : table.words()) {
      if (!word.contains(' ')) found.push_back({std::move(word), {}});
    }
  }
  for (auto& word : resource_words(arguments, host)) found.push_back({std::move(word), {}});
  return found;
}

std::vector<Candidate> names_of_alerts() {
  std::vector<Candidate> names;
  for (auto& word : alert_words()) names.push_back({std::move(word), {}});
  return names;
}

}  // namespace

LiveValues live_values(host::Host& host) {
  auto& files = host.files;
  return {.nodes = [&files](const Arguments& typed) { return nodes_of_file(typed, files); },
          .generations = [&files](const Arguments& typed) { return generations_of(typed, files); },
          .words = [&host](const Arguments& typed) { return words_to_explain(typed, host); },
          .alerts = [](const Arguments& /*typed*/) { return names_of_alerts(); }};
}

}  // namespace spark::cli
