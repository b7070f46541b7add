#include "host/linux/rdma/decode.hpp"

#include <gtest/gtest.h>
#include <rdma/rdma_netlink.h>

#include "unit/host/linux/netlink/netlink_bytes.hpp"

namespace spark::host {
namespace {

constexpr int kPortType = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_PORT_GET);

TEST(DecodeRdmaPort, ReadsAPortOfARail) {
  NetlinkBytes bytes(kPortType);
  bytes.put(RDMA_NLDEV_ATTR_DEV_INDEX, std::uint32_t{2})
      .put_text(RDMA_NLDEV_ATTR_DEV_NAME, "roceP2p1s0f0")
      .put(RDMA_NLDEV_ATTR_PORT_INDEX, std::uint32_t{1})
      .put(RDMA_NLDEV_ATTR_PORT_STATE, std::uint8_t{4})
      .put(RDMA_NLDEV_ATTR_PORT_PHYS_STATE, std::uint8_t{5})
      .put(RDMA_NLDEV_ATTR_NDEV_INDEX, std::uint32_t{7})
      .put_text(RDMA_NLDEV_ATTR_NDEV_NAME, "enP2p1s0f0np0");
  const auto port = decode_rdma_port(bytes.message());
  ASSERT_TRUE(port) << port.error().what;
  EXPECT_EQ(*port, (RdmaPort{.device = "roceP2p1s0f0",
                             .port = 1,
                             .state = kRdmaPortActive,
                             .physical_state = 5,
                             .link_index = 7}));
  EXPECT_EQ(decode_rdma_device(bytes.message())->index, 2U);
  EXPECT_EQ(decode_rdma_device(bytes.message())->name, "roceP2p1s0f0");
}

TEST(DecodeRdmaPort, APortWhoseNetdevIsElsewhereHasNone) {
  NetlinkBytes bytes(kPortType);
  bytes.put_text(RDMA_NLDEV_ATTR_DEV_NAME, "rocep1s0f0")
      .put(RDMA_NLDEV_ATTR_PORT_INDEX, std::uint32_t{1});
  EXPECT_EQ(decode_rdma_port(bytes.message())->link_index, 0);
}

TEST(DecodeRdmaPort, PassesOverAttributesOfNewerKernels) {
  NetlinkBytes bytes(kPortType);
  bytes.put_text(RDMA_NLDEV_ATTR_DEV_NAME, "rocep1s0f0")
      .put(RDMA_NLDEV_ATTR_PORT_INDEX, std::uint32_t{1})
      .put(4000, std::uint32_t{1});
  EXPECT_TRUE(decode_rdma_port(bytes.message()));
}

TEST(DecodeRdmaPort, RefusesWhatTheKernelDoesNotSend) {
  NetlinkBytes nameless(kPortType);
  nameless.put(RDMA_NLDEV_ATTR_PORT_INDEX, std::uint32_t{1});
  EXPECT_FALSE(decode_rdma_port(nameless.message()));
  NetlinkBytes cut(kPortType);
  cut.put_text(RDMA_NLDEV_ATTR_DEV_NAME, "rocep1s0f0").put(RDMA_NLDEV_ATTR_PORT_INDEX, {1, 0});
  EXPECT_FALSE(decode_rdma_port(cut.message()));
  NetlinkBytes unended(kPortType);
  unended.put(RDMA_NLDEV_ATTR_DEV_NAME, {'r', 'o', 'c', 'e'})
      .put(RDMA_NLDEV_ATTR_PORT_INDEX, std::uint32_t{1});
  EXPECT_FALSE(decode_rdma_port(unended.message()));
  EXPECT_FALSE(decode_rdma_device(nameless.message()));
}

TEST(DecodeRdmaUsers, NamesTheProcessOfEachQueuePair) {
  NetlinkBytes of_a_process(kPortType);
  of_a_process.put(RDMA_NLDEV_ATTR_RES_LQPN, std::uint32_t{17})
      .put(RDMA_NLDEV_ATTR_RES_PID, std::uint32_t{4711});
  NetlinkBytes of_the_kernel(kPortType);
  of_the_kernel.put(RDMA_NLDEV_ATTR_RES_LQPN, std::uint32_t{1})
      .put_text(RDMA_NLDEV_ATTR_RES_KERN_NAME, "ib_core");
  NetlinkBytes pairs(kPortType);
  NetlinkBytes of_another(kPortType);
  of_another.put(RDMA_NLDEV_ATTR_RES_PID, std::uint32_t{812});
  for (auto* one : {&of_a_process, &of_the_kernel, &of_another, &of_a_process}) {
    pairs.put(RDMA_NLDEV_ATTR_RES_QP_ENTRY, one->attributes());
  }
  NetlinkBytes bytes(kPortType);
  bytes.put(RDMA_NLDEV_ATTR_DEV_INDEX, std::uint32_t{0})
      .put(RDMA_NLDEV_ATTR_RES_QP, pairs.attributes());
  EXPECT_EQ(decode_rdma_users(bytes.message()), (std::vector<std::uint32_t>{4711, 812, 4711}));
  EXPECT_EQ(decode_rdma_users(NetlinkBytes(kPortType).message()), std::vector<std::uint32_t>{});
}

TEST(DecodeRdmaUsers, RefusesAQueuePairThatIsCut) {
  NetlinkBytes pair(kPortType);
  pair.put(RDMA_NLDEV_ATTR_RES_PID, {0x67, 0x12});
  NetlinkBytes pairs(kPortType);
  pairs.put(RDMA_NLDEV_ATTR_RES_QP_ENTRY, pair.attributes());
  NetlinkBytes bytes(kPortType);
  bytes.put(RDMA_NLDEV_ATTR_RES_QP, pairs.attributes());
  EXPECT_FALSE(decode_rdma_users(bytes.message()));
}

TEST(DecodeGid, ReadsIPv4MappedAndIPv6) {
  EXPECT_EQ(decode_gid("0000:0000:0000:0000:0000:ffff:c000:020b"), IpAddress::parse("192.0.2.11"));
  EXPECT_EQ(decode_gid("fe80:0000:0000:0000:0000:5eff:fe10:0002"),
            IpAddress::parse("fe80::5eff:fe10:2"));
}

TEST(DecodeGid, AnUnusedSlotIsNone) {
  EXPECT_FALSE(decode_gid("0000:0000:0000:0000:0000:0000:0000:0000"));
  EXPECT_FALSE(decode_gid(""));
  EXPECT_FALSE(decode_gid("192.0.2.11"));
}

}  // namespace
}  // namespace spark::host
