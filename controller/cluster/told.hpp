#pragma once
// Told: what this node and its peers told each other in this boot.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/peers.hpp"
#include "protocol/verdict.hpp"

namespace spark::cluster {

struct Told {
  protocol::NodeDetails own;
  std::vector<protocol::ToldDetails> peers;
  std::vector<protocol::ExpectedPeer> expected;  ///< over the rails of this node
  std::vector<protocol::HeardHello> heard;
  std::vector<protocol::RdmaProof> rdma;
  std::vector<protocol::RefusedHello> refused;
  bool is_enabled = true;  ///< `ready.peers` is not off, and the node is not released
  std::string failed;      ///< why nobody can be heard; empty: they can
};

/// What the daemon told spark-peers, and what that wrote in the same boot of the peers that it was
/// told of.
Told told_of(protocol::PeersOrder order, protocol::PeersReport report);

/// How another node is, as far as this one knows. All texts are printable.
struct LatestReport {
  bool is_heard = false;   ///< here, or by a neighbour that is heard here
  bool is_silent = false;  ///< it was heard before; neither: nobody speaks of it
  std::string said;        ///< its word for its verdict; of a silent node: before it went silent
  std::optional<protocol::Verdict> verdict;  ///< the same; empty: no word that is known
  std::string file;                          ///< the beginning of its digest
  /// The same of a newer file that waits there, or of that one while nobody knows yet whether it is
  /// good there.
  std::string candidate;
  std::string by;  ///< the neighbour that passes it on; empty: its own hello
  /// Its last hello by CLOCK_BOOTTIME; of who is heard by a neighbour the last of that one, which
  /// says that it still holds. Empty: not known.
  std::optional<std::chrono::milliseconds> heard_at;
  std::vector<std::string> reasons;  ///< of that verdict; empty: it told none with it

  /// What a silent node said before is no news.
  [[nodiscard]] protocol::Verdict verdict_now() const {
    return is_heard ? verdict.value_or(protocol::Verdict::kUnknown) : protocol::Verdict::kUnknown;
  }
  /// Empty: one of the two files is not known, or it is not heard.
  [[nodiscard]] std::optional<bool> has_file(std::string_view digest) const {
    if (!is_heard || file.empty() || digest.empty()) return std::nullopt;
    return file == protocol::short_digest(digest);
  }
};

/// Its own hello, while those come; else what a neighbour passes on that hears it; else that it is
/// silent, by its own hello before what a neighbour says. What a silent neighbour told is no news.
LatestReport latest_report(std::string_view node, const Told& told);

}  // namespace spark::cluster
