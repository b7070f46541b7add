#include "drawing/fabric_map.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/resolve/resolve.hpp"

namespace spark::drawing {
namespace {

using config::Cluster;
using config::Segment;

std::string rate_text(std::uint64_t bits_a_second) {
  constexpr std::uint64_t kGiga = 1'000'000'000;
  constexpr std::uint64_t kMega = 1'000'000;
  if (bits_a_second % kGiga == 0) return fmt::format("{} Gb/s", bits_a_second / kGiga);
  if (bits_a_second % kMega == 0) return fmt::format("{} Mb/s", bits_a_second / kMega);
  return fmt::format("{} b/s", bits_a_second);
}

template <class Number>
std::string number_text(const std::optional<config::At<Number>>& number) {
  return number ? std::to_string(number->value) : std::string();
}

MapEnd map_end(const Cluster& cluster, const Segment& segment, const config::CageEnd& end) {
  MapEnd made{.node = end.node, .cage = end.cage, .addresses = {}};
  for (const auto& address : config::addresses_of(cluster, segment, end)) {
    made.addresses.push_back(address.value.text());
  }
  return made;
}

/// Rail by rail; where the file gives addresses, the subnets that they are in.
std::vector<IpPrefix> subnets_of(const Segment& segment) {
  std::vector<IpPrefix> subnets;
  std::ranges::transform(segment.subnets, std::back_inserter(subnets),
                         &config::At<IpPrefix>::value);
  for (const auto& end : segment.ends) {
    for (auto rail = subnets.size(); rail < end.addresses.size(); ++rail) {
      subnets.push_back(end.addresses[rail].value.network());
    }
  }
  return subnets;
}

/// A host beside the nodes has addresses that stand for no rail: each is of the rail in whose
/// subnet it is.
MapEnd external_end(const Cluster& cluster, const std::string& name,
                    const std::vector<IpPrefix>& subnets) {
  MapEnd made{.node = name, .cage = {}, .addresses = {}};
  const auto external = cluster.external.find(name);
  for (const auto& subnet : subnets) {
    std::string text;
    if (external != cluster.external.end()) {
      const auto& all = external->second.addresses;
      const auto own = std::ranges::find_if(
          all, [&](const auto& address) { return subnet.contains(address.value); });
      if (own != all.end()) text = IpPrefix{own->value, subnet.prefix_len}.text();
    }
    made.addresses.push_back(text);
  }
  return made;
}

MapSegment map_segment(const Cluster& cluster, const Segment& segment) {
  MapSegment made{.kind = segment.kind, .name = segment.name};
  for (const auto& end : segment.ends) made.ends.push_back(map_end(cluster, segment, end));
  const auto subnets = subnets_of(segment);
  if (segment.external) {
    made.ends.push_back(external_end(cluster, segment.external->value, subnets));
  }
  for (const auto& subnet : subnets) made.subnets.push_back(subnet.text());
  const auto& fabric = cluster.fabric;
  made.mtu = number_text(segment.mtu ? segment.mtu : fabric.mtu);
  const auto& speed = segment.speed ? segment.speed : fabric.speed;
  if (speed) {
    made.speed = rate_text(speed->value);
    made.speed_bits = speed->value;
  }
  return made;
}

std::map<std::string, std::set<int>> cages_in_use(const Cluster& cluster) {
  std::map<std::string, std::set<int>> cages;
  for (const auto& segment : cluster.fabric.segments) {
    for (const auto& end : segment.ends) cages[end.node].insert(end.cage);
  }
  return cages;
}

/// Those that a Spark has, or that the file names, and those with a cable.
std::vector<int> cages_of(const config::NodeSpec& node, std::set<int> in_use) {
  if (node.cages.empty()) {
    in_use.insert({0, 1});
  } else {
    for (const auto& [cage, links] : node.cages) in_use.insert(cage);
  }
  return {in_use.begin(), in_use.end()};
}

std::vector<std::string> routes_of(const config::NodeSpec& node) {
  std::vector<std::string> routes;
  for (const auto& [name, link] : node.links) {
    for (const auto& route : link.routes) {
      const auto metric = config::metric_of(route);
      const bool has_metric = metric != config::default_metric(route.to.value.ip.family());
      routes.push_back(fmt::format("{}{} dev {}{}{}{}", route.to.value.text(),
                                   route.via ? " via " + route.via->value.text() : "", name,
                                   has_metric ? fmt::format(" metric {}", metric) : "",
                                   route.source ? " source " + route.source->value.text() : "",
                                   route.mtu ? fmt::format(" mtu {}", route.mtu->value) : ""));
    }
  }
  return routes;
}

/// A key by which "spark2" comes before "spark10".
std::string natural_key(std::string_view name) {
  constexpr std::size_t kDigits = 12;
  std::string key;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t size = 0;
    while (at + size < name.size() && is_ascii_digit(name[at + size])) ++size;
    if (size > 0 && size < kDigits) key.append(kDigits - size, '0');
    size = std::max<std::size_t>(size, 1);
    key += name.substr(at, size);
    at += size;
  }
  return key;
}

/// In an order that does not go by that of the file.
void sort_parts(FabricMap& map) {
  const auto place = [](const auto& part) { return place_of(part); };
  std::ranges::sort(map.nodes, {}, place);
  for (auto& segment : map.segments) std::ranges::sort(segment.ends, {}, place);
  std::ranges::stable_sort(map.segments, {}, place);
}

std::string common_value(const FabricMap& map, std::string MapSegment::* value) {
  std::optional<std::string> common;
  for (const auto& segment : map.segments) {
    if (common && *common != segment.*value) return {};
    common = segment.*value;
  }
  return common.value_or("");
}

}  // namespace

