#pragma once
// The small files that a helper reads and writes as a user of its own.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.hpp"

namespace spark::host {

/// The text of a regular file that is no link; empty: there is none. Errors: kInvalid when it is
/// something else or longer than `limit_bytes`.
Result<std::optional<std::string>> read_plain(const std::string& path, std::size_t limit_bytes);
/// The same, where root alone could have written it. Errors: also kNotFound.
Result<std::string> read_of_root(const std::string& path, std::size_t limit_bytes);

/// Replaces the file in one rename; it is on disk when this returns. A folder in its place is moved
/// to "PATH.in-the-way-NUMBER".
Result<> replace_file(const std::string& path, std::string_view text, mode_t mode = 0644);

}  // namespace spark::host
