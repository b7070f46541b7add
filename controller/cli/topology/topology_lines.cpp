#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/topology/canvas.hpp"
#include "cli/topology/topology_text.hpp"
#include "drawing/map_words.hpp"

namespace spark::cli {

using namespace drawing;
namespace {

class Lines {
 public:
  Lines(const FabricMap& map, const Terminal& terminal) : map_(map), terminal_(terminal) {}

  std::string text() {
    text_ = heading_of(map_) + "\n";
    for (const auto& node : map_.nodes) add(node);
    for (const auto& segment : map_.segments) {
      segment.is_switch() ? add_switch(segment) : add_cable(segment);
    }
    add_unused();
    return text_;
  }

 private:
  void line(Mark mark, const std::vector<std::string>& words) {
    auto line = fmt::format("{}", fmt::join(words, "  "));
    if (!map_.known_by.empty()) {
      const auto sign = sign_of(mark);
      line = fmt::format("{} {}", sign.empty() ? " " : sign, line);
    }
    text_ += terminal_.paint(tone_of(mark), line) + "\n";
  }

  void add(const MapNode& node) {
    std::vector<std::string> words{std::string(sort_of(node)), node.name};
    const auto value = [&](std::string_view what, const std::string& text) {
      if (!text.empty()) words.push_back(fmt::format("{} {}", what, text));
    };
    value("number", node.number);
    value("management", node.management);
    for (const auto& route : node.routes) value("route", route);
    if (!node.live.words.empty()) words.push_back(node.live.words);
    line(node.live.mark, words);
  }

  void add_cable(const MapSegment& cable) {
    for (std::size_t rail = 0; rail < cable.rails(); ++rail) {
      std::vector<std::string> words{"cable", name_of(cable), fmt::format("rail {}", rail)};
      std::vector<std::string> addresses;
      for (const auto& end : cable.ends) {
        const auto& address = of_rail(end.addresses, rail);
        addresses.push_back(address.empty() ? "no address" : address);
      }
      words.push_back(fmt::format("{}", fmt::join(addresses, " ══ ")));
      for (auto& trait : traits_of(cable)) words.push_back(std::move(trait));
      const auto& live = live_of_rail(cable.live, rail);
      if (!live.words.empty()) words.push_back(live.words);
      line(live.mark, words);
    }
  }

  void add_switch(const MapSegment& segment) {
    for (std::size_t rail = 0; rail < segment.subnets.size(); ++rail) {
      std::vector<std::string> words{"switch", segment.name, fmt::format("rail {}", rail),
                                     segment.subnets[rail]};
      for (auto& trait : traits_of(segment)) words.push_back(std::move(trait));
      line(Mark::kNone, words);
    }
    for (const auto& end : segment.ends) {
      for (std::size_t rail = 0; rail < end.addresses.size(); ++rail) {
        const auto& live = live_of_rail(end.live, rail);
        std::vector<std::string> words{"port", fmt::format("{} ══ {}", segment.name, end.name()),
                                       fmt::format("rail {}", rail), end.addresses[rail]};
        if (!live.words.empty()) words.push_back(live.words);
        line(live.mark, words);
      }
    }
  }

  void add_unused() {
    std::set<std::string> used;
    for (const auto& segment : map_.segments) {
      for (const auto& end : segment.ends) used.insert(end.name());
    }
    for (const auto& node : map_.nodes) {
      for (const auto cage : node.cages) {
        const MapEnd end{.node = node.name, .cage = cage, .addresses = {}};
        if (!used.contains(end.name())) line(Mark::kNone, {"unused", end.name()});
      }
    }
  }

  const FabricMap& map_;
  const Terminal& terminal_;
  std::string text_;
};

}  // namespace

std::string topology_lines(const FabricMap& map, const Terminal& terminal) {
  return Lines(map, terminal).text();
}

}  // namespace spark::cli
