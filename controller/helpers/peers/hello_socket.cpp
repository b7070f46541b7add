#include "helpers/peers/hello_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <sys/socket.h>

#include "base/socket_address.hpp"
#include "protocol/discover.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

std::string mac_text(const sockaddr_ll& from) {
  if (from.sll_halen != ETH_ALEN) return {};
  const auto& b = from.sll_addr;
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", b[0], b[1], b[2], b[3], b[4],
                     b[5]);
}

/// The one descriptor that comes with a byte.
UniqueFd take_descriptor(int door) {
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (recvmsg(door, &message, MSG_CMSG_CLOEXEC) != 1) return {};
  const auto* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof(int))) {
    return {};
  }
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return UniqueFd(descriptor);
}

}  // namespace

Result<HelloSocket> HelloSocket::fetch(const std::string& door) {
  const auto what = fmt::format("fetch the hello's socket at '{}'", door);
  const auto address = UnixAddress::from(door);
  if (!address) return fail(ErrorCode::kInvalid, what + ": the path is too long");
  UniqueFd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!connection.valid()) return fail_errno(errno, what);
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  if (setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
      ::connect(connection.get(), address->get(), address->size()) != 0) {
    return fail_errno(errno, what);
  }
  auto socket = take_descriptor(connection.get());
  if (!socket.valid()) return fail(ErrorCode::kSystem, what + ": the daemon could not open one");
  return HelloSocket(std::move(socket));
}

std::optional<HelloFrame> HelloSocket::receive() const {
  // The socket's filter cuts what is longer than a hello, or a frame of discovery, one byte later.
  std::array<char, protocol::kMostDiscoverBytes + 1> bytes{};
  while (true) {
    sockaddr_ll from{};
    socklen_t size = sizeof from;
    const auto got = recvfrom(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT,
                              reinterpret_cast<sockaddr*>(&from), &size);
    if (got < 0 && errno == EINTR) continue;
    // A link that went down reports ENETDOWN once, and the socket goes on.
    if (got < 0 && errno == ENETDOWN) continue;
    if (got < 0) return std::nullopt;
    if (from.sll_pkttype == PACKET_OUTGOING) continue;
    return HelloFrame{.link_index = from.sll_ifindex,
                      .mac = mac_text(from),
                      .bytes = std::string(bytes.data(), static_cast<std::size_t>(got))};
  }
}

Result<> HelloSocket::send(int link_index, std::string_view bytes) const {
  sockaddr_ll to{};
  to.sll_family = AF_PACKET;
  to.sll_protocol = htons(protocol::kHelloEtherType);
  to.sll_ifindex = link_index;
  to.sll_halen = ETH_ALEN;
  std::fill_n(to.sll_addr, ETH_ALEN, static_cast<unsigned char>(0xFF));
  if (sendto(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0) {
    return fail_errno(errno, "send a frame");
  }
  return {};
}

}  // namespace spark::helpers
