#pragma once
// Proofs: over which rails RDMA to which peer was proven, and what is to be tried next. Reads no
// clock and starts nothing.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "helpers/peers/heard.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

/// What nodes told, by name.
using Told = std::map<std::string, protocol::ToldDetails>;

/// What keeps a pair from being tried.
struct Missing {
  protocol::RdmaHindrance kind = protocol::RdmaHindrance::kNone;
  std::string why;  ///< as a clause
};

/// What came of a try of both ends.
struct Tried {
  std::optional<protocol::PeerReport> ours;
  std::optional<protocol::PeerReport> theirs;
  /// The peer's, where the peer asked; empty: that which was known when the try began.
  std::string boot_id;
};

class Proofs {
 public:
  using Time = std::chrono::milliseconds;  ///< CLOCK_BOOTTIME

  /// A pair that could not be tried, and of which nothing changed, is tried again so much later.
  static constexpr std::chrono::seconds kTryAgain{60};
  /// After the first try that failed: whether it fails for good is soon known.
  static constexpr std::chrono::seconds kTryFailed{15};
  /// After something changed at one end.
  static constexpr std::chrono::seconds kTryChanged{3};
  /// Between the turns of the peers behind a large switch (protocol/switch_turns.hpp).
  static constexpr std::chrono::seconds kTurn{60};

  /// What was proven before this service began, in the same boot.
  void restore(std::vector<protocol::RdmaProof> proofs) { restored_ = std::move(proofs); }

  /// What is known now. `key_failed`: why the key of this node cannot be used; empty: nothing is
  /// wrong with it. True: what keeps a pair from being tried changed.
  bool update(const protocol::PeersOrder& order, const Heard& heard, const Told& told, Time now,
              const std::string& key_failed = {});

  /// The next one to try over a link that `is_free`. Of two nodes the one whose name sorts first
  /// asks.
  [[nodiscard]] std::optional<protocol::ExpectedPeer> due(
      Time now, const std::function<bool(const std::string& link)>& is_free) const;
  /// When `due` may have another one; empty: not before something changes.
  [[nodiscard]] std::optional<Time> next_due() const;

  void began(const protocol::ExpectedPeer& peer, Time now);
  /// Both ends tried.
  void tried(const protocol::ExpectedPeer& peer, Tried tried, Time now);
  /// Nothing was moved; it is not tried again before `again`.
  void refused(const protocol::ExpectedPeer& peer, const Missing& missing, Time again);

  [[nodiscard]] std::vector<protocol::RdmaProof> all() const;

 private:
  struct Entry {
    protocol::ExpectedPeer peer;
    protocol::RdmaProof proof;
    std::string state;        ///< of both ends, as far as a proof depends on it
    std::string tried_state;  ///< that of the last try
    std::string begun_state;  ///< that in which the try that is under way began
    std::string begun_boot;   ///< `peer_boot` of that moment
    std::string peer_boot;    ///< the peer's boot id; empty: not known
    Missing missing;          ///< why it cannot be tried
    bool asks = false;        ///< this node is the one that asks
    bool under_way = false;
    bool has_failed = false;  ///< the last try
    Time not_before{};
  };

  Entry* find(const protocol::ExpectedPeer& peer);
  Entry new_entry(const protocol::ExpectedPeer& peer) const;
  static bool is_due(const Entry& entry);

  std::vector<Entry> entries_;
  std::vector<protocol::RdmaProof> restored_;
};

}  // namespace spark::helpers
