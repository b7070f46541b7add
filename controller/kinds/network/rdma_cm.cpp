#include "kinds/network/rdma_cm.hpp"

#include <algorithm>
#include <array>

#include "kinds/module/module.hpp"
#include "kinds/network/port_of.hpp"

namespace spark::kinds {
namespace {

/// Without rdma_cm there is no default yet; it comes with a module that the same plan loads.
bool rdma_cm_comes(host::View& view, const config::Node& node) {
  return std::ranges::any_of(std::array{"rdma_cm", "rdma_ucm"},
                             [&](const char* name) { return is_loaded_by(node, view, name); });
}

std::string as_original(const std::string& version) {
  return version.empty() ? RdmaCm::kUnread : version;
}

/// Empty: it waits for rdma_cm. Errors: the default cannot be read.
Result<Stated<RdmaCm>> value_at(host::View& view, const host::RdmaPort& port,
                                const config::Node& node) {
  const auto& mode = view.rdma_cm_mode(port);
  const bool comes =
      !mode && mode.error().code == ErrorCode::kNotFound && rdma_cm_comes(view, node);
  if (!mode && !comes) return std::unexpected(mode.error());
  return Stated<RdmaCm>{{.version = mode ? mode->value_or("") : ""},
                        {.device = port.device, .port = port.port}};
}

/// Defaults that were ours and that nothing wants any more.
void observe_former(host::View& view, const Desired<RdmaCm>& wanted, const Context& context,
                    Observed<RdmaCm>& observed) {
  for (const auto& [label, entry] : entries_of(context.ledger, RdmaCm::kName)) {
    const RdmaCm::Key key{label};
    if (wanted.state.contains(key)) continue;
    const auto* link = view.link(key.link);
    const auto* port = link == nullptr ? nullptr : view.rdma_port(*link);
    const auto* mode = port == nullptr ? nullptr : &view.rdma_cm_mode(*port);
    if (mode == nullptr || !*mode) {
      observed.remember.emplace(label, entry);  // for when its device is back
      continue;
    }
    const auto version = (*mode)->value_or("");
    if (as_original(version) != entry.original) {
      observed.state.emplace(
          key,
          Stated<RdmaCm>{{.version = version},
                         {.device = port->device, .port = port->port, .original = entry.original}});
    }
  }
}

/// Sets the default of rdma_cm, or leaves it as it was where nobody has read it.
Result<> set_cm_mode(host::Host& host, const RdmaCm::Details& place, const std::string& version) {
  if (!version.empty() && version != RdmaCm::kUnread) {
    return host.rdma.set_cm_mode(place.device, place.port, version);
  }
  // The kernel's own (CMA_PREFERRED_ROCE_GID_TYPE in core/cma.c).
  if (auto set = host.rdma.set_cm_mode(place.device, place.port, host::kRoceV2); !set) return set;
  return host.rdma.release_cm_mode(place.device);
}

}  // namespace

Desired<RdmaCm> RdmaCm::desired(const config::Node& node) {
  Desired<RdmaCm> desired;
  if (!node.rdma_cm_mode) return desired;
  const bool v2 = node.rdma_cm_mode->value == config::RdmaCmMode::kV2;
  for (const auto& [name, link] : node.links) {
    if (link.rdma && !link.owner_host) {
      desired.want({name}, {{.version = v2 ? host::kRoceV2 : host::kRoceV1}},
                   {node.rdma_cm_mode->where});
    }
  }
  return desired;
}

Result<Observed<RdmaCm>> RdmaCm::observe(host::View& view, const Desired<RdmaCm>& wanted,
                                         const Context& context) {
  Observed<RdmaCm> observed;
  if (wanted.state.empty() && entries_of(context.ledger, kName).empty()) return observed;
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
    auto value = value_at(view, *port, context.node);
    if (!value) {
      observed.skipped.emplace(key, waits_or_unreadable(value.error()));
      continue;
    }
    const auto* const known = remembered(context, kName, label(key));
    observed.remember.emplace(
        label(key), LedgerEntry{want.version,
                                known == nullptr ? as_original(value->version) : known->original});
    observed.state.emplace(key, std::move(*value));
  }
  observe_former(view, wanted, context, observed);
  return observed;
}

Result<> RdmaCm::apply(const Change<RdmaCm>& change, host::Host& host) {
  const bool before_has_it = change.before && !change.before->details.device.empty();
  const auto& place = before_has_it ? change.before->details : change.after->details;
  return set_cm_mode(
      host, place,
      change.after ? change.after->version : change.before->details.original.value_or(""));
}

}  // namespace spark::kinds
