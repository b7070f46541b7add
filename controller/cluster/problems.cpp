#include "cluster/problems.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cluster/causes.hpp"

namespace spark::cluster {
namespace {

using protocol::Detail;
using protocol::Verdict;

constexpr std::size_t kLongest = 200;
constexpr std::size_t kLongestName = 64;

constexpr std::string_view kOneHostId = "SR-GATE-017";
constexpr std::string_view kSameFileId = "SR-GATE-020";
constexpr std::string_view kHostNqnId = "SR-NVME-016";
/// peers, rdma, peer mtu: facts that reach to another node.
constexpr std::array<std::string_view, 3> kRelationIds{"SR-GATE-011", "SR-GATE-019", "SR-GATE-021"};

Sort sort_of_id(std::string_view id) {
  if (id == kOneHostId || id == kHostNqnId) return Sort::kTwice;
  if (id == kCableId) return Sort::kCable;
  return std::ranges::find(kRelationIds, id) != kRelationIds.end() ? Sort::kRelation : Sort::kNode;
}

/// A disk that another node has too.
bool is_copy(const Problem& problem) {
  return problem.sort == Sort::kTwice && problem.id != kOneHostId;
}

/// A plug in the wrong cage leaves a link without a carrier, and its peer silent.
protocol::Problem as_cable(protocol::Problem found) {
  if (found.detail != Detail::kOtherCage || !found.plug) return found;
  found.id = kCableId;
  found.name = "cabling";
  found.measured =
      fmt::format("no carrier, and {}, which the file does not name, has one", found.plug->text());
  return found;
}

std::string look_at(const std::string& node) { return "spark-reconcile doctor -n " + node; }

class Finder {
 public:
  Finder(const Known& known, const ClusterView& view)
      : known_(known), view_(view), nodes_(view.nodes), pairs_(view.pairs) {}

  std::vector<Problem> find() {
    file_of_most_ = value_of_most([&](const NodeView& node) {
      return node.has_our_file ? std::string(protocol::short_digest(node.file)) : std::string();
    });
    version_of_most_ = value_of_most(&NodeView::version);
    add_own();
    add_differences(nodes_.front());
    for (const auto& node : nodes_) {
      if (!node.is_own && !node.is_away) add_peer(node);
    }
    add_copies();
    name_other_hosts();
    add_ways();
    find_causes(problems_, known_, nodes_);
    return std::move(problems_);
  }

 private:
  /// As that node found it.
  [[nodiscard]] Problem problem_of(const std::string& node, const protocol::Problem& told) const {
    const auto found = as_cable(told);
    Problem problem{.sort = sort_of_id(found.id),
                    .node = node,
                    .link = printable(found.link, kLongestName),
                    .id = printable(found.id, kLongestName),
                    .detail = found.detail,
                    .what = printable(found.text(), kLongest),
                    .about = {},
                    .macs = found.macs,
                    .command = look_at(node),
                    .cause = {}};
    if (problem.sort == Sort::kRelation || problem.sort == Sort::kCable) {
      std::ranges::copy_if(found.peers, std::inserter(problem.about, problem.about.end()),
                           [&](const std::string& peer) {
                             return peer != node && std::ranges::find(known_.shape.nodes, peer) !=
                                                        known_.shape.nodes.end();
                           });
    }
    if (found.detail == Detail::kSwitchBetween && node == known_.own.name &&
        !problem.about.empty()) {
      // All of them see the same: the first by name has it, on each.
      problem.node = std::min(node, *problem.about.begin());
      problem.link.clear();
      problem.what = printable(found.measured, kLongest);
    }
    return problem;
  }

  /// All of these nodes, and there is one.
  [[nodiscard]] bool are_away(const std::set<std::string>& names) const {
    return !names.empty() && std::ranges::all_of(names, [&](const std::string& name) {
      const auto node = std::ranges::find(nodes_, name, &NodeView::name);
      return node != nodes_.end() && node->is_away;
    });
  }

  /// The new file of a roll-out that somebody tries or waits for, or the one of before: the line of
  /// the roll-out says who has which.
  [[nodiscard]] bool is_rolling(std::string_view file) const {
    if (!view_.rollout || !is_under_way(*view_.rollout)) return false;
    const auto digest = protocol::short_digest(file);
    return digest == protocol::short_digest(view_.rollout->to) ||
           digest == protocol::short_digest(view_.rollout->from);
  }

