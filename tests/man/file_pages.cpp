// The pages of cluster.yaml and agent.yaml: every key of the schema, by its path.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "man/pages.hpp"
#include "man/roff.hpp"

namespace spark::test::man {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDefinitions = "#/definitions/";

/// The name of the definition that a schema stands for; empty: it stands for itself.
std::string definition_of(const Json& schema) {
  const auto ref = schema.value("$ref", std::string());
  return ref.empty() ? ref : ref.substr(kDefinitions.size());
}

/// How the manual calls a value of a definition; empty: by its structure.
std::string_view word_of(std::string_view definition) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kWords{{
      {"name", "name"},
      {"interface", "interface"},
      {"cage_end", "cage"},
      {"cable_end", "cage or external host"},
      {"prefix", "address with its prefix length"},
      {"rate", "rate"},
      {"path", "absolute path"},
      {"url", "URL"},
  }};
  const auto* found = std::ranges::find(kWords, definition, &decltype(kWords)::value_type::first);
  return found == kWords.end() ? std::string_view() : found->second;
}

/// What stands for the key of a map whose keys are of a definition.
std::string_view placeholder_of(std::string_view definition) {
  if (definition == "name") return "NAME";
  if (definition == "interface") return "INTERFACE";
  return definition == "cage_end" ? "CAGE" : "KEY";
}

std::string joined(const Json& words) {
  std::string list;
  for (const auto& word : words) {
    list += fmt::format("{}`{}`", list.empty() ? "" : ", ", word.get<std::string>());
  }
  return list;
}

/// The pages of one schema.
class KeyPages {
 public:
  KeyPages(const Json& schema, Page& page) : schema_(schema), page_(page) {
    note_homes(schema_, "", 0);
  }

  void add_all() {
    const auto& keys = schema_["properties"];
    page_.subheading("Top level");
    for (const auto& [name, schema] : keys.items()) {
      if (!has_keys(schema)) add(name, schema, is_required(schema_, name));
    }
    for (const auto& [name, schema] : keys.items()) {
      if (!has_keys(schema)) continue;
      page_.subheading(fmt::format("`{}`", name));
      add(name, schema, is_required(schema_, name));
    }
  }

  /// What the words for values mean: those definitions that have one.
  void add_values() {
    for (const auto& [name, definition] : schema_["definitions"].items()) {
      const auto word = word_of(name);
      if (word.empty()) continue;
      const auto about = definition.value("description", std::string());
      const auto text = about.empty() ? definition.value("patternErrorMessage", "") : about;
      page_.item(word, marked(text));
    }
  }

 private:
  static bool is_required(const Json& owner, const std::string& name) {
    const auto found = owner.find("required");
    return found != owner.end() && std::ranges::find(*found, Json(name)) != found->end();
  }

  /// The schema with what its definition says; its own words come first.
  Json resolved(const Json& schema) const {
    const auto name = definition_of(schema);
    if (name.empty()) return schema;
    auto whole = resolved(schema_["definitions"][name]);
    for (const auto& [key, value] : schema.items()) {
      if (key != "$ref") whole[key] = value;
    }
    return whole;
  }

  /// Whether there are keys of the language in it, at any depth.
  bool has_keys(const Json& schema) const {
    const auto whole = resolved(schema);
    if (whole.contains("properties")) return true;
    if (whole.contains("items")) return has_keys(whole["items"]);
    return is_map(whole) && has_keys(whole["additionalProperties"]);
  }

  static bool is_map(const Json& whole) {
    return whole.contains("additionalProperties") && whole["additionalProperties"].is_object();
  }

  /// The words of a schema, whose names of keys are in single quotes, with our marks.
  static std::string marked(const std::string& text) {
    static const std::regex kQuoted("'([a-z_.{}]+)'");
    return std::regex_replace(text, kQuoted, "`$1`");
  }

  /// Where each definition is explained: where it is least deep.
  void note_homes(const Json& schema, const std::string& path, std::size_t depth) {
    const auto name = definition_of(schema);
    if (!name.empty()) {
      const auto known = homes_.find(name);
      if (known != homes_.end() && known->second.first <= depth) return;
      homes_[name] = {depth, path};
    }
    for (const auto& [child_path, child] : children(resolved(schema), path)) {
      note_homes(child, child_path, depth + 1);
    }
  }

  /// The keys of a map, and what its items or those of a list have.
  std::vector<std::pair<std::string, Json>> children(const Json& whole,
                                                     const std::string& path) const {
    std::vector<std::pair<std::string, Json>> found;
    const auto dot = path.empty() ? "" : ".";
    if (whole.contains("properties")) {
      for (const auto& [name, child] : whole["properties"].items()) {
        found.emplace_back(fmt::format("{}{}{}", path, dot, name), child);
      }
    }
    if (is_map(whole)) {
      const auto keys = whole.value("propertyNames", Json::object());
      found.emplace_back(path + dot + std::string(placeholder_of(definition_of(keys))),
                         whole["additionalProperties"]);
    }
    if (whole.contains("items")) found.emplace_back(path + "[]", whole["items"]);
    return found;
  }

