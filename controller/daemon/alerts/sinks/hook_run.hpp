#pragma once
// run_hook: runs one program, without a shell, in a process group of its own, and kills the group
// at the deadline.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"

namespace spark::daemon {

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
