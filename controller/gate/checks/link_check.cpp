#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <linux/if_addr.h>

#include "gate/checks/checks.hpp"
#include "gate/common/hints.hpp"
#include "kinds/network/port_of.hpp"

namespace spark::gate {

void check_rails(const GateSnapshot& /*snapshot*/, GateReport& report) {
  if (!report.rails.empty()) return;
  report.node.push_back(fails(
      kRailsFact, Verdict::kUnknown, Detail::kAbsent, "the file gives no rail an address here",
      "name this node's cables in the file, or an RDMA device's link with its address"));
}

namespace {

Fact no_port(const RailObservation& look) {
  const auto& ports = look.snapshot.view.rdma_ports();
  const bool is_virtual = look.link->parent_bus.empty();
  return fails(
      kPortFact, ports && !is_virtual ? Verdict::kNotReady : Verdict::kUnknown,
      ports ? Detail::kAbsent : Detail::kUnread,
      !ports       ? ports.error().what
      : is_virtual ? "no RDMA device: a virtual link has none of its own"
                   : "no RDMA device on this link",
      is_virtual
          ? "the rest is applied all the same; RDMA is proven only on a ConnectX, or with rdma_rxe"
          : "load its driver's RDMA module (mlx5_ib on a ConnectX)");
}

}  // namespace

void check_port(RailObservation& look) {
  look.port = look.snapshot.view.rdma_port(*look.link);
  if (look.port == nullptr) {
    look.found.add(no_port(look));
    return;
  }
  const auto& port = *look.port;
  look.found.device = port.device;
  look.found.add(port.state == host::kRdmaPortActive
                     ? holds(kPortFact, port.device + " active")
                     : fails(kPortFact, Verdict::kNotReady, Detail::kDown,
                             fmt::format("{} is not active (state {}, physical state {})",
                                         port.device, port.state, port.physical_state),
                             "it follows the link: see there first"));
}

void check_gid(RailObservation& look) {
  const auto& ip = look.address.ip;
  const auto gid = look.snapshot.view.rdma_gid(*look.port, ip, look.link->name);
  if (!gid) {
    look.found.add(fails(kGidFact, Verdict::kUnknown, Detail::kUnread, gid.error().what, ""));
  } else if (!*gid) {
    look.found.add(fails_until_apply(kGidFact, Detail::kAbsent,
                                     fmt::format("no RoCE v2 GID of {} on this link", ip.text())));
  } else {
    look.found.gid_index = (*gid)->index;
    look.found.add(holds(kGidFact, fmt::format("RoCE v2, now at index {}", (*gid)->index)));
  }
}

namespace {

Fact absent(const config::Node& node, host::View& view) {
  return view.links()
             ? fails(kLinkFact, Verdict::kWaiting, Detail::kAbsent, "no such device",
                     remedy_of_absence(node, view))
             : fails(kLinkFact, Verdict::kUnknown, Detail::kUnread, view.links().error().what, "");
}

Fact fact_of(const host::LinkInfo& link, const config::Node& node, host::View& view) {
  if (!link.up) return fails_until_apply(kLinkFact, Detail::kDown, "down");
  if (link.carrier) {
    const auto port = kinds::port_of(view, link, &node);
    return port ? fails(kLinkFact, Verdict::kNotReady, Detail::kPort, "up, carrier; " + port->what,
                        port->remedy)
                : holds(kLinkFact, "up, carrier");
  }
  const auto why = why_no_carrier(view, link.name);
  auto measured = fmt::format("up, no carrier{}{}", why.empty() ? "" : "; ", why);
  const auto cage = cage_with_cable(node, view, link.name);
  if (!cage) {
    return fails(kLinkFact, Verdict::kNotReady, Detail::kNoCarrier, std::move(measured),
                 "plug the cable, or look at the other end: its port may be down");
  }
  auto fact = fails(kLinkFact, Verdict::kNotReady, Detail::kOtherCage, std::move(measured),
                    kinds::unnamed_cage_text(node, *cage));
  fact.plug = {node.name, cage};
  return fact;
}

}  // namespace

void check_link(RailObservation& look) {
  auto& view = look.snapshot.view;
  look.found.add(look.link == nullptr ? absent(look.snapshot.node, view)
                                      : fact_of(*look.link, look.snapshot.node, view));
}

void check_mtu(RailObservation& look) {
  const auto wanted = look.wanted.mtu ? look.wanted.mtu->value : look.link->mtu;
  auto measured = std::to_string(look.link->mtu);
  look.found.add(look.link->mtu == wanted
                     ? holds(kMtuFact, std::move(measured))
                     : fails_until_apply(kMtuFact, Detail::kDiffers,
                                         fmt::format("{}, the file says {}", measured, wanted)));
}

void check_address(RailObservation& look) {
  const auto& addresses = look.snapshot.view.addresses();
  if (!addresses) {
    look.found.add(
        fails(kAddressFact, Verdict::kUnknown, Detail::kUnread, addresses.error().what, ""));
    return;
  }
  const auto text = look.address.text();
  const auto held = std::ranges::find_if(*addresses, [&](const host::AddressInfo& address) {
    return address.link_index == look.link->index && address.address == look.address;
  });
  if (held == addresses->end()) {
    look.found.add(fails_until_apply(kAddressFact, Detail::kAbsent, text + " is not there"));
  } else if ((held->flags & IFA_F_DADFAILED) != 0) {
    look.found.add(fails(kAddressFact, Verdict::kNotReady, Detail::kDuplicate,
                         text + " is a duplicate: another host answers for it",
                         "find that host, or give the nodes other numbers"));
  } else {
    look.found.add(holds(kAddressFact, text));
  }
}

}  // namespace spark::gate
