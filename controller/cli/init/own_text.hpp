#pragma once
// parse_own_text: a file that `init` is about to write, read as any other.

#include <string>

#include "base/result.hpp"
#include "config/parse/parse.hpp"

namespace spark::cli {

/// What init writes is always valid: the program's own parser has the last word. Errors: kInvalid.
Result<config::Parsed> parse_own_text(const std::string& text);

}  // namespace spark::cli