  /// What more than half of the nodes have of which it is known; else what this node has.
  template <class Value>
  [[nodiscard]] std::string value_of_most(Value value) const {
    std::map<std::string, std::size_t> counts;
    std::size_t known = 0;
    for (const auto& node : nodes_) {
      const std::string each = std::invoke(value, node);
      if (each.empty()) continue;
      ++known;
      ++counts[each];
    }
    const auto most =
        std::ranges::find_if(counts, [&](const auto& entry) { return 2 * entry.second > known; });
    return most != counts.end() ? most->first : std::string(std::invoke(value, nodes_.front()));
  }

  /// Of one sort of fault on two rails of a node, the second only counts.
  void add(Problem problem) {
    const auto same = std::ranges::find_if(problems_, [&](const Problem& other) {
      return !problem.id.empty() && other.id == problem.id && other.node == problem.node;
    });
    if (same == problems_.end()) {
      problems_.push_back(std::move(problem));
      return;
    }
    same->about.merge(problem.about);
    if (same->link != problem.link) same->more.insert(problem.link);
  }

  [[nodiscard]] std::string own_command(const protocol::Problem& found) const {
    switch (sort_of_id(found.id)) {
      case Sort::kTwice:
        return "spark-reconcile explain " + found.id;
      case Sort::kCable:
        return "spark-reconcile gate";  // which says what to swap
      default:
        return known_.own.differs.empty() ? "spark-reconcile gate" : "spark-reconcile plan";
    }
  }

  void add_own() {
    const auto& own = known_.own;
    for (const auto& found : own.problems) {
      if (found.id == kSameFileId) continue;  // each such node is named below
      auto problem = problem_of(own.name, found);
      // The gate is open all the same, and nobody expects them.
      if (own.verdict == Verdict::kReady && are_away(problem.about)) continue;
      // What to do about a plug in another cage, the gate says of the link.
      problem.command = problem.sort == Sort::kRelation && !problem.about.empty()
                            ? look_at(*problem.about.begin())
                            : own_command(found);
      add(std::move(problem));
    }
    if (!known_.told.failed.empty()) {
      add({.sort = Sort::kNode,
           .node = own.name,
           .link = {},
           .id = {},
           .what = "hears nobody: " + printable(known_.told.failed, kLongest),
           .about = {},
           .command = "spark-reconcile doctor",
           .hears_nobody = true,
           .cause = {}});
    }
    if (!problems_.empty()) return;
    if (own.verdict != Verdict::kReady && !own.why.empty()) {
      add({.sort = Sort::kNode,
           .node = own.name,
           .link = {},
           .id = {},
           .what = printable(own.why, kLongest),
           .about = {},
           .command = "spark-reconcile status --here",
           .cause = {}});
    } else if (!own.differs.empty()) {
      add({.sort = Sort::kNode,
           .node = own.name,
           .link = {},
           .id = {},
           .what = own.differs,
           .about = {},
           .command = "spark-reconcile plan",
           .cause = {}});
    }
  }

  void add_peer(const NodeView& node) {
    if (node.is_silent || !node.heard_ago) {
      const bool is_refused =
          std::ranges::find(known_.told.refused, node.name, &protocol::RefusedHello::node) !=
          known_.told.refused.end();
      add({.sort = Sort::kSilent,
           .node = node.name,
           .link = {},
           .id = {},
           .detail =
               node.is_silent && !is_refused ? std::optional(Detail::kNoAnswer) : std::nullopt,
           .what = node.what,
           .about = {},
           .command = look_at(node.name),
           .cause = {}});
      return;
    }
    const auto* told = protocol::told_by(known_.told.peers, node.name);
    if (node.verdict != Verdict::kReady) add_reasons(node, told);
    if (told != nullptr) add_faults(node, told->details);
    add_differences(node);
  }

