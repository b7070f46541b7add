#include "helpers/peers/rail_sockets.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/socket_address.hpp"
#include "protocol/discover.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

constexpr int kBacklog = 16;

/// Without a privilege: the socket is bound to no device yet (socket(7), since Linux 5.7).
bool bind_to_link(int socket, const std::string& link) {
  return setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, link.c_str(),
                    static_cast<socklen_t>(link.size())) == 0;
}

constexpr int kType = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

IpAddress address_of(const sockaddr_storage& address) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(&address), sizeof address);
  const auto ip = IpAddress::from_bytes(
      address.ss_family == AF_INET
          ? bytes.subspan(offsetof(sockaddr_in, sin_addr), sizeof(in_addr))
          : bytes.subspan(offsetof(sockaddr_in6, sin6_addr), sizeof(in6_addr)));
  return ip ? ip->unmapped() : IpAddress{};
}

}  // namespace

Result<UniqueFd> listen_on(const std::string& link) {
  const auto what = fmt::format("listen on '{}', port {}", link, protocol::kPeersPort);
  UniqueFd socket(::socket(AF_INET6, kType, IPPROTO_TCP));
  // As with ipv6.disable=1 on the kernel's command line.
  const bool is_v4 = !socket.valid() && errno == EAFNOSUPPORT;
  if (is_v4) socket = UniqueFd(::socket(AF_INET, kType, IPPROTO_TCP));
  if (!socket.valid()) return fail_errno(errno, what);
  const int yes = 1;
  const int no = 0;
  const SocketAddress any(*IpAddress::parse(is_v4 ? "0.0.0.0" : "::"), protocol::kPeersPort);
  if (setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      (!is_v4 && setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0) ||
      !bind_to_link(socket.get(), link) || ::bind(socket.get(), any.get(), any.size()) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    return fail_errno(errno, what);
  }
  return socket;
}

Incoming accept_from(int listener) {
  Incoming incoming;
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  incoming.connection = UniqueFd(
      accept4(listener, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!incoming.connection.valid()) return incoming;
  sockaddr_storage to{};
  size = sizeof to;
  if (getsockname(incoming.connection.get(), reinterpret_cast<sockaddr*>(&to), &size) != 0) {
    incoming.connection.reset();
    return incoming;
  }
  incoming.from = address_of(from);
  incoming.to = address_of(to);
  return incoming;
}

Result<UniqueFd> connect_over(const std::string& link, const IpAddress& from, const IpAddress& to,
                              SteadyTime end) {
  const auto what =
      fmt::format("connect to {}, port {}, over {}", to.text(), protocol::kPeersPort, link);
  UniqueFd socket(::socket(to.is_v4() ? AF_INET : AF_INET6, kType, IPPROTO_TCP));
  if (!socket.valid()) return fail_errno(errno, what);
  const SocketAddress own(from);
  const SocketAddress peer(to, protocol::kPeersPort);
  if (!bind_to_link(socket.get(), link) || ::bind(socket.get(), own.get(), own.size()) != 0) {
    return fail_errno(errno, what);
  }
  if (::connect(socket.get(), peer.get(), peer.size()) != 0) {
    if (errno != EINPROGRESS) return fail_errno(errno, what);
    if (!wait_for(socket.get(), POLLOUT, end)) {
      return fail(ErrorCode::kTimeout, what + ": no answer; does a firewall drop it there?");
    }
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0)
      return fail_errno(errno, what);
    if (error != 0) return fail_errno(error, what);
  }
  return socket;
}

std::vector<std::string> RailListeners::update(const protocol::PeersOrder& order) {
  std::map<std::string, UniqueFd> listeners;
  std::map<std::string, unsigned> indexes;
  std::vector<std::string> failed;
  if (order.enabled) {
    for (const auto& peer : order.peers) {
      const auto index = if_nametoindex(peer.link.c_str());
      if (index == 0 || listeners.contains(peer.link)) continue;
      const auto known = listeners_.find(peer.link);
      // A link of that name that came again is another one.
      if (known != listeners_.end() && indexes_[peer.link] == index) {
        listeners.emplace(peer.link, std::move(known->second));
      } else if (auto listener = listen_on(peer.link)) {
        listeners.emplace(peer.link, std::move(*listener));
      } else {
        failed.push_back(listener.error().what);
        continue;
      }
      indexes[peer.link] = index;
    }
  }
  listeners_ = std::move(listeners);
  indexes_ = std::move(indexes);
  return failed;
}

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
