#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/explain/key_example.hpp"
#include "cli/explain/pages.hpp"
#include "cli/explain/schema_keys.hpp"
#include "cli/explain/vocabularies.hpp"
#include "config/yaml/diagnostic_list.hpp"
#include "config/yaml/document.hpp"

namespace spark::cli {
namespace {

/// One of the two files.
struct Language {
  std::string_view file;
  std::string_view page;
  std::vector<SchemaKey> keys;
  std::string_view example;  ///< a file with a value for each key
};

const std::array<Language, 2>& languages() {
  static const std::array<Language, 2> kAll{
      Language{.file = "cluster.yaml",
               .page = "docs/reference/cluster-yaml.md",
               .keys = keys_of(nlohmann::ordered_json::parse(cluster_schema())),
               .example = every_cluster_key()},
      Language{.file = "agent.yaml",
               .page = "docs/reference/agent-yaml.md",
               .keys = keys_of(nlohmann::ordered_json::parse(agent_schema())),
               .example = every_agent_key()}};
  return kAll;
}

using Segments = std::vector<std::string>;

/// "nodes.*.links[0].mtu": what stands between the dots, without the brackets of items.
Segments segments_of(std::string_view path) {
  Segments segments;
  while (!path.empty()) {
    const auto end = std::min(path.find('.'), path.size());
    const auto segment = path.substr(0, end);
    segments.emplace_back(segment.substr(0, segment.find('[')));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

/// A key that the user chooses.
bool is_placeholder(std::string_view segment) {
  return !segment.empty() && std::ranges::all_of(segment, is_ascii_upper);
}

/// Whether the word leads to this key. What stands for a chosen name may be left out, but where the
/// path ends with it.
bool leads_to(const SchemaKey& key, const Segments& path, std::size_t at, const Segments& word,
              std::size_t from) {
  if (at == path.size()) return from == word.size();
  const bool is_last = at + 1 == path.size();
  if (!is_placeholder(path[at])) {
    return from < word.size() && word[from] == path[at] &&
           leads_to(key, path, at + 1, word, from + 1);
  }
  const bool is_meant =
      from < word.size() && (!is_last || word[from] == "*" || word[from] == path[at] ||
                             std::ranges::find(key.kinds, word[from]) != key.kinds.end());
  return (is_meant && leads_to(key, path, at + 1, word, from + 1)) ||
         (!is_last && leads_to(key, path, at + 1, word, from));
}

const SchemaKey* key_at(const Language& language, const Segments& word) {
  const auto found = std::ranges::find_if(language.keys, [&](const SchemaKey& key) {
    return leads_to(key, segments_of(key.path), 0, word, 0);
  });
  return found == language.keys.end() ? nullptr : &*found;
}

/// The key itself, or the one that is explained where another with the same keys is.
const SchemaKey* key_named(const Language& language, const Segments& word) {
  if (const auto* key = key_at(language, word)) return key;
  for (auto size = word.size() - 1; size > 0; --size) {
    const auto cut = word.begin() + static_cast<std::ptrdiff_t>(size);
    const auto* outer = key_at(language, Segments(word.begin(), cut));
    if (outer == nullptr || outer->keys_at.empty()) continue;
    auto home = segments_of(outer->keys_at);
    home.insert(home.end(), cut, word.end());
    return key_at(language, home);
  }
  return nullptr;
}

/// As a person types it.
std::string typed_form(const SchemaKey& key) {
  std::string typed;
  for (const auto& segment : segments_of(key.path)) {
    if (!is_placeholder(segment)) typed += fmt::format("{}{}", typed.empty() ? "" : ".", segment);
  }
  return typed;
}

std::string example_of(const Language& language, const SchemaKey& key) {
  config::Findings none;
  const auto file = config::read_document(language.example, none);
  return file ? key_example(*file, key.path) : std::string();
}

}  // namespace

std::vector<std::string> key_words() {
  std::vector<std::string> words;
  std::set<std::string> known;
  for (const auto& language : languages()) {
    for (const auto& key : language.keys) {
      if (auto word = typed_form(key); known.insert(word).second) words.push_back(std::move(word));
    }
  }
  return words;
}

std::optional<Explanation> explain_key(std::string_view word) {
  const auto segments = segments_of(word);
  if (segments.empty()) return std::nullopt;
  for (const auto& language : languages()) {
    const auto* key = key_named(language, segments);
    if (key == nullptr) continue;
    Explanation explanation{
        .kind = WordKind::kKey,
        .word = key->path,
        .title = fmt::format("a key of {}{}", language.file, key->required ? ", required" : ""),
        .parts = {},
        .page = std::string(language.page)};
    add_part(explanation, "Takes", key->type);
    add_part(explanation, "Default", key->by_default);
    add_part(explanation, "Means", key->about);
    if (!key->keys_at.empty()) {
      add_part(explanation, "Keys", fmt::format("those of `{}`", key->keys_at));
    }
    add_part(explanation, "Example", example_of(language, *key));
    return explanation;
  }
  return std::nullopt;
}

}  // namespace spark::cli
