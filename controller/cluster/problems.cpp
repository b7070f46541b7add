#include "cluster/problems.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cluster/causes.hpp"

namespace spark::cluster {
namespace {

using protocol::Verdict;

constexpr std::size_t kLongest = 200;

/// As the gate tells it, with all who are connected.
constexpr std::string_view kSwitchBetween = "a switch is between ";
constexpr std::string_view kRuns = "runs ";
constexpr std::string_view kCopyOf = "a copy of ";
constexpr std::string_view kNeither = "neither echo nor RDMA to ";
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

/// A reason as a node tells it: "mtu of eth0: 1500, the file says 9000 [SR-GATE-002]".
struct Reason {
  std::string text;  ///< without its id
  std::string link;
  std::string id;
};

Reason reason_of(const std::string& told) {
  Reason reason{.text = printable(told, kLongest), .link = {}, .id = {}};
  if (const auto at = reason.text.rfind(" [SR-");
      at != std::string::npos && reason.text.ends_with(']')) {
    reason.id = reason.text.substr(at + 2, reason.text.size() - at - 3);
    reason.text.resize(at);
  }
  const auto of = reason.text.find(" of ");
  const auto colon = reason.text.find(": ");
  if (of != std::string::npos && colon != std::string::npos && of < colon) {
    reason.link = reason.text.substr(of + 4, colon - of - 4);
  }
  return reason;
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
  /// The peers that such a text of a node names.
  [[nodiscard]] std::set<std::string> about_of(Sort sort, std::string_view text,
                                               const std::string& but) const {
    std::set<std::string> names;
    if (sort != Sort::kRelation && sort != Sort::kCable) return names;
    for (const auto& node : known_.shape.nodes) {
      if (node != but && has_name(text, node)) names.insert(node);
    }
    return names;
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
    same->more += same->link == problem.link ? 0 : 1;
  }

  /// A plug in the wrong cage leaves a link without a carrier, and its peer silent.
  [[nodiscard]] OwnFact with_other_cage(const OwnFact& fact) const {
    const auto cage = known_.own.other_cages.find(fact.link);
    if (fact.id != kLinkId || cage == known_.own.other_cages.end()) return fact;
    return {.link = fact.link,
            .id = std::string(kCableId),
            .name = "cabling",
            .measured = fmt::format("no carrier, and {}, which the file does not name, has one",
                                    cage->second)};
  }

  [[nodiscard]] std::string own_command(Sort sort, const OwnFact& fact) const {
    if (sort == Sort::kTwice) return "spark-reconcile explain " + fact.id;
    if (sort == Sort::kCable) return "spark-reconcile gate";  // which says what to swap
    return known_.own.differs.empty() ? "spark-reconcile gate" : "spark-reconcile plan";
  }

  void add_own() {
    const auto& own = known_.own;
    for (const auto& told : own.facts) {
      if (told.id == kSameFileId) continue;  // each such node is named below
      const auto fact = with_other_cage(told);
      const auto sort = sort_of_id(fact.id);
      Problem problem{
          .sort = sort,
          .node = own.name,
          .link = fact.link,
          .id = fact.id,
          .what = printable(fmt::format("{}{}{}: {}", fact.name, fact.link.empty() ? "" : " of ",
                                        fact.link, fact.measured),
                            kLongest),
          .about = {},
          // What to do about a plug in another cage, the gate says of the link.
          .command = own_command(sort_of_id(told.id), told),
          .cause = {}};
      problem.about = about_of(sort, fact.measured, own.name);
      // The gate is open all the same, and nobody expects them.
      if (own.verdict == Verdict::kReady && are_away(problem.about)) continue;
      if (fact.measured.starts_with(kSwitchBetween) && !problem.about.empty()) {
        // All of them see the same: the first by name has it, on each.
        problem.node = std::min(own.name, *problem.about.begin());
        problem.link.clear();
        problem.what = printable(fact.measured, kLongest);
      }
      if (sort == Sort::kRelation && !problem.about.empty()) {
        problem.command = look_at(*problem.about.begin());
      }
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
    Problem problem{.sort = Sort::kSilent,
                    .node = node.name,
                    .link = {},
                    .id = {},
                    .what = node.what,
                    .about = {},
                    .command = look_at(node.name),
                    .cause = {}};
    if (node.is_silent || !node.heard_ago) {
      add(std::move(problem));
      return;
    }
    const auto* told = protocol::told_by(known_.told.peers, node.name);
    if (node.verdict != Verdict::kReady) {
      // What it told with another verdict is older than its hello.
      const bool is_of_now =
          told != nullptr &&
          protocol::verdict_named(told->details.verdict).value_or(Verdict::kUnknown) ==
              node.verdict;
      if (is_of_now && !told->details.reasons.empty()) {
        const auto reason = reason_of(told->details.reasons.front());
        problem.sort = sort_of_id(reason.id);
        problem.id = reason.id;
        problem.link = reason.link;
        problem.what = reason.text;
        problem.about = about_of(problem.sort, reason.text, node.name);
      } else {
        problem.sort = Sort::kNode;
        problem.what = fmt::format("{}, and has not told why", name_of(node.verdict));
        problem.is_untold = true;
      }
      add(problem);
    }
    if (told != nullptr) add_faults(node, told->details);
    add_differences(node);
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
    problem.what = fmt::format("{}{}, {} {}", kRuns, node.version,
                               version_of_most_ == known_.own.version ? "this node" : "most run",
                               printable(version_of_most_));
    if (node.is_own) problem.command = "spark-reconcile doctor";
    add(std::move(problem));
  }

  /// What RDMA lacks at that end: the node may be ready all the same.
  void add_faults(const NodeView& node, const protocol::NodeDetails& details) {
    for (const auto& rail : details.rails) {
      if (rail.fault.empty() || rail.waits) continue;
      const auto reason = reason_of(rail.fault);
      const bool is_known = std::ranges::any_of(problems_, [&](const Problem& other) {
        return other.node == node.name && other.sort <= Sort::kNode && other.link == rail.link;
      });
      if (is_known) continue;
      add({.sort = Sort::kNode,
           .node = node.name,
           .link = printable(rail.link),
           .id = reason.id.empty() ? std::string(kNoRdma) : reason.id,
           .what = reason.text,
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
      add({.sort = Sort::kTwice,
           .node = details.node,
           .link = {},
           .id = is_identity ? std::string(kHostNqnId) : std::string(),
           .what = fmt::format("{}{}: one {}", kCopyOf, is_machine ? same_machine : same_identity,
                               is_machine ? "machine id" : "NVMe host NQN"),
           .about = {},
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

  /// The node that told of a rail with the MAC at the end of the text. Empty: none.
  [[nodiscard]] std::string node_with_mac_of(std::string_view text) const {
    constexpr std::size_t kLengthOfMac = 17;  // "02:00:00:00:02:10"
    const auto has = [&](const protocol::NodeDetails& details) {
      return std::ranges::any_of(details.rails, [&](const protocol::RailDetails& rail) {
        return rail.mac.size() == kLengthOfMac && text.ends_with(" " + rail.mac);
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
      const auto other = node_with_mac_of(problem.what);
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
          return problem.node == node && (problem.about.contains(other) ||
                                          (problem.about.empty() && problem.sort <= Sort::kSilent));
        };
        return is_about(pair.node, pair.other) || is_about(pair.other, pair.node);
      });
      if (is_spoken_of) continue;
      add({.sort = Sort::kRelation,
           .node = pair.node,
           .link = {},
           .id = {},
           .what = fmt::format("{}{} over rail {}", kNeither, pair.other, broken->rail),
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

bool is_of_versions(const Cause& cause, std::string_view own) {
  if (cause.what.starts_with(kRuns)) return true;
  return cause.what.starts_with(kCopyOf) && (cause.node == own || has_name(cause.what, own));
}

bool is_of_file(const Cause& cause) { return cause.id == kSameFileId; }

bool is_of_a_cable(const Cause& cause) { return cause.id == kCableId; }

bool is_of_a_way(const Cause& cause) { return cause.what.starts_with(kNeither); }

}  // namespace spark::cluster
