#pragma once
// PeerDetails: what each peer told of itself, and which one is asked next, over which rail. Reads
// no clock and asks nobody itself.

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "helpers/peers/heard.hpp"
#include "helpers/peers/proofs.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

/// What decides on who is asked.
struct PeersKnown {
  const std::vector<protocol::ExpectedPeer>& peers;  ///< one entry a rail
  const Heard& heard;
  const Boots& boots;
};

class PeerDetails {
 public:
  using Time = std::chrono::milliseconds;  ///< CLOCK_BOOTTIME

  /// Asked at the same time, of the sessions that there are: where many nodes begin together, each
  /// can still answer the others.
  static constexpr std::size_t kMostAsked = 8;
  /// A peer that did not answer is asked again then, and one that did not sooner than kAskRest.
  static constexpr std::chrono::seconds kAskAgain{10};
  static constexpr std::chrono::seconds kAskRest{1};

  /// What was told before this service began, in the same boot. Everybody is asked again.
  void restore(const std::vector<protocol::ToldDetails>& told);
  /// Forgets who is none of these peers.
  void keep(const std::vector<protocol::ExpectedPeer>& peers);

  /// The next one to ask: its hello says that its details are new, or who it is must be asked.
  [[nodiscard]] std::optional<protocol::ExpectedPeer> due(const PeersKnown& known, Time now) const;
  /// When `due` may have another one; empty: not before something changes.
  [[nodiscard]] std::optional<Time> next_due(const PeersKnown& known) const;

  void began(const protocol::ExpectedPeer& peer, Time now);
  /// `digest`: of these details, as a hello has it.
  void answered(const protocol::ExpectedPeer& peer, protocol::NodeDetails details,
                const std::string& digest, Time now);
  /// A rail may be what is wrong: the others are asked over at once, and then all of them again.
  void failed(const protocol::ExpectedPeer& peer, const std::string& why, const PeersKnown& known,
              Time now);

  [[nodiscard]] const Told& all() const { return told_; }

 private:
  /// What a peer was asked last.
  struct Asked {
    Time not_before{};
    bool under_way = false;
    std::string digest;             ///< of the details that are known
    std::set<std::string> in_vain;  ///< our rails over which nothing came since
  };

  [[nodiscard]] const Asked& asked(const std::string& node) const;
  [[nodiscard]] bool is_out_of_date(const protocol::ExpectedPeer& peer,
                                    const PeersKnown& known) const;
  [[nodiscard]] bool may_ask() const;

  Told told_;
  std::map<std::string, Asked> asked_;
};

}  // namespace spark::helpers
