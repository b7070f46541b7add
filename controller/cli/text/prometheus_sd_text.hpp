#pragma once
// prometheus_sd_text: the nodes of a file, for the service discovery of Prometheus. Pure.

#include <string>

#include "config/cluster.hpp"

namespace spark::cli {

/// A JSON list with one group a node, as file_sd_configs and http_sd_configs take it. The target is
/// the address that the file gives the management link, else the node's name; the port is the one
/// of an agent.yaml that names none. `instance` is the node's name. What begins with __meta_ is for
/// relabel_configs, and Prometheus drops it afterwards.
std::string prometheus_sd_text(const config::Cluster& cluster);

}  // namespace spark::cli
