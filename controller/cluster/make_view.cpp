#include "cluster/make_view.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cluster/make_rollout.hpp"
#include "cluster/problems.hpp"
#include "cluster/wiring.hpp"
#include "diagnosis/kinds.hpp"

namespace spark::cluster {
namespace {

using protocol::Reach;
using protocol::Verdict;
using std::chrono::milliseconds;

constexpr std::size_t kLongestWord = 40;

milliseconds age_of(std::int64_t boot_ms, milliseconds now) {
  return std::max(now - milliseconds(boot_ms), milliseconds(0));
}

// --- the nodes

/// It has stood so since it said so on the first of its rails.
std::optional<milliseconds> since_of(const std::string& name, std::string_view verdict,
                                     const Known& known) {
  std::optional<milliseconds> since;
  for (const auto& heard : known.told.heard) {
    if (heard.hello.node != name || heard.is_silent || heard.since_ms == 0 ||
        heard.hello.verdict != verdict) {
      continue;
    }
    since = std::max(since.value_or(milliseconds(0)), age_of(heard.since_ms, known.now));
  }
  return since;
}

void take_latest(NodeView& node, const Known& known) {
  const auto report = latest_report(node.name, known.told);
  node.is_silent = report.is_silent;
  node.told_by = report.by;
  if (report.heard_at) node.heard_ago = age_of(report.heard_at->count(), known.now);
  node.verdict = report.verdict_now();
  if (report.is_silent && !report.by.empty()) {
    node.what = Sentence(fmt::format("silent, as {} tells", report.by));
  } else if (report.is_silent) {
    node.since = node.heard_ago;
    node.what = Sentence(report.said.empty() ? "silent" : "silent; last heard " + report.said);
  }
  if (!report.is_heard) return;
  node.file = report.file;
  node.has_our_file = report.has_file(known.own.file.digest);
  if (report.by.empty()) node.since = since_of(node.name, report.said, known);
}

/// Why nothing is known of a node that no hello and no neighbour speaks of.
Sentence unheard_text(const std::string& name, const Known& known) {
  std::vector<std::string> tellers;
  for (const auto& told : known.told.peers) {
    const auto& passed = told.details.heard;
    if (std::ranges::find(passed, name, &protocol::PassedOn::node) == passed.end()) continue;
    tellers.push_back(printable(told.details.node));
  }
  if (tellers.empty()) return Sentence("not heard since this node booted");
  return Sentence(fmt::format("not heard: {}, which told of it, {} silent",
                              fmt::join(tellers, " and "), tellers.size() == 1 ? "is" : "are"));
}

NodeView own_view(const Known& known) {
  const auto& own = known.own;
  NodeView node{.name = own.name,
                .is_own = true,
                .verdict = own.verdict,
                .since = own.since,
                .heard_ago = milliseconds(0),
                .told_by = {},
                .file = protocol::short_digest(own.file.digest),
                .has_our_file = {},
                .version = own.version,
                .measured = {},
                .what = {},
                .follows_from = {}};
  if (!node.file.empty()) node.has_our_file = true;
  return node;
}

NodeView peer_view(const std::string& name, const Known& known) {
  NodeView node{.name = name,
                .since = {},
                .heard_ago = {},
                .told_by = {},
                .file = {},
                .has_our_file = {},
                .version = {},
                .measured = {},
                .what = {},
                .follows_from = {}};
  take_latest(node, known);
  const bool is_heard = !node.is_silent && node.heard_ago;
  if (!is_heard && node.what.empty()) node.what = unheard_text(name, known);
  const auto refused = std::ranges::find(known.told.refused, name, &protocol::RefusedHello::node);
  if (!is_heard && refused != known.told.refused.end()) {
    node.what = Sentence(protocol::key_text(name, refused->fault));
  }
  const auto measured = std::ranges::find(known.measured, name, &Measured::peer);
  if (measured != known.measured.end() && measured->bits > 0) node.measured = measured->bits;
  if (!is_heard && known.shape.is_away(name)) {
    node.is_away = true;
    node.what = Sentence("away, as the file says");
  }
  if (node.is_silent) return node;
  for (const auto& told : known.told.peers) {
    if (told.details.node == name) node.version = printable(told.details.version, kLongestWord);
  }
  return node;
}

std::vector<NodeView> nodes_of(const Known& known) {
  std::vector<NodeView> nodes{own_view(known)};
  for (const auto& name : known.shape.nodes) {
    if (name != known.own.name) nodes.push_back(peer_view(name, known));
  }
  return nodes;
}

// --- the ways between them

/// Who tells it, of whom, over which of its own cages and rails.
using WayKey = std::tuple<std::string, std::string, int, int>;

/// Of two that are told, the worse one; of what nobody asked, nothing.
Reach worse_of(Reach one, Reach other) {
  if (one == Reach::kNotAsked) return other;
  return other == Reach::kNotAsked ? one : std::min(one, other);
}

/// What one end knows of a way.
struct EndKnows {
  Reach reach = Reach::kNotAsked;
  bool rdma_fails = false;
};

/// A way has echo and RDMA, though only one of the two ends has proven it yet, unless the other one
/// has tried it last without success.
Reach joined(const EndKnows& one, const EndKnows& other) {
  if (one.reach == Reach::kNone || other.reach == Reach::kNone) return Reach::kNone;
  const auto best = std::max(one.reach, other.reach);
  return one.rdma_fails || other.rdma_fails ? std::min(best, Reach::kEcho) : best;
}

class Ways {
 public:
  Ways(const Known& known, const std::vector<NodeView>& nodes) : known_(known), nodes_(nodes) {
    for (const auto& node : nodes) places_.emplace(node.name, places_.size());
    details_[known.own.name] = &known.told.own;
    take(known.told.own);
    for (const auto& told : known.told.peers) {
      details_[told.details.node] = &told.details;
      const auto node = places_.find(told.details.node);
      const bool is_news = node != places_.end() && !nodes.at(node->second).is_silent &&
                           nodes.at(node->second).verdict != Verdict::kUnknown &&
                           told.failed.empty();
      if (is_news) take(told.details);
    }
  }