  void add(const std::string& path, const Json& schema, bool required) {
    const auto whole = resolved(schema);
    const auto name = definition_of(schema);
    const bool is_elsewhere = !name.empty() && has_keys(schema) && homes_.at(name).second != path;
    auto text = fmt::format("{}.{}", type_of(schema), required ? " Required." : "");
    if (const auto about = whole.value("description", std::string()); !about.empty()) {
      text += " " + marked(about);
    }
    if (whole.contains("default") && !text.contains("Default:")) {
      text += fmt::format(" Default: {}.", plain(whole["default"]));
    }
    if (is_elsewhere) text += fmt::format(" Its keys: see `{}`.", homes_.at(name).second);
    page_.item(fmt::format("`{}`", path), text);
    if (!is_elsewhere) add_children(path, whole);
  }

  void add_children(const std::string& path, const Json& whole) {
    if (are_alike(whole)) {
      std::string names;
      for (const auto& [name, child] : whole["properties"].items()) {
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
      }
      page_.item(fmt::format("`{}.KIND`", path),
                 fmt::format("{}. A kind is one of {}.",
                             type_of(whole["properties"].begin().value()), names));
      return;
    }
    for (const auto& [child_path, child] : children(whole, path)) {
      const auto inner = resolved(child);
      // What has neither keys nor words of its own is said with the map or the list.
      const bool is_said = !whole.contains("properties") && !inner.contains("properties");
      if (is_said) continue;
      const auto name = child_path.substr(child_path.rfind('.') + 1);
      if (whole.contains("properties") || inner.contains("description")) {
        add(child_path, child, is_required(whole, name));
      } else {
        add_children(child_path, inner);
      }
    }
  }

  /// Whether all keys are of one kind, and none has words of its own.
  static bool are_alike(const Json& whole) {
    if (!whole.contains("properties") || whole["properties"].size() < 4) return false;
    const auto& keys = whole["properties"];
    return std::ranges::all_of(keys, [&](const Json& key) { return key == *keys.begin(); });
  }

  static std::string plain(const Json& value) {
    return fmt::format("`{}`", value.is_string() ? value.get<std::string>() : value.dump());
  }

  /// "Whole number, 68 to 65535", "List of names".
  std::string type_of(const Json& schema) const {
    auto text = type_words(schema);
    if (!text.starts_with('`')) text.front() = static_cast<char>(std::toupper(text.front()));
    return text;
  }

  std::string type_words(const Json& schema) const {
    if (const auto word = word_of(definition_of(schema)); !word.empty()) return std::string(word);
    const auto whole = resolved(schema);
    const auto name = definition_of(schema);
    if (name == "speed") return "rate";
    for (const auto* either : {"oneOf", "anyOf"}) {
      if (whole.contains(either)) return alternatives(whole[either]);
    }
    if (whole.contains("enum")) {
      return (whole["enum"].size() > 1 ? "one of " : "") + joined(whole["enum"]);
    }
    if (whole.contains("const")) return plain(whole["const"]);
    if (whole.contains("allOf")) return type_words(whole["allOf"][0]);
    const auto type = whole.value("type", std::string());
    if (type == "integer") return "whole number" + limits(whole);
    if (type == "boolean") return "`true` or `false`";
    if (type == "array") return list_words(whole);
    if (type == "object") return map_words(whole);
    return "text";
  }

  std::string alternatives(const Json& list) const {
    std::string text;
    for (const auto& one : list) {
      const auto* const separator = text.contains(';') ? "; or " : ", or ";
      text += (text.empty() ? "" : separator) + type_words(one);
    }
    return text;
  }

  static std::string limits(const Json& whole) {
    // A bound that large says what a number can be, not what anybody writes.
    constexpr std::int64_t kLarge = std::int64_t{1} << 62;
    const auto least = whole.value("minimum", -kLarge);
    const auto most = whole.value("maximum", kLarge);
    if (least <= -kLarge) return "";
    return most >= kLarge ? fmt::format(" ({} or more)", least)
                          : fmt::format(" ({} to {})", least, most);
  }

  std::string list_words(const Json& whole) const {
    const auto least = whole.value("minItems", 0);
    const auto most = whole.value("maxItems", 0);
    const auto count = most == 0       ? std::string()
                       : least == most ? fmt::format(" of {}", most)
                                       : fmt::format(" of {} to {}", least, most);
    if (has_keys(whole["items"]))
      return fmt::format("list{}{}", count.empty() ? " of" : count, " maps");
    return fmt::format("list{}; each item: {}", count, type_words(whole["items"]));
  }

