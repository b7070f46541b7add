#include "cluster/causes.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace spark::cluster {
namespace {

using protocol::Detail;

/// What a rail cannot have while it lacks the first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNeeds{
    {{kMtuId, kPathMtuId}, {kPortId, kGidId}, {kPortId, kPathMtuId}, {kPortId, kLoopbackId}}};

class Causes {
 public:
  Causes(std::vector<Problem>& problems, const Known& known, const std::vector<NodeView>& nodes)
      : problems_(problems), known_(known), nodes_(nodes), wires_(known.shape.wires()) {}

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
      untold.command = "spark-reconcile gate";  // of this node: it says what to swap
    }
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
        cause->follows += 1 + static_cast<int>(problem->more.size());
        break;
      }
    }
    std::ranges::stable_partition(problems_,
                                  [](const Problem& problem) { return problem.cause.empty(); });
    for (auto& problem : problems_) {
      if (problem.id == kNoRdma) problem.id.clear();
    }
  }

 private:
  /// All cables of this node lead elsewhere, each to the one node that they should lead to.
  [[nodiscard]] bool are_all_crossed(const std::string& node) const {
    const auto& expected = known_.told.expected;
    return std::ranges::all_of(
               expected, [&](const protocol::ExpectedPeer& peer) { return peer.node == node; }) &&
           is_cut_off(node);
  }

  /// As that node told it; null: it has not.
  [[nodiscard]] const protocol::RailDetails* rail_of(const std::string& node,
                                                     const std::string& link) const {
    if (node == known_.own.name) return known_.told.own.rail(link);
    const auto* told = protocol::told_by(known_.told.peers, node);
    return told == nullptr ? nullptr : told->details.rail(link);
  }

  [[nodiscard]] bool leads_to(const std::string& node, const std::string& link,
                              const std::string& other) const {
    if (node == known_.own.name) {
      return std::ranges::any_of(known_.told.expected, [&](const auto& peer) {
        return peer.link == link && peer.node == other;
      });
    }
    const auto* rail = rail_of(node, link);
    return rail != nullptr && std::ranges::any_of(wires_, [&](const Wire& wire) {
             return (wire.node == node && wire.cage == rail->cage && wire.other == other) ||
                    (wire.other == node && wire.other_cage == rail->cage && wire.node == other);
           });
  }

  /// The carrier there is the switch's, and none of the nodes behind it.
  [[nodiscard]] bool is_on_switch(const std::string& node, const std::string& link) const {
    const auto* rail = rail_of(node, link);
    return rail != nullptr && known_.shape.is_on_switch(node, rail->cage);
  }

  /// A link of this node through which nobody is heard, for what is here: it is down or absent, or
  /// the cable to its switch is out. Without a carrier of a cable the other end may be off.
  [[nodiscard]] bool is_of_this_end(const protocol::Problem& found) const {
    if (found.id != kLinkId || found.detail == Detail::kPort) return false;
    const bool is_without_carrier =
        found.detail == Detail::kNoCarrier || found.detail == Detail::kOtherCage;
    return !is_without_carrier || is_on_switch(known_.own.name, found.link);
  }

  /// Each link of this node that leads there is such a link.
  [[nodiscard]] bool is_without_link(const std::string& node) const {
    bool leads_there = false;
    for (const auto& peer : known_.told.expected) {
      if (peer.node != node) continue;
      leads_there = true;
      const bool is_here = std::ranges::any_of(known_.own.problems, [&](const auto& found) {
        return found.link == peer.link && is_of_this_end(found);
      });
      if (!is_here) return false;
    }
    return leads_there;
  }

  /// Without a carrier nobody can be heard: of a node that is off, all ends of its cables say so,
  /// of the link or of its port.
  [[nodiscard]] bool is_carrier_of(const Problem& problem, const std::string& silent) const {
    if (problem.id != kLinkId && problem.id != kPortId) return false;
    if (!leads_to(problem.node, problem.link, silent)) return false;
    if (is_on_switch(problem.node, problem.link)) return false;
    // A link that is down, or a card that is not here, is no fault of the other end.
    if (problem.id == kLinkId) return problem.detail == Detail::kNoCarrier;
    const auto* rail = rail_of(problem.node, problem.link);
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
      if (!has_wrong_cable(known_.own, peer.link)) return false;
    }
    return leads_there;
  }

  /// The node with another's address explains what that one finds, and what it finds itself.
  static bool is_of_that_host(const Problem& cause, const Problem& problem) {
    const bool is_of_address = cause.sort == Sort::kTwice && cause.id == problem.id &&
                               !cause.about.empty() && problem.about.empty();
    return is_of_address && (cause.about.contains(problem.node) || cause.node == problem.node);
  }

  /// Two ends tell of one wrong plug. "…:0 leads to spark1:1, the file says to spark1:0" names one
  /// node, which has the plug in its wrong cage; what that node tells names two.
  static bool is_of_that_plug(const Problem& cause, const Problem& problem) {
    if (cause.sort != Sort::kCable || problem.about != std::set{cause.node}) return false;
    return cause.about.size() != 1 ||
           (cause.about == std::set{problem.node} && cause.node < problem.node);
  }

  /// Of one rail: without a link nothing else holds, and its path MTU comes from its MTU.
  [[nodiscard]] bool is_of_that_rail(const Problem& cause, const Problem& problem) const {
    if (cause.node != problem.node || cause.link != problem.link || cause.link.empty())
      return false;
    const bool is_without_carrier =
        cause.id == kLinkId || (cause.id == kCableId && cause.detail == Detail::kOtherCage);
    return (is_without_carrier && problem.id != cause.id) ||
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
      if (cause.id == kLinkId && is_without_link(problem.node)) return true;
      // Who hears nobody knows of no silence.
      return cause.hears_nobody;
    }
    if (problem.sort == Sort::kTwice) return is_of_that_host(cause, problem);
    if (problem.sort == Sort::kCable) return is_of_that_plug(cause, problem);
    if (problem.sort == Sort::kNode && is_of_that_rail(cause, problem)) return true;
    if (cause.sort == Sort::kCable && problem.is_untold) return cause.about.contains(problem.node);
    if (cause.sort == Sort::kSilent && is_carrier_of(problem, cause.node)) return true;
    if (problem.sort != Sort::kRelation || cause.sort > Sort::kSilent) return false;
    const bool is_there = problem.about.contains(cause.node);
    if (cause.sort == Sort::kSilent) return is_there;
    return is_there || (cause.node == problem.node &&
                        (cause.sort <= Sort::kCable || cause.link == problem.link ||
                         cause.link.empty() || !cause.more.empty()));
  }

  std::vector<Problem>& problems_;
  const Known& known_;
  const std::vector<NodeView>& nodes_;
  const std::vector<Wire> wires_;
};

}  // namespace

bool has_wrong_cable(const OwnNode& own, std::string_view link) {
  return std::ranges::any_of(own.problems, [&](const auto& found) {
    return found.link == link && (found.id == kCableId || found.detail == Detail::kOtherCage);
  });
}

void find_causes(std::vector<Problem>& problems, const Known& known,
                 const std::vector<NodeView>& nodes) {
  Causes causes(problems, known, nodes);
  causes.name_wrong_plugs();
  causes.explain();
}

}  // namespace spark::cluster
