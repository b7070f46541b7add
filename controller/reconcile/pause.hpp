#pragma once
// The pause on disk: until when nothing is corrected, who said so and why. It outlives a reboot and
// ends by itself.

#include <chrono>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "host/files.hpp"

namespace spark {

inline constexpr const char* kPauseFile = "/var/lib/spark-reconcile/pause.json";

/// Nothing is corrected until then, or until `resume`.
struct Paused {
  Moment since;
  Moment until;
  std::string reason;
  std::string by;  ///< user name, as far as it is known
};

/// Empty: there is none, or it is over. One that cannot be understood is none: what a pause keeps
/// from being mended must never depend on a damaged file.
std::optional<Paused> read_pause(Files& files, const Moment& now);

/// Errors: those of the files port.
Result<> write_pause(Files& files, const Paused& pause);
Result<> remove_pause(Files& files);

}  // namespace spark
