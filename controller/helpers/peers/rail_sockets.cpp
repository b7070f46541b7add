#include "helpers/peers/rail_sockets.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/socket_address.hpp"

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

}  // namespace spark::helpers