std::string MapEnd::name() const { return cage ? fmt::format("{}:{}", node, *cage) : node; }

std::string MapEnd::in_words() const {
  return cage ? fmt::format("{} cage {}", node, *cage) : node;
}

std::size_t MapSegment::rails() const {
  std::size_t most = subnets.size();
  for (const auto& end : ends) most = std::max(most, end.addresses.size());
  return std::max(most, live.size());
}

std::tuple<bool, std::string, std::string> place_of(const MapNode& node) {
  return {node.is_external, natural_key(node.name), node.name};
}

/// A host that is no node stays the far end of its cable.
std::tuple<bool, std::string, std::string> place_of(const MapEnd& end) {
  return {!end.cage.has_value(), natural_key(end.name()), end.name()};
}

std::tuple<bool, std::string, std::string, std::string> place_of(const MapSegment& segment) {
  const auto first = segment.ends.front().name();
  return {segment.is_switch(), segment.name, natural_key(first), first};
}

const MapNode* FabricMap::node(std::string_view name) const {
  const auto found = std::ranges::find(nodes, name, &MapNode::name);
  return found == nodes.end() ? nullptr : &*found;
}

FabricMap fabric_map(const Cluster& cluster) {
  FabricMap map{.cluster = cluster.name, .nodes = {}, .segments = {}};
  auto in_use = cages_in_use(cluster);
  for (const auto& [name, node] : cluster.nodes) {
    map.nodes.push_back({.name = name,
                         .is_external = false,
                         .cages = cages_of(node, std::move(in_use[name])),
                         .number = number_text(node.number),
                         .management = node.management ? node.management->value : "",
                         .routes = routes_of(node)});
  }
  std::set<std::string> external;
  for (const auto& segment : cluster.fabric.segments) {
    map.segments.push_back(map_segment(cluster, segment));
    if (segment.external) external.insert(segment.external->value);
  }
  for (const auto& name : external) map.nodes.push_back({.name = name, .is_external = true});
  sort_parts(map);
  return map;
}

FabricMap fabric_map(const cluster::Shape& shape) {
  FabricMap map{.cluster = shape.cluster, .nodes = {}, .segments = {}};
  // Of a cage that is in no segment the shape does not say whether it is there.
  std::map<std::string, std::set<int>> cages;
  for (const auto& segment : shape.segments) {
    MapSegment drawn{.kind = segment.is_switch() ? Segment::Kind::kSwitch : Segment::Kind::kCable,
                     .name = segment.name};
    // A cable to a host that is no node is none of this picture.
    if (!segment.is_switch() && segment.ends.size() < 2) continue;
    for (const auto& end : segment.ends) {
      cages[end.node].insert(end.cage);
      drawn.ends.push_back({.node = end.node, .cage = end.cage, .addresses = {}});
    }
    map.segments.push_back(std::move(drawn));
  }
  for (const auto& name : shape.nodes) {
    map.nodes.push_back({.name = name, .cages = {cages[name].begin(), cages[name].end()}});
  }
  sort_parts(map);
  return map;
}

CommonTraits common_traits(const FabricMap& map) {
  return {.mtu = common_value(map, &MapSegment::mtu),
          .speed = common_value(map, &MapSegment::speed)};
}

}  // namespace spark::drawing
