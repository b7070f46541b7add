#include "kinds/network/roce.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include "kinds/module/module.hpp"

namespace spark {
namespace {

/// The kernel makes a GID in a work queue after the address (roce_gid_mgmt.c), and tells nobody:
/// it is looked for this often, a hundred times a second. A look may take long itself: each entry
/// of the table is a file.
constexpr int kLooks = 200;
constexpr std::chrono::milliseconds kBetweenLooks{10};
constexpr std::chrono::seconds kDeadline{5};

Result<Roce::Value> observe_gid(View& view, const LinkInfo& link, const RdmaPort& port,
                                const IpAddress& ip) {
  const auto gid = view.rdma_gid(port, ip, link.name);
  if (!gid) return std::unexpected(gid.error());
  Roce::Value value{.device = port.device, .port = port.port};
  if (*gid) {
    value.version = kRoceV2;
  } else {
    value.stands = view.address(link, ip) != nullptr;
  }
  return value;
}

/// Without rdma_cm there is no default yet; it comes with a module that the same plan loads.
bool rdma_cm_comes(View& view, const Node& node) {
  return std::ranges::any_of(std::array{"rdma_cm", "rdma_ucm"},
                             [&](const char* name) { return is_loaded_by(node, view, name); });
}

Result<Roce::Value> observe_cm_mode(View& view, const RdmaPort& port, const Node& node) {
  const auto& mode = view.rdma_cm_mode(port);
  const bool comes =
      !mode && mode.error().code == ErrorCode::kNotFound && rdma_cm_comes(view, node);
  if (!mode && !comes) return std::unexpected(mode.error());
  const auto version = mode ? mode->value_or("") : "";
  return Roce::Value{.version = version, .device = port.device, .port = port.port};
}

/// Whether the GID comes.
Result<bool> await_gid(Host& host, const Roce::Key& key, const Roce::Value& place) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  for (int looks = 0; looks < kLooks && std::chrono::steady_clock::now() < end; ++looks) {
    const auto gid = host.rdma.find_gid(place.device, place.port, *key.ip, key.link);
    if (!gid) return std::unexpected(gid.error());
    if (*gid) {
      return true;
    }
    // Only a pause; what it may hear is heard again by whoever reads back.
    static_cast<void>(host.netlink.wait_for_event(kBetweenLooks));
  }
  return false;
}

Result<> add_anew(Host& host, const Roce::Key& key) {
  View now(host);
  const auto* link = now.link(key.link);
  const auto* found = link == nullptr ? nullptr : now.address(*link, *key.ip);
  if (found == nullptr) {
    return fail(ErrorCode::kNotFound,
                fmt::format("'{}' is not on '{}' any more", key.ip->text(), key.link));
  }
  const auto address = *found;
  if (auto removed = host.netlink.remove_address(key.link, address.address); !removed) {
    return removed;
  }
  return host.netlink.add_address(key.link, address);
}

Result<> bring_gid(Host& host, const Roce::Key& key, const Roce::Value& place) {
  auto came = await_gid(host, key, place);
  if (came && !*came) {
    if (auto added = add_anew(host, key); !added) return added;
    came = await_gid(host, key, place);
  }
  if (!came) return std::unexpected(came.error());
  if (!*came) {
    return fail(
        ErrorCode::kTimeout,
        fmt::format("'{}' has no RoCE v2 GID on '{}', though '{}' has the address, which was "
                    "added again for it",
                    key.ip->text(), place.device, key.link));
  }
  return {};
}

constexpr std::string_view kCmModeLabel = " rdma_cm_mode";

std::string as_original(const std::string& version) {
  return version.empty() ? Roce::kUnread : version;
}

/// Defaults of rdma_cm that were ours and that nothing wants any more.
void observe_former(View& view, const Desired<Roce>& wanted, const Context& context,
                    Observed<Roce>& observed) {
  for (const auto& [label, entry] : entries_of(context.ledger, Roce::kName)) {
    if (!label.ends_with(kCmModeLabel)) {
      continue;
    }
    const Roce::Key key{label.substr(0, label.size() - kCmModeLabel.size()), std::nullopt};
    if (wanted.state.contains(key)) {
      continue;
    }
    const auto* link = view.link(key.link);
    const auto* port = link == nullptr ? nullptr : view.rdma_port(*link);
    const auto* mode = port == nullptr ? nullptr : &view.rdma_cm_mode(*port);
    if (mode == nullptr || !*mode) {
      observed.remember.emplace(label, entry);  // for when its device is back
      continue;
    }
    const auto version = (*mode)->value_or("");
    if (as_original(version) != entry.original) {
      observed.state.emplace(key, Roce::Value{.version = version,
                                              .device = port->device,
                                              .port = port->port,
                                              .original = entry.original});
    }
  }
}

/// Sets the default of rdma_cm, or leaves it as it was where nobody has read it.
Result<> set_cm_mode(Host& host, const Roce::Value& place, const std::string& version) {
  if (!version.empty() && version != Roce::kUnread) {
    return host.rdma.set_cm_mode(place.device, place.port, version);
  }
  // The kernel's own (CMA_PREFERRED_ROCE_GID_TYPE in core/cma.c).
  if (auto set = host.rdma.set_cm_mode(place.device, place.port, kRoceV2); !set) return set;
  return host.rdma.release_cm_mode(place.device);
}

}  // namespace

