#pragma once
// The interface names that DGX OS gives the four ConnectX-7 functions of a Spark.

#include <optional>
#include <string>
#include <string_view>

#include "base/fields.hpp"

namespace spark::config {

/// One of the two netdevs of a cage.
struct Rail {
  int cage = 0;  ///< on a Spark 0 or 1: the PCI function, and the N of phys_port_name "pN"
  int rail = 0;  ///< 0: PCI domain 0000, 1: PCI domain 0002
  auto operator<=>(const Rail&) const = default;
};

template <EitherConst<Rail> T, class Visit>
void each_field(T& rail, Visit visit) {
  visit("cage", rail.cage);
  visit("rail", rail.rail);
}

/// The rail that a DGX name stands for. Empty for any other name.
std::optional<Rail> rail_of_dgx_name(std::string_view name);

/// The DGX name of a rail: {0, 0} gives "enp1s0f0np0". Empty for a cage that no Spark has.
std::string dgx_name(Rail rail);

}  // namespace spark::config
