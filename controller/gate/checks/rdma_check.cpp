#include <fmt/format.h>

#include "gate/checks/checks.hpp"

namespace spark::gate {
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

}  // namespace spark::gate
