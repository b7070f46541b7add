#pragma once
// How a job is started on all nodes of the fabric, so that each rank has the environment of its own
// node. Pure. `nodes`: as config::nodes_along_cables() gives them.

#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"

namespace spark::cli {

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

}  // namespace spark::cli
