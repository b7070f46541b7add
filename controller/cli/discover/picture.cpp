#include "cli/discover/picture.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "cli/text/layout.hpp"

namespace spark::cli {
namespace {

using protocol::CageEnd;
using protocol::CageState;
using DrawnEnds = std::vector<CageEnd>;

std::string end_in_words(const CageEnd& end) {
  return fmt::format("{} cage {}", end.node, end.cage);
}

std::string segment_line(const DrawnEnds& ends) {
  if (ends.size() == 2) {
    return fmt::format("  {} ══ {}\n", end_in_words(ends[0]), end_in_words(ends[1]));
  }
  std::vector<std::string> words;
  std::ranges::transform(ends, std::back_inserter(words), end_in_words);
  return fmt::format("  at one switch: {}\n", listed(words));
}

/// The links of a cage of this machine; empty: none.
std::vector<std::string> links_of(const protocol::DiscoverTask& own, const CageEnd& end) {
  std::vector<std::string> names;
  for (const auto& link : own.links) {
    if (end.node == own.node && link.cage == end.cage) names.push_back(link.name);
  }
  return names;
}

std::string lonely_line(const LonelyCage& lonely, const protocol::DiscoverTask& own) {
  const auto links = links_of(own, lonely.end);
  const auto where = "  " + end_in_words(lonely.end);
  switch (lonely.state) {
    case CageState::kDown:
      return fmt::format(
          "{}: down, so a cable in it is not seen. Where there is one: sudo ip link set {} up{}\n",
          where, links.empty() ? "LINK" : links.front(), links.empty() ? ", there" : "");
    case CageState::kNoCarrier:
      return fmt::format(
          "{}: no carrier. No cable is in it, or the cage at its other end is down: sudo ip link "
          "set LINK up, there\n",
          where);
    case CageState::kCarrier:
      return fmt::format(
          "{}: a carrier, and nobody is heard. Does its neighbour run `sudo spark-reconcile "
          "join`?\n",
          where);
  }
  return {};
}

const DrawnEnds* segment_with(const Wiring& wiring, const CageEnd& end) {
  const auto found = std::ranges::find_if(wiring.segments, [&](const DrawnEnds& ends) {
    return std::ranges::find(ends, end) != ends.end();
  });
  return found == wiring.segments.end() ? nullptr : &*found;
}

}  // namespace

std::string picture_of(const Wiring& wiring, const protocol::DiscoverTask& own) {
  std::string text = fmt::format("{} {} here: {}\n", counted(wiring.nodes.size(), "node"),
                                 wiring.nodes.size() == 1 ? "is" : "are", listed(wiring.nodes));
  for (const auto& ends : wiring.segments) text += segment_line(ends);
  for (const auto& lonely : wiring.lonely) text += lonely_line(lonely, own);
  for (const auto& problem : wiring.problems) text += fmt::format("! {}\n", problem);
  return text;
}

std::string cages_by_file(const config::Cluster& cluster, const Wiring& wiring,
                          const std::string& node) {
  std::string text;
  for (const auto& segment : cluster.fabric.segments) {
    DrawnEnds ends;
    for (const auto& end : segment.ends) ends.push_back({.node = end.node, .cage = end.cage});
    std::ranges::sort(ends);
    const auto own = std::ranges::find(ends, node, &CageEnd::node);
    if (own == ends.end()) continue;
    const auto& here = *own;
    const auto* heard = segment_with(wiring, here);
    const bool is_heard = heard != nullptr && *heard == ends;
    std::vector<std::string> others;
    for (const auto& end : ends) {
      if (end != here) others.push_back(end_in_words(end));
    }
    text += fmt::format("  cage {} of {} to {}: {}\n", here.cage, node, listed(others),
                        is_heard ? "as it is heard here" : "! that is not what is heard here");
  }
  return text;
}

std::string file_screen(std::string_view text) {
  std::string screen;
  for (const auto line : lines_of(text)) {
    screen += line.empty() ? "\n" : fmt::format("    {}\n", printable(line));
  }
  return screen;
}

}  // namespace spark::cli
