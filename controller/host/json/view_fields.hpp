#pragma once
// The names under which the parts of a View stand in its JSON, listed once for both directions. A
// table is a list or an object; what could not be read is an object with the one key "error" in its
// place, and what nobody asked for is absent.

#include <array>
#include <string_view>

#include "base/fields.hpp"
#include "host/view.hpp"

namespace spark::host {

/// What the verb `facts` puts beside the tables: what every verb puts there, which version 0.1.0
/// did not yet, and with --share the cluster file and the answers of the checklist.
inline constexpr std::string_view kFactsSchema = "spark-reconcile/facts/v1";
inline constexpr std::array<std::string_view, 8> kFactsEnvelope = {
    "schema",       "version",   "node",         "digest",
    "generated_at", "exit_code", "cluster_file", "checklist"};

// `each_field(value, visit)` calls `visit(name, member)` for all members.

template <EitherConst<LinkInfo> T, class Visit>
void each_field(T& link, Visit visit) {
  visit("index", link.index);
  visit("name", link.name);
  visit("altnames", link.altnames);
  visit("up", link.up);
  visit("carrier", link.carrier);
  visit("loopback", link.loopback);
  visit("mtu", link.mtu);
  visit("min_mtu", link.min_mtu);
  visit("max_mtu", link.max_mtu);
  visit("mac", link.mac);
  visit("kind", link.kind);
  visit("lower", link.lower);
  visit("master", link.master);
  visit("ipv6_addr_gen_mode", link.ipv6_addr_gen_mode);
  visit("phys_switch_id", link.phys_switch_id);
  visit("phys_port_name", link.phys_port_name);
  visit("parent_bus", link.parent_bus);
  visit("parent_device", link.parent_device);
}

template <EitherConst<AddressInfo> T, class Visit>
void each_field(T& address, Visit visit) {
  visit("link_index", address.link_index);
  visit("address", address.address);
  visit("flags", address.flags);
  visit("scope", address.scope);
  visit("protocol", address.protocol);
  visit("peer", address.peer);
  visit("broadcast", address.broadcast);
  visit("label", address.label);
  visit("route_metric", address.route_metric);
  visit("valid_seconds", address.valid_seconds);
  visit("preferred_seconds", address.preferred_seconds);
}

template <EitherConst<RouteInfo> T, class Visit>
void each_field(T& route, Visit visit) {
  visit("destination", route.destination);
  visit("table", route.table);
  visit("type", route.type);
  visit("protocol", route.protocol);
  visit("link_index", route.link_index);
  visit("gateway", route.gateway);
  visit("source", route.source);
  visit("metric", route.metric);
  visit("mtu", may_lack(route.mtu));
}

template <EitherConst<RuleInfo> T, class Visit>
void each_field(T& rule, Visit visit) {
  visit("family", rule.family);
  visit("priority", rule.priority);
  visit("table", rule.table);
  visit("from", unless_empty(rule.from));
  visit("to", unless_empty(rule.to));
  visit("in_link", unless_empty(rule.in_link));
  visit("out_link", unless_empty(rule.out_link));
}

template <EitherConst<SysctlValue> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("text", value.text);
  visit("writable", value.writable);
}

template <EitherConst<Identity> T, class Visit>
void each_field(T& identity, Visit visit) {
  visit("hostname", identity.hostname);
  visit("machine_id", identity.machine_id);
  visit("kernel", identity.kernel);
}

template <EitherConst<RdmaPort> T, class Visit>
void each_field(T& port, Visit visit) {
  visit("device", port.device);
  visit("port", port.port);
  visit("state", port.state);
  visit("physical_state", port.physical_state);
  visit("link_index", port.link_index);
}

template <EitherConst<RdmaGid> T, class Visit>
void each_field(T& gid, Visit visit) {
  visit("index", gid.index);
  visit("ip", gid.ip);
  visit("type", gid.type);
  visit("link", gid.link);
}