  std::vector<PairView> pairs() {
    std::vector<PairView> pairs;
    std::map<std::pair<std::string, std::string>, std::size_t> at;
    for (const auto& wire : known_.shape.wires()) {
      const bool is_swapped = place_of(wire.other) < place_of(wire.node);
      const auto& node = is_swapped ? wire.other : wire.node;
      const auto& other = is_swapped ? wire.node : wire.other;
      const auto [place, is_new] = at.emplace(std::pair(node, other), pairs.size());
      if (is_new) pairs.push_back({.node = node, .other = other, .ways = {}});
      for (int rail = 0; rail < wire.rails; ++rail) {
        WayView way{.cage = is_swapped ? wire.other_cage : wire.cage,
                    .other_cage = is_swapped ? wire.cage : wire.other_cage,
                    .rail = rail};
        way.reach =
            joined(told(node, other, way.cage, rail), told(other, node, way.other_cage, rail));
        way.fault = fault_of(node, other, way);
        pairs.at(place->second).ways.push_back(way);
      }
    }
    return pairs;
  }

 private:
  void take(const protocol::NodeDetails& details) {
    for (const auto& peer : details.reach) {
      auto& known = told_[{details.node, peer.node, peer.cage, peer.rail}];
      known.reach = worse_of(known.reach, peer.reach);
      known.rdma_fails |= peer.rdma_fails.value_or(false);
    }
  }

  [[nodiscard]] std::size_t place_of(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? places_.size() : found->second;
  }

  [[nodiscard]] EndKnows told(const std::string& node, const std::string& other, int cage,
                              int rail) const {
    const auto found = told_.find({node, other, cage, rail});
    return found == told_.end() ? EndKnows{} : found->second;
  }

