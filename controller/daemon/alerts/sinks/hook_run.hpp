#pragma once
// run_hook: one program, without a shell, in a process group of its own, which ends at its deadline
// whatever it does.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"

namespace spark {

struct HookCall {
  std::string path;                    ///< argv is that alone
  std::string input;                   ///< what it reads on stdin
  std::chrono::milliseconds deadline;  ///< then SIGKILL to the whole group
};

/// `line` gets each line of what it writes to stdout and stderr, bounded; `done` is called once, at
/// its end, with the exit status (128 and more: the signal). What it leaves running in its group is
/// killed. Errors: kTimeout, and those of starting it.
void run_hook(boost::asio::io_context& context, const HookCall& call,
              std::function<void(std::string_view)> line, std::function<void(Result<int>)> done);

}  // namespace spark
