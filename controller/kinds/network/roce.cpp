#include "kinds/network/roce.hpp"

#include <chrono>

#include <fmt/format.h>

#include "kinds/network/port_of.hpp"

namespace spark::kinds {
namespace {

/// The kernel makes a GID milliseconds after its address; one that takes this long does not come.
constexpr std::chrono::seconds kGidTime{3};

Result<Stated<Roce>> observe_gid(host::View& view, const host::LinkInfo& link,
                                 const host::RdmaPort& port, const IpAddress& ip) {
  const auto gid = view.rdma_gid(port, ip, link.name);
  if (!gid) return std::unexpected(gid.error());
  Stated<Roce> value{{}, {.device = port.device, .port = port.port}};
  if (*gid) {
    value.version = host::kRoceV2;
  } else {
    value.details.stands = view.address(link, ip) != nullptr;
  }
  return value;
}

Result<> add_again(host::Host& host, const Roce::Key& key) {
  host::View now(host);
  const auto* link = now.link(key.link);
  const auto* found = link == nullptr ? nullptr : now.address(*link, key.ip);
  if (found == nullptr) {
    return fail(ErrorCode::kNotFound,
                fmt::format("'{}' is not on '{}' any more", key.ip.text(), key.link));
  }
  const auto address = *found;
  if (auto removed = host.netlink.remove_address(key.link, address.address); !removed) {
    return removed;
  }
  return host.netlink.add_address(key.link, address);
}

Result<> bring_gid(host::Host& host, const Roce::Key& key, const Roce::Details& place) {
  const auto await_gid = [&] {
    return host.rdma.await_gid(place.device, place.port, key.ip, key.link, kGidTime);
  };
  auto came = await_gid();
  if (came && !*came) {
    if (auto added = add_again(host, key); !added) return added;
    came = await_gid();
  }
  if (!came) return std::unexpected(came.error());
  if (!*came) {
    return fail(
        ErrorCode::kTimeout,
        fmt::format("'{}' has no RoCE v2 GID on '{}', though '{}' has the address, which was "
                    "added again for it",
                    key.ip.text(), place.device, key.link));
  }
  return {};
}

}  // namespace

Desired<Roce> Roce::desired(const config::Node& node) {
  Desired<Roce> desired;
  for (const auto& [name, link] : node.links) {
    if (!link.rdma || link.owner_host) continue;
    for (const auto& address : link.addresses) {
      desired.want({name, address.value.ip}, {{.version = host::kRoceV2}}, {address.where});
    }
  }
  return desired;
}

Result<Observed<Roce>> Roce::observe(host::View& view, const Desired<Roce>& wanted,
                                     const Context& /*context*/) {
  Observed<Roce> observed;
  if (wanted.state.empty()) return observed;
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& ports = view.rdma_ports();
  if (!ports) return std::unexpected(ports.error());
  for (const auto& [key, want] : wanted.state) {
    auto [link, port, why_not] = rdma_of_link(view, key.link);
    if (why_not) {
      observed.skipped.emplace(key, std::move(*why_not));
      continue;
    }
    auto value = observe_gid(view, *link, *port, key.ip);
    if (!value) {
      observed.skipped.emplace(key, waits_or_unreadable(value.error()));
      continue;
    }
    observed.settling |= value->details.stands && link->carrier;
    observed.state.emplace(key, std::move(*value));
  }
  return observed;
}

std::vector<Change<Roce>> Roce::diff(const State<Roce>& desired, const State<Roce>& actual) {
  return difference<Roce>(desired, actual);
}

Result<> Roce::apply(const Change<Roce>& change, host::Host& host) {
  // A rollback has nothing to do: the GID goes with its address.
  if (change.after->version.empty()) return {};
  const bool before_has_it = change.before && !change.before->details.device.empty();
  return bring_gid(host, change.key,
                   before_has_it ? change.before->details : change.after->details);
}

Effect Roce::effect(const Change<Roce>& change) {
  if (!change.before->details.stands) return {.link = change.key.link};
  return {.disturbs = Effect::Disturbs::kAddress, .link = change.key.link, .ips = {change.key.ip}};
}

std::string Roce::label(const Stated<Roce>& value) {
  if (value.version.empty()) {
    return value.details.stands ? "none, though the address is there" : "none yet";
  }
  return value.version;
}

}  // namespace spark::kinds