Desired<Roce> Roce::desired(const Node& node) {
  Desired<Roce> desired;
  for (const auto& [name, link] : node.links) {
    if (!link.rdma || link.owner_host) {
      continue;
    }
    for (const auto& address : link.addresses) {
      desired.want({name, address.value.ip}, {.version = kRoceV2}, {address.where});
    }
    if (node.rdma_cm_mode) {
      const bool v2 = node.rdma_cm_mode->value == RdmaCmMode::kV2;
      desired.want({name, std::nullopt}, {.version = v2 ? kRoceV2 : kRoceV1},
                   {node.rdma_cm_mode->where});
    }
  }
  return desired;
}

Result<Observed<Roce>> Roce::observe(View& view, const Desired<Roce>& wanted,
                                     const Context& context) {
  Observed<Roce> observed;
  if (wanted.state.empty() && entries_of(context.ledger, kName).empty()) {
    return observed;
  }
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& ports = view.rdma_ports();
  if (!ports) return std::unexpected(ports.error());
  for (const auto& [key, want] : wanted.state) {
    const auto* link = view.link(key.link);
    const auto* port = link == nullptr ? nullptr : view.rdma_port(*link);
    if (port == nullptr) {
      observed.skipped.emplace(key, link == nullptr ? waiting_for_link(key.link, context.node)
                                                    : without_rdma_device(*link));
      continue;
    }
    auto value = key.ip ? observe_gid(view, *link, *port, *key.ip)
                        : observe_cm_mode(view, *port, context.node);
    if (!value) {
      const bool waits = value.error().code == ErrorCode::kNotFound;
      observed.skipped.emplace(
          key, waits ? Skipped{Skipped::Why::kWaiting, "SR-ROCE-003", value.error().what}
                     : unreadable(value.error()));
      continue;
    }
    observed.settling |= value->stands && link->carrier;
    if (!key.ip) {
      const auto* const known = remembered(context, kName, label(key));
      observed.remember.emplace(
          label(key), LedgerEntry{want.version, known == nullptr ? as_original(value->version)
                                                                 : known->original});
    }
    observed.state.emplace(key, std::move(*value));
  }
  observe_former(view, wanted, context, observed);
  return observed;
}

std::vector<Change<Roce>> Roce::diff(const State<Roce>& desired, const State<Roce>& actual) {
  return difference<Roce>(desired, actual);
}

Result<> Roce::apply(const Change<Roce>& change, Host& host) {
  const bool before_has_it = change.before && !change.before->device.empty();
  const auto& place = before_has_it ? *change.before : *change.after;
  if (change.key.ip) {
    // An undo has nothing to do: the GID goes with its address.
    return change.after->version.empty() ? Result<>{} : bring_gid(host, change.key, place);
  }
  return set_cm_mode(host, place,
                     change.after ? change.after->version : change.before->original.value_or(""));
}

Effect Roce::effect(const Change<Roce>& change) {
  if (!change.before->stands) {
    return {.link = change.key.link};
  }
  return {.disturbs = Effect::Disturbs::kAddress, .link = change.key.link, .ips = {*change.key.ip}};
}

std::string Roce::label(const Value& value) {
  if (value.version.empty()) {
    return value.stands ? "none, though the address is there" : "none yet";
  }
  return value.version;
}

}  // namespace spark
