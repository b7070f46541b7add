#pragma once
// key_example: a key in the place where it stands, with a value that the parser takes.

#include <string>
#include <string_view>

#include "config/yaml/value.hpp"

namespace spark::cli {

/// YAML, a line for each part of the path (SchemaKey::path) and no line feed at its end. `file` has
/// a value for every key. Empty: it has none for this one.
std::string key_example(const config::Value& file, std::string_view path);

}  // namespace spark::cli
