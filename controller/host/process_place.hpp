#pragma once
// ProcessPlace: where a process stands among the others, from the text of /proc/PID/stat.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spark::host {

struct ProcessPlace {
  std::uint32_t parent = 0;              ///< 0: it has none
  std::chrono::milliseconds started{0};  ///< since the boot, suspend included
  /// It is the shell of a terminal: what it started are commands of their own.
  bool leads_terminal = false;
  bool operator==(const ProcessPlace&) const = default;
};

/// `ticks` of the text in a second (_SC_CLK_TCK). Empty: it is no such text.
std::optional<ProcessPlace> parse_process_stat(std::string_view text, std::uint64_t ticks);

}  // namespace spark::host
