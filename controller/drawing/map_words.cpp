#include "drawing/map_words.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace spark::drawing {
std::string heading_of(const FabricMap& map) {
  std::size_t nodes = 0;
  std::size_t cables = 0;
  std::size_t switches = 0;
  for (const auto& node : map.nodes) nodes += node.is_external ? 0 : 1;
  for (const auto& segment : map.segments) ++(segment.is_switch() ? switches : cables);
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

std::string without_length(const std::string& address) {
  return address.substr(0, address.find('/'));
}

const std::string& of_rail(const std::vector<std::string>& values, std::size_t rail) {
  static const std::string kNone;
  return rail < values.size() ? values[rail] : kNone;
}

std::vector<std::string> traits_of(const MapSegment& segment, const CommonTraits& common) {
  std::vector<std::string> traits;
  const auto& [mtu, speed] = std::pair(segment.mtu, segment.speed);
  if (!mtu.empty() && mtu != common.mtu) traits.push_back("mtu " + mtu);
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

}  // namespace spark::drawing
