#pragma once
// SocketAddress and UnixAddress: an IpAddress, and a path, as the socket calls want them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/ip.hpp"

namespace spark {

class SocketAddress {
 public:
  explicit SocketAddress(const IpAddress& ip, std::uint16_t port = 0) {
    if (ip.is_v4()) {
      sockaddr_in v4{};
      v4.sin_family = AF_INET;
      v4.sin_port = htons(port);
      std::memcpy(&v4.sin_addr, ip.bytes().data(), sizeof v4.sin_addr);
      keep(v4);
    } else {
      sockaddr_in6 v6{};
      v6.sin6_family = AF_INET6;
      v6.sin6_port = htons(port);
      std::memcpy(&v6.sin6_addr, ip.bytes().data(), sizeof v6.sin6_addr);
      keep(v6);
    }
  }

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t size() const { return size_; }

 private:
  template <class Address>
  void keep(const Address& address) {
    static_assert(sizeof address <= sizeof storage_);
    std::memcpy(&storage_, &address, sizeof address);
    size_ = sizeof address;
  }

  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

class UnixAddress {
 public:
  /// Empty: `path` is empty or too long. A path that begins with '@' is in the abstract namespace.
  static std::optional<UnixAddress> from(std::string_view path) {
    UnixAddress address;
    auto& room = address.address_.sun_path;
    if (path.empty() || path.size() >= sizeof room) return std::nullopt;
    path.copy(room, path.size());
    if (path.front() == '@') room[0] = '\0';
    address.size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    return address;
  }

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  [[nodiscard]] socklen_t size() const { return size_; }

 private:
  UnixAddress() { address_.sun_family = AF_UNIX; }

  sockaddr_un address_{};
  socklen_t size_ = 0;
};

}  // namespace spark
