#pragma once
// alive: until when counts what a process wrote for others. One that hangs, or was killed, would
// else show its last good news as if they were new.
//
// Its writer puts such a file beside its document, after it, and says again and again that it
// lives: in place, since a rename each few seconds is for nobody. Where there is none, an earlier
// version wrote the document, and it counts.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace spark::protocol {

/// For so long counts what was written, if nothing newer is said: three times of those that a
/// writer says it.
inline constexpr std::chrono::seconds kAliveCounts{30};
inline constexpr std::size_t kMostAliveBytes = 64;

/// A time of CLOCK_BOOTTIME that who was taken over may have written: within a century of the boot,
/// so that what is reckoned with it, also in nanoseconds, is in range.
bool is_boot_time(std::int64_t boot_ms);

/// What is in the file, of one that lives at `now` (CLOCK_BOOTTIME): "0000000001030000\n". All are
/// of one length.
std::string alive_text(std::chrono::milliseconds now);

/// Since when `writer` has said nothing, by the text of its file at `now`; empty: what it wrote
/// counts. Errors: kInvalid, "when WRITER lived last is not understood".
Result<std::optional<std::chrono::milliseconds>> silent_since(
    std::string_view writer, std::chrono::milliseconds now,
    const std::optional<std::string>& alive);

/// A document of another process, and the text of its file; empty: there is none.
struct AgedDocument {
  std::optional<std::string> alive;
  std::optional<std::string> text;
};

/// `read(path, most bytes)`: a Result of the text, empty where there is no such file. The age comes
/// first: a process that begins again writes it last, and what another left must not count by it.
Result<AgedDocument> read_aged(const auto& read, const std::string& alive, const std::string& path,
                               std::size_t most_bytes) {
  auto age = read(alive, kMostAliveBytes);
  if (!age) return std::unexpected(std::move(age).error());
  auto text = read(path, most_bytes);
  if (!text) return std::unexpected(std::move(text).error());
  return AgedDocument{.alive = *std::move(age), .text = *std::move(text)};
}

}  // namespace spark::protocol
