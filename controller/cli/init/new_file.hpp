#pragma once
// write_new_file: a file that was not there before.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace spark::cli {

/// Nothing has that name yet. Errors: kBusy; `option` is what to give another name by.
Result<> check_new_file(const std::string& path, std::string_view option);

/// Makes the file (0644). Replaces nothing, and follows no link. Errors: kBusy where there is
/// something of that name.
Result<> write_new_file(const std::string& path, const std::string& text,
                        std::string_view option = "-o");

}  // namespace spark::cli
