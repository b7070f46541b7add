#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/yaml/advice.hpp"

namespace spark::config {
namespace {

/// The value on one line, as in { ends: [a:0, b:0] }. Empty: it is no short plain text.
std::optional<std::string> on_one_line(const Value& value) {
  constexpr std::size_t kMostParts = 8;
  constexpr std::string_view kNeedsQuotes = " \t\n,[]{}#&*!|>'\"%@`";
  if (value.kind == Value::Kind::kText) {
    const bool is_plain = value.plain && !value.text.empty() &&
                          value.text.find_first_of(kNeedsQuotes) == std::string::npos;
    return is_plain ? std::optional(printable(value.text)) : std::nullopt;
  }
  const bool is_map = value.kind == Value::Kind::kMap;
  if ((!is_map && value.kind != Value::Kind::kList) || value.children.size() > kMostParts) {
    return std::nullopt;
  }
  std::vector<std::string> parts;
  for (const Value& child : value.children) {
    const auto text = on_one_line(child);
    if (!text) return std::nullopt;
    parts.push_back(is_map ? fmt::format("{}: {}", printable(child.key), *text) : *text);
  }
  if (parts.empty()) return is_map ? "{}" : "[]";
  return is_map ? fmt::format("{{ {} }}", fmt::join(parts, ", "))
                : fmt::format("[{}]", fmt::join(parts, ", "));
}

bool is_text(const Value& value) { return value.kind == Value::Kind::kText; }

/// "NCCL_DEBUG: INFO" for "NCCL_DEBUG=INFO".
std::optional<std::string> as_key(std::string_view text) {
  const auto sign = text.find('=');
  const auto is_of_name = [](char c) { return is_ascii_alnum(c) || c == '_' || c == '.'; };
  if (sign == 0 || sign >= text.size() - 1 ||
      !std::ranges::all_of(text.substr(0, sign), is_of_name)) {
    return std::nullopt;
  }
  return fmt::format("{}: {}", text.substr(0, sign), printable(text.substr(sign + 1)));
}

/// All of "A=1 B=2", as the parser puts lines together. Empty: some part is another text.
std::vector<std::string> as_keys(const Value& value) {
  std::vector<std::string> keys;
  const auto add = [&keys](const Value& text) {
    const auto whole = fold_blanks(text.text);
    return std::ranges::all_of(split(whole, ' '), [&keys](std::string_view part) {
      const auto key = part.empty() ? std::nullopt : as_key(part);
      if (key) keys.push_back(*key);
      return key.has_value();
    });
  };
  const bool all =
      is_text(value) ? add(value) : std::ranges::all_of(value.children, [&](const Value& item) {
        return is_text(item) && add(item);
      });
  return all ? keys : std::vector<std::string>{};
}

/// Maps whose keys are names that the file chooses, with a map of its own for each.
bool has_named_entries(std::string_view key) {
  return key == "nodes" || key == "links" || key == "external";
}

/// "spark1: { number: 1 }" for "- name: spark1" with a number, or for "- spark1". `place`: from 1.
std::optional<std::string> as_entry(const Value& item, std::size_t place, bool is_node) {
  if (is_text(item)) {
    const auto name = on_one_line(item);
    if (!name) return std::nullopt;
    return is_node ? fmt::format("{}: {{ number: {} }}", *name, place)
                   : fmt::format("{}: {{}}", *name);
  }
  const Value* name = child_of(item, "name");
  if (name == nullptr || !is_text(*name)) return std::nullopt;
  Value rest = item;
  std::erase_if(rest.children, [](const Value& child) { return child.key == "name"; });
  const auto line = on_one_line(rest);
  return line ? std::optional(fmt::format("{}: {}", printable(name->text), *line)) : std::nullopt;
}

/// "{ spark1: { number: 1 }, spark2: { number: 2 } }". Empty: some item is another one.
std::optional<std::string> as_map(const Value& list) {
  constexpr std::size_t kMost = 8;
  if (list.children.empty() || list.children.size() > kMost) return std::nullopt;
  std::vector<std::string> entries;
  for (const Value& item : list.children) {
    const auto entry = as_entry(item, entries.size() + 1, list.key == "nodes");
    if (!entry) return std::nullopt;
    entries.push_back(*entry);
  }
  return fmt::format("{{ {} }}", fmt::join(entries, ", "));
}

}  // namespace

std::string advice_on_map(const Value& value) {
  if (const auto keys = as_keys(value); !keys.empty()) {
    const auto map = fmt::format("{{ {} }}", fmt::join(keys, ", "));
    return value.key == "environment"
               ? fmt::format("write environment: {{ variables: {} }}", map)
               : fmt::format("a key and its value have ': ' between them: write {}: {}",
                             printable(value.key), map);
  }
  if (is_text(value)) {
    if (const auto glued = value.plain ? glued_key(value.text) : std::nullopt) {
      return advice_on(*glued);
    }
  } else if (value.key == "cages") {
    if (const auto names = on_one_line(value)) {
      return fmt::format("write cages: {{ 0: {} }}, with the number of the cage", *names);
    }
  } else if (has_named_entries(value.key)) {
    if (const auto map = as_map(value)) {
      return fmt::format("the names are the keys: write {}: {}", value.key, *map);
    }
  }
  return "write 'key: value' lines below it, or { key: value, ... }";
}

std::string advice_on_list(const Value& value) {
  std::vector<std::string> items;
  const auto line = [&](std::string_view why) {
    const auto key = value.key.empty() ? std::string{} : printable(value.key) + ": ";
    return fmt::format("{}write {}[{}]", why, key, fmt::join(items, ", "));
  };
  if (is_text(value)) {
    const auto parts = split(value.text, ',');
    for (const auto part : parts) {
      const auto item =
          on_one_line({.kind = Value::Kind::kText, .plain = true, .text = fold_blanks(part)});
      if (item) items.push_back(*item);
    }
    if (items.size() == parts.size()) return line("");
  } else if (!value.children.empty()) {
    for (const Value& child : value.children) {
      const auto item = child.kind == Value::Kind::kMap ? on_one_line(child) : std::nullopt;
      if (item) items.push_back(*item);
    }
    if (items.size() == value.children.size()) return line("its items have no names: ");
  }
  return "write its items after '- ' on lines of their own, or in [ ]";
}

}  // namespace spark::config
