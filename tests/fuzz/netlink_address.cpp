#include <cstdlib>

#include "host/linux/netlink/decode.hpp"
#include "host/linux/netlink/encode.hpp"
#include "netlink_messages.hpp"

// What was read can be written again, and reads the same: a rollback depends on it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spark::test::each_message(data, size, [](const nlmsghdr& message) {
    auto address = spark::host::decode_address(message);
    if (!address || !*address) {
      return;
    }
    (*address)->added = 0;  // the kernel's to say
    const auto again = spark::host::encode_add_address((*address)->link_index, **address);
    if (again.header() != nullptr && spark::host::decode_address(*again.header()) != address) {
      std::abort();
    }
  });
  return 0;
}
