#pragma once
// fault_of_line: what is wrong with a line of a signers' file.

#include <string>
#include <string_view>

namespace spark::helpers {

/// Why a line of a signers' file (ssh-keygen(1), ALLOWED SIGNERS) counts for no commit, whatever
/// the day is; empty: nothing is known against it.
std::string fault_of_line(std::string_view line);

}  // namespace spark::helpers
