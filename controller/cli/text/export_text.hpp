#pragma once
// What `export` prints for other programs. Pure.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"

namespace spark::cli {

// How a job is started on all nodes of the fabric, so that each rank has the environment of its own
// node. `nodes`: as config::nodes_along_cables() gives them.

/// Where each of the nodes is reached: the address of its rail 0 where one cable or switch joins
/// all of them, else its name.
std::vector<std::string> hosts_of_job(const config::Node& node,
                                      const std::vector<std::string>& nodes);

/// A host file of Open MPI: a line a node, one rank each, along the cables. By the address of rail
/// 0 where one cable or switch joins all of them, else by name.
std::string mpi_hostfile_text(const config::Node& node, const std::vector<std::string>& nodes);

/// A line for a shell that starts one rank a node; `PROGRAM` stands for the program. The
/// environment is that of the file under /run, or, without `has_file`, what `export` prints, for a
/// job of the nodes that are `named` (empty: of all).
std::string mpirun_text(const config::Node& node, const std::vector<std::string>& nodes,
                        std::string_view named, bool has_file);

/// What `docker run` and `podman run` need before the image, on one line.
std::string docker_arguments_text();

/// The nodes of a file, as lines of slurm.conf. A line `NodeName=` for each node, by number: its
/// host name where the file has another one, the address that the file gives the management link,
/// and the feature `rails_FIRST` of all nodes that reach each other over cables and switches. What
/// a node has of processors and memory is in no cluster file. kUnsupported: slurm.conf cannot have
/// such a node.
Result<std::string> slurm_nodes_text(const config::Cluster& cluster);

/// The nodes of a file, as an inventory of Ansible. YAML with the group `sparks`, in the order in
/// which the nodes take a changed file, and by number where the file asks for none; and
/// `sparks_away` of those that nobody waits for. `ansible_host` is the address that the file gives
/// the management link.
std::string ansible_inventory_text(const config::Cluster& cluster);

/// The nodes of a file, for the service discovery of Prometheus. A JSON list with one group a
/// node, as file_sd_configs and http_sd_configs take it. The target is the address that the file
/// gives the management link, else the node's name; the port is the one of an agent.yaml that
/// names none. `instance` is the node's name. What begins with __meta_ is for relabel_configs, and
/// Prometheus drops it afterwards.
std::string prometheus_sd_text(const config::Cluster& cluster);

// For ssh between the nodes of a file. `peers`: of the rails of this machine; none where it is no
// node. Both leave who may log in to ssh.

/// The nodes, as Host blocks of ssh_config(5). HostName is the address that the file gives the
/// management link, else the first of a rail that this machine reaches, else there is none.
std::string ssh_config_text(const config::Cluster& cluster, const std::vector<config::Peer>& peers);

/// The host keys, as known_hosts (sshd(8)), by node and by the address that ssh_config_text() has.
/// What is not one key of a known form is left out: a node may have been taken over. Empty: none.
std::string known_hosts_text(const config::Cluster& cluster, const std::vector<config::Peer>& peers,
                             const std::map<std::string, std::vector<std::string>>& host_keys);

}  // namespace spark::cli
