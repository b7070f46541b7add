#pragma once
// Value: the file as a tree of maps, lists and texts, each with its place, and nothing interpreted.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml/place.hpp"

namespace spark {

class Findings;

struct Value {
  enum class Kind : std::uint8_t {
    kNull,     ///< nothing, or one of YAML's words for it
    kText,     ///< one scalar
    kList,     ///<
    kMap,      ///< children with keys, in the file's order, equal keys not yet refused
    kRefused,  ///< already reported; whoever reads it says nothing more
  };

  Kind kind = Kind::kNull;
  bool plain = false;      ///< a scalar without quotes
  bool key_plain = false;  ///< likewise its key
  Where where;
  Where key_where;
  std::string text;  ///< of a scalar, quotes and escapes undone
  std::string key;   ///< of a map's child
  std::vector<Value> children;
};

/// Reads the one document of a text. What can be refused in passing (anchors, tags, a second
/// document) goes to `findings` and reading goes on; empty when there is no tree. A text that says
/// nothing is a null.
/// Bounded: 256 KiB, 16 levels, 50 000 nodes, 4 KiB a scalar.
std::optional<Value> read_document(std::string_view text, Findings& findings);

/// Where the value (or its key) at a place stands, as in "fabric.cables[0].mtu". The outermost map
/// or list that begins there, or else the innermost value. Empty for the root and when there is
/// none.
std::string path_of(const Value& root, Where where, bool container);

}  // namespace spark
