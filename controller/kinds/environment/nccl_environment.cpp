#include "kinds/environment/nccl_environment.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark::kinds {
namespace {

constexpr std::string_view kOwner = "# Written by spark-reconcile from cluster.yaml";
constexpr std::string_view kRestOfHeader =
    "; edits here are drift and are overwritten.\n"
    "# docs/reference/environment.md says how to use it, and more about each line.\n";

/// What NCCL_IB_SUBNET_PREFIX_LEN is where nobody sets it (src/transport/net_ib/connect.cc).
constexpr std::uint8_t kNcclSubnetPrefixLen = 24;

using Rails = std::vector<const config::WantedLink*>;

/// The variables so far. What the file says of a name stands in the place of what we say.
class Variables {
 public:
  explicit Variables(const std::map<std::string, config::At<std::string>>& from_file)
      : from_file_(from_file) {}

  void add(std::string name, std::string value, std::string reason) {
    if (const auto own = from_file_.find(name); own != from_file_.end()) {
      reason = fmt::format("as cluster.yaml says, in place of {}", value);
      value = own->second.value;
    }
    list_.push_back({std::move(name), std::move(value), std::move(reason)});
  }

  std::vector<Variable> finish() && {
    std::vector<Variable> others;
    for (const auto& [name, text] : from_file_) {
      if (std::ranges::find(list_, name, &Variable::name) == list_.end()) {
        others.push_back({name, text.value, "as cluster.yaml says"});
      }
    }
    std::ranges::move(others, std::back_inserter(list_));
    return std::move(list_);
  }

