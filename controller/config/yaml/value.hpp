#pragma once
// Value: the file as a tree of maps, lists and texts, each with its place, and nothing interpreted.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml/place.hpp"

namespace spark::config {

struct Value {
  enum class Kind : std::uint8_t {
    kNull,     ///< nothing, or one of YAML's words for it
    kText,     ///< one scalar
    kList,     ///<
    kMap,      ///< children with keys, in the file's order, equal keys not yet refused
    kRefused,  ///< already reported: readers say nothing more
  };

  Kind kind = Kind::kNull;
  bool plain = false;      ///< a scalar without quotes
  bool key_plain = false;  ///< a key without quotes
  Where where;
  Where key_where;
  std::string text;  ///< of a scalar, quotes and escapes decoded
  std::string key;   ///< of a map's child
  std::vector<Value> children;
};

/// The first entry of a map with that key; null: it has none.
const Value* child_of(const Value& map, std::string_view key);

/// The path of the value (or key) at a place, as in "fabric.cables[0].mtu": with `container`, of
/// the outermost map or list that begins there, else of the innermost value. Empty for the root and
/// when there is no value.
std::string path_of(const Value& root, Where where, bool container);

}  // namespace spark::config
