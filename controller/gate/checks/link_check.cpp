#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <linux/if_addr.h>

#include "gate/checks/checks.hpp"
#include "gate/common/hints.hpp"
#include "kinds/network/cage_in_use.hpp"
#include "kinds/network/port_of.hpp"

namespace spark::gate {
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
