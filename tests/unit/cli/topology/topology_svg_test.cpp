#include "drawing/topology_svg.hpp"

#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/topology/topology_text.hpp"
#include "unit/drawing/maps.hpp"

namespace spark::cli {
namespace {

using namespace drawing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTwoCables =
    "  cables:\n    - { ends: [a:0, b:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }\n"
    "    - { ends: [c:0, d:1], subnets: [203.0.113.0/24] }\n";

/// Each element ends, in the order in which it began; there is one root, and no markup but
/// elements.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(/?)>)");
  std::size_t at = 0;
  for (auto match = std::sregex_iterator(svg.begin(), svg.end(), tag);
       match != std::sregex_iterator(); ++match) {
    const auto begin = static_cast<std::size_t>(match->position());
    EXPECT_EQ(svg.substr(at, begin - at).find_first_of("<>"), std::string::npos)
        << svg.substr(at, begin - at);
    at = begin + static_cast<std::size_t>(match->length());
    const auto name = (*match)[2].str();
    if ((*match)[1].length() > 0) {
      ASSERT_FALSE(open.empty()) << name;
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    } else if ((*match)[4].length() == 0) {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.substr(at), "\n");
  EXPECT_TRUE(std::regex_replace(svg, std::regex("&(amp|lt|gt|quot|#39);"), "").find('&') ==
              std::string::npos);
}

/// No file can have such names; what is drawn must not depend on that.
FabricMap hostile_map() {
  auto map = map_with(kTwoCables);
  const std::string name = "</text><script>alert('x')</script>&\"\x1b[31m\xff";
  map.cluster = name;
  map.nodes.at(0).name = name;
  map.nodes.at(0).management = name;
  map.segments.at(0).ends.at(0).node = name;
  map.segments.at(0).subnets.at(0) = name;
  return map;
}

TEST(TopologySvg, IsWellFormed) {
  expect_well_formed(topology_svg(map_with(kTwoCables)));
  expect_well_formed(topology_svg(map_with("")));
}

TEST(TopologySvg, EscapesAllTextOfTheFile) {
  const auto svg = topology_svg(hostile_map());
  expect_well_formed(svg);
  EXPECT_THAT(svg, AllOf(HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"), Not(HasSubstr("<script")),
                         Not(HasSubstr("\x1b")), Not(HasSubstr("\xff"))));
}

TEST(TopologySvg, NeedsNothingBesideIt) {
  const auto svg = topology_svg(map_with(kTwoCables));
  for (const auto* what :
       {"<script", "href", "url(", "@import", "<image", "<foreignObject", "onload"}) {
    EXPECT_THAT(svg, Not(HasSubstr(what)));
  }
}

TEST(TopologySvg, HasATitleAndADescriptionForThoseWhoDoNotSeeIt) {
  EXPECT_THAT(
      topology_svg(map_with(kTwoCables)),
      AllOf(HasSubstr("<title id=\"title\">lab · 5 nodes · 2 cables · mtu 9000</title>"),
            HasSubstr("no cable here is proven. Seen from the back, cage 0 is next to the RJ45 "
                      "socket, cage 1 at the edge. Cable: a cage 0, b cage 1. Subnets: "
                      "192.0.2.0/24, 198.51.100.0/24. Cable: c cage 0, d cage 1.")));
}

TEST(TopologySvg, IsReadableOnADarkPage) {
  EXPECT_THAT(topology_svg(map_with(kTwoCables)),
              AllOf(HasSubstr("@media (prefers-color-scheme: dark)"), HasSubstr("class=\"page\"")));
}

TEST(TopologySvg, MarksNothingWhereNothingIsKnown) {
  EXPECT_THAT(topology_svg(map_with(kTwoCables)), Not(HasSubstr("class=\"badge")));
}

TEST(TopologyScreen, GivesTheTerminalNoOrdersOfOthers) {
  const Terminal narrow(nullptr, nullptr, Color::kNever, false, 60);
  // Terminal itself makes text harmless; a picture must not break before that.
  EXPECT_THAT(topology_screen(hostile_map(), narrow), HasSubstr("5 nodes"));
  EXPECT_THAT(topology_lines(hostile_map(), narrow), HasSubstr("cable"));
}

TEST(TopologyScreen, ListsWhatItCannotDraw) {
  const std::string name(63, 'x');
  const auto map = map_of(file_with_fabric(
      "  cables:\n    - { ends: [a:0, " + name + ":0], subnets: [192.0.2.0/24] }\n",
      "  " + name + ": { number: 9 }\n"));
  const Terminal narrow(nullptr, nullptr, Color::kNever, false, 60);
  EXPECT_THAT(topology_screen(map, narrow),
              AllOf(HasSubstr("192.0.2.1 ══ 192.0.2.9"), Not(HasSubstr("┌"))));
}

TEST(TopologyScreen, ListsThePortsOfAHugeSwitch) {
  std::string nodes;
  std::string ports;
  for (int i = 6; i < 106; ++i) {
    nodes += "  n" + std::to_string(i) + ": { number: " + std::to_string(i) + " }\n";
    ports += (ports.empty() ? "n" : ", n") + std::to_string(i) + ":0";
  }
  const auto map = map_of(file_with_fabric(
      "  switches:\n    - { name: sw, subnets: [192.0.2.0/24], ports: [" + ports + "] }\n", nodes));
  const Terminal narrow(nullptr, nullptr, Color::kNever, false, 80);
  EXPECT_THAT(
      topology_screen(map, narrow),
      AllOf(HasSubstr("switch sw"), HasSubstr("n105 cage 0  192.0.2.105"), Not(HasSubstr("┌"))));
  expect_well_formed(topology_svg(map));
}

}  // namespace
}  // namespace spark::cli