 private:
  const std::map<std::string, config::At<std::string>>& from_file_;
  std::vector<Variable> list_;
};

/// The address by which the rail is known, of this family; null: it has none.
const IpPrefix* address_of(const config::WantedLink& rail, IpFamily family) {
  const auto found = std::ranges::find_if(
      rail.addresses, [&](const auto& address) { return address.value.ip.family() == family; });
  return found == rail.addresses.end() ? nullptr : &found->value;
}

void add_devices(const Rails& rails, Variables& variables) {
  std::vector<std::string> devices;
  std::ranges::transform(rails, std::back_inserter(devices),
                         [](const auto* rail) { return rail->rdma_port->device; });
  variables.add("NCCL_IB_HCA", fmt::format("={}", fmt::join(devices, ",")),
                rails.size() == 1
                    ? "the one rail that has an address; '=': this name, and none that begins so"
                    : "every rail, both of each cage; '=': these names, and none that begin so");
  variables.add("NCCL_NET", "IB", "RDMA or an error: without it a job silently continues over TCP");
}

void add_gid(const config::Node& node, const Rails& rails, Variables& variables) {
  const auto family = *common_family(rails);
  const bool v4 = family == IpFamily::kV4;
  variables.add("NCCL_IB_ADDR_FAMILY", v4 ? "AF_INET" : "AF_INET6",
                "the GID is found by what it is, on each device for itself: its index moves");
  const auto range = address_range(rails, family);
  if (range.prefix_len > 0) {
    variables.add("NCCL_IB_ADDR_RANGE", range.text(),
                  "the smallest range with every rail's address: NCCL takes one for all devices");
  }
  variables.add("NCCL_IB_ROCE_VERSION_NUM", "2", "RoCE v2, which has IP addresses");
  if (node.environment->nccl_gid_index.value == config::GidIndex::kPinned) {
    if (const auto index = agreed_gid_index(rails)) {
      variables.add("NCCL_IB_GID_INDEX", std::to_string(*index),
                    "pinned by cluster.yaml: every device has its GID there today");
    }
  }
}

/// The prefix length by which the subnets of a ring can be told apart, where NCCL has to be told;
/// empty: its own will do, or none does.
std::optional<std::uint8_t> subnet_prefix_len(const config::FabricShape& fabric, IpFamily family) {
  std::vector<IpPrefix> subnets;
  std::ranges::copy_if(fabric.subnets, std::back_inserter(subnets),
                       [&](const IpPrefix& subnet) { return subnet.ip.family() == family; });
  if (family != IpFamily::kV4 || subnets.empty()) return std::nullopt;
  const auto shortest = std::ranges::min(subnets, {}, &IpPrefix::prefix_len).prefix_len;
  std::set<IpPrefix> apart;
  for (const auto& subnet : subnets) apart.insert(IpPrefix{subnet.ip, shortest}.network());
  const bool told_apart = apart.size() == subnets.size();
  return told_apart && shortest != kNcclSubnetPrefixLen ? std::optional(shortest) : std::nullopt;
}

void add_long_ring(Variables& variables) {
  variables.add("NCCL_ALGO", "Ring",
                "some nodes have no cable in common: trees would connect them. Give the ranks in "
                "the order of the cables");
  constexpr const char* kPatched =
      "a patched NCCL reads one of these two, and connects no trees; an unchanged one reads "
      "neither, and ends with 'unhandled system error' in ncclTransportTreeConnect";
  variables.add("NCCL_SKIP_TREE_CONNECT", "1", kPatched);
  variables.add("NCCL_SWITCHLESS_RING_ONLY", "1", kPatched);
}

void add_routing(const config::Node& node, const Rails& rails, const JobVersions& versions,
                 Variables& variables) {
  if (!node.fabric.by_subnet) {
    if (rails.size() > 1) {
      variables.add("NCCL_CROSS_NIC", "0",
                    "each rail is a subnet of its own: from one to the other there is no way");
    }
    return;
  }
  variables.add("NCCL_IB_SUBNET_AWARE_ROUTING", "1",
                fmt::format("each cable leads to another node: the device is chosen by the peer's "
                            "subnet{}",
                            versions.nccl ? ""
                                          : "; NCCL 2.30.7 and newer read it, and of older ones "
                                            "the branch dgxspark-3node-ring"));
  if (const auto length = subnet_prefix_len(node.fabric, *common_family(rails))) {
    variables.add("NCCL_IB_SUBNET_PREFIX_LEN", std::to_string(*length),
                  "the length of the fabric's subnets; NCCL's own is 24");
  }
  variables.add("NCCL_IB_MERGE_NICS", "0",
                "two ports of one card lead to two nodes, and must not be taken for one");
  variables.add("NCCL_NET_PLUGIN", "none",
                "a network plugin, as containers bring one, knows nothing of subnets");
  if (node.fabric.is_long_ring) add_long_ring(variables);
}

void add_gpu_direct(Variables& variables) {
  constexpr const char* kNone = "GB10 has no GPUDirect RDMA: it is not tried";
  variables.add("NCCL_NET_GDR_LEVEL", "LOC", kNone);
  variables.add("NCCL_DMABUF_ENABLE", "0", kNone);
}

void add_mode(const config::Node& node, Variables& variables) {
  const auto& mode = node.environment->nccl_mode;
  if (mode && mode->value == config::NcclMode::kPerformance) {
    variables.add(
        "NCCL_IB_QPS_PER_CONNECTION", "4",
        "mode performance: a rail was measured at 112 Gb/s with four queue pairs, at 92 to "
        "97 with one");
  }
}

void add_sockets(const config::Node& node, Variables& variables) {
  const auto link = socket_link(node);
  if (link.empty()) return;
  const auto* const why = node.fabric.shared_link.empty()
                              ? "the management link: the one that every node can reach"
                              : "rail 0 of the cable or switch that every node is on";
  variables.add("NCCL_SOCKET_IFNAME", "=" + link, why);
  variables.add("GLOO_SOCKET_IFNAME", link, "the same: Gloo wants one interface");
  variables.add("TP_SOCKET_IFNAME", link, "the same, for PyTorch's RPC");
  variables.add("OMPI_MCA_btl_tcp_if_include", link, "the same, for Open MPI's data over TCP");
  variables.add("OMPI_MCA_oob_tcp_if_include", link, "the same, for Open MPI's own messages");
}

void add_ucx(const Rails& rails, const JobVersions& versions, Variables& variables) {
  std::vector<std::string> ports;
  std::ranges::transform(rails, std::back_inserter(ports), [](const auto* rail) {
    return fmt::format("{}:{}", rail->rdma_port->device, rail->rdma_port->port);
  });
  variables.add("UCX_NET_DEVICES", fmt::format("{}", fmt::join(ports, ",")),
                "RDMA devices with their port: the name of an interface would select TCP");
  if (rails.size() > 1 && (!versions.ucx || *versions.ucx < kUcxWithRoutes)) {
    variables.add(
        "UCX_IB_ROCE_LOCAL_SUBNET", "y",
        "each rail is a subnet of its own: without it UCX to 1.18 takes every address for "
        "reachable from every rail; later ones ask the routes");
  }
}

/// Only hosts that run no jobs of ours are at the other end.
bool leads_to_no_node(const config::Node& node, const std::string& link) {
  const auto is_there = [&](const config::Peer& peer) { return peer.link == link; };
  const auto is_node = [&](const config::Peer& peer) { return is_there(peer) && !peer.external; };
  return std::ranges::any_of(node.peers, is_there) && std::ranges::none_of(node.peers, is_node);
}

std::string with_comments(const std::vector<Variable>& variables, auto line_of_variable) {
  std::string text = fmt::format("{}{}", kOwner, kRestOfHeader);
  const std::string* reason = nullptr;
  for (const auto& variable : variables) {
    if (reason == nullptr || *reason != variable.reason) {
      text += fmt::format("\n# {}\n", variable.reason);
    }
    reason = &variable.reason;
    text += line_of_variable(variable);
  }
  return text;
}

}  // namespace

