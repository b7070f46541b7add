#include "drawing/map_changes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "drawing/map_words.hpp"

namespace spark::drawing {
namespace {

using Values = std::vector<MapChange::Value>;
using Texts = std::vector<std::string>;

/// Of a part, null: it is not in that file.
template <class Part>
struct Both {
  const Part* now = nullptr;
  const Part* was = nullptr;
};

template <class Part>
const Part& either(const Both<Part>& part) {
  return part.now != nullptr ? *part.now : *part.was;
}

/// All parts of both, in the order of a map.
template <class Part, class Name>
std::vector<Both<Part>> both(const std::vector<Part>& now, const std::vector<Part>& was,
                             Name name) {
  std::map<std::string, Both<Part>> parts;
  for (const auto& part : now) parts[name(part)].now = &part;
  for (const auto& part : was) parts[name(part)].was = &part;
  std::vector<Both<Part>> all;
  all.reserve(parts.size());
  for (const auto& [key, part] : parts) all.push_back(part);
  std::ranges::sort(all, {}, [](const auto& part) { return place_of(either(part)); });
  return all;
}

void add_value(Values& values, std::string what, const std::string& now, const std::string& was) {
  if (now != was) values.push_back({.what = std::move(what), .now = now, .was = was});
}

void add_rails(Values& values, const std::string& what, const Texts& now, const Texts& was) {
  for (std::size_t rail = 0; rail < std::max(now.size(), was.size()); ++rail) {
    add_value(values, fmt::format("{}rail {}", what, rail), of_rail(now, rail), of_rail(was, rail));
  }
}

/// "10.10.1.9/24, 10.10.2.9/24".
std::string addresses_of(const MapEnd* end) {
  if (end == nullptr) return {};
  return end->addresses.empty() ? "no address" : fmt::format("{}", fmt::join(end->addresses, ", "));
}

Values values_of(const MapSegment& now, const MapSegment& was) {
  Values values;
  add_value(values, "mtu", now.mtu, was.mtu);
  add_value(values, "speed", now.speed, was.speed);
  add_rails(values, "", now.subnets, was.subnets);
  for (const auto& end : both(now.ends, was.ends, [](const MapEnd& one) { return one.name(); })) {
    if (end.now == nullptr || end.was == nullptr) {
      values.push_back(
          {"port " + either(end).name(), addresses_of(end.now), addresses_of(end.was)});
    } else {
      add_rails(values, end.now->name() + " ", end.now->addresses, end.was->addresses);
    }
  }
  return values;
}

Values values_of(const MapNode& now, const MapNode& was) {
  Values values;
  add_value(values, "number", now.number, was.number);
  add_value(values, "management", now.management, was.management);
  const auto is_in = [](const Texts& all, const std::string& route) {
    return std::ranges::find(all, route) != all.end();
  };
  for (const auto& route : now.routes) {
    if (!is_in(was.routes, route)) add_value(values, "route", route, "");
  }
  for (const auto& route : was.routes) {
    if (!is_in(now.routes, route)) add_value(values, "route", "", route);
  }
  return values;
}

template <class Part, class Name>
void add_changes(const std::vector<Part>& now, const std::vector<Part>& was, Name name,
                 std::vector<MapChange>& changes) {
  for (const auto& part : both(now, was, name)) {
    const auto& shown = either(part);
    MapChange change{.is_now = part.now != nullptr,
                     .was = part.was != nullptr,
                     .sort = std::string(sort_of(shown)),
                     .name = name(shown),
                     .values = {}};
    if (change.is_now && change.was) change.values = values_of(*part.now, *part.was);
    if (!change.is_now || !change.was || !change.values.empty()) {
      changes.push_back(std::move(change));
    }
  }
}

std::size_t sort_of_change(bool is_now, bool was) { return is_now ? was ? 2 : 0 : 1; }

std::string_view sign_of(bool is_now, bool was) {
  constexpr std::array<std::string_view, 3> kSigns{"+", "-", "~"};
  return kSigns.at(sort_of_change(is_now, was));
}

}  // namespace

std::vector<MapChange> changes_between(const FabricMap& now, const FabricMap& was) {
  std::vector<MapChange> changes;
  add_changes(now.nodes, was.nodes, [](const MapNode& node) { return node.name; }, changes);
  add_changes(
      now.segments, was.segments, [](const MapSegment& segment) { return name_of(segment); },
      changes);
  return changes;
}

std::string_view name_of(const MapChange& change) {
  constexpr std::array<std::string_view, 3> kNames{"added", "removed", "changed"};
  return kNames.at(sort_of_change(change.is_now, change.was));
}

std::string_view sign_of(const MapChange& change) { return sign_of(change.is_now, change.was); }

std::string text_of(const MapChange& change) {
  return fmt::format("{} {} {}", sign_of(change), change.sort, change.name);
}

std::string text_of(const MapChange::Value& value) {
  const auto& [what, now, was] = value;
  const bool is_other = !now.empty() && !was.empty();
  return fmt::format("{} {}  {}{}", sign_of(!now.empty(), !was.empty()), what,
                     now.empty() ? was : now, is_other ? fmt::format(" (was {})", was) : "");
}

}  // namespace spark::drawing
