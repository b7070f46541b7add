#include <cstdlib>
#include <vector>

#include "host/linux/netlink/reply.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t kSequence = 1;
  std::vector<std::uint8_t> datagram(data, data + size);
  const auto progress = spark::host::read_reply(datagram, kSequence, [](const nlmsghdr& message) {
    if (message.nlmsg_seq != kSequence) {
      std::abort();
    }
  });
  // A failure is a positive errno, and the end of the answer.
  if (progress.failure && (progress.failure->number <= 0 || !progress.finished)) {
    std::abort();
  }
  return 0;
}
