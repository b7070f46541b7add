#pragma once
// ask_neighbours: who answers for an address out of one link, asked by ARP or neighbour
// discovery. Nobody needs a daemon to answer, or an address of ours.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/neighbour_frames.hpp"

namespace spark::host {

/// "Who has `target`?", out of one link.
struct NeighbourQuestion {
  std::string link;
  IpAddress target;
  /// Ours. Empty: 0.0.0.0, which keeps the tables of all who hear it as they are, and which a host
  /// that is about to take the address hears as a conflict (RFC 5227 2.1.1). IPv6 has no such
  /// question here: from `::` it would end the address of a host that is setting it (RFC 4862
  /// 5.4.3).
  std::optional<IpAddress> sender;
  std::optional<MacAddress> to;  ///< empty: everybody on the link
  bool operator==(const NeighbourQuestion&) const = default;
};

struct NeighbourReport {
  std::vector<MacAddress> macs;  ///< who says that it has the address: each once, sorted
  std::string refused;           ///< why this machine did not ask, in words; empty: it did
  bool operator==(const NeighbourReport&) const = default;
};

/// On one link, so that a network of many hosts is no busier for our questions.
inline constexpr int kMostQuestionsASecond = 20;

/// A report for each question, in their order. Sends each once, at most kMostQuestionsASecond over
/// one link, and returns `patience` after the last: a second host may answer after the first.
/// Errors: kPermission without CAP_NET_RAW.
Result<std::vector<NeighbourReport>> ask_neighbours(std::span<const NeighbourQuestion> questions,
                                                    std::chrono::milliseconds patience);

}  // namespace spark::host
