#pragma once
// The parts of check, and what they all look up.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/cluster.hpp"
#include "config/dgx_names.hpp"
#include "config/yaml/diagnostic_list.hpp"

namespace spark::config {

/// The cluster under check with its cages looked up.
struct Checked {
  explicit Checked(const Cluster& file);

  /// The cable or switch that a cage of a node is on; null when none.
  [[nodiscard]] const Segment* segment_at(std::string_view node, int cage) const;

  const Cluster& cluster;
  std::map<std::pair<std::string_view, int>, const Segment*> segments;
};

/// Rails for which a cable or switch has subnets or addresses: 1 or 2, 0 when nothing could be
/// read. A cage may have fewer: rails_at() of config/cages.hpp.
std::size_t rail_count(const Segment& segment);

/// The MTU that the file asks for on a cable or switch.
std::optional<At<std::uint32_t>> mtu_of(const Cluster& cluster, const Segment& segment);

/// The rail that an interface name stands for on a node: by its `cages`, else by the DGX names.
std::optional<Rail> rail_of(const NodeSpec& node, std::string_view interface);

/// "this cable" or "switch 'crs812'".
std::string name_of(const Segment& segment);

/// The node of that name; null, and reported, when there is none.
const NodeSpec* known_node(const Cluster& cluster, Findings& findings, const std::string& name,
                           Where where);

/// A number that no node has: the one at the end of the name, where that is free.
std::uint64_t free_number(const Cluster& cluster, std::string_view name);

/// Reports an MTU that is too small for an IPv6 address.
void check_mtu_for_ipv6(const At<std::uint32_t>& mtu, const At<IpPrefix>& prefix,
                        Findings& findings);

/// What an MTU that does not yield kLargestPathMtu does to RoCE, and what that costs. `link`: the
/// rail that has it, where it is one alone.
std::string roce_mtu_message(std::uint32_t mtu_bytes, std::string_view link = {});
inline constexpr std::string_view kRoceMtuReason =
    "RoCE's largest packets, 4096 bytes, need a link of 4192: use 9000 at both ends;\n"
    "at 1500 NCCL lost 3 % of its bandwidth, and a plugin with a fixed path MTU of 4096 fails";

// check_nodes.cpp
void check_nodes(const Checked& checked, Findings& findings);
// check_fabric.cpp
void check_fabric(const Checked& checked, Findings& findings);
void check_subnets(const Checked& checked, Findings& findings);
// warn_about_fabric.cpp
void warn_about_fabric(const Checked& checked, Findings& findings);
// check_external.cpp
void check_external(const Checked& checked, Findings& findings);
// check_addresses.cpp
void check_addresses(const Checked& checked, Findings& findings);
// check_links.cpp
void check_links(const Checked& checked, Findings& findings);
void warn_about_links(const Checked& checked, Findings& findings);
// check_routes.cpp
void check_routes(const Checked& checked, Findings& findings);
// check_settings.cpp
void check_settings(const Checked& checked, Findings& findings);
// check_variables.cpp
void check_variables(const Cluster& cluster, Findings& findings);
// warn_about_variables.cpp
void warn_about_variables(const Checked& checked, Findings& findings);
// check_storage.cpp
void check_storage(const Checked& checked, Findings& findings);
/// Reports a path with "..", "//" and the like.
void check_normalised(const At<std::string>& path, Findings& findings);
// check_policy.cpp
void check_ready(const Checked& checked, Findings& findings);
void check_rollout(const Cluster& cluster, Findings& findings);

}  // namespace spark::config