template <EitherConst<NvmeController> T, class Visit>
void each_field(T& controller, Visit visit) {
  visit("name", controller.name);
  visit("nqn", controller.nqn);
  visit("transport", controller.transport);
  visit("state", controller.state);
  visit("address", controller.address);
  visit("port", controller.port);
  visit("via", controller.via);
  visit("source", controller.source);
  visit("host_nqn", controller.host_nqn);
  visit("forever", controller.forever);
}

template <EitherConst<NvmeNamespace> T, class Visit>
void each_field(T& space, Visit visit) {
  visit("name", space.name);
  visit("nqn", space.nqn);
  visit("nsid", space.nsid);
  visit("wwid", space.wwid);
  visit("uuid", space.uuid);
  visit("device", space.device);
  visit("holders", space.holders);
  visit("ext4_errors", space.ext4_errors);
}

template <EitherConst<NvmeAttempt> T, class Visit>
void each_field(T& attempt, Visit visit) {
  visit("outcome", attempt.outcome);
  visit("reason", attempt.reason);
  visit("what", attempt.what);
  visit("seconds_ago", attempt.seconds_ago);
}

template <EitherConst<NvmeWorld> T, class Visit>
void each_field(T& world, Visit visit) {
  visit("program", world.program);
  visit("controllers", world.controllers);
  visit("namespaces", world.namespaces);
  visit("attempts", world.attempts);
}

template <EitherConst<MountInfo> T, class Visit>
void each_field(T& mount, Visit visit) {
  visit("id", mount.id);
  visit("path", mount.path);
  visit("device", mount.device);
  visit("source", mount.source);
  visit("type", mount.type);
  visit("shared", mount.shared);
  visit("master", mount.master);
  visit("gone", mount.gone);
  visit("writable", mount.writable);
  visit("options", mount.options);
}

template <EitherConst<Mountpoint> T, class Visit>
void each_field(T& point, Visit visit) {
  visit("exists", point.exists);
  visit("is_directory", point.is_directory);
  visit("empty", point.empty);
  visit("immutable", point.immutable);
}

template <EitherConst<ModuleInfo> T, class Visit>
void each_field(T& module, Visit visit) {
  visit("loaded", module.loaded);
  visit("built_in", module.built_in);
  visit("available", module.available);
}

template <EitherConst<ProcessGroup> T, class Visit>
void each_field(T& group, Visit visit) {
  visit("path", group.path);
  visit("memlock_soft", group.memlock_soft);
  visit("memlock_hard", group.memlock_hard);
}

template <EitherConst<UnitSetting> T, class Visit>
void each_field(T& setting, Visit visit) {
  visit("value", setting.value);
  visit("file", setting.file);
  visit("line", setting.line);
}

template <class Self, class Visit>
void View::each_table(Self& view, Visit visit) {
  visit("links", view.links_);
  visit("addresses", view.addresses_);
  visit("routes", view.routes_);
  visit("rules", view.rules_);
  visit("route_to", view.route_to_);
  visit("sysctl", view.sysctl_);
  visit("files", view.file_);
  visit("excerpts", view.excerpt_);
  visit("replaceable", view.replaceable_);
  visit("directories", view.directory_);
  visit("identity", view.identity_);
  visit("ssh_addresses", view.ssh_addresses_);
  visit("hardware", view.hardware_);
  visit("rdma_ports", view.rdma_ports_);
  visit("rdma_gids", view.rdma_gids_);
  visit("rdma_cm_mode", view.rdma_cm_mode_);
  visit("nvme", view.nvme_);
  visit("mounts", view.mounts_);
  visit("mountpoints", view.mountpoints_);
  visit("superblocks", view.superblocks_);
  visit("volume_users", view.volume_users_);
  visit("nvme_offers", view.nvme_offers_);
  visit("modules", view.modules_);
  visit("process_groups", view.process_groups_);
  visit("unit_settings", view.unit_settings_);
}

}  // namespace spark::host
