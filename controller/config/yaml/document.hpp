#pragma once
// read_document: the text of a file becomes a tree of values.

#include <optional>
#include <string_view>

#include "config/yaml/diagnostic_list.hpp"
#include "config/yaml/value.hpp"

namespace spark::config {

/// Reads the one document of a text. Parts that can be refused one by one (anchors, tags, a second
/// document) go to `findings`, and reading continues. Empty: there is no tree. A text without
/// content is a null.
/// Bounded: 256 KiB, 16 levels, 50 000 nodes, 4 KiB a scalar.
std::optional<Value> read_document(std::string_view text, Findings& findings);

}  // namespace spark::config
