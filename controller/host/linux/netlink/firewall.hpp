#pragma once
// The chains of nftables, by netlink (NFT_MSG_GETCHAIN of linux/netfilter/nf_tables.h).

#include <optional>

#include <linux/netlink.h>

#include "base/result.hpp"
#include "host/linux/netlink/request.hpp"
#include "host/netlink.hpp"

namespace spark::host {

/// For a dump of all families.
NetlinkRequest encode_get_chains();
/// The type of the messages that answer it.
int chain_message_type();
/// Empty: it is no base chain, or one that sees other packets. Errors: kInvalid, saying what is
/// malformed.
Result<std::optional<BaseChain>> decode_base_chain(const nlmsghdr& message);

}  // namespace spark::host
