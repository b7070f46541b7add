#pragma once
// The cluster files that are measured.

#include <array>
#include <string>

namespace spark::bench {

/// A ring of three Sparks, spark1 to spark3, with what the network kinds hold and nothing else.
std::string text_of_ring();

struct RailAddress {
  std::string rail;
  std::string address;
};

/// What the ring's file gives spark1; each has an MTU of 9000.
const std::array<RailAddress, 4>& rails_of_ring();
/// The other ends of these, in the same order, under the same names: what it gives the neighbours.
const std::array<RailAddress, 4>& far_ends_of_ring();

/// `nodes` machines, at most 4000, each with cage 0 on one switch.
std::string text_of_switch(int nodes);

/// One node, node1, whose `link` has the first `addresses` numbered addresses.
std::string text_of_link(const std::string& link, int addresses);

/// "10.20.4.1/16": another for each number, from 0 to 63 999; none ends in 0 or 255.
std::string numbered_address(int number);

}  // namespace spark::bench
