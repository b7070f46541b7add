#pragma once
// Programs of a directory that are run as root: hooks, and those of ask.d.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"

namespace spark::daemon {

/// The programs of a hook directory that may be run as root.
struct Hooks {
  std::vector<std::string> paths;    ///< sorted by name
  std::vector<std::string> refused;  ///< what stands there and is not run, and why
};

/// Regular files that their owner may execute; names as of run-parts(8) and with dots inside. The
/// directory, all above it and the files must be the owner's and writable by nobody else: anyone
/// who can write there is root. An absent directory has no hooks. Errors: kPermission, …
Result<Hooks> hooks_in(const std::string& directory, uid_t owner = 0);

/// Runs one program, without a shell, in a process group of its own, and kills the group at the
/// deadline.
struct HookCall {
  std::string path;                      ///< the only word of argv
  std::string input;                     ///< what the program reads on stdin
  std::chrono::milliseconds deadline;    ///< then SIGKILL to the whole group
  std::vector<std::string> environment;  ///< "NAME=value", beside PATH
};

/// `line` gets each line that the program writes to stdout and stderr, bounded. `done` is called
/// once, at the program's end, with the exit status (128 and more: the signal). What the program
/// leaves running in its group is killed. Errors: kTimeout, and those of starting the program.
void run_hook(boost::asio::io_context& context, const HookCall& call,
              std::function<void(std::string_view)> line, std::function<void(Result<int>)> done);

}  // namespace spark::daemon
