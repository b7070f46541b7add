#pragma once
// SvgNode: a node as a box with its cages side by side, as they are on its case.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/topology/fabric_map.hpp"
#include "cli/topology/svg_canvas.hpp"

namespace spark::cli {

/// What is plugged into the cages by the file: the end with that name.
using EndsByName = std::map<std::string, const MapEnd*>;

/// Of what is there; of what is gone where nothing took its place.
EndsByName ends_by_name(const FabricMap& map);

class SvgNode {
 public:
  /// Takes no more ends than it looks at now.
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

}  // namespace spark::cli
