#include "cluster/problems.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/checks/checks.hpp"
#include "gate/common/facts.hpp"

namespace spark::cluster {
namespace {

using diagnosis::Problem;
using diagnosis::Rank;
using diagnosis::rank_of;
using diagnosis::Remedy;
using protocol::Detail;
using protocol::Verdict;

constexpr std::size_t kLongest = 200;
constexpr std::size_t kLongestName = 64;

bool is_about(const Problem& problem, const std::string& node) {
  return std::ranges::find(problem.found.peers, node) != problem.found.peers.end();
}

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
    name_wrong_plugs();
    add_ways();
    return std::move(problems_);
  }

 private:
  [[nodiscard]] bool is_own(const std::string& node) const { return node == known_.own.name; }

  /// Where to look next: what a peer tells is no command.
  [[nodiscard]] Remedy look_at(const std::string& node) const {
    return {
        .text = {},
        .command = is_own(node) ? "spark-reconcile doctor" : "spark-reconcile doctor -n " + node,
        .examine = node};
  }

  [[nodiscard]] Remedy explained(const std::string& node, std::string_view id) const {
    if (!is_own(node)) return look_at(node);
    return {.text = {}, .command = fmt::format("spark-reconcile explain {}", id)};
  }

  /// One of a sentence of our own.
  [[nodiscard]] Problem said(const std::string& node, std::string_view name,
                             std::string what) const {
    return {.node = node,
            .found = {.name = std::string(name), .measured = std::move(what)},
            .remedy = look_at(node)};
  }

  /// As that node found it, made fit to be shown.
  [[nodiscard]] Problem seen(Problem problem) const {
    auto& found = problem.found;
    found.id = printable(found.id, kLongestName);
    found.name = printable(found.name, kLongestName);
    found.link = printable(found.link, kLongestName);
    found.subject = printable(found.subject, kLongestName);
    found.measured = printable(found.measured, kLongest);
    const bool is_of_others =
        rank_of(problem) == Rank::kRelation || rank_of(problem) == Rank::kCable;
    std::erase_if(found.peers, [&](const std::string& peer) {
      const auto& all = known_.shape.nodes;
      return !is_of_others || peer == problem.node || std::ranges::find(all, peer) == all.end();
    });
    if (found.detail == Detail::kSwitchBetween && is_own(problem.node) && !found.peers.empty()) {
      // All of them see the same: the first by name has it, on each.
      problem.node = std::min(problem.node, *std::ranges::min_element(found.peers));
      found.name = diagnosis::kSwitch;
      found.link.clear();
    }
    return problem;
  }

