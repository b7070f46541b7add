#include "host/neighbour_frames.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark::host {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr MacAddress kEverybody{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
constexpr std::size_t kMacBytes = 6;
constexpr std::size_t kV4Bytes = 4;
constexpr std::size_t kV6Bytes = 16;
constexpr std::size_t kEthernetHeader = 14;
constexpr std::array<std::uint8_t, 2> kArpType{0x08, 0x06};
constexpr std::array<std::uint8_t, 2> kIpv6Type{0x86, 0xDD};

// ARP: hardware 1 (Ethernet), protocol 0x0800 (IPv4), lengths 6 and 4, then the operation.
constexpr std::array<std::uint8_t, 7> kArpHeader{0, 1, 0x08, 0x00, 6, 4, 0};
constexpr std::uint8_t kArpRequest = 1;
constexpr std::uint8_t kArpReply = 2;
constexpr std::size_t kArpBytes = 28;

constexpr std::size_t kIpv6Header = 40;
constexpr std::size_t kNextHeaderAt = 6;
constexpr std::size_t kHopLimitAt = 7;
constexpr std::uint8_t kIcmpv6 = 58;
/// A router would have taken one off: what has 255 comes from the link itself (RFC 4861 7.1.2).
constexpr std::uint8_t kOnLink = 255;
constexpr std::uint8_t kSolicitation = 135;
constexpr std::uint8_t kAdvertisement = 136;
constexpr std::size_t kTargetAt = 8;  // of both, after type, code, checksum and four bytes more
constexpr std::array<std::uint8_t, 2> kSourceMacOption{1, 1};  // type; length in units of 8 bytes

template <class Range>
void add_bytes(std::vector<std::uint8_t>& frame, const Range& bytes) {
  frame.insert(frame.end(), std::begin(bytes), std::end(bytes));
}

std::vector<std::uint8_t> ethernet_header(const MacAddress& to, const MacAddress& from,
                                          const std::array<std::uint8_t, 2>& type) {
  std::vector<std::uint8_t> frame;
  add_bytes(frame, to);
  add_bytes(frame, from);
  add_bytes(frame, type);
  return frame;
}

std::vector<std::uint8_t> arp_frame(const NeighbourFrame& question) {
  auto frame = ethernet_header(question.to.value_or(kEverybody), question.own, kArpType);
  add_bytes(frame, kArpHeader);
  frame.push_back(kArpRequest);
  add_bytes(frame, question.own);
  add_bytes(frame, question.sender.bytes());
  frame.insert(frame.end(), kMacBytes, 0);
  add_bytes(frame, question.target.bytes());
  return frame;
}

/// ff02::1:ffXX:XXXX, with the last three bytes of the address (RFC 4291 2.7.1).
std::array<std::uint8_t, kV6Bytes> solicited_node(const IpAddress& target) {
  std::array<std::uint8_t, kV6Bytes> group{0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0, 0, 0};
  constexpr std::size_t kOwn = 13;
  std::ranges::copy(target.bytes().subspan(kOwn), group.begin() + kOwn);
  return group;
}

/// RFC 4443 2.3: over the pseudo header and the message, whose own checksum is 0 still.
std::uint16_t icmpv6_checksum(Bytes source, Bytes destination, Bytes message) {
  std::vector<std::uint8_t> all;
  add_bytes(all, source);
  add_bytes(all, destination);
  all.insert(all.end(), {0, 0, 0, static_cast<std::uint8_t>(message.size()), 0, 0, 0, kIcmpv6});
  add_bytes(all, message);
  constexpr unsigned kByte = 8;
  constexpr unsigned kWord = 16;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    sum += (static_cast<std::uint32_t>(all[i]) << kByte) | all[i + 1];
  }
  while ((sum >> kWord) != 0) sum = (sum & UINT16_MAX) + (sum >> kWord);
  return static_cast<std::uint16_t>(~sum);
}

