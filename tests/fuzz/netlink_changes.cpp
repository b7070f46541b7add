#include <cstddef>
#include <cstdint>
#include <string>

#include "host/linux/netlink/changes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& change : spark::host::changes_in(bytes)) {
    if (change.link == 0 || change.process == 0) __builtin_trap();
  }
  static_cast<void>(spark::host::is_about_our_devices(bytes));
  return 0;
}
