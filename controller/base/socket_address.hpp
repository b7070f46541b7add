#pragma once
// SocketAddress: an IpAddress as the socket calls want it.

#include <cstdint>
#include <cstring>

#include <netinet/in.h>
#include <sys/socket.h>

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

}  // namespace spark
