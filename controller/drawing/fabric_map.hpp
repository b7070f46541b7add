#pragma once
// FabricMap: the nodes, cages, cables and switches of a cluster as pictures need them, and what is
// known of each now.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cluster/shape.hpp"
#include "config/cluster.hpp"
#include "drawing/mark.hpp"

namespace spark::drawing {

/// One end of a cable, or one port of a switch.
struct MapEnd {
  std::string node;
  std::optional<int> cage;             ///< empty: a host that is no node of the file
  std::vector<std::string> addresses;  ///< rail by rail, with the length of the prefix
  std::vector<Live> live;              ///< of a port of a switch, rail by rail; a cable has its own

  [[nodiscard]] Mark mark() const { return worst_of(live).mark; }
  /// "spark1:0" as the file writes it; "nas".
  [[nodiscard]] std::string name() const;
  /// "spark1 cage 0"; "nas".
  [[nodiscard]] std::string in_words() const;
};

/// A cable or a switch.
struct MapSegment {
  config::Segment::Kind kind = config::Segment::Kind::kCable;
  std::string name;  ///< of the switch; empty for a cable
  std::vector<MapEnd> ends;
  std::vector<std::string> subnets;         ///< rail by rail
  std::string mtu;                          ///< "9000"
  std::string speed;                        ///< "200 Gb/s"
  std::optional<std::uint64_t> speed_bits;  ///< a second
  std::vector<Live> live;                   ///< of a cable, rail by rail

  /// Of a cable: that of the rail that stands worst.
  [[nodiscard]] Mark mark() const { return worst_of(live).mark; }
  [[nodiscard]] bool is_switch() const { return kind == config::Segment::Kind::kSwitch; }
  /// The most that any end has, or that the segment has subnets for, or that are known of.
  [[nodiscard]] std::size_t rails() const;
};

struct MapNode {
  std::string name;
  bool is_external = false;  ///< a host that is no node of the file
  std::vector<int> cages;    ///< by number, also those without a cable; of an external: none
  std::string number;
  std::string management;
  std::vector<std::string> routes;  ///< "10.77.0.0/16 via 192.0.2.12 dev enp1s0f0np0"
  Live live;
};

struct FabricMap {
  std::string cluster;
  std::string known_by;        ///< the node that knows how all stand; empty: by the file alone
  std::vector<MapNode> nodes;  ///< by name, the external ones last
  std::vector<MapSegment> segments;  ///< cables first, each sort by its ends or its name

  [[nodiscard]] const MapNode* node(std::string_view name) const;
};

/// Of a valid file.
FabricMap fabric_map(const config::Cluster& cluster);
/// Without what the file alone says: numbers, addresses, MTU, hosts that are no nodes.
FabricMap fabric_map(const cluster::Shape& shape);

/// By which nodes, and segments, are sorted: "spark2" comes before "spark10".
std::tuple<bool, std::string, std::string> place_of(const MapNode& node);
std::tuple<bool, std::string, std::string, std::string> place_of(const MapSegment& segment);
std::tuple<bool, std::string, std::string> place_of(const MapEnd& end);

/// What all cables and switches have; empty: they differ, or the file does not say it.
struct CommonTraits {
  std::string mtu;
  std::string speed;
};

CommonTraits common_traits(const FabricMap& map);

}  // namespace spark::drawing
