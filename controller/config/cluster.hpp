#pragma once
// Cluster: what one cluster.yaml says, as plain structs, free of the YAML that said it.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/ip.hpp"
#include "config/yaml/place.hpp"

namespace spark::config {

/// IPv6 link-local addresses of a link, as the kernel's addr_gen_mode has them
/// (linux/if_link.h, IN6_ADDR_GEN_MODE_*).
enum class LinkLocalMode : std::uint8_t { kEui64 = 0, kNone = 1, kStablePrivacy = 2, kRandom = 3 };
constexpr bool is_value(LinkLocalMode mode) { return mode <= LinkLocalMode::kRandom; }

/// One of `nodes.X.links.NAME.routes`, in the main table.
struct RouteSpec {
  Where where;
  At<IpPrefix> to;                          ///< no default route; host bits 0
  std::optional<At<IpAddress>> via;         ///< empty: the destination is on the link itself
  std::optional<At<std::uint32_t>> metric;  ///< empty: that of the kernel
  std::optional<At<std::uint32_t>> mtu;     ///< bytes; empty: that of the link
  std::optional<At<IpAddress>> source;  ///< of packets that name none; empty: the kernel's choice
};

/// What the kernel makes of a route without a metric; of IPv6 it is IP6_RT_PRIO_USER.
constexpr std::uint32_t default_metric(IpFamily family) {
  return family == IpFamily::kV4 ? 0 : 1024;
}
inline std::uint32_t metric_of(const RouteSpec& route) {
  return route.metric ? route.metric->value : default_metric(route.to.value.ip.family());
}

/// `nodes.X.links.NAME`. What is absent is left as it is on the host.
struct LinkSpec {
  Where where;                           ///< of the link's name
  std::optional<At<std::uint32_t>> mtu;  ///< bytes, 68..65535
  std::optional<At<bool>> up;
  std::vector<At<IpPrefix>> addresses;
  std::optional<At<LinkLocalMode>> link_local;
  std::vector<RouteSpec> routes;
  bool exclusive = false;   ///< other addresses on the link are removed
  bool owner_host = false;  ///< `owner: host`: compared, never set, and left to its manager
};

/// Which machine the node is, where its name in the file is not its host name.
struct Match {
  std::optional<At<std::string>> machine_id;  ///< 32 hexadecimal digits, /etc/machine-id
  std::optional<At<std::string>> hostname;
};

/// A limit on locked memory: bytes, or none at all.
struct Memlock {
  std::optional<std::uint64_t> bytes;  ///< empty: unlimited
  bool operator==(const Memlock&) const = default;
};

enum class RdmaCmMode : std::uint8_t { kV1, kV2 };

/// The keys that stand under `host:` for every node, and under one node to override it.
struct HostSettings {
  std::map<std::string, At<std::string>> sysctl;  ///< dotted key to text, blanks folded
  std::optional<At<Memlock>> memlock;
  std::optional<std::vector<At<std::string>>> modules;
  std::optional<At<RdmaCmMode>> rdma_cm_mode;   ///< `roce: { rdma_cm_mode: v2 }`
  std::optional<At<std::string>> hosts_suffix;  ///< `hosts: { suffix: -fabric }`
};

enum class ReadyPolicy : std::uint8_t { kOff, kReport, kRequire };

/// Of all nodes, or of one: as Environment.
struct Ready {
  std::optional<At<std::uint64_t>> loopback_minimum;  ///< bits a second
  std::optional<At<std::chrono::milliseconds>> loopback_deadline;
  At<ReadyPolicy> storage{ReadyPolicy::kReport, {}};  ///< report or require
  At<ReadyPolicy> peers{ReadyPolicy::kReport, {}};
  /// Absolute path of the key that all nodes have; empty: they have none.
  std::optional<At<std::string>> key_file;
};

enum class NcclMode : std::uint8_t { kSafe, kPerformance };

/// How NCCL finds the GID of a device: by what it is, or by one index for all devices.
enum class GidIndex : std::uint8_t { kAuto, kPinned };

/// Of all nodes, or of one: what is not set there has no place, and is that of all.
struct Environment {
  Where where;
  At<bool> profile{false, {}};  ///< also for logins, in /etc/profile.d
  std::optional<At<NcclMode>> nccl_mode;
  At<GidIndex> nccl_gid_index{GidIndex::kAuto, {}};
  /// Of `variables`, `nccl.variables` and `extra`, in place of ours or beside them.
  std::map<std::string, At<std::string>> variables;
  std::set<std::string> extra;  ///< the names of those of `extra`
};

struct NodeSpec {
  Where where;                                ///< of the node's name
  std::optional<At<std::uint64_t>> number;    ///< number in every subnet of its cages
  std::optional<At<std::string>> management;  ///< interface name
  Match match;
  std::map<std::string, LinkSpec> links;  ///< by interface name
  /// `cages: { 0: [ifA, ifB] }`: interface names, rail by rail, on hardware that names them
  /// otherwise.
  std::map<int, std::vector<At<std::string>>> cages;
  HostSettings settings;
  Ready ready;  ///< key by key, over that of all nodes
  std::optional<Environment> environment;
  bool away = false;  ///< switched off or elsewhere for a while: no roll-out waits for it
};

/// A host on the fabric that is no node of the file: it is asked for an echo, and nothing more.
struct ExternalSpec {
  Where where;                           ///< of its name
  std::vector<At<IpAddress>> addresses;  ///< each in the subnet of a cable or switch
};

/// One cage of one node at a cable or a switch: "spark1:0".
struct CageEnd {
  std::string node;
  int cage = 0;  ///< 0 or 1 on a Spark, up to 15 elsewhere
  Where where;
  /// Addresses said outright, rail by rail; empty where the file gives subnets instead.
  std::vector<At<IpPrefix>> addresses;
};

/// Cage ends that share one wire (two ends) or one switch (many), with one subnet a rail.
struct Segment {
  enum class Kind : std::uint8_t { kCable, kSwitch };
  Kind kind = Kind::kCable;
  Where where;
  std::string name;  ///< of the switch; empty for a cable
  std::vector<CageEnd> ends;
  /// The other end of a cable, where it is no node: a name under `external`.
  std::optional<At<std::string>> external;
  /// Of a cable without a node, which is refused.
  std::optional<At<std::string>> second_external;
  std::vector<At<IpPrefix>> subnets;  ///< rail by rail, host bits 0; empty: addresses said outright
  std::optional<At<std::uint32_t>> mtu;    ///< bytes; else the fabric's
  std::optional<At<std::uint64_t>> speed;  ///< bits a second; else the fabric's
};

enum class UnusedCages : std::uint8_t { kLeave, kDown };

struct Fabric {
  std::optional<At<std::uint32_t>> mtu;    ///< bytes
  std::optional<At<std::uint64_t>> speed;  ///< bits a second, observed, never set
  At<UnusedCages> unused_cages;
  std::vector<Segment> segments;  ///< cables first, then switches, in the file's order
};

/// A filesystem on a namespace of an NVMe target.
struct MountSpec {
  Where where;
  /// Namespace id, or its UUID as text. Empty: the target's only namespace.
  std::optional<At<std::variant<std::uint32_t, std::string>>> nvme_namespace;
  At<std::string> path;
  At<std::string> type;
  std::vector<At<std::string>> options;
  std::optional<At<std::string>> read_write;  ///< the one node that writes
  std::vector<At<std::string>> read_only;     ///< nodes
};

struct NvmeTarget {
  Where where;
  At<std::string> nqn;  ///< with or without the "nqn." prefix
  At<IpAddress> address;
  At<std::uint16_t> port{4420, {}};
  std::optional<At<std::string>> via;          ///< interface name
  std::optional<At<std::string>> secret_file;  ///< absolute path
  std::vector<MountSpec> mounts;
};

enum class DriftPolicy : std::uint8_t { kEnforce, kReport, kIgnore };

/// Which corrections of drift are an alert.
enum class DriftAlert : std::uint8_t {
  kFirst,     ///< each
  kRepeated,  ///< those of a resource that others change again and again
  kNever,
};

struct DriftPolicies {
  At<DriftPolicy> fallback{DriftPolicy::kEnforce, {}};  ///< `drift.default`
  std::map<std::string, At<DriftPolicy>> kinds;
  At<DriftAlert> alert{DriftAlert::kRepeated, {}};
};

/// `rollout:` - in which order the nodes take a changed file by themselves.
struct Rollout {
  Where where;
  std::optional<At<std::string>> canary;            ///< takes it first, all others then
  std::vector<std::vector<At<std::string>>> order;  ///< group by group
};

struct Cluster {
  std::string name;
  std::string digest;  ///< SHA-256 of the file's bytes, 64 hexadecimal digits
  std::map<std::string, NodeSpec> nodes;
  std::map<std::string, ExternalSpec> external;
  Fabric fabric;
  HostSettings host;
  std::vector<NvmeTarget> storage;
  Ready ready;
  DriftPolicies drift;
  std::optional<Environment> environment;
  std::optional<Rollout> rollout;
  At<bool> take_over{false, {}};
};

}  // namespace spark::config
