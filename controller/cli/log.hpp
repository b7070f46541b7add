#pragma once
// What -v and the daemon write to stderr. The only user of the logging library is log.cpp.

#include <string_view>

namespace spark::cli {

/// 0: nothing; 1: what is done; 2 and more: in detail.
void set_verbosity(int verbosity);
void log_info(std::string_view text);
void log_debug(std::string_view text);

/// A line of the daemon's own log, on stderr whatever -v says: with the time where a person reads
/// it, else with its priority as systemd reads it (sd-daemon(3)). From one thread.
void log_of_daemon(int priority, std::string_view text);

}  // namespace spark::cli
