#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/explain/pages.hpp"
#include "cli/explain/schema_keys.hpp"
#include "cli/explain/words.hpp"
#include "config/yaml/diagnostic_list.hpp"
#include "config/yaml/document.hpp"
#include "config/yaml/value.hpp"

namespace spark::cli {
namespace {

using ValueKind = config::Value::Kind;
using ValueSteps = std::vector<const config::Value*>;

constexpr std::size_t kLongestExample = 90;
constexpr std::string_view kListItem = "[]";

/// "fabric.cables[].ends" in its parts: fabric, cables, [], ends.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const auto end = std::min(path.find('.'), path.size());
    auto part = path.substr(0, end);
    const bool is_item = part.ends_with(kListItem);
    if (is_item) part.remove_suffix(kListItem.size());
    parts.emplace_back(part);
    if (is_item) parts.emplace_back(kListItem);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

bool is_on_path(const config::Value& child, std::string_view part) {
  const bool stands_for_any = part == kListItem || std::ranges::all_of(part, is_ascii_upper);
  return stands_for_any || child.key == part;
}

/// The children from `value` down to the last part; empty: the parts lead nowhere.
ValueSteps steps_to(const config::Value& value, const std::vector<std::string>& parts,
                    std::size_t at) {
  for (const auto& child : value.children) {
    if (!is_on_path(child, parts[at])) continue;
    if (at + 1 == parts.size()) return {&child};
    if (auto rest = steps_to(child, parts, at + 1); !rest.empty()) {
      rest.insert(rest.begin(), &child);
      return rest;
    }
  }
  return {};
}

std::string scalar_text(const std::string& text, bool plain) {
  return plain ? text : nlohmann::json(text).dump();
}

/// On one line. Of what would be long only the first children are shown.
std::string flow_text(const config::Value& value) {
  if (value.kind != ValueKind::kList && value.kind != ValueKind::kMap) {
    return scalar_text(value.text, value.plain);
  }
  std::string text;
  for (const auto& child : value.children) {
    auto next = flow_text(child);
    if (value.kind == ValueKind::kMap) {
      next = fmt::format("{}: {}", scalar_text(child.key, child.key_plain), next);
    }
    if (!text.empty() && text.size() + next.size() > kLongestExample) break;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", next);
  }
  if (value.kind == ValueKind::kList) return fmt::format("[{}]", text);
  return text.empty() ? "{}" : fmt::format("{{ {} }}", text);
}

/// YAML, a line for each part of the path (SchemaKey::path) and no line feed at its end. `file` has
/// a value for every key. Empty: it has none for this one.
std::string key_example(const config::Value& file, std::string_view path) {
  const auto steps = steps_to(file, parts_of(path), 0);
  std::string text;
  std::string indent;
  std::string dash;
  for (const auto* step : steps) {
    if (step->key.empty()) {
      dash += "- ";
      continue;
    }
    text += fmt::format("{}{}{}{}:", text.empty() ? "" : "\n", indent, dash,
                        scalar_text(step->key, step->key_plain));
    indent += std::string(dash.size() + 2, ' ');
    dash.clear();
  }
  if (steps.empty()) return text;
  return text + (dash.empty() ? " " : "\n" + indent + dash) + flow_text(*steps.back());
}

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
