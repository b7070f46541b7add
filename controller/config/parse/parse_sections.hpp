#pragma once
// The sections of a cluster.yaml, each read by the file named after it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/cluster.hpp"
#include "config/yaml/read.hpp"
#include "config/yaml/read_forms.hpp"

namespace spark::config {

// parse_nodes.cpp
void read_nodes(Findings& findings, const Value& value, std::map<std::string, NodeSpec>& nodes);

void read_external(Findings& findings, const Value& value,
                   std::map<std::string, ExternalSpec>& external);

// parse_fabric.cpp
void read_fabric(Findings& findings, const Value& value, Fabric& fabric);

// parse_settings.cpp
void read_sysctl(Findings& findings, const Value& value,
                 std::map<std::string, At<std::string>>& sysctl);
std::optional<At<Memlock>> memlock(Findings& findings, const Value& value);
void read_storage(Findings& findings, const Value& value, std::vector<NvmeTarget>& storage);

// parse_policy.cpp
void read_ready(Findings& findings, const Value& value, Ready& ready);
void read_drift(Findings& findings, const Value& value, DriftPolicies& drift);
void read_environment(Findings& findings, const Value& value,
                      std::optional<Environment>& environment);
void read_rollout(Findings& findings, const Value& value, std::optional<Rollout>& rollout);

/// Bytes.
inline constexpr auto kMtu = integer<std::uint32_t, 68, 65535, 9000>;

inline constexpr std::array kRdmaCmModes{
    std::pair{std::string_view{"v1"}, RdmaCmMode::kV1},
    std::pair{std::string_view{"v2"}, RdmaCmMode::kV2},
};
inline constexpr std::array kRoceKeys{
    key<&HostSettings::rdma_cm_mode, word<kRdmaCmModes>>("rdma_cm_mode"),
};
inline constexpr std::array kHostsKeys{
    required(key<&HostSettings::hosts_suffix, text<kHostsSuffix>>("suffix"), "suffix: -fabric"),
};
/// Under `host` for every node, and under a node beside its own keys.
inline constexpr std::array kSettingsKeys{
    section<&HostSettings::sysctl, read_sysctl>("sysctl"),
    key<&HostSettings::memlock, memlock>("memlock"),
    key<&HostSettings::modules, list_of<text<kModuleName>>>("modules"),
    inner<kRoceKeys>("roce"),
    inner<kHostsKeys>("hosts"),
};

}  // namespace spark::config
