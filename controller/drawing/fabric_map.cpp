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
  MapEnd made{.node = end.node, .cage = end.cage, .addresses = {}, .change = Change::kSame};
  for (const auto& address : config::addresses_of(cluster, segment, end)) {
    made.addresses.push_back(Compared::of(address.value.text()));
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
  MapEnd made{.node = name, .cage = {}, .addresses = {}, .change = Change::kSame};
  const auto external = cluster.external.find(name);
  for (const auto& subnet : subnets) {
    std::string text;
    if (external != cluster.external.end()) {
      const auto& all = external->second.addresses;
      const auto own = std::ranges::find_if(
          all, [&](const auto& address) { return subnet.contains(address.value); });
      if (own != all.end()) text = IpPrefix{own->value, subnet.prefix_len}.text();
    }
    made.addresses.push_back(Compared::of(text));
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
  for (const auto& subnet : subnets) made.subnets.push_back(Compared::of(subnet.text()));
  const auto& fabric = cluster.fabric;
  made.mtu = Compared::of(number_text(segment.mtu ? segment.mtu : fabric.mtu));
  const auto& speed = segment.speed ? segment.speed : fabric.speed;
  made.speed = Compared::of(speed ? rate_text(speed->value) : std::string());
  if (speed) made.speed_bits = speed->value;
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

std::vector<Compared> routes_of(const config::NodeSpec& node) {
  std::vector<Compared> routes;
  for (const auto& [name, link] : node.links) {
    for (const auto& route : link.routes) {
      const auto metric = config::metric_of(route);
      const bool has_metric = metric != config::default_metric(route.to.value.ip.family());
      routes.push_back(
          Compared::of(fmt::format("{}{} dev {}{}{}{}", route.to.value.text(),
                                   route.via ? " via " + route.via->value.text() : "", name,
                                   has_metric ? fmt::format(" metric {}", metric) : "",
                                   route.source ? " source " + route.source->value.text() : "",
                                   route.mtu ? fmt::format(" mtu {}", route.mtu->value) : "")));
    }
  }
  return routes;
}

/// What makes two segments of two files the same one.
std::string identity_of(const MapSegment& segment) {
  if (segment.is_switch()) return "switch " + segment.name;
  std::vector<std::string> ends;
  std::ranges::transform(segment.ends, std::back_inserter(ends), &MapEnd::name);
  std::ranges::sort(ends);
  std::string identity;
  for (const auto& end : ends) identity += " " + end;
  return identity;
}

void mark(Compared& text, Change change) {
  if (change == Change::kAdded) text.was.clear();
  if (change == Change::kRemoved) text.now.clear();
}

void mark(MapEnd& end, Change change) {
  end.change = change;
  for (auto& address : end.addresses) mark(address, change);
}

void mark(MapSegment& segment, Change change) {
  segment.change = change;
  for (auto& end : segment.ends) mark(end, change);
  for (auto& subnet : segment.subnets) mark(subnet, change);
  mark(segment.mtu, change);
  mark(segment.speed, change);
}

void mark(MapNode& node, Change change) {
  node.change = change;
  mark(node.number, change);
  mark(node.management, change);
  for (auto& route : node.routes) mark(route, change);
}

/// Rail by rail.
void compare(std::vector<Compared>& now, const std::vector<Compared>& was) {
  now.resize(std::max(now.size(), was.size()));
  for (std::size_t rail = 0; rail < now.size(); ++rail) {
    now[rail].was = rail < was.size() ? was[rail].now : std::string();
  }
}

/// Each is the same, or came, or went.
void compare_routes(std::vector<Compared>& now, const std::vector<Compared>& was) {
  const auto is_in = [](const std::vector<Compared>& all, const Compared& route) {
    return std::ranges::find(all, route.either(), &Compared::either) != all.end();
  };
  for (auto& route : now) {
    if (!is_in(was, route)) mark(route, Change::kAdded);
  }
  for (auto route : was) {
    if (is_in(now, route)) continue;
    mark(route, Change::kRemoved);
    now.push_back(std::move(route));
  }
}

bool differs(const std::vector<Compared>& texts) {
  return std::ranges::any_of(texts,
                             [](const auto& text) { return text.change() != Change::kSame; });
}

void compare(MapEnd& now, const MapEnd& was) {
  compare(now.addresses, was.addresses);
  now.change = differs(now.addresses) ? Change::kChanged : Change::kSame;
}

void compare(MapSegment& now, const MapSegment& was);
void compare(MapNode& now, const MapNode& was);

/// Each part of `now` beside that of `was` with the same identity, and those that are gone.
template <class Part, class Identity>
std::vector<Part> compared_parts(std::vector<Part> now, const std::vector<Part>& was,
                                 Identity identity) {
  std::map<std::string, const Part*> before;
  for (const auto& part : was) before.emplace(identity(part), &part);
  for (auto& part : now) {
    const auto found = before.find(identity(part));
    if (found == before.end()) {
      mark(part, Change::kAdded);
    } else {
      compare(part, *found->second);
      before.erase(found);
    }
  }
  for (const auto& [name, gone] : before) {
    now.push_back(*gone);
    mark(now.back(), Change::kRemoved);
  }
  return now;
}

void compare(MapSegment& now, const MapSegment& was) {
  now.ends =
      compared_parts(std::move(now.ends), was.ends, [](const auto& end) { return end.name(); });
  compare(now.subnets, was.subnets);
  now.mtu.was = was.mtu.now;
  now.speed.was = was.speed.now;
  const bool is_changed =
      differs({now.mtu, now.speed}) || differs(now.subnets) ||
      std::ranges::any_of(now.ends, [](const auto& end) { return end.change != Change::kSame; });
  now.change = is_changed ? Change::kChanged : Change::kSame;
}

void compare(MapNode& now, const MapNode& was) {
  // A cable that is gone may have been in a cage that the node no longer has.
  std::set<int> cages(now.cages.begin(), now.cages.end());
  cages.insert(was.cages.begin(), was.cages.end());
  now.cages.assign(cages.begin(), cages.end());
  now.number.was = was.number.now;
  now.management.was = was.management.now;
  compare_routes(now.routes, was.routes);
  now.change = differs({now.number, now.management}) || differs(now.routes) ? Change::kChanged
                                                                            : Change::kSame;
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
  std::ranges::sort(map.nodes, {}, [](const auto& node) {
    return std::tuple(node.is_external, natural_key(node.name), node.name);
  });
  const auto by_name = [](const auto& end) {
    return std::pair(natural_key(end.name()), end.name());
  };
  for (auto& segment : map.segments) {
    // A host that is no node stays the far end of its cable.
    std::ranges::sort(segment.ends, {}, [&](const auto& end) {
      return std::pair(!end.cage.has_value(), by_name(end));
    });
  }
  std::ranges::stable_sort(map.segments, {}, [&](const auto& segment) {
    return std::tuple(segment.is_switch(), segment.name, by_name(segment.ends.front()));
  });
}

/// Of what there is: what has changed says so by itself.
std::string common_value(const FabricMap& map, Compared MapSegment::* value) {
  std::optional<std::string> common;
  for (const auto& segment : map.segments) {
    if (segment.change == Change::kRemoved) continue;
    const auto& now = (segment.*value).now;
    if (common && *common != now) return {};
    common = now;
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

Mark MapSegment::mark() const { return mark_of(change, worst_of(live)); }

const MapNode* FabricMap::node(std::string_view name) const {
  const auto found = std::ranges::find(nodes, name, &MapNode::name);
  return found == nodes.end() ? nullptr : &*found;
}

FabricMap fabric_map(const Cluster& cluster) {
  FabricMap map{.cluster = cluster.name, .is_compared = false, .nodes = {}, .segments = {}};
  auto in_use = cages_in_use(cluster);
  for (const auto& [name, node] : cluster.nodes) {
    map.nodes.push_back({.name = name,
                         .is_external = false,
                         .cages = cages_of(node, std::move(in_use[name])),
                         .number = Compared::of(number_text(node.number)),
                         .management = Compared::of(node.management ? node.management->value : ""),
                         .routes = routes_of(node),
                         .change = Change::kSame});
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

FabricMap compared_maps(const FabricMap& now, const FabricMap& was) {
  FabricMap map{
      .cluster = now.cluster,
      .is_compared = true,
      .nodes = compared_parts(now.nodes, was.nodes, [](const auto& node) { return node.name; }),
      .segments = compared_parts(now.segments, was.segments, identity_of)};
  sort_parts(map);
  return map;
}

CommonTraits common_traits(const FabricMap& map) {
  return {.mtu = common_value(map, &MapSegment::mtu),
          .speed = common_value(map, &MapSegment::speed)};
}

}  // namespace spark::drawing
