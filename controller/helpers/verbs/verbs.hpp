#pragma once
// What both tasks of spark-verbs-probe need of verbs: handles, a device, memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <infiniband/verbs.h>
#include <sys/mman.h>

#include "base/handle.hpp"

namespace spark::helpers {

using DeviceList = Handle<ibv_device*, ibv_free_device_list>;
using Context = Handle<ibv_context, ibv_close_device>;
using ProtectionDomain = Handle<ibv_pd, ibv_dealloc_pd>;
using CompletionQueue = Handle<ibv_cq, ibv_destroy_cq>;
using MemoryRegion = Handle<ibv_mr, ibv_dereg_mr>;
using QueuePair = Handle<ibv_qp, ibv_destroy_qp>;

/// An opened device, or the call that failed and its errno.
struct OpenedDevice {
  Context context;
  std::string_view failed;
  int error_number = 0;
};

OpenedDevice open_device(const std::string& name);

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
