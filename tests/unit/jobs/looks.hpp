#pragma once
// Looks at rails, as the tests of jobs/ begin with.

#include <chrono>
#include <cstdint>
#include <utility>

#include "config/dgx_names.hpp"
#include "jobs/rail_traffic.hpp"

namespace spark::test {

/// A rail of a ConnectX with a cable of 200G, on which nobody has queue pairs.
inline jobs::RailSnapshot rail_look(config::Rail rail) {
  constexpr std::uint64_t kSpeed = 200'000'000'000;
  return {.link = config::dgx_name(rail),
          .device = rail.rail == 0 ? "rocep1s0f0" : "roceP2p1s0f0",
          .rail = rail,
          .in_file = true,
          .has_carrier = true,
          .link_index = 3 + rail.rail,
          .counters = {.rdma_words = host::BothWays{},
                       .link_octets = host::BothWays{},
                       .events = {},
                       .lifespan = {},
                       .speed = kSpeed},
          .queue_pairs = {},
          .unknown = ""};
}

/// The same that much later.
inline jobs::Snapshot later_look(jobs::Snapshot look, std::chrono::milliseconds by) {
  look.at += by;
  return look;
}

}  // namespace spark::test