  /// All of these nodes, and there is one.
  [[nodiscard]] bool are_away(const std::vector<std::string>& names) const {
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

  /// Where a remedy has no command of its own.
  [[nodiscard]] std::string own_command(const Problem& problem) const {
    const auto rank = rank_of(problem);
    const auto& peers = problem.found.peers;
    if (rank == Rank::kTwice) return explained(known_.own.name, problem.found.id).command;
    if (rank == Rank::kRelation && !peers.empty()) {
      return look_at(*std::ranges::min_element(peers)).command;
    }
    return rank == Rank::kCable || known_.own.differs.empty() ? "spark-reconcile gate"
                                                              : "spark-reconcile plan";
  }

  void add_own() {
    const auto& own = known_.own;
    for (const auto& found : own.problems) {
      if (found.found.id == gate::kSameFileFact.id) continue;  // each such node is named below
      auto problem = seen(found);
      // The gate is open all the same, and nobody expects them.
      if (own.verdict == Verdict::kReady && are_away(problem.found.peers)) continue;
      if (problem.remedy.command.empty()) problem.remedy.command = own_command(problem);
      problems_.push_back(std::move(problem));
    }
    if (!known_.told.failed.empty()) {
      problems_.push_back(said(own.name, diagnosis::kHearsNobody,
                               "hears nobody: " + printable(known_.told.failed, kLongest)));
    }
    if (!problems_.empty()) return;
    if (own.verdict != Verdict::kReady && !own.why.empty()) {
      auto problem = said(own.name, diagnosis::kVerdict, printable(own.why, kLongest));
      problem.verdict = own.verdict;
      problem.remedy = {.text = {}, .command = "spark-reconcile status --here"};
      problems_.push_back(std::move(problem));
    } else if (!own.differs.empty()) {
      auto problem = said(own.name, diagnosis::kDiffers, own.differs);
      problem.remedy = {.text = {}, .command = "spark-reconcile plan"};
      problems_.push_back(std::move(problem));
    }
  }

  void add_peer(const NodeView& node) {
    if (node.is_silent || !node.heard_ago) {
      const bool is_refused =
          std::ranges::find(known_.told.refused, node.name, &protocol::RefusedHello::node) !=
          known_.told.refused.end();
      auto silence = said(node.name, diagnosis::kSilent, written(node.what));
      silence.verdict = Verdict::kUnknown;
      if (node.is_silent && !is_refused) silence.found.detail = Detail::kNoAnswer;
      problems_.push_back(std::move(silence));
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
        enum_named<protocol::Verdict>(told->details.verdict).value_or(Verdict::kUnknown) ==
            node.verdict;
    if (is_of_now && !told->details.problems.empty()) {
      for (const auto& found : told->details.problems) {
        problems_.push_back(
            seen({.node = node.name, .found = found, .remedy = look_at(node.name)}));
      }
      return;
    }
    auto problem =
        is_of_now && !told->details.reasons.empty()
            ? said(node.name, diagnosis::kSaid, printable(told->details.reasons.front(), kLongest))
            : said(node.name, diagnosis::kUntold,
                   fmt::format("{}, and has not told why", name_of(node.verdict)));
    problem.verdict = node.verdict;
    problems_.push_back(std::move(problem));
  }

  /// Another file or version than most nodes have. Where this node is the one that differs, it is
  /// named, and not all others.
  void add_differences(const NodeView& node) {
    const bool is_our_file = file_of_most_ == protocol::short_digest(known_.own.file.digest);
    if (node.has_our_file && protocol::short_digest(node.file) != file_of_most_ &&
        !(is_rolling(node.file) && is_rolling(file_of_most_))) {
      const auto& commit = known_.own.file.commit;
      auto file =
          said(node.name, diagnosis::kOtherFile,
               fmt::format(
                   "another file: digest {:.7}, {} {:.7}{}", node.file,
                   is_our_file ? "here" : "most have", file_of_most_,
                   is_our_file && !commit.empty() ? fmt::format(" (commit {:.7})", commit) : ""));
      file.found.id = gate::kSameFileFact.id;
      file.remedy = explained(node.name, gate::kSameFileFact.id);
      file.remedy.text = gate::kRemedyOfOtherFile;
      problems_.push_back(std::move(file));
    }
    if (node.version.empty() || known_.own.version.empty() || node.version == version_of_most_) {
      return;
    }
    problems_.push_back(
        said(node.name, diagnosis::kOtherVersion,
             fmt::format("runs {}, {} {}", node.version,
                         version_of_most_ == known_.own.version ? "this node" : "most run",
                         printable(version_of_most_))));
  }

  /// What RDMA lacks at that end: the node may be ready all the same.
  void add_faults(const NodeView& node, const protocol::NodeDetails& details) {
    for (const auto& rail : details.rails) {
      if (rail.fault.empty() || rail.waits) continue;
      auto fault = said(node.name, diagnosis::kNoRdma, printable(rail.fault, kLongest));
      fault.found.link = printable(rail.link, kLongestName);
      const bool is_known = std::ranges::any_of(problems_, [&](const Problem& other) {
        return other.node == node.name &&
               (other.found.name == diagnosis::kSaid ||  // in one sentence, whatever it is about
                (rank_of(other) <= Rank::kNode && other.found.link == fault.found.link));
      });
      if (!is_known) problems_.push_back(std::move(fault));
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
      auto copy = said(
          details.node, diagnosis::kCopy,
          fmt::format("a copy of {}: one {}", same, is_machine ? "machine id" : "NVMe host NQN"));
      copy.found.peers = {same};
      if (is_identity) {
        copy.found.id = diagnosis::kHostNqnId;
        copy.remedy = {.text = {},
                       .command = fmt::format("spark-reconcile explain {}", diagnosis::kHostNqnId)};
      }
      problems_.push_back(std::move(copy));
    };
    for (const auto& name : known_.shape.nodes) {
      if (is_own(name)) {
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
      if (problem.found.id != gate::kOneHostFact.id) continue;
      const auto other = node_with(problem.found.macs);
      if (other.empty() || other == problem.node) continue;
      const auto mutual = others.find(problem.node);
      if (mutual != others.end() && is_about(mutual->second, other)) {
        const auto place = [&](const std::string& name) {
          return std::pair(!has_file_of_most(name), name);
        };
        if (place(problem.node) > place(other)) continue;
        others.erase(mutual);
      }
      auto host = said(
          other, diagnosis::kOtherHost,
          fmt::format("has an address of {}: {}", problem.node, written(sentence_of(problem))));
      host.found.id = gate::kOneHostFact.id;
      host.found.peers = {problem.node};
      host.remedy = explained(other, gate::kOneHostFact.id);
      const auto [known, is_new] = others.emplace(other, std::move(host));
      if (!is_new && !is_about(known->second, problem.node)) {
        known->second.found.peers.push_back(problem.node);
      }
    }
    for (auto& [node, problem] : others) problems_.insert(problems_.begin(), std::move(problem));
  }

  /// Every cable of this node should lead there, and leads elsewhere.
  [[nodiscard]] bool are_all_crossed(const std::string& node) const {
    return std::ranges::all_of(known_.told.expected, [&](const protocol::ExpectedPeer& peer) {
      return peer.node == node && has_wrong_cable(known_.own, peer.link);
    });
  }

  /// Over a wrong cable nobody can be asked. What its other end finds says enough: "the cable in
  /// spark2:1 leads to spark1:1, the file says to spark1:0" is about a plug of spark1.
  void name_wrong_plugs() {
    for (auto& untold : problems_) {
      if (untold.found.name != diagnosis::kUntold) continue;
      const auto cable = std::ranges::find_if(problems_, [&](const Problem& problem) {
        return rank_of(problem) == Rank::kCable && problem.found.peers == std::vector{untold.node};
      });
      if (cable == problems_.end()) continue;
      // Both ends find the same: the first by name has it, on both.
      if (known_.own.name < untold.node && are_all_crossed(untold.node)) continue;
      untold = said(untold.node, diagnosis::kPlug,
                    "a plug of it is in the wrong cage: " + written(sentence_of(*cable)));
      untold.found.id = gate::kCablingFact.id;
      // The gate of this node says which.
      untold.remedy = {.text = is_own(cable->node) ? cable->remedy.text : std::string(),
                       .command = "spark-reconcile gate"};
    }
  }

  /// Ways that do not work, and of which no node has spoken.
  void add_ways() {
    for (const auto& pair : pairs_) {
      const auto broken = std::ranges::find(pair.ways, protocol::Reach::kNone, &WayView::reach);
      if (broken == pair.ways.end() || are_away({pair.node}) || are_away({pair.other})) continue;
      const bool is_spoken_of = std::ranges::any_of(problems_, [&](const Problem& problem) {
        const auto speaks = [&](const std::string& node, const std::string& other) {
          const bool is_of_node =
              problem.found.peers.empty() || problem.found.name == diagnosis::kCopy;
          return problem.node == node &&
                 (is_about(problem, other) || (is_of_node && rank_of(problem) <= Rank::kSilent));
        };
        return speaks(pair.node, pair.other) || speaks(pair.other, pair.node);
      });
      if (is_spoken_of) continue;
      auto way =
          said(pair.node, diagnosis::kNoWay,
               fmt::format("neither echo nor RDMA to {} over rail {}", pair.other, broken->rail));
      way.found.peers = {pair.other};
      way.remedy = look_at(pair.other);
      problems_.push_back(std::move(way));
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

bool has_wrong_cable(const OwnNode& own, std::string_view link) {
  return std::ranges::any_of(own.problems, [&](const Problem& problem) {
    const auto& found = problem.found;
    return found.link == link &&
           (found.id == gate::kCablingFact.id || found.detail == Detail::kOtherCage);
  });
}

std::vector<Problem> problems_of(const Known& known, const ClusterView& view) {
  return Finder(known, view).find();
}

}  // namespace spark::cluster
