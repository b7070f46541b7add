#pragma once
// The board: what this node says to all nodes, and what others said that it could verify. The
// daemon writes its own, spark-peers exchanges boards with peers and hands over theirs. spark-peers
// reads nothing of it: signatures are made and verified by the daemon alone.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.hpp"

namespace spark::protocol {

/// The daemon → spark-peers. Absent: this node knows no other's key, and exchanges nothing.
inline constexpr const char* kBoardFile = "/run/spark-reconcile/board.json";
inline constexpr const char* kBoardSchema = "spark-reconcile/board/v1";
/// spark-peers → the daemon: what peers have on theirs.
inline constexpr const char* kBoardsFile = "/run/spark-reconcile-peers/boards.json";
inline constexpr const char* kBoardsSchema = "spark-reconcile/boards/v1";

/// Of one board, as a peer sends it: a file of 256 KiB in JSON twice over, and what is said of it.
inline constexpr std::size_t kMostBoardBytes = std::size_t{768} * 1024;
/// Of what spark-peers hands over.
inline constexpr std::size_t kMostBoardsBytes = std::size_t{2} * 1024 * 1024;

struct Signed {
  std::string node;       ///< who says it
  std::string body;       ///< JSON, the bytes that are signed
  std::string signature;  ///< Ed25519, base64
  bool operator==(const Signed&) const = default;
};

template <EitherConst<Signed> T, class Visit>
void each_field(T& said, Visit visit) {
  visit("node", said.node);
  visit("body", said.body);
  visit("signature", said.signature);
}

/// As it is in the document of a board.
std::size_t bytes_of(const Signed& said);
/// Drops what does not fit, in its order: an offer that is too large must not keep the words beside
/// it back. True: something did not fit.
bool cut_to(std::vector<Signed>& said, std::size_t most);

struct Board {
  /// An offer is under way: a peer that could not be reached is tried again every two seconds, and
  /// not only once the board changes.
  bool is_live = false;
  std::uint64_t asks = 0;  ///< another number: all peers are asked for theirs now
  std::vector<Signed> said;
  bool operator==(const Board&) const = default;
};

template <EitherConst<Board> T, class Visit>
void each_field(T& board, Visit visit) {
  visit("live", may_lack(board.is_live));
  visit("asks", may_lack(board.asks));
  visit("said", board.said);
}

/// A peer's, as it was exchanged last.
struct PeerBoard {
  std::string node;            ///< the peer
  std::uint64_t answered = 0;  ///< `asks` of this node's board that was exchanged for it
  std::vector<Signed> said;
  bool operator==(const PeerBoard&) const = default;
};

template <EitherConst<PeerBoard> T, class Visit>
void each_field(T& board, Visit visit) {
  visit("node", board.node);
  visit("answered", board.answered);
  visit("said", board.said);
}

struct Boards {
  std::vector<PeerBoard> peers;
  bool operator==(const Boards&) const = default;
};

template <EitherConst<Boards> T, class Visit>
void each_field(T& boards, Visit visit) {
  visit("peers", boards.peers);
}

}  // namespace spark::protocol
