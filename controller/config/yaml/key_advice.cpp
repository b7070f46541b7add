#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "config/yaml/advice.hpp"
#include "config/yaml/job_variables.hpp"
#include "config/yaml/read_forms.hpp"

namespace spark::config {
namespace {

struct Advice {
  std::string_view keys;    ///< in lower case with '_', a blank between two
  std::string_view beside;  ///< a key of the only maps in which they mean this; empty: any map
  std::string_view text;    ///< KEY and VALUE stand for those of the file
  std::string_view means;   ///< keys that are not missing then, a blank between two
  bool is_name = false;     ///< they are other words for `means`
};

// A key of each map of the language that no other map has.
constexpr std::string_view kAnywhere;
constexpr std::string_view kAtTop = "cluster";
constexpr std::string_view kAtNode = "management";
constexpr std::string_view kAtLink = "owner";
constexpr std::string_view kAtCable = "ends";
constexpr std::string_view kAtSwitch = "ports";
constexpr std::string_view kAtRoce = "rdma_cm_mode";
constexpr std::string_view kAtTarget = "nqn";
constexpr std::string_view kAtMount = "namespace";
constexpr std::string_view kInAgentFile = "token_file";

constexpr std::string_view kRouteKeys = "gateway routes route nexthop routing_policy";
constexpr std::string_view kSshKeys = "ssh ssh_key ssh_keys user users username";

constexpr std::string_view kNoRouteOfCable =
    "all ends are in one subnet, and rails have no gateway: delete this key\n"
    "a network behind another node stands under the 'links' of a node, by the rail's name: "
    "routes: [{ to: 192.0.2.0/24, via: 198.51.100.12 }]";
constexpr std::string_view kNoSsh =
    "nodes need no ssh between them: each takes its part of the same file";
constexpr std::string_view kAddressesOfNode =
    "a node's addresses come from its number and the subnets of its cables, and its address on the "
    "LAN stays with its manager";

// The reasons are those of docs/dev/facts.md. The first that fits counts.
constexpr std::array kAdvice{
    Advice{"network ethernets renderer", kAnywhere,
           "that is a key of netplan: rails stand under 'fabric', links by their names under the "
           "'links' of a node"},
    Advice{"dhcp dhcp4 dhcp6 gateway4 gateway6 nameservers dns", kAnywhere,
           "DHCP, gateway and DNS of a LAN link stay with NetworkManager or netplan: name the link "
           "with 'owner: host' to have it compared"},
    Advice{kRouteKeys, kAtCable, kNoRouteOfCable},
    Advice{kRouteKeys, kAtSwitch, kNoRouteOfCable},
    Advice{kRouteKeys, kAnywhere,
           "routes stand under a link's name: links: { enp1s0f0np0: { routes: "
           "[{ to: 192.0.2.0/24, via: 198.51.100.12 }] } }\n"
           "a default route and those of a LAN link stay with NetworkManager or netplan"},
    Advice{"ip_forward forwarding forward", kAnywhere,
           "write net.ipv4.ip_forward: 1 under 'sysctl', and 'routes' under the links of the nodes "
           "that "
           "reach each other through this one"},
    Advice{"bond bonds bonding lacp lag team", kAnywhere,
           "two rails are two links to NCCL and to RDMA, bonded they are slower or fail: give each "
           "its subnet"},
    Advice{
        "bridge bridges macvlan macvlans", kAnywhere,
        "RDMA takes the GID of the rail's own device: give the address to the rail, and leave it "
        "out of bridges (SR-ADDR-004)"},
    Advice{"vlan vlans vlan_id tagged", kAnywhere,
           "no VLAN is made here: have the switch take the ports of the rails into it untagged\n"
           "one that somebody made on a rail is left unchanged, and `plan` names it"},
    Advice{"types type version mode roce_version", kAtRoce,
           "the table of GIDs always has RoCE v1 and v2, and its file 'types' cannot be written\n"
           "'rdma_cm_mode: v2' is for programs with rdma_cm; NCCL finds the GID of v2 by its "
           "content, with 'environment: {}'"},
    Advice{"gid gid_index", kAnywhere,
           "the GID of an address is found by its content: its index moves"},
    Advice{"ecn dcqcn", kAnywhere,
           "RoCE controls congestion in the card, which no key sets up\n"
           "net.ipv4.tcp_ecn, under 'sysctl', is for TCP alone"},
    Advice{"pfc trust dscp qos tos traffic_class priority_flow_control", kAnywhere,
           "no key sets trust, marks or flow control of the card: a cable needs none of them, and "
           "where a switch does, mlnx_qos sets them on each node\n"
           "the marks of NCCL's packets are NCCL_IB_TC, under 'environment: variables'"},
    Advice{"txqueuelen tx_queue_len queue_length rings ring_buffer ring_buffers", kAnywhere,
           "RDMA passes by the queues of the network device, and no gain is known: leave them"},
    Advice{"autoneg autonegotiation duplex fec lanes", kAnywhere,
           "no key sets how a port comes up: where a switch gives 100G, set its port to 200G by "
           "hand\n'speed' is what the gate compares"},
    Advice{"accept_ra arp_ignore arp_announce", kAtLink,
           "rails in use have arp_ignore 1, arp_announce 2 and accept_ra 0 without a line"},
    Advice{
        "mac macaddress mac_address set_name", kAtLink,
        "neither name nor MAC address of a link is set: a cage is found by what the kernel knows "
        "of the card"},
    Advice{"ipv6", kAtLink, "'link_local: none' keeps the kernel's IPv6 addresses off the link"},
    Advice{"ip ips ip_address", kAtLink, "write addresses: [192.168.177.11/24]"},
    Advice{"lan lan_ip", kAtNode, "its address on the LAN stays with its manager: delete this key"},
    Advice{"hostname machine_id", kAtNode, "write match: { KEY: VALUE }"},
    Advice{"mtu speed", kAtNode,
           "it is the same at both ends of a cable: write it under 'fabric', or in one cable"},
    Advice{"ip ips ip_address address addresses", kAtCable,
           "a cable has subnets, and the number of each node makes its address in them:\n"
           "subnets: [192.168.177.0/24, 192.168.178.0/24]",
           "subnets", true},
    Advice{"ends", kAtSwitch, "a cable has ends, and a switch ports: cables stand under 'cables'",
           "name ports"},
    Advice{"ports", kAtCable,
           "a switch has ports, and a cable ends: switches stand under "
           "'switches'",
           "ends"},
    Advice{"name cluster_name", kAtTop, "write cluster: VALUE", "cluster", true},
    Advice{"interface interfaces device devices netdev netdevs", kAtNode,
           "links stand by their names under 'links', other names of rails under 'cages'"},
    Advice{kSshKeys, kAtNode, kNoSsh},
    Advice{kSshKeys, kAtTop, kNoSsh},
    Advice{"hca hcas rdma_device rdma_devices", kAnywhere,
           "'environment: {}' gives jobs the RDMA devices that each node has"},
    Advice{"env nccl ucx variables", kAnywhere,
           "variables of jobs stand at the top level, as environment: { variables: { NCCL_DEBUG: "
           "INFO } }"},
    Advice{"gpudirect gpu_direct gdr dmabuf dma_buf peermem nvidia_peermem", kAnywhere,
           "GB10 has no GPUDirect RDMA: NCCL works without, and 'environment: {}' switches it off"},
    Advice{"firewall ufw iptables nftables open_ports", kAnywhere,
           "no rule of a firewall is made or removed: docs/reference/ports.md lists the ports, and "
           "`spark-reconcile doctor` names what is dropped"},
    Advice{
        "docker container containers", kAnywhere,
        "no engine is set up: `spark-reconcile export docker-args` prints what a container needs"},
    Advice{"limits ulimit ulimits", kAnywhere,
           "the limit that RDMA needs is 'memlock', for logins, services and containers"},
    Advice{"nofile open_files", kAnywhere,
           "open files are left to DGX OS; `spark-reconcile export docker-args` has a limit for "
           "containers"},
    Advice{"governor cpu_governor cpu_affinity", kAnywhere,
           "the CPU is left to DGX OS and to the jobs"},
    Advice{"swappiness", kAnywhere, "write vm.swappiness under 'sysctl'"},
    Advice{"numa_balancing", kAnywhere, "write kernel.numa_balancing under 'sysctl'"},
    Advice{
        "cmdline kernel_cmdline grub iommu kho", kAnywhere,
        "the kernel's command line is not set here: `spark-reconcile doctor` names what is wrong "
        "with it"},
    Advice{"driver drivers ofed mlnx_ofed doca firmware mlxconfig link_type", kAnywhere,
           "no driver is installed and no card is flashed: the kernel's own drivers are right, and "
           "the ports are Ethernet from the factory"},
    Advice{
        "nfs smb cifs iscsi nvme_rdma nvme_roce ceph lustre sshfs", kAnywhere,
        "only NVMe over TCP is connected and mounted here: other shares stay in /etc/fstab, with "
        "_netdev and nofail, so that no boot waits for them",
        "nvme_tcp"},
    Advice{"hostnqn host_nqn", kAtTarget,
           "each machine has its own in /etc/nvme/hostnqn: the target lets it in by that"},
    Advice{
        "device uuid label fstab", kAtMount,
        "names as /dev/nvme1n1 change: write namespace: with its number or UUID, or leave it out "
        "where the target has one"},
    Advice{"rw ro nodes node", kAtMount,
           "write read_write: with the one node that writes, or read_only: with a list of nodes"},
    Advice{"format mkfs", kAnywhere, "nothing is formatted here: do that once, by hand"},
    Advice{"cables switches mtu speed", kAtTop, "it stands under 'fabric'"},
    Advice{"sysctl memlock modules roce hosts", kAtTop,
           "it stands under 'host', or under a node for that node alone"},
    Advice{"peers loopback key_file", kAtTop, "it stands under 'ready'"},
    Advice{"canary order", kAtTop, "it stands under 'rollout'"},
    Advice{"alerts alertmanager webhook hooks listen token_file source git disturb metrics", kAtTop,
           "that is of a machine, and not of the cluster: it stands in "
           "/etc/spark-reconcile/agent.yaml"},
    Advice{"cluster nodes fabric host storage ready drift environment rollout", kInAgentFile,
           "that is of the cluster, and not of a machine: it stands in "
           "/etc/spark-reconcile/cluster.yaml"},
};

/// "Accept-RA" is "accept_ra".
std::string normalised(std::string_view key) {
  auto text = ascii_lower(key);
  std::ranges::replace(text, '-', '_');
  return text;
}

bool is_sysctl(std::string_view key) {
  constexpr std::array<std::string_view, 5> kHeads{"net.", "net/", "vm.", "kernel.", "fs."};
  return std::ranges::any_of(kHeads, [&](auto head) { return key.starts_with(head); });
}

void replace(std::string& text, std::string_view word, std::string_view by) {
  if (const auto at = text.find(word); at != std::string::npos) text.replace(at, word.size(), by);
}

/// "host: 11", "ip: 192.168.177.11" of a node.
KeyAdvice advice_on_number(const Value& entry, const Value& node) {
  constexpr std::size_t kMostDigits = 19;
  if (child_of(node, "number") != nullptr) {
    return {.text = fmt::format("{}: delete this key", kAddressesOfNode)};
  }
  const auto& text = entry.children.empty() ? entry.text : entry.children.front().text;
  const bool is_number =
      text.size() <= kMostDigits && !text.empty() && std::ranges::all_of(text, is_ascii_digit);
  return {.text = advice_on_address_of_node(text).value_or(fmt::format(
              "a node's number in its subnets is called so: number: {}", is_number ? text : "11")),
          .means = "number",
          .is_name = true};
}

/// A variable of jobs outside of its map, with the line to write and the place for it.
std::string advice_on_variable_here(const Value& entry, const Value& map) {
  const auto* known = find_job_variable(entry.key);
  const bool fits = known == nullptr || takes(*known, entry.text);
  const auto variables =
      fmt::format("variables: {{ {}: {} }}", entry.key,
                  entry.kind == Value::Kind::kText && fits ? printable(entry.text)
                  : known != nullptr                       ? example_of(*known)
                                                           : "VALUE");
  const bool is_inside = map.key == "environment";
  const auto* there = is_inside ? &map : child_of(map, "environment");
  if (is_inside || (there != nullptr && !there->children.empty())) {
    return fmt::format("under 'environment', line {}, it stands one level deeper: {}",
                       there->key_where.line, variables);
  }
  const auto whole = fmt::format("environment: {{ {} }}", variables);
  if (there == nullptr) return fmt::format("write at the top level {}", whole);
  return fmt::format("in place of this line and of line {} write {}", there->key_where.line, whole);
}

}  // namespace

KeyAdvice advice_on_key(const Value& entry, const Value& map,
                        std::span<const std::string_view> keys_here) {
  const auto is_here = [&](std::string_view key) {
    return std::ranges::find(keys_here, key) != keys_here.end();
  };
  if (is_sysctl(entry.key)) return {.text = "it is a sysctl: write it under 'sysctl'"};
  if (kJobVariable.matches(entry.key)) return {.text = advice_on_variable_here(entry, map)};
  const auto word = normalised(entry.key);
  if (is_here(kAtNode) && has_key("host ip ips ip_address address addresses", word)) {
    return advice_on_number(entry, map);
  }
  const auto found = std::ranges::find_if(kAdvice, [&](const Advice& advice) {
    return (advice.beside.empty() || is_here(advice.beside)) && has_key(advice.keys, word);
  });
  if (found == kAdvice.end()) return {};
  std::string text(found->text);
  replace(text, "KEY", word);
  replace(text, "VALUE", entry.text.empty() ? "NAME" : printable(entry.text));
  return {.text = std::move(text), .means = found->means, .is_name = found->is_name};
}

std::optional<std::string> advice_on_address_of_node(std::string_view text) {
  const auto ip = IpAddress::parse(text.substr(0, text.find('/')));
  if (!ip || !ip->is_v4()) return std::nullopt;
  return fmt::format("{}; write number: {}", kAddressesOfNode, ip->bytes().back());
}

bool has_key(std::string_view words, std::string_view word) { return has_item(words, ' ', word); }

std::string_view advice_on_count(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kCounts{{
      {"ends",
       "a cable has two ends: ends: [spark1:0, spark2:0]; more cages meet on a switch, under "
       "'switches'"},
      {"ports", "a switch joins two cages or more: ports: [spark1:0, spark2:0]"},
      {"subnets",
       "a cage has two rails: one subnet for each: subnets: [192.168.177.0/24, 192.168.178.0/24]"},
  }};
  const auto* const found =
      std::ranges::find(kCounts, key, [](const auto& count) { return count.first; });
  return found == kCounts.end() ? std::string_view{} : found->second;
}

}  // namespace spark::config
