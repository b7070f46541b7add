#pragma once
// What a verb and a task of spark-peers hand to each other: the task on its stdin, and lines on its
// stdout.

#include <chrono>
#include <cstddef>
#include <mutex>

#include <sys/eventfd.h>

#include "base/json_document.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "helpers/peers/lines.hpp"
#include "host/process/file_io.hpp"
#include "protocol/peer_probe.hpp"

namespace spark::helpers {

/// The one line of at most `limit` bytes. Errors: none came in ten seconds; kInvalid.
template <class Task>
Result<Task> read_task(int in, std::size_t limit) {
  constexpr std::chrono::seconds kTaskTime{10};
  LineReader reader(in, limit);
  const auto line = reader.await(std::chrono::steady_clock::now() + kTaskTime);
  return line ? value_from_text<Task>(*line) : std::unexpected(line.error());
}

/// Prints lines of several threads; once one cannot be printed, nobody listens any more.
class TaskLines {
 public:
  explicit TaskLines(int descriptor) : descriptor_(descriptor), gone_(eventfd(0, EFD_CLOEXEC)) {}

  template <class Line>
  void say(const Line& line) {
    const std::scoped_lock lock(mutex_);
    if (!host::write_all(descriptor_, protocol::peer_line_text(line), "stdout")) {
      static_cast<void>(eventfd_write(gone_.get(), 1));
    }
  }

  /// Readable when nobody listens.
  [[nodiscard]] int gone() const { return gone_.get(); }

 private:
  int descriptor_;
  UniqueFd gone_;
  std::mutex mutex_;
};

}  // namespace spark::helpers
