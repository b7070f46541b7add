#include "cli/explain/schema_keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <regex>

#include <fmt/format.h>

namespace spark::cli {
namespace {

using SchemaJson = nlohmann::ordered_json;

constexpr std::string_view kDefinitions = "#/definitions/";

/// The name of the definition that a schema stands for; empty: it stands for itself.
std::string definition_of(const SchemaJson& schema) {
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

std::string joined_in_code(const SchemaJson& words) {
  std::string list;
  for (const auto& word : words) {
    list += fmt::format("{}`{}`", list.empty() ? "" : ", ", word.get<std::string>());
  }
  return list;
}

/// The keys of one schema.
class KeyList {
 public:
  explicit KeyList(const SchemaJson& schema) : schema_(schema) { note_homes(schema_, "", 0); }

  std::vector<SchemaKey> all() {
    const auto& keys = schema_["properties"];
    for (const auto& [name, schema] : keys.items()) {
      if (!has_keys(schema)) add(name, schema, is_required(schema_, name));
    }
    for (const auto& [name, schema] : keys.items()) {
      if (!has_keys(schema)) continue;
      const auto first = keys_.size();
      add(name, schema, is_required(schema_, name));
      keys_[first].opens_group = true;
    }
    return std::move(keys_);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> values() const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& [name, definition] : schema_["definitions"].items()) {
      const auto word = word_of(name);
      if (word.empty()) continue;
      const auto about = definition.value("description", std::string());
      found.emplace_back(
          word, marked(about.empty() ? definition.value("patternErrorMessage", "") : about));
    }
    return found;
  }

 private:
  static bool is_required(const SchemaJson& owner, const std::string& name) {
    const auto found = owner.find("required");
    return found != owner.end() && std::ranges::find(*found, SchemaJson(name)) != found->end();
  }

  /// The schema with what its definition says; its own words come first.
  SchemaJson resolved(const SchemaJson& schema) const {
    const auto name = definition_of(schema);
    if (name.empty()) return schema;
    auto whole = resolved(schema_["definitions"][name]);
    for (const auto& [key, value] : schema.items()) {
      if (key != "$ref") whole[key] = value;
    }
    return whole;
  }

  /// Whether there are keys of the language in it, at any depth.
  bool has_keys(const SchemaJson& schema) const {
    const auto whole = resolved(schema);
    if (whole.contains("properties")) return true;
    if (whole.contains("items")) return has_keys(whole["items"]);
    return is_map(whole) && has_keys(whole["additionalProperties"]);
  }

  static bool is_map(const SchemaJson& whole) {
    return whole.contains("additionalProperties") && whole["additionalProperties"].is_object();
  }

  /// The words of a schema, whose names of keys are in single quotes, with our marks.
  static std::string marked(const std::string& text) {
    static const std::regex kQuoted("'([a-z_.{}]+)'");
    return std::regex_replace(text, kQuoted, "`$1`");
  }

  /// Where each definition is explained: where it is least deep.
  void note_homes(const SchemaJson& schema, const std::string& path, std::size_t depth) {
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
  std::vector<std::pair<std::string, SchemaJson>> children(const SchemaJson& whole,
                                                           const std::string& path) const {
    std::vector<std::pair<std::string, SchemaJson>> found;
    const auto dot = path.empty() ? "" : ".";
    if (whole.contains("properties")) {
      for (const auto& [name, child] : whole["properties"].items()) {
        found.emplace_back(fmt::format("{}{}{}", path, dot, name), child);
      }
    }
    if (is_map(whole)) {
      const auto keys = whole.value("propertyNames", SchemaJson::object());
      found.emplace_back(path + dot + std::string(placeholder_of(definition_of(keys))),
                         whole["additionalProperties"]);
    }
    if (whole.contains("items")) found.emplace_back(path + "[]", whole["items"]);
    return found;
  }

  void add(const std::string& path, const SchemaJson& schema, bool required) {
    const auto whole = resolved(schema);
    const auto name = definition_of(schema);
    const bool is_elsewhere = !name.empty() && has_keys(schema) && homes_.at(name).second != path;
    SchemaKey key{.path = path,
                  .type = type_of(schema),
                  .required = required,
                  .about = marked(whole.value("description", std::string())),
                  .keys_at = is_elsewhere ? homes_.at(name).second : std::string(),
                  .kinds = {}};
    if (whole.contains("default") && !key.about.contains("Default:"))
      key.by_default = plain(whole["default"]);
    keys_.push_back(std::move(key));
    if (!is_elsewhere) add_children(path, whole);
  }

  void add_children(const std::string& path, const SchemaJson& whole) {
    if (are_alike(whole)) {
      std::string names;
      SchemaKey key{.path = path + ".KIND",
                    .type = type_of(whole["properties"].begin().value()),
                    .about = {},
                    .kinds = {}};
      for (const auto& [name, child] : whole["properties"].items()) {
        names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
        key.kinds.push_back(name);
      }
      key.about = fmt::format("A kind is one of {}.", names);
      keys_.push_back(std::move(key));
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
  static bool are_alike(const SchemaJson& whole) {
    if (!whole.contains("properties") || whole["properties"].size() < 4) return false;
    const auto& keys = whole["properties"];
    return std::ranges::all_of(keys, [&](const SchemaJson& key) { return key == *keys.begin(); });
  }

  static std::string plain(const SchemaJson& value) {
    return fmt::format("`{}`", value.is_string() ? value.get<std::string>() : value.dump());
  }

  /// "Whole number, 68 to 65535", "List of names".
  std::string type_of(const SchemaJson& schema) const {
    auto text = type_words(schema);
    if (!text.starts_with('`')) text.front() = static_cast<char>(std::toupper(text.front()));
    return text;
  }

  std::string type_words(const SchemaJson& schema) const {
    if (const auto word = word_of(definition_of(schema)); !word.empty()) return std::string(word);
    const auto whole = resolved(schema);
    const auto name = definition_of(schema);
    if (name == "speed") return "rate";
    for (const auto* either : {"oneOf", "anyOf"}) {
      if (whole.contains(either)) return alternatives(whole[either]);
    }
    if (whole.contains("enum")) {
      return (whole["enum"].size() > 1 ? "one of " : "") + joined_in_code(whole["enum"]);
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

  std::string alternatives(const SchemaJson& list) const {
    std::string text;
    for (const auto& one : list) {
      const auto* const separator = text.contains(';') ? "; or " : ", or ";
      text += (text.empty() ? "" : separator) + type_words(one);
    }
    return text;
  }

  static std::string limits(const SchemaJson& whole) {
    // A bound that large says what a number can be, not what anybody writes.
    constexpr std::int64_t kLarge = std::int64_t{1} << 62;
    const auto least = whole.value("minimum", -kLarge);
    const auto most = whole.value("maximum", kLarge);
    if (least <= -kLarge) return "";
    return most >= kLarge ? fmt::format(" ({} or more)", least)
                          : fmt::format(" ({} to {})", least, most);
  }

  std::string list_words(const SchemaJson& whole) const {
    const auto least = whole.value("minItems", 0);
    const auto most = whole.value("maxItems", 0);
    const auto count = most == 0       ? std::string()
                       : least == most ? fmt::format(" of {}", most)
                                       : fmt::format(" of {} to {}", least, most);
    if (has_keys(whole["items"]))
      return fmt::format("list{}{}", count.empty() ? " of" : count, " maps");
    return fmt::format("list{}; each item: {}", count, type_words(whole["items"]));
  }

  std::string map_words(const SchemaJson& whole) const {
    if (!is_map(whole)) return "map";
    const auto keys = whole.value("propertyNames", SchemaJson::object());
    const auto word = word_of(definition_of(keys));
    auto by = fmt::format("map by {}", word.empty() ? "key" : word);
    const auto value = resolved(whole["additionalProperties"]);
    if (has_keys(value) || value.contains("items")) return by;
    return fmt::format("{}; each value: {}", by, type_words(whole["additionalProperties"]));
  }

  const SchemaJson& schema_;
  std::vector<SchemaKey> keys_;
  std::map<std::string, std::pair<std::size_t, std::string>> homes_;
};

}  // namespace

std::vector<SchemaKey> keys_of(const nlohmann::ordered_json& schema) {
  return KeyList(schema).all();
}

std::string text_of(const SchemaKey& key) {
  auto text = fmt::format("{}.{}", key.type, key.required ? " Required." : "");
  if (!key.about.empty()) text += " " + key.about;
  if (!key.by_default.empty()) text += fmt::format(" Default: {}.", key.by_default);
  if (!key.keys_at.empty()) text += fmt::format(" Its keys: see `{}`.", key.keys_at);
  return text;
}

std::vector<std::pair<std::string, std::string>> values_of(const nlohmann::ordered_json& schema) {
  return KeyList(schema).values();
}

}  // namespace spark::cli
