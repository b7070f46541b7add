#include "host/linux/netlink/firewall.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include "unit/host/linux/netlink/netlink_bytes.hpp"

namespace spark::host {
namespace {

nfgenmsg of_family(std::uint8_t family) {
  return {.nfgen_family = family, .version = NFNETLINK_V0, .res_id = 0};
}

NetlinkBytes chain(std::uint8_t family, std::uint32_t hook, std::uint32_t policy) {
  NetlinkBytes nest(chain_message_type(), of_family(family));
  nest.put(NFTA_HOOK_HOOKNUM, htonl(hook)).put(NFTA_HOOK_PRIORITY, htonl(0));
  NetlinkBytes bytes(chain_message_type(), of_family(family));
  bytes.put_text(NFTA_CHAIN_TABLE, "filter")
      .put_text(NFTA_CHAIN_NAME, "INPUT")
      .put(NFTA_CHAIN_HOOK | NLA_F_NESTED, nest.attributes<nfgenmsg>())
      .put(NFTA_CHAIN_POLICY, htonl(policy));
  return bytes;
}

TEST(DecodeBaseChain, ReadsItsNamesHookAndPolicy) {
  auto drops = chain(NFPROTO_IPV4, NF_INET_LOCAL_IN, NF_DROP);
  EXPECT_EQ(decode_base_chain(drops.message()).value(), (BaseChain{.family = "ip",
                                                                   .table = "filter",
                                                                   .name = "INPUT",
                                                                   .hook = BaseChain::Hook::kInput,
                                                                   .drops = true}));
  auto accepts = chain(NFPROTO_INET, NF_INET_FORWARD, NF_ACCEPT);
  const auto forward = decode_base_chain(accepts.message()).value();
  ASSERT_TRUE(forward);
  EXPECT_EQ(forward->family, "inet");
  EXPECT_EQ(forward->hook, BaseChain::Hook::kForward);
  EXPECT_FALSE(forward->drops);
}

TEST(DecodeBaseChain, PassesOverWhatSeesOtherPackets) {
  auto output = chain(NFPROTO_IPV4, NF_INET_LOCAL_OUT, NF_DROP);
  EXPECT_EQ(decode_base_chain(output.message()).value(), std::nullopt);
  auto bridge = chain(NFPROTO_BRIDGE, NF_INET_LOCAL_IN, NF_DROP);
  EXPECT_EQ(decode_base_chain(bridge.message()).value(), std::nullopt);
  NetlinkBytes no_base(chain_message_type(), of_family(NFPROTO_INET));
  no_base.put_text(NFTA_CHAIN_TABLE, "filter").put_text(NFTA_CHAIN_NAME, "DOCKER-USER");
  EXPECT_EQ(decode_base_chain(no_base.message()).value(), std::nullopt);
}

TEST(DecodeBaseChain, RefusesWhatIsMalformed) {
  auto cut = chain(NFPROTO_IPV4, NF_INET_LOCAL_IN, NF_DROP);
  cut.cut(NLMSG_HDRLEN + 2);
  EXPECT_FALSE(decode_base_chain(cut.message()));
  NetlinkBytes narrow(chain_message_type(), of_family(NFPROTO_IPV4));
  narrow.put(NFTA_CHAIN_POLICY, std::uint8_t{1});
  EXPECT_FALSE(decode_base_chain(narrow.message()));
  NetlinkBytes endless(chain_message_type(), of_family(NFPROTO_IPV4));
  endless.put(NFTA_CHAIN_TABLE, {'f', 'i', 'l'});
  EXPECT_FALSE(decode_base_chain(endless.message())) << "a name without its end";
}

}  // namespace
}  // namespace spark::host
