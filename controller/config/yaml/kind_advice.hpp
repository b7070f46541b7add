#pragma once
// advice_on_map, advice_on_list: what to write in place of a value of another kind.

#include <string>

#include "config/yaml/value.hpp"

namespace spark::config {

/// Of a value that must be a map: a list of names, of NAME=VALUE or of maps with a name.
std::string advice_on_map(const Value& value);

/// Of a value that must be a list: one item, items with commas between them, or a map of items.
std::string advice_on_list(const Value& value);

}  // namespace spark::config
