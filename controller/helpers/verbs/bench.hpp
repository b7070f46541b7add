#pragma once
// run_bench: how many bits a second WRITE or READ moves between two nodes.

#include <cstdint>

#include "helpers/verbs/peer_link.hpp"

namespace spark::helpers {

PeerMemory bench_memory(std::uint32_t queue_pairs);

/// kWrite or kRead for the time that `request` says. Prints progress, and fills `report`.
Attempt<> run_bench(PeerLink& link, const protocol::PeerRequest& request,
                    protocol::PeerReport& report);

}  // namespace spark::helpers
