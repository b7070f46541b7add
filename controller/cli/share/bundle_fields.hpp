#pragma once
// The members of a bundle: one row for each text, number and truth of the documents that are in it.
// What has no row is left out, so nothing new of a document slips in.

#include <optional>
#include <string_view>
#include <vector>

#include "cli/share/field_class.hpp"

namespace spark::cli {

/// By its path: "doctor.findings[].what". Empty: it is not in a bundle.
std::optional<FieldClass> class_in_bundle(std::string_view path);

/// The path of an object or a list, and something of it is in a bundle.
bool leads_into_bundle(std::string_view path);

/// Of all rows, in their order.
std::vector<std::string_view> paths_in_bundle();

}  // namespace spark::cli
