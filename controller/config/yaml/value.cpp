#include "config/yaml/value.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::config {
namespace {

Where start_of(const Value& child) { return child.key.empty() ? child.where : child.key_where; }

/// ".mtu", "[0]", or "['net.core.rmem_max']" for a key that is more than one word.
std::string step_to(const Value& child, std::size_t index) {
  const auto in_word = [](char c) { return is_ascii_alnum(c) || c == '_' || c == '-'; };
  if (child.key.empty()) return fmt::format("[{}]", index);
  if (std::ranges::all_of(child.key, in_word)) return "." + child.key;
  return fmt::format("['{}']", printable(child.key));
}

}  // namespace

const Value* child_of(const Value& map, std::string_view key) {
  const auto found = std::ranges::find(map.children, key, &Value::key);
  return found == map.children.end() ? nullptr : &*found;
}

std::string path_of(const Value& root, Where where, bool container) {
  std::string path;
  for (const Value* at = &root;;) {
    const bool is_container = at->kind == Value::Kind::kMap || at->kind == Value::Kind::kList;
    if (container && is_container && at->where == where) break;
    // Children stand in the file's order: the place is in the last one that begins before it.
    const auto after = std::ranges::upper_bound(at->children, where, {}, start_of);
    if (after == at->children.begin()) break;
    const auto index = static_cast<std::size_t>(after - at->children.begin()) - 1;
    at = &at->children[index];
    path += step_to(*at, index);
  }
  return path.starts_with('.') ? path.substr(1) : path;
}

}  // namespace spark::config
