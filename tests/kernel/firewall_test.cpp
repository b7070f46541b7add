// The chains of nftables as a real kernel has them. They are made by netlink in the test's own
// network namespace, as `nft add table ip filter; nft add chain …` makes them.

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <sys/socket.h>

#include "base/unique_fd.hpp"
#include "host/linux/netlink/linux_netlink.hpp"
#include "kernel/namespace.hpp"
#include "unit/host/linux/netlink/netlink_bytes.hpp"

namespace spark::test {
namespace {

using host::BaseChain;
using host::NetlinkBytes;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

nfgenmsg header_for(std::uint8_t family, std::uint16_t resource = 0) {
  return {.nfgen_family = family, .version = NFNETLINK_V0, .res_id = htons(resource)};
}

/// What opens and closes a transaction of nftables.
NetlinkBytes mark(int type) {
  return {type, header_for(NFPROTO_UNSPEC, NFNL_SUBSYS_NFTABLES), NLM_F_REQUEST};
}

int nftables(int message) { return NFNL_SUBSYS_NFTABLES << 8 | message; }

NetlinkBytes table(std::uint8_t family) {
  NetlinkBytes bytes(nftables(NFT_MSG_NEWTABLE), header_for(family), NLM_F_REQUEST | NLM_F_CREATE);
  bytes.put_text(NFTA_TABLE_NAME, "filter");
  return bytes;
}

NetlinkBytes chain(std::uint8_t family, std::string_view name, std::uint32_t hook,
                   std::uint32_t policy) {
  NetlinkBytes nest(0, header_for(family));
  nest.put(NFTA_HOOK_HOOKNUM, htonl(hook)).put(NFTA_HOOK_PRIORITY, htonl(0));
  NetlinkBytes bytes(nftables(NFT_MSG_NEWCHAIN), header_for(family), NLM_F_REQUEST | NLM_F_CREATE);
  bytes.put_text(NFTA_CHAIN_TABLE, "filter")
      .put_text(NFTA_CHAIN_NAME, name)
      .put(NFTA_CHAIN_HOOK | NLA_F_NESTED, nest.attributes<nfgenmsg>())
      .put(NFTA_CHAIN_POLICY, htonl(policy))
      .put_text(NFTA_CHAIN_TYPE, "filter");
  return bytes;
}

class Firewall : public NamespaceTest {
 protected:
  /// False: this kernel has no nftables.
  static bool make(std::vector<NetlinkBytes> parts) {
    const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
    if (!socket.valid()) return false;
    parts.insert(parts.begin(), mark(NFNL_MSG_BATCH_BEGIN));
    parts.push_back(mark(NFNL_MSG_BATCH_END));
    std::vector<std::uint8_t> batch;
    for (auto& part : parts) {
      const auto bytes = part.datagram();
      batch.insert(batch.end(), bytes.begin(), bytes.end());
    }
    return ::send(socket.get(), batch.data(), batch.size(), 0) ==
           static_cast<ssize_t>(batch.size());
  }
};

TEST_F(Firewall, HasItsBaseChainsRead) {
  host::LinuxNetlink netlink;
  const auto before = netlink.base_chains();
  if (!before) GTEST_SKIP() << "this kernel has no nftables: " << before.error().what;
  EXPECT_THAT(*before, IsEmpty());
  ASSERT_TRUE(
      make({table(NFPROTO_IPV4), chain(NFPROTO_IPV4, "INPUT", NF_INET_LOCAL_IN, NF_DROP),
            chain(NFPROTO_IPV4, "FORWARD", NF_INET_FORWARD, NF_ACCEPT),
            chain(NFPROTO_IPV4, "OUTPUT", NF_INET_LOCAL_OUT, NF_ACCEPT), table(NFPROTO_INET),
            chain(NFPROTO_INET, "mine", NF_INET_LOCAL_IN, NF_ACCEPT)}));
  EXPECT_THAT(netlink.base_chains().value(),
              UnorderedElementsAre(BaseChain{.family = "ip",
                                             .table = "filter",
                                             .name = "INPUT",
                                             .hook = BaseChain::Hook::kInput,
                                             .drops = true},
                                   BaseChain{.family = "ip",
                                             .table = "filter",
                                             .name = "FORWARD",
                                             .hook = BaseChain::Hook::kForward,
                                             .drops = false},
                                   BaseChain{.family = "inet",
                                             .table = "filter",
                                             .name = "mine",
                                             .hook = BaseChain::Hook::kInput,
                                             .drops = false}));
}

}  // namespace
}  // namespace spark::test
