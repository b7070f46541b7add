#pragma once
// FieldClass: what a text of a report may tell.

#include <cstdint>
#include <string>

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

}  // namespace spark::cli
