#include "drawing/map_words.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace spark::drawing {
namespace {

bool is_there(const MapNode& node) { return node.change != Change::kRemoved; }
bool is_there(const MapSegment& segment) { return segment.change != Change::kRemoved; }

bool is_whole(Change change) { return change == Change::kAdded || change == Change::kRemoved; }

void add_value(std::vector<MapChange::Value>& values, std::string what, const Compared& text) {
  if (text.change() != Change::kSame) values.push_back({std::move(what), text});
}

/// "10.10.1.9, 10.10.2.9" of a port that came or went.
Compared all_addresses(const MapEnd& end) {
  std::vector<std::string> texts;
  std::ranges::transform(end.addresses, std::back_inserter(texts), &Compared::either);
  const auto text = fmt::format("{}", fmt::join(texts, ", "));
  return end.change == Change::kAdded ? Compared{.now = text, .was = {}}
                                      : Compared{.now = {}, .was = text};
}

std::vector<MapChange::Value> values_of(const MapSegment& segment) {
  std::vector<MapChange::Value> values;
  add_value(values, "mtu", segment.mtu);
  add_value(values, "speed", segment.speed);
  for (std::size_t rail = 0; rail < segment.subnets.size(); ++rail) {
    add_value(values, fmt::format("rail {}", rail), segment.subnets[rail]);
  }
  for (const auto& end : segment.ends) {
    if (is_whole(end.change)) {
      values.push_back({"port " + end.name(), all_addresses(end)});
      continue;
    }
    for (std::size_t rail = 0; rail < end.addresses.size(); ++rail) {
      add_value(values, fmt::format("{} rail {}", end.name(), rail), end.addresses[rail]);
    }
  }
  return values;
}

std::vector<MapChange::Value> values_of(const MapNode& node) {
  std::vector<MapChange::Value> values;
  add_value(values, "number", node.number);
  add_value(values, "management", node.management);
  for (const auto& route : node.routes) add_value(values, "route", route);
  return values;
}

template <class Part>
void add_changes(const std::vector<Part>& parts, std::vector<MapChange>& changes,
                 std::string (*name)(const Part&)) {
  for (const auto& part : parts) {
    if (part.change == Change::kSame) continue;
    changes.push_back({.change = part.change,
                       .sort = std::string(sort_of(part)),
                       .name = name(part),
                       .values = part.change == Change::kChanged
                                     ? values_of(part)
                                     : std::vector<MapChange::Value>{}});
  }
}

/// Of one rail between two ends: that of the cable where it came or went, else of these addresses
/// and of what holds for the whole cable.
Change change_of_rail(const MapSegment& cable, std::size_t rail) {
  if (is_whole(cable.change)) return cable.change;
  const bool is_same = cable.mtu.change() == Change::kSame &&
                       cable.speed.change() == Change::kSame &&
                       of_rail(cable.subnets, rail).change() == Change::kSame &&
                       std::ranges::all_of(cable.ends, [&](const auto& end) {
                         return of_rail(end.addresses, rail).change() == Change::kSame;
                       });
  return is_same ? Change::kSame : Change::kChanged;
}

}  // namespace

std::string heading_of(const FabricMap& map) {
  std::size_t nodes = 0;
  std::size_t cables = 0;
  std::size_t switches = 0;
  for (const auto& node : map.nodes) nodes += is_there(node) && !node.is_external ? 1 : 0;
  for (const auto& segment : map.segments) {
    if (is_there(segment)) ++(segment.is_switch() ? switches : cables);
  }
  std::vector<std::string> words{map.cluster, counted(nodes, "node")};
  if (cables > 0 || switches == 0) words.push_back(counted(cables, "cable"));
  if (switches > 0) words.push_back(counted(switches, "switch"));
  const auto common = common_traits(map);
  if (!common.mtu.empty()) words.push_back("mtu " + common.mtu);
  if (!common.speed.empty()) words.push_back(common.speed);
  return fmt::format("{}", fmt::join(words, " · "));
}

std::string_view places_text(const FabricMap& map) {
  bool has_cages = false;
  for (const auto& node : map.nodes) {
    for (const auto cage : node.cages) {
      if (cage > 1) return {};
      has_cages = true;
    }
  }
  return has_cages ? "Seen from the back, cage 0 is next to the RJ45 socket, cage 1 at the edge."
                   : "";
}

Compared without_length(const Compared& address) {
  const auto ip = [](const std::string& text) { return text.substr(0, text.find('/')); };
  return {.now = ip(address.now), .was = ip(address.was)};
}

std::string said(const Compared& value, Change whole) {
  return is_whole(whole) ? value.either() : value.with_was();
}

const Compared& of_rail(const std::vector<Compared>& values, std::size_t rail) {
  static const Compared kNone;
  return rail < values.size() ? values[rail] : kNone;
}

Mark mark_of_rail(const MapSegment& cable, std::size_t rail) {
  return mark_of(change_of_rail(cable, rail), live_of_rail(cable.live, rail));
}

std::string words_of_rail(const MapSegment& cable, std::size_t rail) {
  return live_of_rail(cable.live, rail).words;
}

std::vector<std::string> traits_of(const MapSegment& segment, const CommonTraits& common) {
  std::vector<std::string> traits;
  const auto mtu = said(segment.mtu, segment.change);
  if (!mtu.empty() && mtu != common.mtu) traits.push_back("mtu " + mtu);
  const auto speed = said(segment.speed, segment.change);
  if (!speed.empty() && speed != common.speed) traits.push_back(speed);
  return traits;
}

std::string proof_text(const Live& live) {
  const auto row = std::ranges::find(kProofs, live.mark, &std::pair<Mark, std::string_view>::first);
  const auto proof = row == kProofs.end() ? std::string_view("not proven") : row->second;
  return live.words.empty() ? std::string(proof) : fmt::format("{}: {}", proof, live.words);
}

std::string proofs_text(const std::vector<Live>& rails) {
  const bool is_one =
      std::ranges::all_of(rails, [&](const Live& rail) { return rail == rails.front(); });
  if (is_one) return rails.empty() ? std::string() : proof_text(rails.front());
  std::vector<std::string> texts;
  for (std::size_t rail = 0; rail < rails.size(); ++rail) {
    texts.push_back(fmt::format("rail {} {}", rail, proof_text(rails[rail])));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

const Live& live_of_rail(const std::vector<Live>& rails, std::size_t rail) {
  static const Live kUnknown;
  return rail < rails.size() ? rails[rail] : kUnknown;
}

std::string name_of(const MapSegment& segment) {
  if (segment.is_switch()) return segment.name;
  std::vector<std::string> names;
  std::ranges::transform(segment.ends, std::back_inserter(names), &MapEnd::name);
  return fmt::format("{}", fmt::join(names, " ══ "));
}

std::string_view sort_of(const MapNode& node) { return node.is_external ? "host" : "node"; }

std::string_view sort_of(const MapSegment& segment) {
  return segment.is_switch() ? "switch" : "cable";
}

std::vector<MapChange> changes_of(const FabricMap& map) {
  std::vector<MapChange> changes;
  add_changes<MapNode>(map.nodes, changes, [](const MapNode& node) { return node.name; });
  add_changes<MapSegment>(map.segments, changes,
                          [](const MapSegment& segment) { return name_of(segment); });
  return changes;
}

std::string text_of(const MapChange& change) {
  return fmt::format("{} {} {}", sign_of(change.change), change.sort, change.name);
}

std::string text_of(const MapChange::Value& value) {
  const auto change = value.text.change();
  return fmt::format("{} {}  {}", sign_of(change), value.what, said(value.text, change));
}

}  // namespace spark::drawing
