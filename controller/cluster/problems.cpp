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

namespace spark::cluster {
namespace {

constexpr std::size_t kLongest = 200;

constexpr std::string_view kHearsNobody = "hears nobody: ";
/// As the gate tells it, with all who are connected.
constexpr std::string_view kSwitchBetween = "a switch is between ";
constexpr std::string_view kLinkId = "SR-GATE-001";
constexpr std::string_view kMtuId = "SR-GATE-002";
constexpr std::string_view kPortId = "SR-GATE-004";
constexpr std::string_view kGidId = "SR-GATE-005";
constexpr std::string_view kPathMtuId = "SR-GATE-006";
constexpr std::string_view kLoopbackId = "SR-GATE-007";
constexpr std::string_view kCableId = "SR-GATE-016";
constexpr std::string_view kOneHostId = "SR-GATE-017";
constexpr std::string_view kSameFileId = "SR-GATE-020";
constexpr std::string_view kHostNqnId = "SR-NVME-016";
/// What a rail cannot have while it lacks the first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNeeds{
    {{kMtuId, kPathMtuId}, {kPortId, kGidId}, {kPortId, kPathMtuId}, {kPortId, kLoopbackId}}};
/// peers, rdma, peer mtu: facts that reach to another node.
constexpr std::array<std::string_view, 3> kRelationIds{"SR-GATE-011", "SR-GATE-019", "SR-GATE-021"};

bool is_part_of_a_name(char c) { return is_ascii_alnum(c) || c == '-' || c == '_'; }

/// "spark1" is in "spark1:0 answers", and not in "spark10 answers".
bool names_it(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    const bool begins = at == 0 || !is_part_of_a_name(text[at - 1]);
    const bool ends = end == text.size() || !is_part_of_a_name(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

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
  Finder(const Known& known, const std::vector<NodeView>& nodes, const std::vector<PairView>& pairs)
      : known_(known), nodes_(nodes), pairs_(pairs) {}

  std::vector<Problem> find() {
    file_of_most_ = value_of_most([&](const NodeView& node) {
      return node.has_our_file ? std::string(protocol::short_digest(node.file)) : std::string();
    });
    version_of_most_ = value_of_most(&NodeView::version);
    add_own();
    add_differences(nodes_.front());
    for (const auto& node : nodes_) {
      if (!node.is_own) add_peer(node);
    }
    add_copies();
    add_ways();
    name_wrong_plugs();
    explain();
    return std::move(problems_);
  }

 private:
  [[nodiscard]] const protocol::ToldDetails* told_by(const std::string& node) const {
    const auto& all = known_.told.peers;
    const auto found =
        std::ranges::find_if(all, [&](const auto& told) { return told.details.node == node; });
    return found == all.end() ? nullptr : &*found;
  }

  /// The peers that such a text of a node names.
  [[nodiscard]] std::set<std::string> about_of(Sort sort, std::string_view text,
                                               const std::string& but) const {
    std::set<std::string> names;
    if (sort != Sort::kRelation && sort != Sort::kCable) return names;
    for (const auto& node : known_.shape.nodes) {
      if (node != but && names_it(text, node)) names.insert(node);
    }
    return names;
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

  [[nodiscard]] std::string own_command(Sort sort, const OwnFact& fact) const {
    if (sort == Sort::kTwice || sort == Sort::kCable) return "spark-reconcile explain " + fact.id;
    return known_.own.differs.empty() ? "spark-reconcile gate" : "spark-reconcile plan";
  }

  void add_own() {
    const auto& own = known_.own;
    for (const auto& fact : own.facts) {
      if (fact.id == kSameFileId) continue;  // each such node is named below
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
          .command = own_command(sort, fact),
          .cause = {}};
      problem.about = about_of(sort, fact.measured, own.name);
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
           .what = std::string(kHearsNobody) + printable(known_.told.failed, kLongest),
           .about = {},
           .command = "spark-reconcile doctor",
           .cause = {}});
    }
    if (!problems_.empty()) return;
    if (own.standing != Standing::kReady && !own.why.empty()) {
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
    const auto* told = told_by(node.name);
    if (node.standing != Standing::kReady) {
      // What it told with another verdict is older than its hello.
      const bool is_of_now =
          told != nullptr && standing_named(told->details.verdict) == node.standing;
      if (is_of_now && !told->details.reasons.empty()) {
        const auto reason = reason_of(told->details.reasons.front());
        problem.sort = sort_of_id(reason.id);
        problem.id = reason.id;
        problem.link = reason.link;
        problem.what = reason.text;
        problem.about = about_of(problem.sort, reason.text, node.name);
      } else {
        problem.sort = Sort::kNode;
        problem.what = fmt::format("{}, and has not told why", name_of(node.standing));
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
    if (node.has_our_file && protocol::short_digest(node.file) != file_of_most_) {
      problem.what = fmt::format("another file: digest {:.7}, {} {:.7}", node.file,
                                 is_our_file ? "here" : "most have", file_of_most_);
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
      const auto reason = reason_of(rail.fault);
      const bool is_known = std::ranges::any_of(problems_, [&](const Problem& other) {
        return other.node == node.name && other.sort <= Sort::kNode && other.link == rail.link;
      });
      if (is_known) continue;
      add({.sort = Sort::kNode,
           .node = node.name,
           .link = printable(rail.link),
           .id = reason.id.empty() ? "no-rdma" : reason.id,
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
           .what = fmt::format("a copy of {}: one {}", is_machine ? same_machine : same_identity,
                               is_machine ? "machine id" : "NVMe host NQN"),
           .about = {},
           .command = is_identity ? fmt::format("spark-reconcile explain {}", kHostNqnId)
                                  : look_at(details.node),
           .cause = {}});
    };
    for (const auto& name : known_.shape.nodes) {
      if (name == known_.own.name) {
        look(known_.told.own);
      } else if (const auto* told = told_by(name)) {
        look(told->details);
      }
    }
  }

  /// Ways that do not work, and of which no node has spoken.
  void add_ways() {
    for (const auto& pair : pairs_) {
      const auto broken = std::ranges::find(pair.ways, protocol::Reach::kNone, &WayView::reach);
      if (broken == pair.ways.end()) continue;
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
           .what =
               fmt::format("neither echo nor RDMA to {} over rail {}", pair.other, broken->rail),
           .about = {pair.other},
           .command = look_at(pair.other),
           .cause = {}});
    }
  }

  /// All cables of this node lead elsewhere, each to the one node that they should lead to.
  [[nodiscard]] bool are_all_crossed(const std::string& node) const {
    const auto& expected = known_.told.expected;
    return std::ranges::all_of(
               expected, [&](const protocol::ExpectedPeer& peer) { return peer.node == node; }) &&
           is_cut_off(node);
  }

  /// Over a wrong cable nobody can be asked. What its other end finds says enough: "the cable in
  /// spark2:1 leads to spark1:1, the file says to spark1:0" is about a plug of spark1.
  void name_wrong_plugs() {
    for (auto& untold : problems_) {
      if (!untold.is_untold) continue;
      const auto seen = std::ranges::find_if(problems_, [&](const Problem& problem) {
        return problem.sort == Sort::kCable && problem.about == std::set{untold.node};
      });
      if (seen == problems_.end()) continue;
      // Both ends find the same: the first by name has it, on both.
      if (known_.own.name < untold.node && are_all_crossed(untold.node)) continue;
      untold.is_untold = false;
      untold.sort = Sort::kCable;
      untold.id = kCableId;
      untold.what = "a plug of it is in the wrong cage: " + seen->what;
      untold.command = fmt::format("spark-reconcile explain {}", kCableId);
    }
  }

  [[nodiscard]] bool leads_to(const std::string& node, const std::string& link,
                              const std::string& other) const {
    if (node == known_.own.name) {
      return std::ranges::any_of(known_.told.expected, [&](const auto& peer) {
        return peer.link == link && peer.node == other;
      });
    }
    const auto* told = told_by(node);
    const auto* rail = told == nullptr ? nullptr : told->details.rail(link);
    return rail != nullptr && std::ranges::any_of(known_.shape.wires, [&](const Wire& wire) {
             return (wire.node == node && wire.cage == rail->cage && wire.other == other) ||
                    (wire.other == node && wire.other_cage == rail->cage && wire.node == other);
           });
  }

  /// Without a carrier nobody can be heard: of a node that is off, all ends say so, of the link or
  /// of its port.
  [[nodiscard]] bool is_carrier_of(const Problem& problem, const std::string& silent) const {
    if (problem.id != kLinkId && problem.id != kPortId) return false;
    if (!leads_to(problem.node, problem.link, silent)) return false;
    if (problem.id == kLinkId) return true;
    if (problem.node == known_.own.name) {
      const auto* own = known_.told.own.rail(problem.link);
      return own != nullptr && !own->carrier;
    }
    const auto* told = told_by(problem.node);
    const auto* rail = told == nullptr ? nullptr : told->details.rail(problem.link);
    return rail != nullptr && !rail->carrier;
  }

  [[nodiscard]] bool is_neighbour(const std::string& node) const {
    return std::ranges::find(known_.told.expected, node, &protocol::ExpectedPeer::node) !=
           known_.told.expected.end();
  }

  /// No cable of this node leads there, and of those who would pass it on none is heard.
  [[nodiscard]] bool is_behind_silence(const std::string& node) const {
    return !is_neighbour(node) && std::ranges::all_of(nodes_, [&](const NodeView& other) {
      if (other.name == node) return !other.heard_ago;
      return !is_neighbour(other.name) || other.is_silent || !other.heard_ago;
    });
  }

  /// Every cable of this node that should lead there leads elsewhere.
  [[nodiscard]] bool is_cut_off(const std::string& node) const {
    bool leads_there = false;
    for (const auto& peer : known_.told.expected) {
      if (peer.node != node) continue;
      leads_there = true;
      const bool is_wrong = std::ranges::any_of(known_.own.facts, [&](const OwnFact& fact) {
        return fact.id == kCableId && fact.link == peer.link;
      });
      if (!is_wrong) return false;
    }
    return leads_there;
  }

  /// Two ends tell of one wrong plug. "…:0 leads to spark1:1, the file says to spark1:0" names one
  /// node, which has the plug in its wrong cage; what that node tells names two.
  static bool is_of_that_plug(const Problem& cause, const Problem& problem) {
    if (cause.sort != Sort::kCable || problem.about != std::set{cause.node}) return false;
    return cause.about.size() != 1 ||
           (cause.about == std::set{problem.node} && cause.node < problem.node);
  }

  /// Of one rail: without a link nothing else holds, and its path MTU comes from its MTU.
  static bool is_of_that_rail(const Problem& cause, const Problem& problem) {
    if (cause.node != problem.node || cause.link != problem.link || cause.link.empty())
      return false;
    return (cause.id == kLinkId && problem.id != kLinkId) ||
           std::ranges::find(kNeeds, std::pair(std::string_view(cause.id),
                                               std::string_view(problem.id))) != kNeeds.end();
  }

  [[nodiscard]] bool explains(const Problem& cause, const Problem& problem) const {
    if (problem.sort == Sort::kSilent) {
      const bool is_behind = is_behind_silence(problem.node);
      if (cause.node != known_.own.name) {
        return cause.sort == Sort::kSilent && is_behind && is_neighbour(cause.node);
      }
      if (cause.sort == Sort::kCable) {
        if (!is_behind) return is_cut_off(problem.node);
        return std::ranges::all_of(known_.told.expected,
                                   [&](const auto& peer) { return is_cut_off(peer.node); });
      }
      // Who hears nobody knows of no silence.
      return !known_.told.failed.empty() && cause.what.starts_with(kHearsNobody);
    }
    if (problem.sort == Sort::kCable) return is_of_that_plug(cause, problem);
    if (problem.sort == Sort::kNode && is_of_that_rail(cause, problem)) return true;
    if (cause.sort == Sort::kCable && problem.is_untold) return cause.about.contains(problem.node);
    if (cause.sort == Sort::kSilent && is_carrier_of(problem, cause.node)) return true;
    if (problem.sort != Sort::kRelation || cause.sort > Sort::kSilent) return false;
    const bool is_there = problem.about.contains(cause.node);
    if (cause.sort == Sort::kSilent) return is_there;
    return is_there || (cause.node == problem.node &&
                        (cause.sort <= Sort::kCable || cause.link == problem.link ||
                         cause.link.empty() || cause.more > 0));
  }

  void explain() {
    std::ranges::stable_sort(problems_, {}, &Problem::sort);
    for (auto problem = problems_.begin(); problem != problems_.end(); ++problem) {
      for (auto cause = problems_.begin(); cause != problems_.end(); ++cause) {
        if (cause == problem || !cause->cause.empty()) continue;
        const bool is_the_same =
            cause < problem && cause->sort == Sort::kRelation && problem->sort == Sort::kRelation &&
            problem->about.contains(cause->node) && cause->about.contains(problem->node);
        if (!is_the_same && !explains(*cause, *problem)) continue;
        problem->cause = cause->node;
        cause->follows += 1 + problem->more;
        break;
      }
    }
    std::ranges::stable_partition(problems_,
                                  [](const Problem& problem) { return problem.cause.empty(); });
    for (auto& problem : problems_) {
      if (problem.id == "no-rdma") problem.id.clear();
    }
  }

  const Known& known_;
  const std::vector<NodeView>& nodes_;
  const std::vector<PairView>& pairs_;
  std::vector<Problem> problems_;
  std::string file_of_most_;  ///< beginning of its digest
  std::string version_of_most_;
};

}  // namespace

std::vector<Problem> problems_of(const Known& known, const std::vector<NodeView>& nodes,
                                 const std::vector<PairView>& pairs) {
  return Finder(known, nodes, pairs).find();
}

std::string text_of(const Problem& problem) {
  auto text = problem.what;
  if (problem.more > 0) text += fmt::format("; {} more of its rails", problem.more);
  if (!problem.id.empty()) text += fmt::format(" [{}]", problem.id);
  if (problem.follows > 0) {
    text += problem.follows == 1 ? " (and 1 that follows)"
                                 : fmt::format(" (and {} that follow)", problem.follows);
  }
  return text;
}

}  // namespace spark::cluster