  std::string map_words(const Json& whole) const {
    if (!is_map(whole)) return "map";
    const auto keys = whole.value("propertyNames", Json::object());
    const auto word = word_of(definition_of(keys));
    auto by = fmt::format("map by {}", word.empty() ? "key" : word);
    const auto value = resolved(whole["additionalProperties"]);
    if (has_keys(value) || value.contains("items")) return by;
    return fmt::format("{}; each value: {}", by, type_words(whole["additionalProperties"]));
  }

  const Json& schema_;
  Page& page_;
  std::map<std::string, std::pair<std::size_t, std::string>> homes_;
};

constexpr std::string_view kClusterAbout =
    "One file describes a whole cluster: its machines, their cables, and the settings of each "
    "machine. The same file lies on every node as `/etc/spark-reconcile/cluster.yaml`; each node "
    "takes its own part. What the file does not mention is left unchanged.\n"
    "\n"
    "The file must be root's, and nobody else may be able to write it. The daemon follows it as "
    "soon as it is replaced. `spark-reconcile-validate(1)` reports every error of a file at once, "
    "on any machine.";

constexpr std::string_view kAgentAbout =
    "The settings of the daemon on one machine alone: who may connect to it, and where its alerts "
    "go. The file is no part of `cluster.yaml(5)`, which cannot change it. It may be absent; then "
    "everything has its default. The daemon reads it when it starts.\n"
    "\n"
    "Secrets do not belong in this file: `authorization_file` names the file that has one.";

constexpr std::string_view kYaml =
    "UTF-8 text of at most 256 KiB, 16 levels deep. Anchors, aliases, merge keys, tags, "
    "directives, second documents and duplicate keys are refused. So each value stands once, in "
    "the place where it applies.\n"
    "\n"
    "The type of a value comes from its place, never from its looks. A number is written as "
    "`9000`, not as `\"9000\"` or `0x2328`; yes and no as `true` and `false`. A text that some "
    "reader could take for something else needs quotes; the error shows them. A key without a "
    "value is refused: write `{}` or `[]`, or leave the key out.";

constexpr std::string_view kPaths =
    "A dot leads into a map, `[]` into each item of a list, and a word in capitals stands for a "
    "key "
    "that you choose. Keys without `required` may be left out.";

/// The lines of an example, without those for editors.
std::string for_page(std::string_view example) {
  std::string lines;
  for (const auto line : lines_of(example)) {
    const bool is_for_editors = line.starts_with("# yaml-language-server");
    if (!is_for_editors && (line != "#" || !lines.empty())) lines += std::string(line) + "\n";
  }
  return lines;
}

void add_keys(Page& page, const Json& schema) {
  page.heading("SYNTAX");
  page.prose(kYaml);
  page.heading("KEYS");
  page.prose(kPaths);
  KeyPages keys(schema, page);
  keys.add_all();
  page.heading("VALUES");
  keys.add_values();
}

}  // namespace

std::string cluster_file_page(const Sources& sources) {
  Page page("cluster.yaml", 5, "what a cluster of DGX Spark machines should look like");
  page.heading("DESCRIPTION");
  page.prose(kClusterAbout);
  add_keys(page, sources.cluster_schema);
  page.heading("EXAMPLES");
  page.prose("Three machines in a ring:");
  page.verbatim(for_page(sources.cluster_example));
  page.heading("FILES");
  page.item("`/etc/spark-reconcile/cluster.yaml`", "The file that every verb reads without `-f`.");
  page.heading("SEE ALSO");
  page.prose(
      "`spark-reconcile(1)`, `spark-reconcile-validate(1)`, `spark-reconcile-plan(1)`, "
      "`agent.yaml(5)`, `spark-reconcile.service(8)`");
  return page.text();
}

std::string agent_file_page(const Sources& sources) {
  Page page("agent.yaml", 5, "settings of the spark-reconcile daemon on one machine");
  page.heading("DESCRIPTION");
  page.prose(kAgentAbout);
  add_keys(page, sources.agent_schema);
  page.heading("EXAMPLES");
  page.prose("An Alertmanager on this machine:");
  page.verbatim(for_page(sources.agent_example));
  page.heading("FILES");
  page.item("`/etc/spark-reconcile/agent.yaml`", "The file itself.");
  page.item("`/etc/spark-reconcile/hooks.d/`", "Programs that run for each alert.");
  page.item("`/etc/spark-reconcile/ask.d/`",
            "Programs that say whether a change of a new file may disturb a rail now.");
  page.heading("SEE ALSO");
  page.prose("`spark-reconcile-daemon(1)`, `cluster.yaml(5)`, `spark-reconcile.service(8)`");
  return page.text();
}

}  // namespace spark::test::man
