#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "base/lines.hpp"
#include "base/text.hpp"
#include "cli/topology/canvas.hpp"
#include "cli/topology/figure_text.hpp"
#include "cli/topology/topology_text.hpp"
#include "drawing/figures.hpp"
#include "drawing/map_words.hpp"

namespace spark::cli {

using namespace drawing;
namespace {

constexpr std::size_t kUsualWidth = 80;

class Screen {
 public:
  Screen(const FabricMap& map, const Terminal& terminal)
      : map_(map),
        terminal_(terminal),
        width_(terminal.width().value_or(kUsualWidth)),
        common_(common_traits(map)) {}

  std::string text() {
    for (const auto& line : broken(heading_of(map_), width_)) {
      text_ += terminal_.paint(Tone::kStrong, line) + "\n";
    }
    if (!map_.known_by.empty()) add_verdicts();
    const auto figures = figures_of(map_);
    for (const auto& figure : figures) {
      if (figure.shape != Shape::kAlone) add(figure);
    }
    add_alone(figures);
    add_routes();
    if (const auto places = places_text(map_); !places.empty()) {
      text_ += "\n" + hanging("", std::string(places), width_);
    }
    return text_;
  }

 private:
  /// Who knows it, what the signs mean, and the nodes that are not ready.
  void add_verdicts() {
    std::vector<std::string> words{fmt::format("as {} knows it", map_.known_by)};
    for (const auto& [mark, proof] : kProofs) words.push_back(signed_text(mark, proof));
    text_ += pieces("", words, width_);
    for (const auto& node : map_.nodes) {
      if (node.live.mark == Mark::kNone || node.live.mark == Mark::kGood) continue;
      text_ += fmt::format(
          "  {}  {}\n",
          terminal_.paint(tone_of(node.live.mark), signed_text(node.live.mark, node.name)),
          node.live.words);
    }
  }

  void add(const Figure& figure) {
    const bool is_star = figure.shape == Shape::kStar;
    const auto picture = is_star ? star_text(map_, map_.segments[figure.segments.front()], width_)
                                 : ladder_text(map_, figure, width_);
    if (picture) text_ += "\n" + picture->text(terminal_);
    // The picture of a switch has all addresses in it.
    if (is_star && picture) return;
    text_ += "\n";
    for (const auto segment : figure.segments) add_ends(map_.segments[segment]);
  }

  void add_alone(const std::vector<Figure>& figures) {
    std::string text;
    for (const auto& figure : figures) {
      if (figure.shape != Shape::kAlone) continue;
      const auto& node = map_.nodes[figure.nodes.front()];
      const auto name = signed_text(node.live.mark, node.name);
      text += fmt::format("  {}  no cable\n", terminal_.paint(tone_of(node.live.mark), name));
    }
    if (!text.empty()) text_ += "\n" + text;
  }

  void add_routes() {
    std::string text;
    for (const auto& node : map_.nodes) {
      for (const auto& route : node.routes) {
        text += pieces(fmt::format("  {}  route ", node.name), {route}, width_);
      }
    }
    if (!text.empty()) text_ += "\n" + text;
  }

  void add_ends(const MapSegment& segment) {
    std::vector<std::string> head;
    if (segment.is_switch()) {
      head.push_back("switch " + segment.name);
    } else {
      std::vector<std::string> ends;
      std::ranges::transform(segment.ends, std::back_inserter(ends), &MapEnd::in_words);
      head.push_back(fmt::format("{}", fmt::join(ends, " ══ ")));
    }
    for (auto& trait : traits_of(segment, common_)) head.push_back(std::move(trait));
    const auto tone = tone_of(segment.mark());
    const auto sign = sign_of(segment.mark());
    std::vector<std::string> painted;
    std::ranges::transform(head, std::back_inserter(painted),
                           [&](const auto& piece) { return terminal_.paint(tone, piece); });
    text_ +=
        pieces(sign.empty() ? std::string() : terminal_.paint(tone, sign) + " ", painted, width_);
    for (std::size_t rail = 0; rail < segment.rails(); ++rail) add_rail(segment, rail);
    if (segment.is_switch()) add_ports(segment);
  }

  void add_rail(const MapSegment& segment, std::size_t rail) {
    std::vector<std::string> words;
    const auto& subnet = of_rail(segment.subnets, rail);
    if (!subnet.empty()) words.push_back(subnet);
    if (!segment.is_switch()) {
      std::vector<std::string> addresses;
      for (const auto& end : segment.ends) {
        const auto address = without_length(of_rail(end.addresses, rail));
        addresses.push_back(address.empty() ? "no address" : address);
      }
      words.push_back(fmt::format("{}", fmt::join(addresses, " ══ ")));
    }
    const auto& live = live_of_rail(segment.live, rail);
    if (!live.words.empty()) words.push_back(live.words);
    if (words.empty()) return;
    text_ += pieces("  " + signed_text(live.mark, fmt::format("rail {}  ", rail)), words, width_);
  }

  void add_ports(const MapSegment& segment) {
    for (const auto& end : segment.ends) {
      std::vector<std::string> words;
      std::ranges::transform(end.addresses, std::back_inserter(words), without_length);
      if (!end.live.empty()) words.push_back(proofs_text(end.live));
      const auto sign = sign_of(end.mark());
      text_ += pieces(fmt::format("  {} {}  ", sign.empty() ? " " : sign, end.in_words()), words,
                      width_);
    }
  }

  const FabricMap& map_;
  const Terminal& terminal_;
  std::size_t width_;
  CommonTraits common_;
  std::string text_;
};

std::string count_of(const std::vector<MapChange>& changes) {
  std::vector<std::string> words;
  for (const std::string_view name : {"added", "removed", "changed"}) {
    std::size_t count = 0;
    std::string_view sign;
    for (const auto& change : changes) {
      if (name_of(change) != name) continue;
      ++count;
      sign = sign_of(change);
    }
    if (count > 0) words.push_back(fmt::format("{} {} {}", sign, count, name));
  }
  return words.empty() ? "nothing that topology shows differs"
                       : fmt::format("{}", fmt::join(words, "  "));
}

}  // namespace

std::string topology_screen(const FabricMap& map, const Terminal& terminal) {
  return Screen(map, terminal).text();
}

std::string changes_text(const std::vector<MapChange>& changes, const Terminal& terminal) {
  const auto width = terminal.width().value_or(kUsualWidth);
  std::string text;
  for (const auto& change : changes) {
    const auto tone = !change.is_now ? Tone::kBad : change.was ? Tone::kChange : Tone::kGood;
    text += terminal.paint(tone, text_of(change)) + "\n";
    for (const auto& value : change.values) text += hanging("    ", text_of(value), width);
  }
  return text + count_of(changes) + "\n";
}

}  // namespace spark::cli
