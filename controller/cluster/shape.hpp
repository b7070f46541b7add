#pragma once
// Shape: the nodes of a cluster file, and which of their cages are joined.

#include <cstddef>
#include <string>
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
  int rails = 0;       ///< that both ends have
  std::string behind;  ///< the switch that joins them; empty: a cable does
  bool operator==(const Wire&) const = default;
};

template <EitherConst<Wire> T, class Visit>
void each_field(T& wire, Visit visit) {
  visit("node", wire.node);
  visit("cage", wire.cage);
  visit("other", wire.other);
  visit("other_cage", wire.other_cage);
  visit("rails", wire.rails);
  visit("switch", unless_empty(wire.behind));
}

struct Shape {
  std::string cluster;
  std::string words;               ///< "pair", "ring of 3", "switch of 8", "4 nodes"
  std::vector<std::string> nodes;  ///< by name
  std::vector<Wire> wires;         ///< in the order of the file
  bool operator==(const Shape&) const = default;
};

template <EitherConst<Shape> T, class Visit>
void each_field(T& shape, Visit visit) {
  visit("cluster", shape.cluster);
  visit("words", shape.words);
  visit("nodes", shape.nodes);
  visit("wires", shape.wires);
}

/// Of a valid file. A host that is no node of the file is in no wire.
Shape shape_of(const config::Cluster& cluster);

}  // namespace spark::cluster
