#include "host/linux/netlink/firewall.hpp"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>

#include "host/linux/netlink/attributes.hpp"

namespace spark::host {
namespace {

int nftables_message(int message) { return NFNL_SUBSYS_NFTABLES << 8 | message; }

/// As `nft` writes it; empty: another family, whose chains see other packets.
std::string family_name(std::uint8_t family) {
  switch (family) {
    case NFPROTO_INET:
      return "inet";
    case NFPROTO_IPV4:
      return "ip";
    case NFPROTO_IPV6:
      return "ip6";
    default:
      return "";
  }
}

std::optional<BaseChain::Hook> hook_of(std::uint32_t number) {
  switch (number) {
    case NF_INET_LOCAL_IN:
      return BaseChain::Hook::kInput;
    case NF_INET_FORWARD:
      return BaseChain::Hook::kForward;
    default:
      return std::nullopt;
  }
}

}  // namespace

NetlinkRequest encode_get_chains() {
  return {nftables_message(NFT_MSG_GETCHAIN),
          nfgenmsg{.nfgen_family = NFPROTO_UNSPEC, .version = NFNETLINK_V0, .res_id = 0}};
}

int chain_message_type() { return nftables_message(NFT_MSG_NEWCHAIN); }

Result<std::optional<BaseChain>> decode_base_chain(const nlmsghdr& message) {
  constexpr auto kKnown = policy<NFTA_CHAIN_POLICY>({{NFTA_CHAIN_TABLE, kText},
                                                     {NFTA_CHAIN_NAME, kText},
                                                     {NFTA_CHAIN_HOOK, kNested},
                                                     {NFTA_CHAIN_POLICY, kU32}});
  constexpr auto kOfHook = policy<NFTA_HOOK_HOOKNUM>({{NFTA_HOOK_HOOKNUM, kU32}});
  Attributes<NFTA_CHAIN_POLICY> attributes{};
  Attributes<NFTA_HOOK_HOOKNUM> of_hook{};
  const auto* const header = header_of<nfgenmsg>(message);
  if (header == nullptr || !parse_attributes<nfgenmsg>(message, kKnown, attributes) ||
      !parse_nested(attributes[NFTA_CHAIN_HOOK], kOfHook, of_hook)) {
    return malformed("chain of nftables");
  }
  const auto family = family_name(header->nfgen_family);
  if (of_hook[NFTA_HOOK_HOOKNUM] == nullptr || family.empty()) return std::nullopt;
  // Numbers of nftables are in network byte order.
  const auto hook = hook_of(ntohl(u32_of(of_hook[NFTA_HOOK_HOOKNUM])));
  if (!hook) return std::nullopt;
  return BaseChain{.family = family,
                   .table = text_of(attributes[NFTA_CHAIN_TABLE]),
                   .name = text_of(attributes[NFTA_CHAIN_NAME]),
                   .hook = *hook,
                   .drops = attributes[NFTA_CHAIN_POLICY] != nullptr &&
                            ntohl(u32_of(attributes[NFTA_CHAIN_POLICY])) == NF_DROP};
}

}  // namespace spark::host
