#pragma once
// What is said of a path that the user typed and that cannot be used, in words of a user and not of
// the kernel.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace spark::cli {

/// Why the file cannot be read; `number` is of errno. kPermission: the same line may do as root.
Error fault_of_input(const std::string& path, int number);

/// Why the new file cannot be made; `option` is what to give another name by.
Error fault_of_output(const std::string& path, int number, std::string_view option);

/// The error of a --root that cannot be opened.
Error fault_of_root(const std::string& root, Error error);

}  // namespace spark::cli
