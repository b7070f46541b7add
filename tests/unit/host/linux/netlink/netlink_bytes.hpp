#pragma once
// NetlinkBytes: netlink messages put together byte by byte, right or wrong, for the decoders.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <linux/netlink.h>

namespace spark::host {

class NetlinkBytes {
 public:
  template <class Header>
  NetlinkBytes(int type, const Header& header, int flags = 0, std::uint32_t sequence = 1) {
    const nlmsghdr message{.nlmsg_len = 0,
                           .nlmsg_type = static_cast<std::uint16_t>(type),
                           .nlmsg_flags = static_cast<std::uint16_t>(flags),
                           .nlmsg_seq = sequence,
                           .nlmsg_pid = 0};
    append(&message, sizeof(message));
    append(&header, sizeof(header));
  }

  /// A message whose attributes follow the netlink header at once.
  explicit NetlinkBytes(int type) {
    const nlmsghdr message{.nlmsg_len = 0,
                           .nlmsg_type = static_cast<std::uint16_t>(type),
                           .nlmsg_flags = 0,
                           .nlmsg_seq = 1,
                           .nlmsg_pid = 0};
    append(&message, sizeof(message));
  }

  template <class Value>
  NetlinkBytes& put(int type, const Value& value) {
    return put(type, {reinterpret_cast<const std::uint8_t*>(&value), sizeof(value)});
  }
  /// With its terminating NUL.
  NetlinkBytes& put_text(int type, std::string_view text) {
    std::vector<std::uint8_t> bytes(text.begin(), text.end());
    bytes.push_back(0);
    return put(type, std::span<const std::uint8_t>(bytes));
  }
  NetlinkBytes& put(int type, std::initializer_list<std::uint8_t> bytes) {
    return put(type, std::span<const std::uint8_t>(bytes.begin(), bytes.size()));
  }
  NetlinkBytes& put(int type, std::span<const std::uint8_t> payload) {
    const nlattr attribute{.nla_len = static_cast<std::uint16_t>(sizeof(nlattr) + payload.size()),
                           .nla_type = static_cast<std::uint16_t>(type)};
    append(&attribute, sizeof(attribute));
    append(payload.data(), payload.size());
    return *this;
  }
  /// Bytes behind the last attribute, which need not be one.
  NetlinkBytes& append(const void* data, std::size_t size) {
    const auto* const first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
    bytes_.resize(NLMSG_ALIGN(bytes_.size()));
    return *this;
  }
  /// The attributes so far, to be put inside another one.
  template <class Header>
  [[nodiscard]] std::span<const std::uint8_t> attributes() const {
    return std::span(bytes_).subspan(NLMSG_ALIGN(sizeof(nlmsghdr) + sizeof(Header)));
  }
  [[nodiscard]] std::span<const std::uint8_t> attributes() const {
    return std::span(bytes_).subspan(NLMSG_HDRLEN);
  }
  /// Cuts the message to that many bytes.
  NetlinkBytes& cut(std::size_t size) {
    bytes_.resize(size);
    return *this;
  }

  [[nodiscard]] const nlmsghdr& message() {
    auto* const header = reinterpret_cast<nlmsghdr*>(bytes_.data());
    header->nlmsg_len = static_cast<std::uint32_t>(bytes_.size());
    return *header;
  }
  [[nodiscard]] std::span<std::uint8_t> datagram() {
    static_cast<void>(message());  // sets the length
    return bytes_;
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace spark::host
