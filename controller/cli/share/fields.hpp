#pragma once
// What each text of the facts and each member of a bundle may tell: one row for each, so that a new
// one cannot slip in.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/share/replacements.hpp"

namespace spark::cli {

enum class FieldClass : std::uint8_t {
  kKept,  ///< of the program, the kernel or the hardware's type
  kHost,
  kDevice,
  kMac,
  kIp,
  kPrefix,
  kBroadcast,
  kSerial,
  kUser,
  kText,     ///< paths, texts of files, ids: replaced word by word
  kValue,    ///< of a setting: numbers, addresses and devices; left out where it is anything else
  kLeftOut,  ///< free text
};

inline constexpr const char* kLeftOutText = "left out of this report";

/// What stands in a report in place of a text of that class.
std::string replaced_text(FieldClass field_class, const std::string& text, Replacements& with);

/// Of a text by its path: "links[].name", "sysctl{}.text"; of the keys of a map: "sysctl{key}".
/// Empty: nobody has said what it may tell.
std::optional<FieldClass> class_of_field(std::string_view path);

/// By its path: "doctor.findings[].what". Empty: it is not in a bundle.
std::optional<FieldClass> class_in_bundle(std::string_view path);

/// The path of an object or a list, and something of it is in a bundle.
bool leads_into_bundle(std::string_view path);

/// Of all rows, in their order.
std::vector<std::string_view> paths_in_bundle();

}  // namespace spark::cli
