#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/topology/topology_text.hpp"
#include "drawing/map_words.hpp"

namespace spark::cli {

using namespace drawing;
namespace {

using nlohmann::json;

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json number_or_null(const std::string& text) {
  const auto number = parse_decimal(text);
  return number ? json(*number) : json(nullptr);
}

template <class Number>
json or_null(const std::optional<Number>& number) {
  return number ? json(*number) : json(nullptr);
}

json texts_json(const std::vector<std::string>& texts) {
  auto list = json::array();
  for (const auto& text : texts) list.push_back(text_or_null(text));
  return list;
}

json node_json(const MapNode& node) {
  json shown{{"name", node.name},
             {"external", node.is_external},
             {"number", number_or_null(node.number)},
             {"management", text_or_null(node.management)},
             {"cages", node.cages}};
  if (!node.routes.empty()) shown["routes"] = node.routes;
  return shown;
}

json segment_json(const MapSegment& segment) {
  auto ends = json::array();
  for (const auto& end : segment.ends) {
    ends.push_back({{"node", end.node},
                    {"cage", or_null(end.cage)},
                    {"addresses", texts_json(end.addresses)}});
  }
  return {{"sort", sort_of(segment)},
          {"name", text_or_null(segment.name)},
          {"ends", std::move(ends)},
          {"subnets", texts_json(segment.subnets)},
          {"mtu", number_or_null(segment.mtu)},
          {"speed", or_null(segment.speed_bits)}};
}

}  // namespace

json to_json(const FabricMap& map) {
  auto nodes = json::array();
  for (const auto& node : map.nodes) nodes.push_back(node_json(node));
  auto segments = json::array();
  for (const auto& segment : map.segments) segments.push_back(segment_json(segment));
  return {{"nodes", std::move(nodes)}, {"segments", std::move(segments)}};
}

json changes_json(const std::vector<MapChange>& changes) {
  auto list = json::array();
  for (const auto& change : changes) {
    auto values = json::array();
    for (const auto& value : change.values) {
      values.push_back({{"what", value.what},
                        {"now", text_or_null(value.now)},
                        {"was", text_or_null(value.was)}});
    }
    list.push_back({{"change", name_of(change)},
                    {"sort", change.sort},
                    {"name", change.name},
                    {"values", std::move(values)}});
  }
  return list;
}

}  // namespace spark::cli
