#include "cli/explain/key_example.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

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

}  // namespace

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

}  // namespace spark::cli