std::vector<std::uint8_t> solicitation_frame(const NeighbourFrame& question) {
  const auto group = solicited_node(question.target);
  constexpr MacAddress kGroup{0x33, 0x33, 0, 0, 0, 0};
  auto to = question.to.value_or(kGroup);
  if (!question.to) {
    constexpr std::size_t kLast = 4;
    std::copy_n(group.end() - kLast, kLast, to.begin() + 2);
  }
  std::vector<std::uint8_t> message{kSolicitation, 0, 0, 0, 0, 0, 0, 0};
  add_bytes(message, question.target.bytes());
  add_bytes(message, kSourceMacOption);
  add_bytes(message, question.own);
  const auto destination = question.to ? question.target.bytes() : Bytes(group);
  const auto checksum = icmpv6_checksum(question.sender.bytes(), destination, message);
  message[2] = static_cast<std::uint8_t>(checksum >> 8U);
  message[3] = static_cast<std::uint8_t>(checksum);

  auto frame = ethernet_header(to, question.own, kIpv6Type);
  constexpr std::uint8_t kVersion = 0x60;
  add_bytes(frame,
            std::array<std::uint8_t, 8>{
                kVersion, 0, 0, 0, 0, static_cast<std::uint8_t>(message.size()), kIcmpv6, kOnLink});
  add_bytes(frame, question.sender.bytes());
  add_bytes(frame, destination);
  add_bytes(frame, message);
  return frame;
}

MacAddress mac_at(Bytes bytes, std::size_t offset) {
  MacAddress mac{};
  std::ranges::copy(bytes.subspan(offset, kMacBytes), mac.begin());
  return mac;
}

/// A reply's sender: its Ethernet address, then its IP address.
std::optional<NeighbourAnswer> read_arp(Bytes packet) {
  constexpr std::size_t kSenderMacAt = kArpHeader.size() + 1;
  if (packet.size() < kArpBytes ||
      !std::ranges::equal(packet.first(kArpHeader.size()), kArpHeader) ||
      packet[kArpHeader.size()] != kArpReply) {
    return std::nullopt;
  }
  return NeighbourAnswer{
      .ip = *IpAddress::from_bytes(packet.subspan(kSenderMacAt + kMacBytes, kV4Bytes)),
      .mac = mac_at(packet, kSenderMacAt)};
}

/// The Ethernet source is who answers: an option may name another one, but need not be there.
std::optional<NeighbourAnswer> read_advertisement(Bytes packet, const MacAddress& source) {
  if (packet.size() < kIpv6Header + kTargetAt + kV6Bytes || packet[kNextHeaderAt] != kIcmpv6 ||
      packet[kHopLimitAt] != kOnLink) {
    return std::nullopt;
  }
  const auto message = packet.subspan(kIpv6Header);
  if (message[0] != kAdvertisement || message[1] != 0) return std::nullopt;
  return NeighbourAnswer{.ip = *IpAddress::from_bytes(message.subspan(kTargetAt, kV6Bytes)),
                         .mac = source};
}

}  // namespace

std::string text_of(const MacAddress& mac) { return fmt::format("{:02x}", fmt::join(mac, ":")); }

std::optional<MacAddress> parse_mac(const std::string& text) {
  constexpr std::size_t kPair = 3;  // two digits, and a colon but for the last
  MacAddress mac{};
  if (text.size() != kPair * kMacBytes - 1) return std::nullopt;
  for (std::size_t i = 0; i < kMacBytes; ++i) {
    const auto* const first = text.data() + kPair * i;
    const auto [end, error] = std::from_chars(first, first + 2, mac.at(i), 16);
    if (error != std::errc{} || end != first + 2 || (i + 1 < kMacBytes && *end != ':')) {
      return std::nullopt;
    }
  }
  return mac;
}

std::vector<std::uint8_t> question_frame(const NeighbourFrame& question) {
  return question.target.is_v4() ? arp_frame(question) : solicitation_frame(question);
}

std::optional<NeighbourAnswer> read_answer(std::span<const std::uint8_t> frame) {
  if (frame.size() < kEthernetHeader) return std::nullopt;
  const auto type = frame.subspan(2 * kMacBytes, kArpType.size());
  const auto packet = frame.subspan(kEthernetHeader);
  if (std::ranges::equal(type, kArpType)) return read_arp(packet);
  return std::ranges::equal(type, kIpv6Type) ? read_advertisement(packet, mac_at(frame, kMacBytes))
                                             : std::nullopt;
}

}  // namespace spark::host
