#include "cli/share/address_map.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sha256.h>

#include "base/random.hpp"
#include "base/text.hpp"

namespace spark::cli {

Result<Salt> make_salt() {
  Salt salt{};
  const auto filled = fill_random(salt);
  return filled ? Result<Salt>(salt) : std::unexpected(filled.error());
}

KeyedHash::KeyedHash(const Salt& salt) : salt_(salt.begin(), salt.end()) {}

std::array<std::uint8_t, 32> KeyedHash::bytes(std::string_view purpose,
                                              std::string_view text) const {
  std::string input = salt_;
  input.append(purpose).push_back('\0');
  input.append(text);
  SHA256_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  std::array<std::uint8_t, 32> digest{};
  SHA256Final(digest.data(), &context);
  return digest;
}

namespace {

using Mac = std::array<std::uint8_t, 6>;

constexpr std::size_t kBitsOfNetworkV4 = 24;  ///< the rest is the number of a host
constexpr std::size_t kBitsOfNetworkV6 = 64;

/// What kind of address it is. Nothing else is mapped into one of these.
struct Kind {
  std::string_view prefix;
  bool is_kept;  ///< the whole address means something by itself
};
constexpr std::array kKinds{
    Kind{"0.0.0.0/8", true},      Kind{"127.0.0.0/8", true},     Kind{"224.0.0.0/4", true},
    Kind{"240.0.0.0/4", true},    Kind{"169.254.0.0/16", false}, Kind{"10.0.0.0/8", false},
    Kind{"172.16.0.0/12", false}, Kind{"192.168.0.0/16", false}, Kind{"100.64.0.0/10", false},
    Kind{"::/127", true},         Kind{"ff00::/8", true},        Kind{"fe80::/64", false},
    Kind{"fe80::/10", false},     Kind{"fc00::/8", false},       Kind{"fd00::/8", false},
    Kind{"2000::/3", false},
};

bool bit_of(std::span<const std::uint8_t> bytes, std::size_t index) {
  return (bytes[index / 8] >> (7 - index % 8) & 1U) != 0;
}

/// The prefixes of kKinds, parsed once.
const std::vector<IpPrefix>& kinds_of_address() {
  static const auto kPrefixes = [] {
    std::vector<IpPrefix> prefixes;
    prefixes.reserve(kKinds.size());
    for (const auto& kind : kKinds) prefixes.push_back(*IpPrefix::parse(kind.prefix));
    return prefixes;
  }();
  return kPrefixes;
}

bool is_kept_whole(const IpAddress& address) {
  const auto& prefixes = kinds_of_address();
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (prefixes[i].contains(address)) return kKinds.at(i).is_kept;
  }
  return false;
}

/// The bit after these `count` bits decides which kind of address it is.
bool leads_to_kind(const IpAddress& address, std::size_t count) {
  return std::ranges::any_of(kinds_of_address(), [&](const IpPrefix& kind) {
    return kind.ip.family() == address.family() && count < kind.prefix_len &&
           IpPrefix{kind.ip, static_cast<std::uint8_t>(count)}.contains(address);
  });
}

Mac mac_of(std::string_view text) {
  Mac mac{};
  for (std::size_t i = 0; i < mac.size(); ++i) {
    mac.at(i) =
        static_cast<std::uint8_t>(std::stoul(std::string(text.substr(i * 3, 2)), nullptr, 16));
  }
  return mac;
}

Mac replaced(const Mac& mac, const KeyedHash& hash) {
  constexpr std::uint8_t kGroup = 1;
  constexpr std::uint8_t kLocal = 2;
  if (std::ranges::all_of(mac, [](auto byte) { return byte == 0; }) || (mac[0] & kGroup) != 0) {
    return mac;
  }
  const auto digest = hash.bytes("mac", fmt::format("{:02x}", fmt::join(mac, ":")));
  auto result = mac;
  const std::size_t kept = (mac[0] & kLocal) != 0 ? 1 : 3;
  std::copy_n(digest.begin(), result.size() - kept,
              result.begin() + static_cast<std::ptrdiff_t>(kept));
  return result;
}

/// Interface identifiers: modified EUI-64 (RFC 4291, appendix A).
constexpr std::uint8_t kUniversalBit = 2;

bool is_made_of_mac(std::span<const std::uint8_t> bytes) {
  return bytes[11] == 0xff && bytes[12] == 0xfe;
}

bool has_small_identifier(std::span<const std::uint8_t> bytes) {
  return std::ranges::all_of(bytes.subspan(8, 6), [](auto byte) { return byte == 0; });
}

void put_mac(const Mac& mac, std::vector<std::uint8_t>& bytes) {
  bytes[8] = mac[0] ^ kUniversalBit;
  std::copy_n(mac.begin() + 1, 2, bytes.begin() + 9);
  std::copy_n(mac.begin() + 3, 3, bytes.begin() + 13);
}

}  // namespace

