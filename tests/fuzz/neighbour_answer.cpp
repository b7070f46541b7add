#include <cstdint>
#include <span>

#include "host/neighbour_frames.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(spark::host::read_answer(std::span(data, size)));
  return 0;
}
