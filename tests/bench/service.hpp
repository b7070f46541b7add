#pragma once
// Service: a process that says READY=1 as systemd wants it (sd_notify(3)) and goes on, and what it
// costs meanwhile.

#include <string>
#include <vector>

#include <sys/types.h>

#include "bench/process.hpp"

namespace spark::bench {

class Service {
 public:
  /// Starts argv[0], a path, and waits until it is ready. One that is not within ten seconds ends
  /// the benchmarks.
  explicit Service(const Argv& argv, const std::vector<std::string>& environment = {});
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  /// Ends it by SIGTERM, and waits for that.
  ~Service();

  void signal(int number) const;

  /// From before it was started until it was ready.
  [[nodiscard]] double seconds_to_ready() const { return seconds_to_ready_; }
  /// User and system time so far, with that of the children it has waited for.
  [[nodiscard]] double cpu_seconds() const;
  /// How often one of its threads has slept so far (voluntary_ctxt_switches, proc(5)).
  [[nodiscard]] double sleeps() const;
  /// Memory that would be free without it: Private_Clean and Private_Dirty of proc(5).
  [[nodiscard]] double private_bytes() const;
  /// Of that, what was written: the heap, stacks and data, without the pages of the program.
  [[nodiscard]] double written_bytes() const;

 private:
  [[nodiscard]] std::string directory() const;

  pid_t process_ = -1;
  double seconds_to_ready_ = 0;
};

}  // namespace spark::bench
