#pragma once
// rails_of_cage, rails_at: how many rails an end of a cable or switch has.

#include <cstddef>

#include "config/cluster.hpp"

namespace spark::config {

/// Rails of a cage: as many as `cages` lists for it, else the two of a Spark.
std::size_t rails_of_cage(const NodeSpec& node, int cage);

/// Of a cage of any node; of a node that is not in the file, two.
std::size_t rails_of_cage(const Cluster& cluster, const CageEnd& end);

/// Rails of an end that reach the others: on a cable no more than the other end has.
std::size_t rails_at(const Cluster& cluster, const Segment& segment, const CageEnd& end);

}  // namespace spark::config