  /// Why a node is not ready, as it told. `told`: null: nothing.
  void add_reasons(const NodeView& node, const protocol::ToldDetails* told) {
    // What it told with another verdict is older than its hello.
    const bool is_of_now =
        told != nullptr &&
        protocol::verdict_named(told->details.verdict).value_or(Verdict::kUnknown) == node.verdict;
    if (is_of_now && !told->details.problems.empty()) {
      for (const auto& found : told->details.problems) add(problem_of(node.name, found));
      return;
    }
    Problem problem{.sort = Sort::kNode,
                    .node = node.name,
                    .link = {},
                    .id = {},
                    .what = {},
                    .about = {},
                    .command = look_at(node.name),
                    .cause = {}};
    if (is_of_now && !told->details.reasons.empty()) {
      // Of an older version: a sentence, which people read.
      problem.what = printable(told->details.reasons.front(), kLongest);
    } else {
      problem.what = fmt::format("{}, and has not told why", name_of(node.verdict));
      problem.is_untold = true;
    }
    add(std::move(problem));
  }

  /// Another file or version than most nodes have. Where this node is the one that differs, it is
  /// named, and not all others.
  void add_differences(const NodeView& node) {
    Problem problem{.sort = Sort::kFile,
                    .node = node.name,
                    .link = {},
                    .id = std::string(kSameFileId),
                    .what = {},
                    .about = {},
                    .command = node.is_own ? fmt::format("spark-reconcile explain {}", kSameFileId)
                                           : look_at(node.name),
                    .cause = {}};
    const bool is_our_file = file_of_most_ == protocol::short_digest(known_.own.file.digest);
    if (node.has_our_file && protocol::short_digest(node.file) != file_of_most_ &&
        !(is_rolling(node.file) && is_rolling(file_of_most_))) {
      const auto& commit = known_.own.file.commit;
      problem.what =
          fmt::format("another file: digest {:.7}, {} {:.7}{}", node.file,
                      is_our_file ? "here" : "most have", file_of_most_,
                      is_our_file && !commit.empty() ? fmt::format(" (commit {:.7})", commit) : "");
      add(problem);
    }
    if (node.version.empty() || known_.own.version.empty() || node.version == version_of_most_) {
      return;
    }
    problem.sort = Sort::kVersion;
    problem.id.clear();
    problem.what = fmt::format("runs {}, {} {}", node.version,
                               version_of_most_ == known_.own.version ? "this node" : "most run",
                               printable(version_of_most_));
    if (node.is_own) problem.command = "spark-reconcile doctor";
    add(std::move(problem));
  }

  /// What RDMA lacks at that end: the node may be ready all the same.
  void add_faults(const NodeView& node, const protocol::NodeDetails& details) {
    for (const auto& rail : details.rails) {
      if (rail.fault.empty() || rail.waits) continue;
      auto what = printable(rail.fault, kLongest);
      const bool is_known = std::ranges::any_of(problems_, [&](const Problem& other) {
        const bool is_of_rail = other.link == rail.link || other.more.contains(rail.link);
        return other.node == node.name &&
               (other.what == what || (other.sort <= Sort::kNode && is_of_rail));
      });
      if (is_known) continue;
      add({.sort = Sort::kNode,
           .node = node.name,
           .link = printable(rail.link, kLongestName),
           .id = std::string(kNoRdma),
           .what = std::move(what),
           .about = {},
           .command = look_at(node.name),
           .cause = {}});
    }
  }

  /// Two machines made of one disk: both are named, the second as the copy, on every node the same.
  void add_copies() {
    std::map<std::string, std::string> machines;
    std::map<std::string, std::string> identities;
    const auto look = [&](const protocol::NodeDetails& details) {
      const auto first_of = [&](auto& all, const std::string& value) {
        return value.empty() ? std::string() : all.emplace(value, details.node).first->second;
      };
      const auto same_machine = first_of(machines, details.machine);
      const auto same_identity = first_of(identities, details.host_nqn);
      const bool is_machine = !same_machine.empty() && same_machine != details.node;
      const bool is_identity = !same_identity.empty() && same_identity != details.node;
      if (!is_machine && !is_identity) return;
      const auto& same = is_machine ? same_machine : same_identity;
      add({.sort = Sort::kTwice,
           .node = details.node,
           .link = {},
           .id = is_identity ? std::string(kHostNqnId) : std::string(),
           .what = fmt::format("a copy of {}: one {}", same,
                               is_machine ? "machine id" : "NVMe host NQN"),
           .about = {same},
           .command = is_identity ? fmt::format("spark-reconcile explain {}", kHostNqnId)
                      : details.node == known_.own.name ? std::string("spark-reconcile doctor")
                                                        : look_at(details.node),
           .cause = {}});
    };
    for (const auto& name : known_.shape.nodes) {
      if (name == known_.own.name) {
        look(known_.told.own);
      } else if (const auto* told = protocol::told_by(known_.told.peers, name)) {
        look(told->details);
      }
    }
  }

