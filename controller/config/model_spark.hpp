#pragma once
// model_devices: the network devices of a node as far as its file tells them, for what is judged
// without the machine.

#include <string>
#include <vector>

#include "config/cages.hpp"
#include "config/cluster.hpp"

namespace spark::config {

/// The four rails of a DGX Spark with their RDMA devices. Where the file names the cages itself:
/// those names, each with an RDMA device whose name stands for one that is not known.
std::vector<Netdev> model_devices(const NodeSpec& spec);

/// "rdma-of-eth2": stands for the name of the RDMA device of that link, which only the machine
/// knows.
std::string stand_in_for_rdma_of(const std::string& link);

}  // namespace spark::config
