#pragma once
// The texts of the facts, and what each may tell: one row for each, so that a new one cannot slip
// into a report.

#include <optional>
#include <string_view>

#include "cli/share/field_class.hpp"

namespace spark::cli {

/// Of a text by its path: "links[].name", "sysctl{}.text"; of the keys of a map: "sysctl{key}".
/// Empty: nobody has said what it may tell.
std::optional<FieldClass> class_of_field(std::string_view path);

}  // namespace spark::cli
