#include "host/linux/netlink/reply.hpp"

#include <cerrno>

#include "host/linux/netlink/attributes.hpp"

namespace spark::host {
namespace {

constexpr auto kAckPolicy = policy<NLMSGERR_ATTR_MAX>({{NLMSGERR_ATTR_MSG, kText}});

/// Bytes of payload before the attributes of an extended ACK. NLMSG_DONE has only the code; an
/// NLMSG_ERROR repeats the request's header, and its payload unless the socket asked for
/// NETLINK_CAP_ACK (netlink_ack in net/netlink/af_netlink.c).
std::size_t ack_header_size(const nlmsghdr& message) {
  const auto* const error = header_of<nlmsgerr>(message);
  if (message.nlmsg_type == NLMSG_DONE || error == nullptr) return sizeof(int);
  const bool whole_request = (message.nlmsg_flags & NLM_F_CAPPED) == 0;
  return sizeof(int) + (whole_request ? error->msg.nlmsg_len : sizeof(nlmsghdr));
}

std::string ack_text(const nlmsghdr& message) {
  const std::size_t before = ack_header_size(message);
  Attributes<NLMSGERR_ATTR_MAX> attributes{};
  if ((message.nlmsg_flags & NLM_F_ACK_TLVS) == 0 || before > message.nlmsg_len ||
      nla_parse(attributes.data(), NLMSGERR_ATTR_MAX,
                nlmsg_attrdata(&message, static_cast<int>(before)),
                nlmsg_attrlen(&message, static_cast<int>(before)), kAckPolicy.data()) < 0) {
    return "";
  }
  return text_of(attributes[NLMSGERR_ATTR_MSG]);
}

/// From NLMSG_ERROR, and from NLMSG_DONE, which carries the outcome of a dump in the same place:
/// a negative errno is a NACK, 0 is the ACK.
std::optional<NetlinkFailure> failure_in(const nlmsghdr& message) {
  constexpr int kMaxErrno = 4095;  // MAX_ERRNO of the kernel's linux/err.h
  const auto* const code = header_of<int>(message);
  if (code == nullptr || *code > 0 || *code < -kMaxErrno) return NetlinkFailure{EBADMSG, ""};
  if (*code == 0) return std::nullopt;
  return NetlinkFailure{-*code, ack_text(message)};
}

}  // namespace

ReplyProgress read_reply(std::span<std::uint8_t> datagram, std::uint32_t sequence,
                         const TakeMessage& take) {
  ReplyProgress progress;
  int left = static_cast<int>(datagram.size());
  for (auto* message = reinterpret_cast<nlmsghdr*>(datagram.data()); nlmsg_ok(message, left) != 0;
       message = nlmsg_next(message, &left)) {
    if (message->nlmsg_seq != sequence) continue;
    progress.interrupted |= (message->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
    switch (message->nlmsg_type) {
      case NLMSG_NOOP:
        break;
      case NLMSG_OVERRUN:
        progress.failure = NetlinkFailure{ENOBUFS, ""};
        progress.finished = true;
        return progress;
      case NLMSG_ERROR:
      case NLMSG_DONE:
        progress.failure = failure_in(*message);
        progress.finished = true;
        return progress;
      default:
        take(*message);
    }
  }
  return progress;
}

}  // namespace spark::host
