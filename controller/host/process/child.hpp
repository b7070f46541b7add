#pragma once
// run_child: another program of this project, without a shell, under a deadline that holds whatever
// it does.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

// spawn: starts another program in a process group of its own, without a shell.

struct SpawnRequest {
  std::vector<std::string> words;        ///< the program's path, and its arguments
  std::vector<std::string> environment;  ///< "NAME=value"; nothing else is handed down
  int in = -1;                           ///< its stdin; -1: /dev/null
  int out = -1;                          ///< its stdout
  int err = -1;                          ///< its stderr; -1: that of this process
  std::string directory;                 ///< where it begins; empty: where this process is
  bool forgets_signals = false;          ///< resets all signals to the default, else only SIGPIPE
  /// Bytes of memory that the child and each process below it may have (RLIMIT_DATA); 0: as many as
  /// this process. For a process with one thread: the child is a fork.
  std::uint64_t most_memory = 0;
};

/// In the child, no signal is blocked and no other descriptor is open. The group has the child's
/// number: killing the group ends what the child starts, too. `what` begins the text of an error.
Result<pid_t> spawn(const SpawnRequest& request, const std::string& what);

/// Readable once the child has ended (pidfd_open(2)). Invalid: errno says why.
UniqueFd process_handle(pid_t child);

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

/// Neither end is handed down to a program that is started. `what` begins the text of an error.
Result<Pipe> make_pipe(const std::string& what);

struct ChildOutput {
  int status = 0;   ///< exit status; 128 and more: the signal that ended it
  std::string out;  ///< what it wrote to stdout, at most 64 KiB
  std::string err;  ///< what it wrote to stderr, at most 64 KiB
};

/// What a child gets beside its words.
struct ChildSetup {
  std::vector<std::string> environment;  ///< "NAME=value"; nothing else is handed down
  int in = -1;                           ///< its stdin; -1: /dev/null
  std::uint64_t most_memory = 0;         ///< as SpawnRequest has it
  /// Gets what it writes to stdout as it comes, in place of ChildOutput::out; empty: nobody does.
  std::function<void(std::string_view bytes)> on_out;
};

/// Starts `words[0]` (a path; nothing is searched), and waits for its end. Errors: kNotFound when
/// there is no such program; kTimeout when it was killed at the deadline with all that it started,
/// or would not even die: a process may be stuck in the kernel, and is then left behind.
Result<ChildOutput> run_child(const std::vector<std::string>& words,
                              std::chrono::milliseconds deadline, const ChildSetup& setup = {});

}  // namespace spark::host
