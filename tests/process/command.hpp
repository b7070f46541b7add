#pragma once
// run: another program, without a shell, to its end.

#include <iosfwd>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.hpp"

namespace spark::test {

struct Command {
  std::vector<std::string> argv;         ///< argv[0] is looked up in PATH
  std::string input;                     ///< what it reads on stdin
  std::vector<std::string> environment;  ///< "NAME=value", beside what this process has
  std::string hostname;                  ///< that it sees; empty: that of this machine
  int network = -1;                      ///< descriptor of a network namespace; -1: this one
  bool as_nobody = false;                ///< without any right
  int pending_signal = 0;                ///< comes, and is held back, before it starts
  bool ignored_signal = false;           ///< and it is one that the program is to ignore
  std::string output;                    ///< a file that gets its stdout; empty: Outcome::out does
  bool no_streams = false;               ///< stdin, stdout and stderr are closed
};

struct Outcome {
  int code = -1;  ///< exit status; -1: it was killed, by a signal of its own or by the deadline
  std::string out;
  std::string err;
};

/// A command under way; it is killed with this, if it still runs.
class Running {
 public:
  explicit Running(const Command& command);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  void signal(int number) const;
  [[nodiscard]] pid_t process() const { return process_; }
  /// What it has printed so far.
  [[nodiscard]] std::string output() const;
  /// Its end, for at most 30 seconds.
  Outcome wait();

 private:
  UniqueFd in_;
  UniqueFd out_;
  UniqueFd err_;
  pid_t process_ = -1;  ///< -1: it has ended
};

/// Runs the command and waits for its end, for at most 30 seconds. A command that cannot be started
/// ends with 127 and says why on stderr.
Outcome run(const Command& command);

/// For the messages of failed expectations.
std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

}  // namespace spark::test
