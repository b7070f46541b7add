#pragma once
// git_config: what git is told for a fetch, so that nothing but what was asked for carries it.

#include <string>

#include "config/source.hpp"

namespace spark::helpers {

/// The text of a git-config(1) file: children of git read it too, which do not see `-c`.
std::string git_config(const config::SourceSpec& settings);

}  // namespace spark::helpers
