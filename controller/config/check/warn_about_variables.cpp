// Variables for jobs beside the rails of the same file: devices and interfaces that a node does not
// have, rails that are left out, and what selects TCP.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/cages.hpp"
#include "config/check/check_sections.hpp"
#include "config/model_spark.hpp"
#include "config/yaml/job_variables.hpp"

namespace spark::config {
namespace {

/// What the file tells of the rails of a node that jobs use, and of its links.
struct NodeOfJobs {
  std::string name;
  std::vector<std::string> rails;    ///< interfaces
  std::vector<std::string> devices;  ///< RDMA devices of the rails; empty: the machine knows them
  std::vector<std::string> links;    ///< all that the file names, rails first
};

/// Of a cage that a cable or switch uses, as many rails as it has there.
std::size_t rails_used(const Cluster& cluster, const Segment& segment, const CageEnd& end) {
  return end.addresses.empty() ? std::min(segment.subnets.size(), rails_at(cluster, segment, end))
                               : std::min(end.addresses.size(), rails_of_cage(cluster, end));
}

/// Those of cables and switches that lead to nodes; where the node is on none, the links of cages
/// with addresses.
std::vector<std::string> rails_for_jobs(const Checked& checked, const std::string& name,
                                        const NodeSpec& node) {
  constexpr int kMostCages = 16;
  std::vector<std::string> rails;
  bool is_cabled = false;
  for (int cage = 0; cage < kMostCages; ++cage) {
    const Segment* segment = checked.segment_at(name, cage);
    if (segment == nullptr) continue;
    is_cabled = true;
    if (segment->external) continue;
    const auto end = std::ranges::find_if(
        segment->ends, [&](const CageEnd& one) { return one.node == name && one.cage == cage; });
    const auto count = rails_used(checked.cluster, *segment, *end);
    for (std::size_t rail = 0; rail < count; ++rail) {
      rails.push_back(link_of_rail(node, {cage, static_cast<int>(rail)}));
    }
  }
  if (is_cabled) return rails;
  for (const auto& [link, spec] : node.links) {
    if (rail_of(node, link) && !spec.addresses.empty() && !spec.owner_host) rails.push_back(link);
  }
  return rails;
}

std::vector<std::string> devices_of(const NodeSpec& node, const std::vector<std::string>& rails) {
  const auto devices = model_devices(node);
  std::vector<std::string> names;
  for (const auto& rail : rails) {
    const auto found = std::ranges::find(devices, rail, &Netdev::name);
    if (found == devices.end() || found->rdma->device == stand_in_for_rdma_of(rail)) return {};
    names.push_back(found->rdma->device);
  }
  return names;
}

NodeOfJobs node_of_jobs(const Checked& checked, const std::string& name, const NodeSpec& node) {
  NodeOfJobs found{.name = name, .rails = rails_for_jobs(checked, name, node)};
  found.devices = devices_of(node, found.rails);
  found.links = found.rails;
  const auto add = [&](const std::string& link) {
    if (std::ranges::find(found.links, link) == found.links.end()) found.links.push_back(link);
  };
  if (node.management) add(node.management->value);
  for (const auto& [link, spec] : node.links) add(link);
  for (const auto& [cage, names] : node.cages) {
    for (const auto& link : names) add(link.value);
  }
  return found;
}

/// A list of names as its library matches them.
struct NameList {
  std::vector<std::string_view> items;
  bool excludes = false;
  bool by_beginning = false;  ///< NCCL, where no '=' is before the list
};

NameList names_in(VariableType type, std::string_view text) {
  NameList list;
  list.excludes = text.starts_with('^');
  if (list.excludes) text.remove_prefix(1);
  const bool of_nccl = type == VariableType::kRdmaDevices || type == VariableType::kInterfaces;
  list.by_beginning = of_nccl && !text.starts_with('=');
  if (of_nccl && !list.by_beginning) text.remove_prefix(1);
  list.items = split(text, ',');
  return list;
}

/// The item without its port.
bool is_match(const NameList& list, std::string_view item, std::string_view name) {
  const auto wanted = item.substr(0, item.find(':'));
  return list.by_beginning ? name.starts_with(wanted) : name == wanted;
}

bool is_selected(const NameList& list, std::string_view name) {
  const bool is_named = std::ranges::any_of(
      list.items, [&](std::string_view item) { return is_match(list, item, name); });
  return is_named != list.excludes;
}

/// The first item that is none of these; empty: each is one, or names what is not wanted.
std::string_view stranger_in(const NameList& list, const std::vector<std::string>& names) {
  const auto found = std::ranges::find_if(list.items, [&](std::string_view item) {
    return std::ranges::none_of(
        names, [&](const std::string& name) { return is_match(list, item, name); });
  });
  return list.excludes || found == list.items.end() ? std::string_view() : *found;
}

struct Doubt {
  std::string message;
  std::string reason;
};

std::string advice_on_devices(const JobVariable& variable, const NodeOfJobs& node) {
  constexpr std::string_view kAdvice =
      "delete the variable, since the environment has the devices of each node";
  if (node.devices.empty()) return std::string(kAdvice);
  const bool of_ucx = variable.type == VariableType::kUcxDevices;
  return fmt::format("{}; for '{}' {}{}{}", kAdvice, node.name, of_ucx ? "" : "=",
                     fmt::join(node.devices, of_ucx ? ":1," : ","), of_ucx ? ":1" : "");
}

/// What UCX takes for an interface, and so for TCP; empty: nothing.
std::string_view interface_in(const NameList& list) {
  const auto found = std::ranges::find_if_not(
      list.items, [](std::string_view item) { return item.contains(':'); });
  return list.excludes || found == list.items.end() ? std::string_view() : *found;
}

std::optional<Doubt> doubt_about_devices(const JobVariable& variable, std::string_view value,
                                         const NodeOfJobs& node) {
  const auto list = names_in(variable.type, value);
  auto advice = advice_on_devices(variable, node);
  if (variable.type == VariableType::kUcxDevices) {
    if (std::ranges::find(list.items, "all") != list.items.end()) return std::nullopt;
    if (const auto interface = interface_in(list); !interface.empty()) {
      return Doubt{
          fmt::format("'{}' selects TCP: {} is an interface", variable.name, in_quotes(interface)),
          std::move(advice)};
    }
  }
  if (node.devices.empty()) return std::nullopt;
  if (const auto stranger = stranger_in(list, node.devices); !stranger.empty()) {
    return Doubt{fmt::format("'{}' names {}, which is no rail of '{}'", variable.name,
                             in_quotes(stranger), node.name),
                 std::move(advice)};
  }
  const auto left_out = std::ranges::find_if_not(
      node.devices, [&](const std::string& device) { return is_selected(list, device); });
  if (left_out == node.devices.end()) return std::nullopt;
  return Doubt{fmt::format("'{}' leaves out {}, a rail of '{}'", variable.name,
                           in_quotes(*left_out), node.name),
               "jobs leave that rail idle: " + advice};
}

std::optional<Doubt> doubt_about_interfaces(const JobVariable& variable, std::string_view value,
                                            const NodeOfJobs& node) {
  auto list = names_in(variable.type, value);
  std::erase_if(list.items, [](std::string_view item) { return item.contains('/'); });
  const auto stranger = stranger_in(list, node.links);
  if (stranger.empty()) return std::nullopt;
  return Doubt{
      fmt::format("'{}' names {}, which is no link of '{}' in this file", variable.name,
                  in_quotes(stranger), node.name),
      fmt::format("without the line the environment has rail 0 of the cable or switch that "
                  "joins all nodes, else the 'management' link; of '{}' the file has {}",
                  node.name, listed(node.links))};
}

bool names_devices(const JobVariable& variable) {
  return variable.type == VariableType::kRdmaDevices || variable.type == VariableType::kUcxDevices;
}

/// Open MPI's lists of what it does not use name links that are nobody's here.
bool names_interfaces(const JobVariable& variable) {
  return variable.type == VariableType::kInterfaces ||
         variable.type == VariableType::kInterfaceNames ||
         (variable.type == VariableType::kInterfacesOrNetworks &&
          !variable.name.ends_with("_exclude"));
}

using NamingVariables = std::map<const JobVariable*, const At<std::string>*>;

/// The variables of a node that name devices or interfaces: its own, and those of all.
NamingVariables naming_variables(const Cluster& cluster, const NodeSpec& node) {
  NamingVariables variables;
  for (const auto* environment : {&node.environment, &cluster.environment}) {
    if (!*environment) continue;
    for (const auto& [name, value] : (*environment)->variables) {
      const auto* known = find_job_variable(name);
      if (known != nullptr && (names_devices(*known) || names_interfaces(*known))) {
        variables.try_emplace(known, &value);
      }
    }
  }
  return variables;
}

}  // namespace

void warn_about_variables(const Checked& checked, Findings& findings) {
  std::set<Where> seen;  // a line for all nodes is named once
  for (const auto& [name, spec] : checked.cluster.nodes) {
    const auto variables = naming_variables(checked.cluster, spec);
    if (variables.empty()) continue;
    const auto node = node_of_jobs(checked, name, spec);
    if (node.rails.empty()) continue;
    for (const auto& [variable, value] : variables) {
      auto doubt = names_devices(*variable) ? doubt_about_devices(*variable, value->value, node)
                                            : doubt_about_interfaces(*variable, value->value, node);
      if (!doubt || !seen.insert(value->where).second) continue;
      findings.add(SpecId::kVariableOffRails, value->where, std::move(doubt->message),
                   std::move(doubt->reason));
    }
  }
}

}  // namespace spark::config
