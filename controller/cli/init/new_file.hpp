#pragma once
// write_new_file: a file that was not there before.

#include <string>

#include "base/result.hpp"

namespace spark::cli {

/// Makes the file (0644). Replaces nothing, and follows no link. Errors: kBusy where there is
/// something of that name.
Result<> write_new_file(const std::string& path, const std::string& text);

}  // namespace spark::cli
