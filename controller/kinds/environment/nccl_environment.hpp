#pragma once
// The environment of a node's workloads, which makes NCCL, Gloo, UCX and Open MPI use the rails and
// nothing else. Pure: everything comes from the Node.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "kinds/environment/job_versions.hpp"

namespace spark::kinds {

struct Variable {
  std::string name;
  std::string
      value;  ///< needs no quotes anywhere: see kVariableValue of config/yaml/read_forms.hpp
  std::string reason;  ///< why it is there, one line
  bool operator==(const Variable&) const = default;
};

/// The links whose RDMA devices NCCL uses: the rails of cables and switches, or, in a file without
/// any, the links with an address and an RDMA device. Cage by cage, rail 0 first.
std::vector<const config::WantedLink*> nccl_rails(const config::Node& node);

/// The address family that all rails have, IPv4 before IPv6; empty: none. NCCL takes one family for
/// all devices.
std::optional<IpFamily> common_family(const std::vector<const config::WantedLink*>& rails);

/// The smallest network that holds the addresses of this family on all rails: NCCL takes one range.
IpPrefix address_range(const std::vector<const config::WantedLink*>& rails, IpFamily family);

/// The interface for sockets, of NCCL and of all others; empty: the file does not say enough.
std::string socket_link(const config::Node& node);

/// The index that the GIDs of all rails have; empty: the indexes differ, or a GID is not there.
std::optional<std::uint32_t> agreed_gid_index(const std::vector<const config::WantedLink*>& rails);

/// The variables, in the order of the file; those of `environment.nccl.variables` override ours.
/// Every rail must have its `rdma_port`, and all rails a common family.
std::vector<Variable> nccl_variables(const config::Node& node, const JobVersions& versions = {});

/// For `EnvironmentFile=` of systemd.exec(5) and `docker run --env-file`: NAME=value, and comments.
std::string environment_text(const std::vector<Variable>& variables);
/// For a shell: export NAME='value', and the same comments.
std::string export_text(const std::vector<Variable>& variables);

/// The assignments in a text of either form, however it was edited since.
std::map<std::string, std::string> assignments_in(const std::string& text);

/// A list of devices without the '=' by which NCCL matches them exactly.
std::string_view without_exact_sign(std::string_view list);

/// The text begins as the texts of this program do.
bool is_written_by_us(const std::string& text);

}  // namespace spark::kinds
