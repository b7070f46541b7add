#pragma once
// Shape: the nodes of a cluster file, and which of their cages are joined.

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "config/cluster.hpp"

namespace spark::cluster {

/// Two cages of two nodes that a cable or a switch joins.
struct Wire {
  std::string node;
  int cage = 0;
  std::string other;
  int other_cage = 0;
  int rails = 0;  ///< that both ends have
  bool operator==(const Wire&) const = default;
};

/// A cable, or a switch.
struct Segment {
  struct End {
    std::string node;
    int cage = 0;
    int rails = 0;
    bool operator==(const End&) const = default;
  };
  std::string name;  ///< of the switch; empty: a cable
  std::vector<End> ends;
  [[nodiscard]] bool is_switch() const { return !name.empty(); }
  bool operator==(const Segment&) const = default;
};

template <EitherConst<Segment::End> T, class Visit>
void each_field(T& end, Visit visit) {
  visit("node", end.node);
  visit("cage", end.cage);
  visit("rails", end.rails);
}

template <EitherConst<Segment> T, class Visit>
void each_field(T& segment, Visit visit) {
  visit("switch", unless_empty(segment.name));
  visit("ends", segment.ends);
}

struct Shape {
  std::string cluster;
  std::string words;               ///< "pair", "ring of 3", "switch of 8", "4 nodes"
  std::vector<std::string> nodes;  ///< by name
  std::vector<Segment> segments;   ///< in the order of the file; of these nodes alone
  std::vector<std::string> away;   ///< nodes with `away: true`, by name
  bool operator==(const Shape&) const = default;

  /// Each two nodes of each segment: of a switch of n nodes n(n-1)/2.
  [[nodiscard]] std::vector<Wire> wires() const;
  /// Whether that cage leads to a switch.
  [[nodiscard]] bool is_on_switch(std::string_view node, int cage) const;
  [[nodiscard]] bool is_away(std::string_view node) const;
};

template <EitherConst<Shape> T, class Visit>
void each_field(T& shape, Visit visit) {
  visit("cluster", shape.cluster);
  visit("words", shape.words);
  visit("nodes", shape.nodes);
  visit("segments", shape.segments);
  visit("away", may_lack(shape.away));
}

/// Of a valid file. A host that is no node of the file is in no wire.
Shape shape_of(const config::Cluster& cluster);

}  // namespace spark::cluster
