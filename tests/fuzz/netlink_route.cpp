#include <linux/rtnetlink.h>

#include "host/linux/netlink/decode.hpp"
#include "netlink_messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spark::test::each_message(data, size, [](const nlmsghdr& message) {
    if (message.nlmsg_type == RTM_NEWRULE) {
      static_cast<void>(spark::host::decode_rule(message));
    } else if (message.nlmsg_type == RTM_NEWNEIGH) {
      static_cast<void>(spark::host::decode_neighbour(message));
    } else {
      static_cast<void>(spark::host::decode_route(message));
    }
  });
  return 0;
}
