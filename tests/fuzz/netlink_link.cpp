#include "host/linux/netlink/decode.hpp"
#include "netlink_messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spark::test::each_message(data, size, [](const nlmsghdr& message) {
    static_cast<void>(spark::host::decode_link(message));
  });
  return 0;
}
