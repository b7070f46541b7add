#pragma once
// netlink_reply: what one datagram from the kernel says about one request; pure, no socket.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <linux/netlink.h>

namespace spark::host {

/// Why a request was not carried out.
struct NetlinkFailure {
  int number = 0;    ///< errno, positive
  std::string text;  ///< NLMSGERR_ATTR_MSG of the extended ACK; empty: the kernel gave none
  bool operator==(const NetlinkFailure&) const = default;
};

/// Takes one message of an answer.
using TakeMessage = std::function<void(const nlmsghdr&)>;

/// How far an answer has come after one more datagram.
struct ReplyProgress {
  bool finished = false;     ///< the ACK, the NACK or the end of the dump was in it
  bool interrupted = false;  ///< NLM_F_DUMP_INTR: the table changed between two parts of the dump
  std::optional<NetlinkFailure> failure;
};

/// Walks the messages of `datagram` that answer the request with that sequence number, and skips
/// all others. Messages that are neither ACK nor end go to `take`.
ReplyProgress read_reply(std::span<std::uint8_t> datagram, std::uint32_t sequence,
                         const TakeMessage& take);

}  // namespace spark::host
