#pragma once
// write_new_file: a file that was not there before.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace spark::cli {

/// Nothing has that name yet, and its directory is there. Errors: kBusy, kNotFound; `option` is
/// what to give another name by.
Result<> check_new_file(const std::string& path, std::string_view option);

/// Who may read a new file.
enum class NewFileMode : std::uint16_t {
  kAll = 0644,  ///< whatever the umask: `plan` needs no root
  kOwner = 0600,
};

/// Makes the file. Replaces nothing, and follows no link. Errors: kBusy where there is
/// something of that name.
Result<> write_new_file(const std::string& path, const std::string& text,
                        std::string_view option = "-o", NewFileMode mode = NewFileMode::kAll);

}  // namespace spark::cli