  /// The node that told of a rail with one of the MACs. Empty: none.
  [[nodiscard]] std::string node_with(const std::vector<std::string>& macs) const {
    const auto has = [&](const protocol::NodeDetails& details) {
      return std::ranges::any_of(details.rails, [&](const protocol::RailDetails& rail) {
        return !rail.mac.empty() && std::ranges::find(macs, rail.mac) != macs.end();
      });
    };
    if (has(known_.told.own)) return known_.own.name;
    const auto& peers = known_.told.peers;
    const auto found =
        std::ranges::find_if(peers, [&](const auto& told) { return has(told.details); });
    return found == peers.end() ? std::string() : found->details.node;
  }

  [[nodiscard]] bool has_file_of_most(const std::string& name) const {
    const auto node = std::ranges::find(nodes_, name, &NodeView::name);
    return node != nodes_.end() && protocol::short_digest(node->file) == file_of_most_;
  }

  /// Another host has an address of a node. Where a node of the cluster is that host, the fault is
  /// there; of two that say so of each other at the one with another file than most, or the second.
  void name_other_hosts() {
    std::map<std::string, Problem> others;
    for (const auto& problem : problems_) {
      if (problem.id != kOneHostId) continue;
      const auto other = node_with(problem.macs);
      if (other.empty() || other == problem.node) continue;
      const auto mutual = others.find(problem.node);
      if (mutual != others.end() && mutual->second.about.contains(other)) {
        const auto rank = [&](const std::string& name) {
          return std::pair(!has_file_of_most(name), name);
        };
        if (rank(problem.node) > rank(other)) continue;
        others.erase(mutual);
      }
      others[other] = {.sort = Sort::kTwice,
                       .node = other,
                       .link = {},
                       .id = std::string(kOneHostId),
                       .what = fmt::format("has an address of {}: {}", problem.node, problem.what),
                       .about = {problem.node},
                       .command = other == known_.own.name
                                      ? fmt::format("spark-reconcile explain {}", kOneHostId)
                                      : look_at(other),
                       .cause = {}};
    }
    for (auto& [node, problem] : others) problems_.insert(problems_.begin(), std::move(problem));
  }

  /// Ways that do not work, and of which no node has spoken.
  void add_ways() {
    for (const auto& pair : pairs_) {
      const auto broken = std::ranges::find(pair.ways, protocol::Reach::kNone, &WayView::reach);
      if (broken == pair.ways.end() || are_away({pair.node}) || are_away({pair.other})) continue;
      const bool is_spoken_of = std::ranges::any_of(problems_, [&](const Problem& problem) {
        const auto is_about = [&](const std::string& node, const std::string& other) {
          const bool is_of_node = problem.about.empty() || is_copy(problem);
          return problem.node == node &&
                 (problem.about.contains(other) || (is_of_node && problem.sort <= Sort::kSilent));
        };
        return is_about(pair.node, pair.other) || is_about(pair.other, pair.node);
      });
      if (is_spoken_of) continue;
      add({.sort = Sort::kRelation,
           .node = pair.node,
           .link = {},
           .id = {},
           .what =
               fmt::format("neither echo nor RDMA to {} over rail {}", pair.other, broken->rail),
           .about = {pair.other},
           .command = look_at(pair.other),
           .cause = {}});
    }
  }

  const Known& known_;
  const ClusterView& view_;
  const std::vector<NodeView>& nodes_;
  const std::vector<PairView>& pairs_;
  std::vector<Problem> problems_;
  std::string file_of_most_;  ///< beginning of its digest
  std::string version_of_most_;
};

}  // namespace

std::vector<Problem> problems_of(const Known& known, const ClusterView& view) {
  return Finder(known, view).find();
}

bool is_of_versions(const Problem& cause, std::string_view own) {
  return cause.sort == Sort::kVersion ||
         (is_copy(cause) && (cause.node == own || cause.about.contains(std::string(own))));
}

}  // namespace spark::cluster