std::vector<const config::WantedLink*> nccl_rails(const config::Node& node) {
  const auto is_rail = [](const config::WantedLink& link) {
    return link.role == config::LinkRole::kRail;
  };
  const bool cabled = std::ranges::any_of(std::views::values(node.links), is_rail);
  std::vector<const config::WantedLink*> rails;
  for (const auto& link : std::views::values(node.links)) {
    // An absent device has no RDMA port yet; its name still says what it will be.
    const bool carries_rdma = link.rdma || config::rail_of_dgx_name(link.name).has_value();
    const bool is_for_jobs = !link.owner_host && !leads_to_no_node(node, link.name);
    if (carries_rdma && !link.addresses.empty() && is_for_jobs && (!cabled || is_rail(link))) {
      rails.push_back(&link);
    }
  }
  std::ranges::sort(rails, {}, [](const config::WantedLink* link) {
    const auto rail = link->rail ? link->rail : config::rail_of_dgx_name(link->name);
    return std::tuple(!rail, rail.value_or(config::Rail{}), std::string_view(link->name));
  });
  return rails;
}

std::optional<IpFamily> common_family(const std::vector<const config::WantedLink*>& rails) {
  for (const auto family : {IpFamily::kV4, IpFamily::kV6}) {
    if (std::ranges::all_of(
            rails, [&](const auto* rail) { return address_of(*rail, family) != nullptr; })) {
      return family;
    }
  }
  return std::nullopt;
}

IpPrefix address_range(const std::vector<const config::WantedLink*>& rails, IpFamily family) {
  auto range = address_of(*rails.front(), family)->network();
  for (const auto* rail : rails) {
    const auto network = address_of(*rail, family)->network();
    while (range.prefix_len > network.prefix_len || !range.contains(network.ip)) {
      range = IpPrefix{range.ip, static_cast<std::uint8_t>(range.prefix_len - 1)}.network();
    }
  }
  return range;
}

std::string socket_link(const config::Node& node) {
  if (!node.fabric.shared_link.empty()) return node.fabric.shared_link;
  return node.management ? node.management->value : std::string();
}

std::optional<std::uint32_t> agreed_gid_index(const std::vector<const config::WantedLink*>& rails) {
  const auto index = rails.front()->gid_index;
  const bool same =
      std::ranges::all_of(rails, [&](const auto* rail) { return rail->gid_index == index; });
  return same ? index : std::nullopt;
}

std::vector<Variable> nccl_variables(const config::Node& node, const JobVersions& versions) {
  const auto rails = nccl_rails(node);
  Variables variables(node.environment->variables);
  add_devices(rails, variables);
  add_gid(node, rails, variables);
  add_routing(node, rails, versions, variables);
  add_gpu_direct(variables);
  add_mode(node, variables);
  add_sockets(node, variables);
  add_ucx(rails, versions, variables);
  return std::move(variables).finish();
}

std::string environment_text(const std::vector<Variable>& variables) {
  return with_comments(variables, [](const Variable& variable) {
    return fmt::format("{}={}\n", variable.name, variable.value);
  });
}

std::string export_text(const std::vector<Variable>& variables) {
  return with_comments(variables, [](const Variable& variable) {
    return fmt::format("export {}='{}'\n", variable.name, variable.value);
  });
}

std::map<std::string, std::string> assignments_in(const std::string& text) {
  constexpr std::string_view kExport = "export ";
  std::map<std::string, std::string> assignments;
  for (const auto part : std::views::split(text, '\n')) {
    std::string_view line(part.begin(), part.end());
    if (line.starts_with(kExport)) line.remove_prefix(kExport.size());
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    auto value = line.substr(equals + 1);
    if (value.size() >= 2 && value.starts_with('\'') && value.ends_with('\'')) {
      value = value.substr(1, value.size() - 2);
    }
    assignments.insert_or_assign(std::string(line.substr(0, equals)), std::string(value));
  }
  return assignments;
}

std::string_view without_exact_sign(std::string_view list) {
  if (list.starts_with('=')) list.remove_prefix(1);
  return list;
}

bool is_written_by_us(const std::string& text) { return text.starts_with(kOwner); }

}  // namespace spark::kinds
