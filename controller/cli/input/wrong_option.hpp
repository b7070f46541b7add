#pragma once
// What is said of an option that the verb does not have. Pure.

#include <string>
#include <string_view>

#include "cli/input/typed_line.hpp"

namespace spark::cli {

inline constexpr std::string_view kListsVerbs = "`spark-reconcile help` lists those that there are";

/// Why the line has no such option, and the line to type, which changes no more than this one.
std::string unknown_option(const TypedLine& line, const TypedOption& option);

}  // namespace spark::cli
