#pragma once
// What git's own words about a failed fetch mean.

#include <string>
#include <string_view>

#include "helpers/git/fault.hpp"

namespace spark::helpers {

/// `text`: what git and its helpers wrote to stderr, in the C locale. `url`: of the repository.
Fault fault_of_fetch(std::string_view text, std::string_view url);

}  // namespace spark::helpers