  [[nodiscard]] const protocol::RailDetails* end_of(const std::string& node, int cage,
                                                    int rail) const {
    const auto details = details_.find(node);
    if (details == details_.end()) return nullptr;
    const auto& rails = details->second->rails;
    const auto found = std::ranges::find_if(
        rails, [&](const auto& each) { return each.cage == cage && each.rail == rail; });
    return found == rails.end() ? nullptr : &*found;
  }

  [[nodiscard]] WayFault fault_of(const std::string& node, const std::string& other,
                                  const WayView& way) const {
    if (way.reach == Reach::kRdma) return WayFault::kNone;
    const auto* one_end = end_of(node, way.cage, way.rail);
    // A link that is not here has none either: without a cable a Spark powers its card off.
    const bool is_cut_off = node == known_.own.name && one_end != nullptr && !one_end->carrier &&
                            known_.shape.is_on_switch(node, way.cage);
    if (is_cut_off) return WayFault::kCarrier;
    for (const auto& name : {node, other}) {
      const auto& end = nodes_.at(place_of(name));
      if (end.is_away) return WayFault::kAway;
      if (end.is_silent) return WayFault::kSilent;
    }
    const auto* other_end = end_of(other, way.other_cage, way.rail);
    const bool is_wrong =
        node == known_.own.name && one_end != nullptr && has_wrong_cable(known_.own, one_end->link);
    if (is_wrong) return WayFault::kCable;
    for (const auto* end : {one_end, other_end}) {
      if (end != nullptr && !end->mac.empty() && !end->carrier) return WayFault::kCarrier;
    }
    if (one_end != nullptr && other_end != nullptr && one_end->mtu != other_end->mtu &&
        one_end->mtu != 0 && other_end->mtu != 0) {
      return WayFault::kMtu;
    }
    for (const auto* end : {one_end, other_end}) {
      if (end != nullptr && !end->fault.empty() && way.reach == Reach::kEcho)
        return WayFault::kRdma;
    }
    return WayFault::kNone;
  }

  const Known& known_;
  const std::vector<NodeView>& nodes_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, const protocol::NodeDetails*> details_;
  std::map<WayKey, EndKnows> told_;
};

void count_ways(std::vector<NodeView>& nodes, const std::vector<PairView>& pairs) {
  std::map<std::string, NodeView*> by_name;
  for (auto& node : nodes) by_name.emplace(node.name, &node);
  for (const auto& pair : pairs) {
    for (const auto& name : {pair.node, pair.other}) {
      const auto node = by_name.find(name);
      if (node == by_name.end()) continue;
      node->second->rails += static_cast<int>(pair.ways.size());
      node->second->proven +=
          static_cast<int>(std::ranges::count(pair.ways, Reach::kRdma, &WayView::reach));
    }
  }
}

/// Of what is wrong with a node: a root, or the most basic of what follows from another node's.
void say_what(NodeView& node, const ClusterView& view) {
  if (const auto* root = view.root_at(node.name)) {
    node.what = text_of(*root);
    return;
  }
  const diagnosis::Problem* first = nullptr;
  for (const auto& root : view.roots) {
    for (const auto& effect : root.effects) {
      if (effect.node != node.name || (first && rank_of(*first) <= rank_of(effect))) continue;
      first = &effect;
      node.follows_from = root.problem.node;
    }
  }
  if (first != nullptr) node.what = sentence_of(*first);
}

}  // namespace

ClusterView cluster_view(const Known& known) {
  ClusterView view{.cluster = known.shape.cluster,
                   .shape = known.shape.words,
                   .file = known.own.file,
                   .nodes = nodes_of(known),
                   .pairs = {},
                   .roots = {}};
  view.pairs = Ways(known, view.nodes).pairs();
  count_ways(view.nodes, view.pairs);
  view.ready =
      static_cast<int>(std::ranges::count(view.nodes, Verdict::kReady, &NodeView::verdict));
  view.rollout = rollout_of(known, view.nodes);
  view.roots = diagnose(problems_of(known, view), wiring_of(known, view.nodes)).roots;
  for (auto& node : view.nodes) say_what(node, view);
  return view;
}

}  // namespace spark::cluster
