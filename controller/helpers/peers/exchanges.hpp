#pragma once
// Exchanges: with which peer boards are exchanged next, over which rail, and what is on theirs.
// Reads no clock, asks nobody itself, and looks into nothing that is said.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "helpers/peers/heard.hpp"
#include "protocol/board.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

class Exchanges {
 public:
  using Time = std::chrono::milliseconds;  ///< CLOCK_BOOTTIME

  /// Asked at the same time, of the sessions that there are.
  static constexpr std::size_t kMostAsked = 8;
  /// A peer that could not be asked over any rail is asked again then: while an offer is under way,
  /// and else, where it is heard. Who is not heard is asked once that changes.
  static constexpr std::chrono::seconds kAgainLive{2};
  static constexpr std::chrono::seconds kAgainHeard{60};

  /// What this node puts on its board: another one is exchanged with everybody. Empty: it has none,
  /// exchanges nothing and keeps nothing.
  void set_board(std::optional<protocol::Board> board);
  /// Whom this node expects, one entry a rail, and what it hears. A new peer, one with other
  /// addresses and one that was silent are asked.
  void update(const std::vector<protocol::ExpectedPeer>& peers, const Heard& heard);
  /// The key of the nodes is another one: everybody is asked again, and what was said is forgotten.
  void begin_again();

  /// The next one to ask; of who is heard first, and over a rail that hears it if there is one.
  [[nodiscard]] std::optional<protocol::ExpectedPeer> due(Time now) const;
  /// When `due` may have another one; empty: not before something changes.
  [[nodiscard]] std::optional<Time> next_due() const;

  void began(const protocol::ExpectedPeer& peer);
  /// It gave what is on its board; nothing, if it takes no part.
  void answered(const protocol::ExpectedPeer& peer, std::vector<protocol::Signed> said);
  /// A rail may be what is wrong: the others are tried at once.
  void failed(const protocol::ExpectedPeer& peer, Time now);
  /// That peer asked, and gave what is on its board. What it said then may be older than `asks` of
  /// this node's: they are not answered by it.
  void was_asked(const std::string& node, std::vector<protocol::Signed> said);

  /// Grows whenever `all` is another one.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// Of expected peers; while an offer is under way also of those that were expected before, since
  /// addresses change in the middle of it. As a document it has at most kMostBoardsBytes.
  [[nodiscard]] protocol::Boards all() const;
  /// Peers of whose boards something was dropped, since it has more than their share.
  [[nodiscard]] const std::set<std::string>& cut() const { return cut_; }

 private:
  /// How far this node is with a peer.
  struct Asked {
    bool under_way = false;
    std::uint64_t begun = 0;  ///< `version_` that is being exchanged, or was last
    std::uint64_t asks = 0;   ///< of that board
    std::uint64_t done = 0;   ///< `version_` that was exchanged
    std::size_t next_way = 0;
    Time not_before{};
  };
  struct Peer {
    std::vector<protocol::ExpectedPeer> ways;  ///< those that hear it first
    std::ptrdiff_t heard = 0;                  ///< of the ways
    Asked asked;
  };

  [[nodiscard]] bool is_live() const { return board_ && board_->is_live; }
  [[nodiscard]] bool is_out_of_date(const Peer& peer) const;
  [[nodiscard]] bool may_ask() const;
  /// `answered`: as PeerBoard has it; empty: as it was. What is the same as before is no change: a
  /// peer that says it again and again wakes nobody.
  void take(const std::string& node, std::vector<protocol::Signed> said,
            std::optional<std::uint64_t> answered);
  /// Drops the boards of who is no peer any more, and what is more than each one's share.
  void keep_bounds();

  std::optional<protocol::Board> board_;
  std::uint64_t version_ = 1;  ///< of the board; grows with each change
  std::map<std::string, Peer> peers_;
  std::map<std::string, protocol::PeerBoard> boards_;
  std::size_t share_ = protocol::kMostBoardBytes;  ///< of each peer, of kMostBoardsBytes
  std::set<std::string> cut_;
  std::uint64_t changes_ = 0;
};

}  // namespace spark::helpers