bool is_mac(std::string_view text) {
  constexpr std::size_t kLength = 17;
  if (text.size() != kLength) return false;
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool is_colon = i % 3 == 2;
    if (is_colon
            ? text[i] != ':'
            : std::string_view("0123456789abcdefABCDEF").find(text[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

std::string AddressMap::mac(std::string_view text) const {
  return fmt::format("{:02x}", fmt::join(replaced(mac_of(text), *hash_), ":"));
}

IpAddress AddressMap::mapped(const IpAddress& address, std::size_t bits) const {
  std::vector<std::uint8_t> bytes(address.bytes().begin(), address.bytes().end());
  std::string before;  // the bits so far, in digits
  for (std::size_t i = 0; i < bits; ++i) {
    if (!leads_to_kind(address, i)) {
      const bool flips = (hash_->bytes(address.is_v4() ? "ipv4" : "ipv6", before)[0] & 1U) != 0;
      if (flips) bytes[i / 8] ^= static_cast<std::uint8_t>(0x80U >> i % 8);
    }
    before.push_back(bit_of(address.bytes(), i) ? '1' : '0');
  }
  return *IpAddress::from_bytes(bytes);
}

IpAddress AddressMap::ip(const IpAddress& address) const {
  if (const auto v4 = address.unmapped(); v4 != address) {
    const auto inner = ip(v4);
    std::vector<std::uint8_t> bytes(address.bytes().begin(), address.bytes().end());
    std::ranges::copy(inner.bytes(), bytes.begin() + 12);
    return *IpAddress::from_bytes(bytes);
  }
  if (is_kept_whole(address)) return address;
  if (address.is_v4()) return mapped(address, kBitsOfNetworkV4);
  const auto from = address.bytes();
  const bool keeps_identifier = has_small_identifier(from) || is_made_of_mac(from);
  const auto result = mapped(address, keeps_identifier ? kBitsOfNetworkV6 : address.bits());
  if (!is_made_of_mac(from)) return result;
  std::vector<std::uint8_t> bytes(result.bytes().begin(), result.bytes().end());
  put_mac(replaced({static_cast<std::uint8_t>(from[8] ^ kUniversalBit), from[9], from[10], from[13],
                    from[14], from[15]},
                   *hash_),
          bytes);
  return *IpAddress::from_bytes(bytes);
}

IpPrefix AddressMap::prefix(const IpPrefix& prefix) const {
  const IpPrefix whole{ip(prefix.ip), prefix.prefix_len};
  return prefix == prefix.network() ? whole.network() : whole;
}

IpAddress AddressMap::broadcast(const IpAddress& address, const IpPrefix& of) const {
  const auto last_of = [](const IpPrefix& prefix) {
    const auto network = prefix.network();
    std::vector<std::uint8_t> bytes(network.ip.bytes().begin(), network.ip.bytes().end());
    for (std::size_t i = prefix.prefix_len; i < network.ip.bits(); ++i) {
      bytes[i / 8] |= static_cast<std::uint8_t>(0x80U >> i % 8);
    }
    return *IpAddress::from_bytes(bytes);
  };
  return address == last_of(of) ? last_of(prefix(of)) : ip(address);
}

}  // namespace spark::cli
