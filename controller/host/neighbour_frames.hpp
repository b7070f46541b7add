#pragma once
// neighbour_frames: the Ethernet frames that ask who has an address, and those that answer: ARP
// (RFC 826) for IPv4, neighbour discovery (RFC 4861) for IPv6. Pure; the socket is in neighbours.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ip.hpp"

namespace spark::host {

/// An Ethernet address.
using MacAddress = std::array<std::uint8_t, 6>;

/// "02:00:5e:10:00:01", as LinkInfo::mac has it.
std::string text_of(const MacAddress& mac);
/// Empty when it is not six pairs of hexadecimal digits.
std::optional<MacAddress> parse_mac(const std::string& text);

/// Who asks for what.
struct NeighbourFrame {
  MacAddress own{};
  IpAddress sender;  ///< of the family of `target`; 0.0.0.0: nobody's, in ARP alone
  IpAddress target;
  std::optional<MacAddress> to;  ///< empty: everybody who may have it
};

/// The whole frame, from the Ethernet header on.
std::vector<std::uint8_t> question_frame(const NeighbourFrame& question);

/// Who says that it has an address.
struct NeighbourAnswer {
  IpAddress ip;
  MacAddress mac{};
  bool operator==(const NeighbourAnswer&) const = default;
};

/// The longest part of a frame that is read.
inline constexpr std::size_t kLongestAnswer = 128;

/// Reads what came over a wire: anything at all. Empty: it is no answer.
std::optional<NeighbourAnswer> read_answer(std::span<const std::uint8_t> frame);

}  // namespace spark::host
