#pragma once
// The parts of a figure in an SVG document: a node, and what stands beside a cable or in a switch.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drawing/fabric_map.hpp"
#include "drawing/svg_canvas.hpp"

namespace spark::drawing {

/// What is plugged into each cage by the file, by the name of the end.
using EndsByName = std::map<std::string, const MapEnd*>;
EndsByName ends_by_name(const FabricMap& map);

class SvgNode {
 public:
  /// Looks at the ends now, and keeps none that is not of this node.
  SvgNode(const MapNode& node, const EndsByName& ends);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  void place(Point top_left);
  void draw(SvgCanvas& canvas) const;

  [[nodiscard]] Area area() const;
  /// Where a cable leaves the box: the middle of a cage.
  [[nodiscard]] int port_x(const MapEnd& end) const;

 private:
  struct Cage {
    std::optional<int> number;    ///< empty: of a host that is no node
    const MapEnd* end = nullptr;  ///< null: nothing is plugged in
    int left = 0;                 ///< from the left of the box
    int width = 0;
  };

  void add_cage(std::optional<int> number, const MapEnd* end);
  void draw_cage(SvgCanvas& canvas, const Cage& cage) const;
  [[nodiscard]] std::string about() const;

  const MapNode& node_;
  std::vector<Cage> cages_;
  std::size_t rails_ = 1;
  int width_ = 0;
  int height_ = 0;
  Point at_;
};

struct SvgLabel {
  std::string text;
  Face face = Face::kAddress;
  Mark mark = Mark::kNone;
};

inline constexpr int kLabelHeight = 17;

/// A line for each rail with its subnet, and one with MTU and speed where they stand nowhere else.
std::vector<SvgLabel> labels_of(const MapSegment& segment, const CommonTraits& common);

/// Below each other, the first at `at`.
void put_labels(SvgCanvas& canvas, const std::vector<SvgLabel>& labels, Point at, Anchor anchor);

}  // namespace spark::drawing
