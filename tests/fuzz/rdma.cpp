#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/linux/rdma/decode.hpp"
#include "netlink_messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spark::test::each_message(data, size, [](const nlmsghdr& message) {
    static_cast<void>(spark::host::decode_rdma_device(message));
    static_cast<void>(spark::host::decode_rdma_users(message));
    static_cast<void>(spark::host::decode_rdma_port(message));
  });
  static_cast<void>(
      spark::host::decode_gid(std::string_view(reinterpret_cast<const char*>(data), size)));
  return 0;
}
