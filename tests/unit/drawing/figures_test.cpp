#include "drawing/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/drawing/maps.hpp"

namespace spark::drawing {
namespace {

using ::testing::ElementsAre;

std::string cable(const std::string& one, const std::string& other, int number) {
  return "    - { ends: [" + one + ", " + other + "], subnets: [10.0." + std::to_string(number) +
         ".0/24] }\n";
}

std::vector<Shape> shapes_of(const FabricMap& map) {
  std::vector<Shape> shapes;
  for (const auto& figure : figures_of(map)) shapes.push_back(figure.shape);
  return shapes;
}

TEST(Figures, OfNodesWithoutCablesAreAlone) {
  EXPECT_THAT(shapes_of(map_with("")), ElementsAre(Shape::kAlone, Shape::kAlone, Shape::kAlone,
                                                   Shape::kAlone, Shape::kAlone));
}

TEST(Figures, OfTwoNodesAreALineWithOneCableOrTwo) {
  auto figures = figures_of(map_with("  cables:\n" + cable("a:0", "b:0", 1)));
  EXPECT_EQ(figures.at(0), (Figure{Shape::kLine, {0, 1}, {0}}));
  figures = figures_of(map_with("  cables:\n" + cable("a:0", "b:0", 1) + cable("a:1", "b:1", 2)));
  EXPECT_EQ(figures.at(0), (Figure{Shape::kLine, {0, 1}, {0, 1}}));
}

TEST(Figures, OfAChainBeginAtOneOfItsEnds) {
  const auto figures =
      figures_of(map_with("  cables:\n" + cable("b:0", "a:0", 1) + cable("a:1", "c:0", 2)));
  EXPECT_EQ(figures.at(0).shape, Shape::kLine);
  EXPECT_THAT(figures.at(0).nodes, ElementsAre(1, 0, 2));
}

TEST(Figures, OfARingGoAlongTheCables) {
  const auto figures =
      figures_of(map_with("  cables:\n" + cable("a:0", "c:1", 1) + cable("c:0", "b:1", 2) +
                          cable("b:0", "d:1", 3) + cable("d:0", "a:1", 4)));
  EXPECT_EQ(figures.at(0).shape, Shape::kRing);
  EXPECT_THAT(figures.at(0).nodes, ElementsAre(0, 2, 1, 3));
}

TEST(Figures, OfASwitchAreAStar) {
  const auto figures = figures_of(map_with(
      "  switches:\n    - { name: sw, ports: [b:0, a:0, c:1], subnets: [10.0.1.0/24] }\n"));
  EXPECT_EQ(figures.at(0), (Figure{Shape::kStar, {0, 1, 2}, {0}}));
}

TEST(Figures, OfAMixtureAreOneForEachSegment) {
  const auto shapes = shapes_of(map_with(
      "  cables:\n" + cable("a:0", "b:0", 1) +
      "  switches:\n    - { name: sw, ports: [b:1, c:1, d:1, e:1], subnets: [10.0.2.0/24] }\n"));
  EXPECT_THAT(shapes, ElementsAre(Shape::kLine, Shape::kStar));
}

}  // namespace
}  // namespace spark::drawing
