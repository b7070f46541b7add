#include "diagnosis/explanations.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/kinds.hpp"
#include "gate/checks/checks.hpp"
#include "gate/common/facts.hpp"
#include "protocol/detail.hpp"
#include "protocol/verdict.hpp"

namespace spark::diagnosis {
namespace {

using protocol::Detail;
using protocol::Verdict;

/// What a relation between two problems can look at beside them.
struct Scene {
  std::span<const Problem> problems;
  const Wiring& wiring;
};

using Relation = bool (*)(const Problem& cause, const Problem& effect, const Scene& scene);

/// What is left out may be anything.
struct Pattern {
  std::optional<Rank> rank;
  std::string_view id;
  std::string_view name;
  std::optional<Detail> detail;
  std::optional<Verdict> verdict;

  [[nodiscard]] bool matches(const Problem& problem, Rank its_rank) const {
    const auto& found = problem.found;
    return (!rank || *rank == its_rank) && (id.empty() || id == found.id) &&
           (name.empty() || name == found.name) && (!detail || detail == found.detail) &&
           (!verdict || *verdict == problem.verdict);
  }
};

struct Explanation {
  Pattern cause;
  Pattern effect;
  Relation relation = nullptr;
};

bool is_about(const Problem& problem, const std::string& node) {
  return std::ranges::find(problem.found.peers, node) != problem.found.peers.end();
}

bool is_about_alone(const Problem& problem, const std::string& node) {
  return problem.found.peers.size() == 1 && problem.found.peers.front() == node;
}

// --- relations

bool same_rail(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  return cause.node == effect.node && !cause.found.link.empty() &&
         cause.found.link == effect.found.link && cause.found.id != effect.found.id;
}

bool same_node(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  return cause.node == effect.node;
}

/// A resource that takes no part in a plan, and what is wrong with it.
bool same_resource(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  const auto& resource = effect.found;
  return cause.node == effect.node && cause.found.name == resource.name &&
         cause.found.link == resource.link && cause.found.id != resource.id &&
         (!resource.link.empty() || cause.found.subject == resource.subject);
}

/// Of one of its rails or of its cables, or all that is known of the node. A target that is off
/// keeps no peer from answering.
bool hinders_peers(const Problem& problem) {
  return rank_of(problem) <= Rank::kCable || !problem.found.link.empty() ||
         problem.found.id.empty();
}

/// What a node finds of its peers follows.
bool same_end(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  const bool is_of_all_rails = rank_of(cause) <= Rank::kCable || cause.found.link.empty();
  return cause.node == effect.node && hinders_peers(cause) &&
         (is_of_all_rails || effect.found.link.empty() || effect.found.link == cause.found.link);
}

bool effect_is_about_it(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  return is_about(effect, cause.node) && hinders_peers(cause);
}

/// A cable of that node, or of another one that should lead there.
bool its_cable(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  return cause.node == effect.node || is_about(cause, effect.node);
}

/// The node with another's address explains what that one finds, and what it finds itself.
bool that_host(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  return !cause.found.peers.empty() && effect.found.peers.empty() &&
         (is_about(cause, effect.node) || cause.node == effect.node);
}

/// Two ends tell of one wrong plug. "…:0 leads to spark1:1, the file says to spark1:0" names one
/// node, which has the plug in its wrong cage; what that node tells names two.
bool that_plug(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  if (!is_about_alone(effect, cause.node)) return false;
  return cause.found.peers.size() != 1 ||
         (is_about_alone(cause, effect.node) && cause.node < effect.node);
}

/// Both ends tell of one pair: the first by name has it, on every node.
bool that_pair(const Problem& cause, const Problem& effect, const Scene& /*scene*/) {
  return is_about(effect, cause.node) && is_about(cause, effect.node) && cause.node < effect.node;
}

/// The cable of that end leads to the silent node, whose end has no carrier then.
bool cable_to_it(const Problem& cause, const Problem& effect, const Scene& scene) {
  const auto* end = scene.wiring.rail(effect.node, effect.found.link);
  return end != nullptr && end->leads_to.contains(cause.node) && !end->is_on_switch &&
         (effect.found.id == gate::kLinkFact.id || !end->has_carrier);
}

/// The cable in that link's cage leads elsewhere, or is in another cage.
bool is_wrong_cable(const Problem& problem, const Scene& scene) {
  return problem.node == scene.wiring.own && rank_of(problem) == Rank::kCable;
}

/// Through such a link nobody is heard for what is here: it is down or absent, or the cable to its
/// switch is out. Without the carrier of a cable the other end may be off.
bool is_lost_here(const Problem& problem, const Scene& scene) {
  if (problem.node != scene.wiring.own || problem.found.id != gate::kLinkFact.id ||
      problem.found.detail == Detail::kPort) {
    return false;
  }
  const bool is_without_carrier =
      problem.found.detail == Detail::kNoCarrier || problem.found.detail == Detail::kOtherCage;
  const auto* end = scene.wiring.rail(problem.node, problem.found.link);
  return !is_without_carrier || (end != nullptr && end->is_on_switch);
}

/// Each rail of this node that leads there has such a problem, and there is one.
template <class Has>
bool each_way_there(const std::string& node, const Scene& scene, Has has) {
  bool leads_there = false;
  for (const auto& end : scene.wiring.rails) {
    if (end.node != scene.wiring.own || !end.leads_to.contains(node)) continue;
    leads_there = true;
    const bool is_one = std::ranges::any_of(scene.problems, [&](const Problem& problem) {
      return problem.found.link == end.link && has(problem, scene);
    });
    if (!is_one) return false;
  }
  return leads_there;
}

bool every_link_there_is_lost(const Problem& cause, const Problem& effect, const Scene& scene) {
  return is_lost_here(cause, scene) && each_way_there(effect.node, scene, is_lost_here);
}

bool every_cable_there_is_wrong(const Problem& cause, const Problem& effect, const Scene& scene) {
  if (!is_wrong_cable(cause, scene)) return false;
  if (!scene.wiring.is_behind_silence(effect.node)) {
    return each_way_there(effect.node, scene, is_wrong_cable);
  }
  return std::ranges::all_of(scene.wiring.rails, [&](const RailEnd& end) {
    return end.node != scene.wiring.own ||
           std::ranges::all_of(end.leads_to, [&](const std::string& other) {
             return each_way_there(other, scene, is_wrong_cable);
           });
  });
}

bool passes_on_no_longer(const Problem& cause, const Problem& effect, const Scene& scene) {
  return scene.wiring.is_behind_silence(effect.node) && scene.wiring.is_neighbour(cause.node);
}

bool here(const Problem& cause, const Problem& /*effect*/, const Scene& scene) {
  return cause.node == scene.wiring.own;
}

// --- the table

constexpr Pattern of(const gate::FactKind& kind) { return {.id = kind.id}; }
constexpr Pattern of(Rank rank) { return {.rank = rank}; }
constexpr Pattern named(std::string_view name) { return {.name = name}; }
constexpr Pattern with(std::string_view name, Detail detail) {
  return {.name = name, .detail = detail};
}
constexpr Pattern with(const gate::FactKind& kind, Detail detail) {
  return {.id = kind.id, .detail = detail};
}
constexpr Pattern with(const gate::FactKind& kind, Verdict verdict) {
  return {.id = kind.id, .verdict = verdict};
}

constexpr std::array kExplanations{
    // This program: what it needs first.
    Explanation{with(kFileThere, Detail::kAbsent), named(kNoDaemon), same_node},
    Explanation{named(kFileThere), named(kRefusedFile), same_node},
    Explanation{with(kUnfinished, Detail::kUnread), with(kLedger, Detail::kUnread), same_node},
    Explanation{named(kLedger), with(kPlan, Detail::kUnread), same_node},
    Explanation{named(kPlan), named(kRefusedFile), same_node},
    Explanation{named(kPlan), named(kRefusal), same_node},
    Explanation{named(kPlan), named(kPass), same_node},
    Explanation{named(kNoDaemon), named(kHearsNobody), same_node},
    Explanation{named(kReleased), {.rank = Rank::kNode, .detail = Detail::kDiffers}, same_node},
    Explanation{named(kReleased), {.rank = Rank::kAside, .detail = Detail::kDiffers}, same_node},
    Explanation{named(kReleased), with(gate::kLinkFact, Detail::kDown), same_node},
    Explanation{named(kKernel), named(kKho), same_node},
    // One rail: what it cannot have while it lacks the first.
    Explanation{of(gate::kLinkFact), of(Rank::kNode), same_rail},
    Explanation{of(gate::kLinkFact), of(Rank::kRelation), same_rail},
    Explanation{of(gate::kLinkFact), with(gate::kCablingFact, Verdict::kUnknown), same_rail},
    Explanation{{.rank = Rank::kCable, .detail = Detail::kOtherCage}, of(Rank::kNode), same_rail},
    Explanation{of(gate::kLinkFact), {.rank = Rank::kAside, .detail = Detail::kSkipped}, same_rail},
    Explanation{of(Rank::kNode), {.rank = Rank::kAside, .detail = Detail::kSkipped}, same_resource},
    Explanation{of(gate::kMtuFact), of(gate::kPathMtuFact), same_rail},
    Explanation{of(gate::kAddressFact), of(gate::kGidFact), same_rail},
    Explanation{of(gate::kPortFact), {.rank = Rank::kAside, .detail = Detail::kSkipped}, same_rail},
    Explanation{of(gate::kPortFact), of(gate::kGidFact), same_rail},
    Explanation{of(gate::kPortFact), of(gate::kPathMtuFact), same_rail},
    Explanation{of(gate::kPortFact), of(gate::kLoopbackFact), same_rail},
    // Nobody answers the echo, so nobody proves the cable either.
    Explanation{with(gate::kPeersFact, Verdict::kNotReady),
                with(gate::kCablingFact, Verdict::kUnknown), same_rail},
    // One machine, one plug, one pair: both ends tell of it.
    Explanation{of(gate::kOneHostFact), of(gate::kOneHostFact), that_host},
    Explanation{of(Rank::kCable), of(gate::kCablingFact), that_plug},
    Explanation{of(Rank::kCable), named(kUntold), its_cable},
    Explanation{of(Rank::kRelation), of(Rank::kRelation), that_pair},
    // Why a node is not heard.
    Explanation{of(gate::kLinkFact), of(Rank::kSilent), every_link_there_is_lost},
    Explanation{of(Rank::kCable), of(Rank::kSilent), every_cable_there_is_wrong},
    Explanation{of(Rank::kSilent), of(Rank::kSilent), passes_on_no_longer},
    Explanation{named(kHearsNobody), of(Rank::kSilent), here},
    // What others see of a node that is off.
    Explanation{of(Rank::kSilent), with(gate::kLinkFact, Detail::kNoCarrier), cable_to_it},
    Explanation{of(Rank::kSilent), of(gate::kPortFact), cable_to_it},
    // What a node finds of a peer, when one of them has a problem of its own.
    Explanation{of(Rank::kTwice), of(Rank::kRelation), same_end},
    Explanation{of(Rank::kTwice), of(Rank::kRelation), effect_is_about_it},
    Explanation{of(Rank::kCable), of(Rank::kRelation), same_end},
    Explanation{of(Rank::kCable), of(Rank::kRelation), effect_is_about_it},
    Explanation{of(Rank::kNode), of(Rank::kRelation), same_end},
    Explanation{of(Rank::kNode), of(Rank::kRelation), effect_is_about_it},
    Explanation{of(Rank::kSilent), of(Rank::kRelation), effect_is_about_it},
};

}  // namespace

Explanations::Explanations(std::span<const Problem> problems, const Wiring& wiring)
    : problems_(problems), wiring_(wiring) {
  std::ranges::transform(problems, std::back_inserter(sides_), sides_of);
}

Explanations::Sides Explanations::sides_of(const Problem& problem) {
  static_assert(kExplanations.size() <= Rows{}.size());
  const auto rank = rank_of(problem);
  Sides sides;
  for (std::size_t row = 0; row < kExplanations.size(); ++row) {
    sides.as_cause[row] = kExplanations[row].cause.matches(problem, rank);
    sides.as_effect[row] =
        !problem.stands_alone && kExplanations[row].effect.matches(problem, rank);
  }
  return sides;
}

bool Explanations::explains(std::size_t cause, std::size_t effect) const {
  const auto rows = sides_[cause].as_cause & sides_[effect].as_effect;
  if (rows.none() || cause == effect) return false;
  const Scene scene{.problems = problems_, .wiring = wiring_};
  for (std::size_t row = 0; row < kExplanations.size(); ++row) {
    if (rows[row] && kExplanations[row].relation(problems_[cause], problems_[effect], scene)) {
      return true;
    }
  }
  return false;
}

}  // namespace spark::diagnosis
