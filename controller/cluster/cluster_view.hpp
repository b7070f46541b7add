#pragma once
// ClusterView: how all nodes of a cluster stand as one of them knows it, the root causes first. It
// is made of what the daemon wrote and the peers told; text, JSON and page are drawn from it.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/sentence.hpp"
#include "cluster/rollout.hpp"
#include "cluster/shape.hpp"
#include "cluster/told.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis/texts.hpp"
#include "protocol/peers.hpp"
#include "protocol/verdict.hpp"

namespace spark::cluster {

inline constexpr const char* kViewSchema = "spark-reconcile/cluster-view/v1";

/// Where the file in force comes from.
struct FileOrigin {
  std::string name;       ///< of the file
  std::string digest;     ///< SHA-256; empty: none is in force
  std::string commit;     ///< empty: it is of no repository
  std::string principal;  ///< who signed that; empty: nobody, or nobody asked
  std::optional<std::chrono::milliseconds> age;  ///< of the commit
};

template <EitherConst<FileOrigin> T, class Visit>
void each_field(T& origin, Visit visit) {
  visit("name", origin.name);
  visit("digest", origin.digest);
  visit("commit", origin.commit);
  visit("principal", origin.principal);
  visit("age_ms", origin.age);
}

/// This node, as its daemon says that it stands.
struct OwnNode {
  std::string name;
  protocol::Verdict verdict = protocol::Verdict::kUnknown;
  std::string why;                                 ///< empty: it is ready
  std::optional<std::chrono::milliseconds> since;  ///< so long it has been so
  std::string version;                             ///< of the program
  FileOrigin file;
  std::vector<diagnosis::Problem> problems;  ///< in the order of its own screens
  std::string differs;  ///< what differs from the file now: "2 changes"; empty: nothing
};

struct Measured {
  std::string peer;
  double bits = 0;  ///< a second
};

/// All that a view is made of.
struct Known {
  Shape shape;
  OwnNode own;
  Told told;
  std::vector<Measured> measured;
  std::chrono::milliseconds now{};  ///< CLOCK_BOOTTIME
  KnownRollout rollout = {};
};

/// One node.
struct NodeView {
  std::string name;
  bool is_own = false;
  /// kUnknown: it is silent, was not heard, or said no verdict that is known.
  protocol::Verdict verdict = protocol::Verdict::kUnknown;
  std::optional<std::chrono::milliseconds> since;  ///< so long it is known to stand so
  /// Since its last hello; of who is heard through a neighbour, since the last of that one, which
  /// says that it still holds. Empty: nobody heard it.
  std::optional<std::chrono::milliseconds> heard_ago;
  bool is_silent = false;
  bool is_away = false;              ///< nobody hears it, and the file says `away: true`
  std::string told_by;               ///< the neighbour that passes it on; empty: its own hello
  std::string file;                  ///< the beginning of the digest; empty: not known
  std::optional<bool> has_our_file;  ///< empty: one of the two is not known
  std::string version;               ///< of the program; empty: not known
  int rails = 0;                     ///< ways to its peers: each rail of each
  int proven = 0;                    ///< of these, echo and RDMA
  std::optional<double> measured;    ///< bits a second, from this node to it
  Sentence what;                     ///< what is wrong; empty: nothing
  std::string follows_from;          ///< the node whose fault explains it; empty: none
};

template <EitherConst<NodeView> T, class Visit>
void each_field(T& node, Visit visit) {
  visit("node", node.name);
  visit("own", node.is_own);
  visit("verdict", node.verdict);
  visit("since_ms", node.since);
  visit("heard_ms_ago", node.heard_ago);
  visit("silent", node.is_silent);
  visit("away", node.is_away);
  visit("told_by", node.told_by);
  visit("file", node.file);
  visit("has_our_file", node.has_our_file);
  visit("version", node.version);
  visit("rails", node.rails);
  visit("rails_proven", node.proven);
  visit("bits_per_second", node.measured);
  visit("what", node.what);
  visit("follows_from", node.follows_from);
}

/// Why a way is not proven.
enum class WayFault : std::uint8_t {
  kNone,     ///< it is proven, or nothing is known
  kCarrier,  ///< an end has none
  kAway,     ///< an end is, by the file
  kSilent,   ///< an end is
  kCable,    ///< it leads elsewhere
  kMtu,      ///< the ends have not the same
  kRdma,     ///< an end has a fault, and echoes pass
};

inline constexpr std::array<std::string_view, 7> kWayFaults{"",      "carrier", "away", "silent",
                                                            "cable", "mtu",     "rdma"};
constexpr const auto& names_of(WayFault /*any*/) { return kWayFaults; }
constexpr std::string_view name_of(WayFault fault) {
  return kWayFaults.at(static_cast<std::size_t>(fault));
}

/// One rail between two cages.
struct WayView {
  int cage = 0;
  int other_cage = 0;
  int rail = 0;
  protocol::Reach reach = protocol::Reach::kNotAsked;
  WayFault fault = WayFault::kNone;
};

template <EitherConst<WayView> T, class Visit>
void each_field(T& way, Visit visit) {
  visit("cage", way.cage);
  visit("other_cage", way.other_cage);
  visit("rail", way.rail);
  visit("reach", way.reach);
  visit("why", way.fault);
}

/// All ways between two nodes. Both ends are asked, and the worse one decides.
struct PairView {
  std::string node;
  std::string other;
  std::vector<WayView> ways;
};

template <EitherConst<PairView> T, class Visit>
void each_field(T& pair, Visit visit) {
  visit("node", pair.node);
  visit("other", pair.other);
  visit("ways", pair.ways);
}

struct ClusterView {
  std::string cluster;
  std::string shape;
  FileOrigin file;
  int ready = 0;
  std::vector<NodeView> nodes;         ///< this one first, the others by name
  std::vector<PairView> pairs;         ///< that a cable or switch joins
  std::vector<diagnosis::Root> roots;  ///< of what is wrong, the most basic first
  // Most leave it out. NOLINTNEXTLINE(readability-redundant-member-init)
  std::optional<RolloutView> rollout = {};  ///< empty: no file rolls through the cluster

  [[nodiscard]] const PairView* pair(std::string_view one, std::string_view other) const;
  /// The first one at that node; null: none is there.
  [[nodiscard]] const diagnosis::Root* root_at(std::string_view node) const;
};

template <EitherConst<ClusterView> T, class Visit>
void each_field(T& view, Visit visit) {
  visit("cluster", view.cluster);
  visit("shape", view.shape);
  visit("file", view.file);
  visit("ready", view.ready);
  visit("nodes", view.nodes);
  visit("pairs", view.pairs);
  visit("causes", view.roots);
  visit("rollout", view.rollout);
}

}  // namespace spark::cluster
