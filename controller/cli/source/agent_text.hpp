#pragma once
// The section `source` of agent.yaml as text: everything else in the file stays byte by byte.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "config/source.hpp"

namespace spark::cli {

/// The section, in the order of docs/reference/agent-yaml.md; what has its default is left out.
std::string section_text(const config::SourceSpec& source);

/// `text` of agent.yaml with `section` in place of its section `source`, or at its end; an empty
/// `section` removes it. Errors: kInvalid where the file is not written in lines, as in `{…}`.
Result<std::string> with_section(std::string_view text, std::string_view section);

}  // namespace spark::cli
