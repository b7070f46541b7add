#pragma once
// What all tasks of spark-verbs-probe need of verbs: handles, a device, memory, and what failed.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <infiniband/verbs.h>
#include <sys/mman.h>

#include "base/handle.hpp"

namespace spark::helpers {

using DeviceList = Handle<ibv_device*, ibv_free_device_list>;
using Context = Handle<ibv_context, ibv_close_device>;
using ProtectionDomain = Handle<ibv_pd, ibv_dealloc_pd>;
using CompletionChannel = Handle<ibv_comp_channel, ibv_destroy_comp_channel>;
using CompletionQueue = Handle<ibv_cq, ibv_destroy_cq>;
using MemoryRegion = Handle<ibv_mr, ibv_dereg_mr>;
using QueuePair = Handle<ibv_qp, ibv_destroy_qp>;

/// What ended a task, as its report says it: Error has no place for the errno.
struct Failure {
  std::string step;      ///< the call or the check
  int error_number = 0;  ///< its errno, or 0
  std::string why;       ///< in words
};

template <class T = void>
using Attempt = std::expected<T, Failure>;

/// Without `why` it is the text of the errno.
std::unexpected<Failure> failed(std::string_view step, int error_number, std::string why = {});

/// Runs the steps up to the first that fails.
template <class... Step>
Attempt<> in_order(Step... step) {
  Attempt<> done;
  static_cast<void>(((done = step(), done.has_value()) && ...));
  return done;
}

template <class Report>
void take_down(Report& report, Failure failure) {
  report.failed = std::move(failure.step);
  report.error_number = failure.error_number;
  report.why = std::move(failure.why);
}

Attempt<Context> open_device(const std::string& name);

/// Anonymous pages, unmapped at the end.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes),
        start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    if (valid()) {
      static_cast<void>(munmap(start_, bytes_));  // cannot fail for what mmap gave
    }
  }

  [[nodiscard]] bool valid() const { return start_ != MAP_FAILED; }
  [[nodiscard]] void* start() const { return start_; }
  [[nodiscard]] std::span<std::uint8_t> bytes() const {
    return {static_cast<std::uint8_t*>(start_), bytes_};
  }

 private:
  std::size_t bytes_;
  void* start_;
};

}  // namespace spark::helpers
