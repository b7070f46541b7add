#pragma once
// AddressMap: other MAC and IP addresses in place of those of this machine, related as these are.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ip.hpp"
#include "base/result.hpp"

namespace spark::cli {

// KeyedHash: numbers that belong to a text, and that nobody can compute without the salt.

/// 256 random bits, which are never written down: with them, a MAC address could be found by trying
/// them all.
using Salt = std::array<std::uint8_t, 32>;

/// From the kernel (getrandom(2)). Errors: kSystem.
Result<Salt> make_salt();

class KeyedHash {
 public:
  explicit KeyedHash(const Salt& salt);

  /// SHA-256 of the salt, `purpose` and `text`. The salt's fixed length comes first, and `purpose`
  /// holds no NUL, so no two pairs are the same input.
  [[nodiscard]] std::array<std::uint8_t, 32> bytes(std::string_view purpose,
                                                   std::string_view text) const;

 private:
  std::string salt_;
};

/// "a0:88:c2:01:02:03", in any case.
bool is_mac(std::string_view text);

/// Two addresses that share their first n bits share them afterwards too: for all of IPv4, and for
/// the first 64 bits of IPv6. What kind of address it is stays: loopback, link-local, multicast,
/// private (RFC 1918, 6598, 4193). So do the last 8 bits of IPv4 and a small interface identifier
/// (::11) of IPv6, which is the number of a node. An interface identifier that was made of a MAC
/// address (EUI-64) is made of that MAC's replacement.
class AddressMap {
 public:
  explicit AddressMap(const KeyedHash& hash) : hash_(&hash) {}

  /// The vendor's part (the first three bytes) stays; of an address that no vendor gave, the first
  /// byte. All zeros, all ones and multicast addresses stay.
  [[nodiscard]] std::string mac(std::string_view text) const;
  [[nodiscard]] IpAddress ip(const IpAddress& address) const;
  /// A network stays one: its host bits are 0.
  [[nodiscard]] IpPrefix prefix(const IpPrefix& prefix) const;
  /// The last address of a network stays the last.
  [[nodiscard]] IpAddress broadcast(const IpAddress& address, const IpPrefix& of) const;

 private:
  [[nodiscard]] IpAddress mapped(const IpAddress& address, std::size_t bits) const;

  const KeyedHash* hash_;
};

}  // namespace spark::cli
