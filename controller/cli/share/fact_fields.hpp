#pragma once
// The texts of the facts, and what each may tell: one row for each, so that a new one cannot slip
// into a report.

#include <cstdint>
#include <optional>
#include <string_view>

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
  kText,     ///< paths, texts of files, ids: replaced word by word
  kLeftOut,  ///< free text
};

/// Of a text by its path: "links[].name", "sysctl{}.text"; of the keys of a map: "sysctl{key}".
/// Empty: nobody has said what it may tell.
std::optional<FieldClass> class_of_field(std::string_view path);

}  // namespace spark::cli
