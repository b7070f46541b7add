#pragma once
// ansible_inventory_text: the nodes of a file, as an inventory of Ansible. Pure.

#include <string>

#include "config/cluster.hpp"

namespace spark::cli {

/// YAML with the group `sparks`, in the order in which the nodes take a changed file, and by number
/// where the file asks for none; and `sparks_away` of those that nobody waits for. `ansible_host`
/// is the address that the file gives the management link.
std::string ansible_inventory_text(const config::Cluster& cluster);

}  // namespace spark::cli
