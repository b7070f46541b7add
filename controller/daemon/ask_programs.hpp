#pragma once
// ask_programs: runs the programs of ask.d, which say whether rails may be disturbed now.

#include <string>

#include <sys/types.h>

#include "daemon/common/daemon_log.hpp"
#include "daemon/reconcile/disturb_ask.hpp"

namespace spark::daemon {

inline constexpr const char* kAskDirectory = "/etc/spark-reconcile/ask.d";

/// Whether the directory has any, or cannot be read, which is a no.
bool has_ask_programs(const std::string& directory);

/// Runs them one after the other, as hooks are run, until one says no. Exit status 0 is a yes, 75 a
/// no; anything else, a program that may not be run and a directory that others can write is a no
/// too, and an error that `log` hears. Why the answer is no; empty: it is yes, or there is no
/// program. Blocks.
std::string ask_programs(const std::string& directory, const AskOrder& order, const DaemonLog& log,
                         uid_t owner = 0);

}  // namespace spark::daemon
