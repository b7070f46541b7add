#include "base/ip.hpp"

#include <algorithm>
#include <charconv>

#include <arpa/inet.h>

namespace spark {
namespace {

/// The first `len` bits of two addresses of one family are the same.
bool same_leading_bits(const IpAddress& a, const IpAddress& b, unsigned len) {
  const auto x = a.bytes();
  const auto y = b.bytes();
  const unsigned whole = len / 8;
  if (!std::equal(x.begin(), x.begin() + whole, y.begin())) return false;
  if (len % 8 == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xFFU << (8 - len % 8));
  return (x[whole] & mask) == (y[whole] & mask);
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string zero_terminated(text);
  // inet_pton stops at the first NUL: text with one inside would otherwise pass by its head.
  if (zero_terminated.find('\0') != std::string::npos) return std::nullopt;
  IpAddress address;
  if (inet_pton(AF_INET, zero_terminated.c_str(), address.bytes_.data()) == 1) return address;
  address.family_ = IpFamily::kV6;
  if (inet_pton(AF_INET6, zero_terminated.c_str(), address.bytes_.data()) == 1) return address;
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::from_bytes(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != 4 && bytes.size() != 16) return std::nullopt;
  IpAddress address;
  address.family_ = bytes.size() == 4 ? IpFamily::kV4 : IpFamily::kV6;
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

IpAddress IpAddress::unmapped() const {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  const auto tail = bytes().last(4);
  return !is_v4() && std::equal(kMapped.begin(), kMapped.end(), bytes_.begin())
             ? from_bytes(tail).value_or(*this)
             : *this;
}

bool IpAddress::is_link_local() const {
  return is_v4() ? bytes_[0] == 169 && bytes_[1] == 254
                 : bytes_[0] == 0xFE && (bytes_[1] & 0xC0) == 0x80;
}

bool IpAddress::is_loopback() const {
  if (is_v4()) return bytes_[0] == 127;
  return std::all_of(bytes_.begin(), bytes_.end() - 1, [](std::uint8_t b) { return b == 0; }) &&
         bytes_[15] == 1;
}

bool IpAddress::is_multicast() const {
  return is_v4() ? (bytes_[0] & 0xF0) == 0xE0 : bytes_[0] == 0xFF;
}

bool IpAddress::is_unspecified() const {
  return std::all_of(bytes_.begin(), bytes_.end(), [](std::uint8_t b) { return b == 0; });
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  // Cannot fail: the family is one of two and the buffer is the documented maximum.
  static_cast<void>(
      inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), buffer.data(), buffer.size()));
  return buffer.data();
}

std::optional<IpPrefix> IpPrefix::parse(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto ip = IpAddress::parse(text.substr(0, slash));
  const auto digits = text.substr(slash + 1);
  if (!ip || digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  std::uint8_t len = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), len);
  if (error != std::errc{} || end != digits.data() + digits.size() || len > ip->bits()) {
    return std::nullopt;
  }
  return IpPrefix{*ip, len};
}

IpPrefix IpPrefix::network() const {
  std::array<std::uint8_t, 16> bytes{};
  const auto source = ip.bytes();
  std::copy(source.begin(), source.end(), bytes.begin());
  for (unsigned bit = prefix_len; bit < ip.bits(); ++bit) {
    bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> (bit % 8)));
  }
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): as many bytes as an address has
  return {*IpAddress::from_bytes({bytes.data(), source.size()}), prefix_len};
}

bool IpPrefix::contains(const IpAddress& other) const {
  return other.family() == ip.family() && same_leading_bits(ip, other, prefix_len);
}

bool IpPrefix::overlaps(const IpPrefix& other) const {
  return other.ip.family() == ip.family() &&
         same_leading_bits(ip, other.ip, std::min(prefix_len, other.prefix_len));
}

std::uint64_t IpPrefix::last_host() const {
  const unsigned host_bits = ip.bits() - prefix_len;
  if (host_bits >= 63) return (std::uint64_t{1} << 63) - 1;
  const std::uint64_t all_ones = (std::uint64_t{1} << host_bits) - 1;
  return ip.is_v4() && host_bits > 1 ? all_ones - 1 : all_ones;
}

std::optional<IpAddress> IpPrefix::host(std::uint64_t number) const {
  const unsigned host_bits = ip.bits() - prefix_len;
  const bool first_is_network = host_bits > 1;
  if (number > last_host() || (first_is_network && number == 0)) return std::nullopt;
  std::array<std::uint8_t, 16> bytes{};
  const auto base = network();
  const auto source = base.ip.bytes();
  std::copy(source.begin(), source.end(), bytes.begin());
  for (std::size_t i = source.size(); i > 0 && number > 0; --i, number >>= 8) {
    bytes[i - 1] |= static_cast<std::uint8_t>(number & 0xFFU);
  }
  return IpAddress::from_bytes({bytes.data(), source.size()});
}

std::string IpPrefix::text() const { return ip.text() + "/" + std::to_string(prefix_len); }

std::vector<std::uint8_t> in_order(const PrefixLengths& lengths) {
  std::vector<std::uint8_t> found;
  for (std::size_t length = 0; length < lengths.size(); ++length) {
    if (lengths.test(length)) found.push_back(static_cast<std::uint8_t>(length));
  }
  return found;
}

}  // namespace spark
