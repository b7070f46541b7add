#pragma once
// name_other_text: whether a text that was refused is something else as a whole, or is not
// finished.

#include <string_view>

#include "config/yaml/diagnostic_list.hpp"

namespace spark::config {

/// Where the text is a web page, a template, another tool's file and the like, one finding says so
/// in place of all errors. Where a line with an error has a variable of a shell, or a character
/// that only looks like one of YAML, one finding names it in place of the errors of that line. Does
/// nothing without an error.
void name_other_text(std::string_view text, Findings& findings);

}  // namespace spark::config
