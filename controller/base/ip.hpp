#pragma once
// IpAddress and IpPrefix: IPv4 and IPv6 addresses as values, compared by their bytes.

#include <array>
#include <bitset>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spark {

enum class IpFamily : std::uint8_t { kV4 = 4, kV6 = 6 };

/// One address in network byte order; an IPv4 address uses the first four bytes, the rest are 0.
/// Sorts IPv4 before IPv6, then numerically.
class IpAddress {
 public:
  static constexpr std::string_view kForm = "an IP address";

  IpAddress() = default;

  /// Strict text form (inet_pton): no leading zeros, no zone, no blanks. Empty when it is not one.
  static std::optional<IpAddress> parse(std::string_view text);
  /// From 4 or 16 bytes in network order. Empty for any other length.
  static std::optional<IpAddress> from_bytes(std::span<const std::uint8_t> bytes);

  [[nodiscard]] IpFamily family() const { return family_; }
  [[nodiscard]] bool is_v4() const { return family_ == IpFamily::kV4; }
  /// 32 or 128.
  [[nodiscard]] std::uint8_t bits() const { return is_v4() ? 32 : 128; }
  /// The 4 or 16 bytes, network order.
  [[nodiscard]] std::span<const std::uint8_t> bytes() const {
    return {bytes_.data(), is_v4() ? 4U : 16U};
  }
  /// 169.254.0.0/16 or fe80::/10.
  [[nodiscard]] bool is_link_local() const;
  /// 127.0.0.0/8 or ::1.
  [[nodiscard]] bool is_loopback() const;
  /// 224.0.0.0/4 or ff00::/8.
  [[nodiscard]] bool is_multicast() const;
  /// 0.0.0.0 or ::.
  [[nodiscard]] bool is_unspecified() const;
  /// The IPv4 address that an IPv4-mapped one (::ffff:192.0.2.1) carries; any other as it is.
  [[nodiscard]] IpAddress unmapped() const;
  [[nodiscard]] std::string text() const;

  auto operator<=>(const IpAddress&) const = default;

 private:
  IpFamily family_ = IpFamily::kV4;
  std::array<std::uint8_t, 16> bytes_{};
};

/// An address with a prefix length, as in "192.168.177.11/24". Host bits may be set.
struct IpPrefix {
  static constexpr std::string_view kForm = "an IP address with prefix length";

  IpAddress ip;
  std::uint8_t prefix_len = 0;  ///< bits

  /// "ip/len" with a decimal length and no leading zeros. Empty when it is not one.
  static std::optional<IpPrefix> parse(std::string_view text);

  /// The same prefix with all host bits 0: 192.168.177.11/24 gives 192.168.177.0/24.
  [[nodiscard]] IpPrefix network() const;
  /// True when `other` lies in this network.
  [[nodiscard]] bool contains(const IpAddress& other) const;
  /// True when one of the two networks holds the other.
  [[nodiscard]] bool overlaps(const IpPrefix& other) const;
  /// The address with that number in this network: 192.168.177.0/24 and 11 give 192.168.177.11.
  /// Empty when `number` does not fit; IPv4's first (network) and last (broadcast) number do not,
  /// except in a /31.
  [[nodiscard]] std::optional<IpAddress> host(std::uint64_t number) const;
  /// Largest number that `host` accepts (capped at 2^63-1 for wide IPv6 prefixes); 0 when none.
  [[nodiscard]] std::uint64_t last_host() const;
  [[nodiscard]] std::string text() const;

  auto operator<=>(const IpPrefix&) const = default;
};

/// A set of prefix lengths, one bit for each value of `IpPrefix::prefix_len`: ten thousand
/// addresses have one each, and a std::set is a piece of the heap for each.
using PrefixLengths = std::bitset<256>;

std::vector<std::uint8_t> in_order(const PrefixLengths& lengths);

}  // namespace spark
