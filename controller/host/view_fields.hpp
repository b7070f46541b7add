#pragma once
// The names under which the parts of a View stand in its JSON, listed once for both directions. A
// table is a list or an object; what could not be read is an object with the one key "error" in its
// place, and what nobody asked for is absent.

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "host/view.hpp"

namespace spark {

/// T is `Value`, or const when it is written.
template <class T, class Value>
concept EitherConst = std::same_as<std::remove_const_t<T>, Value>;

/// What the verb `facts` puts beside the tables, as every verb does. Version 0.1.0 did not yet.
inline constexpr std::string_view kFactsSchema = "spark-reconcile/facts/v1";
inline constexpr std::array<std::string_view, 6> kFactsEnvelope = {
    "schema", "version", "node", "digest", "generated_at", "exit_code"};

/// In the order of ErrorCode.
inline constexpr std::array<std::string_view, 7> kErrorCodes = {
    "system", "invalid", "not_found", "permission", "busy", "timeout", "unsupported"};

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
}

template <EitherConst<RuleInfo> T, class Visit>
void each_field(T& rule, Visit visit) {
  visit("family", rule.family);
  visit("priority", rule.priority);
  visit("table", rule.table);
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

template <EitherConst<Error> T, class Visit>
void each_field(T& error, Visit visit) {
  visit("code", error.code);
  visit("what", error.what);
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
  visit("rdma_ports", view.rdma_ports_);
  visit("rdma_gids", view.rdma_gids_);
  visit("rdma_cm_mode", view.rdma_cm_mode_);
  visit("modules", view.modules_);
  visit("process_groups", view.process_groups_);
  visit("unit_settings", view.unit_settings_);
}

}  // namespace spark
