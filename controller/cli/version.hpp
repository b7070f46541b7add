#pragma once
// Which build this is. Only version.cpp is compiled with the numbers.

#include <string_view>

namespace spark::cli {

/// "0.1.0".
std::string_view version_number();
/// Twelve hexadecimal digits of the commit it was built from; empty where it was not known.
std::string_view version_commit();

}  // namespace spark::cli
