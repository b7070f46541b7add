#pragma once
// What is refused about a text before any YAML is read in it.

#include <string_view>

#include "spec/diagnostic_list.hpp"

namespace spark {

/// False, and reported, for a text that is too large or could mislead the parser or its reader:
/// other encodings, control characters, text that is shown otherwise than it is read. Directives
/// are reported, and reading can go on.
bool text_is_acceptable(std::string_view text, Findings& findings);

}  // namespace spark
