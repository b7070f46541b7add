#pragma once
// The section `source` of agent.yaml as text: everything else in the file stays byte by byte.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/source.hpp"

namespace spark::cli {

/// The section, in the order of docs/reference/agent-yaml.md; what has its default is left out.
std::string section_text(const config::SourceSpec& source);

/// The keys that `former` has and `source` does not. Those with their default are none.
std::vector<std::string> keys_left(const config::SourceSpec& former,
                                   const config::SourceSpec& source);

/// `text` of agent.yaml with a section that says `source`. Of one that is there, the lines of the
/// keys that say something else are changed; its other lines stay, and so do its comments. A new
/// one goes to the end. Errors: kInvalid where file or section is not written as one key a line, as
/// in `{…}`.
Result<std::string> with_source(std::string_view text, const config::SourceSpec& source);

/// `text` of agent.yaml without the section: from its first line to its last key. Comments and
/// blank lines behind that stay. Errors: as with_source, of the file.
Result<std::string> without_source(std::string_view text);

}  // namespace spark::cli
