#include "plan/rollout.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/resolve/resolve.hpp"

namespace spark::plan {
namespace {

using config::Cluster;
using config::Segment;

/// What one end of a cable or switch has, and for a cable who is at the other end.
struct EndSettings {
  std::vector<IpPrefix> addresses;
  std::optional<std::uint32_t> mtu;  ///< bytes
  std::string other;                 ///< "spark2:0"; empty: a switch
  bool operator==(const EndSettings&) const = default;
};

/// Node and cage.
using EndPlace = std::pair<std::string, int>;
using Ends = std::map<EndPlace, EndSettings>;

std::string other_end(const Segment& segment, const config::CageEnd& end) {
  if (segment.kind == Segment::Kind::kSwitch) return {};
  if (segment.external) return segment.external->value;
  for (const auto& other : segment.ends) {
    if (&other != &end) return fmt::format("{}:{}", other.node, other.cage);
  }
  return {};
}

Ends ends_of(const Cluster& cluster) {
  Ends ends;
  for (const auto& segment : cluster.fabric.segments) {
    const auto& mtu = segment.mtu ? segment.mtu : cluster.fabric.mtu;
    for (const auto& end : segment.ends) {
      EndSettings settings{.mtu = mtu ? std::optional(mtu->value) : std::nullopt,
                           .other = other_end(segment, end)};
      for (const auto& address : config::addresses_of(cluster, segment, end)) {
        settings.addresses.push_back(address.value);
      }
      ends.emplace(EndPlace{end.node, end.cage}, std::move(settings));
    }
  }
  return ends;
}

/// The groups as the file names them.
std::vector<RolloutGroup> named_groups(const Cluster& cluster) {
  std::vector<RolloutGroup> groups;
  std::set<std::string> named;
  const auto& rollout = *cluster.rollout;
  if (rollout.canary) {
    groups.push_back({rollout.canary->value});
    named.insert(rollout.canary->value);
  }
  for (const auto& names : rollout.order) {
    auto& group = groups.emplace_back();
    for (const auto& name : names) {
      group.push_back(name.value);
      named.insert(name.value);
    }
  }
  RolloutGroup last;
  for (const auto& [name, node] : cluster.nodes) {
    if (!named.contains(name)) last.push_back(name);
  }
  if (!last.empty()) groups.push_back(std::move(last));
  return groups;
}

/// The nodes of one cable or switch whose ends the change sets otherwise; of a cable both.
std::vector<std::string> changed_together(const Segment& segment, const Ends& before,
                                          const Ends& after) {
  std::vector<std::string> nodes;
  bool is_changed = false;
  for (const auto& end : segment.ends) {
    const EndPlace place{end.node, end.cage};
    const auto former = before.find(place);
    const auto latter = after.find(place);
    const bool differs =
        former == before.end() || latter == after.end() || former->second != latter->second;
    is_changed |= differs;
    if (differs || segment.kind == Segment::Kind::kCable) nodes.push_back(end.node);
  }
  return is_changed ? nodes : std::vector<std::string>{};
}

/// Groups of nodes that move together, by the number of the earliest group of theirs.
class Joined {
 public:
  explicit Joined(std::vector<RolloutGroup> groups) : groups_(std::move(groups)) {}

  /// False: they are in one group already, or not in the file.
  bool join(const std::vector<std::string>& nodes) {
    std::set<std::size_t> met;
    for (const auto& node : nodes) {
      if (const auto group = group_of(node)) met.insert(*group);
    }
    if (met.size() < 2) return false;
    auto& first = groups_.at(*met.begin());
    for (const auto& node : nodes) {
      const auto group = group_of(node);
      if (!group || *group == *met.begin()) continue;
      std::erase(groups_.at(*group), node);
      first.push_back(node);
    }
    return true;
  }

  [[nodiscard]] std::vector<RolloutGroup> take() {
    std::erase_if(groups_, [](const RolloutGroup& group) { return group.empty(); });
    for (auto& group : groups_) std::ranges::sort(group);
    return std::move(groups_);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> group_of(const std::string& node) const {
    for (std::size_t at = 0; at < groups_.size(); ++at) {
      if (std::ranges::find(groups_[at], node) != groups_[at].end()) return at;
    }
    return std::nullopt;
  }

  std::vector<RolloutGroup> groups_;
};

}  // namespace

std::vector<std::string> RolloutOrder::before(const std::string& node) const {
  std::vector<std::string> names;
  for (const auto& group : groups) {
    if (std::ranges::find(group, node) != group.end()) break;
    std::ranges::copy_if(group, std::back_inserter(names), [&](const std::string& name) {
      return std::ranges::find(away, name) == away.end();
    });
  }
  return names;
}

RolloutOrder rollout_order(const Cluster* from, const Cluster& to) {
  RolloutOrder order;
  if (!to.rollout) return order;
  for (const auto& [name, node] : to.nodes) {
    if (node.away) order.away.push_back(name);
  }
  Joined joined(named_groups(to));
  if (from != nullptr) {
    const auto before = ends_of(*from);
    const auto after = ends_of(to);
    // What joins two groups may join them to a third, so all are looked at until nothing moves.
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto* cluster : {from, &to}) {
        for (const auto& segment : cluster->fabric.segments) {
          const auto nodes = changed_together(segment, before, after);
          if (!joined.join(nodes)) continue;
          moved = true;
          order.joined.push_back(fmt::format("{}", fmt::join(nodes, " and ")));
        }
      }
    }
  }
  order.groups = joined.take();
  return order;
}

}  // namespace spark::plan
