#include "gate/rail_facts.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <linux/if_addr.h>

#include "gate/cable_place.hpp"
#include "gate/hardware_hints.hpp"

namespace spark::gate {
namespace {

constexpr std::chrono::milliseconds kLoopbackDeadline{20'000};

Fact holds(std::string id, std::string name, std::string measured) {
  return {Verdict::kReady, std::move(id), std::move(name), std::move(measured), ""};
}

Fact fails(Verdict verdict, std::string id, std::string name, std::string measured,
           std::string remedy) {
  return {verdict, std::move(id), std::move(name), std::move(measured), std::move(remedy)};
}

/// Looks at one address of one rail, fact by fact.
class RailCheck {
 public:
  RailCheck(const GateSnapshot& snapshot, const config::WantedLink& wanted, const IpPrefix& address)
      : host_(snapshot.host),
        view_(snapshot.view),
        node_(snapshot.node),
        options_(snapshot.options),
        wanted_(wanted),
        address_(address),
        found_{.link = wanted.name, .device = "", .ip = address.ip, .facts = {}} {}

  RailFacts look() {
    link_ = view_.link(wanted_.name);
    if (link_ == nullptr) {
      add(view_.links()
              ? fails(Verdict::kWaiting, "SR-GATE-001", "link", "no such device",
                      "plug the cable: a Spark powers its ConnectX-7 off without one")
              : fails(Verdict::kUnknown, "SR-GATE-001", "link", view_.links().error().what, ""));
      return std::move(found_);
    }
    observe_link();
    observe_mtu();
    observe_address();
    if (observe_port() && observe_gid()) {
      move_bytes();
    }
    return std::move(found_);
  }

 private:
  void add(Fact fact) { found_.facts.push_back(std::move(fact)); }

  void observe_link() {
    if (!link_->up) {
      add(fails(Verdict::kNotReady, "SR-GATE-001", "link", "down", "spark-reconcile apply"));
    } else if (!link_->carrier) {
      const auto why = why_no_carrier(view_, link_->name);
      const auto elsewhere = cable_elsewhere(node_, view_, link_->name);
      add(fails(Verdict::kNotReady, "SR-GATE-001", "link",
                fmt::format("up, no carrier{}{}", why.empty() ? "" : "; ", why),
                elsewhere.empty() ? "plug the cable, or look at the other end: its port may be down"
                                  : elsewhere));
    } else {
      add(holds("SR-GATE-001", "link", "up, carrier"));
    }
  }

  void observe_mtu() {
    const auto wanted = wanted_.mtu ? wanted_.mtu->value : link_->mtu;
    auto measured = std::to_string(link_->mtu);
    if (link_->mtu == wanted) {
      add(holds("SR-GATE-002", "mtu", std::move(measured)));
    } else {
      add(fails(Verdict::kNotReady, "SR-GATE-002", "mtu",
                fmt::format("{}, the file says {}", measured, wanted), "spark-reconcile apply"));
    }
  }

  void observe_address() {
    const auto& addresses = view_.addresses();
    if (!addresses) {
      add(fails(Verdict::kUnknown, "SR-GATE-003", "address", addresses.error().what, ""));
      return;
    }
    const auto held = std::ranges::find_if(*addresses, [&](const host::AddressInfo& address) {
      return address.link_index == link_->index && address.address == address_;
    });
    if (held == addresses->end()) {
      add(fails(Verdict::kNotReady, "SR-GATE-003", "address", address_.text() + " is not there",
                "spark-reconcile apply"));
    } else if ((held->flags & IFA_F_DADFAILED) != 0) {
      add(fails(Verdict::kNotReady, "SR-GATE-003", "address",
                address_.text() + " is a duplicate: another host answers for it",
                "find that host, or give the nodes other numbers"));
    } else {
      add(holds("SR-GATE-003", "address", address_.text()));
    }
  }

  bool observe_port() {
    const auto& ports = view_.rdma_ports();
    port_ = view_.rdma_port(*link_);
    if (port_ == nullptr) {
      const bool is_virtual = link_->parent_bus.empty();
      add(fails(ports && !is_virtual ? Verdict::kNotReady : Verdict::kUnknown, "SR-GATE-004",
                "port",
                !ports       ? ports.error().what
                : is_virtual ? "no RDMA device: a virtual link has none of its own"
                             : "no RDMA device on this link",
                is_virtual ? "" : "load its driver's RDMA module (mlx5_ib on a ConnectX)"));
      return false;
    }
    found_.device = port_->device;
    if (port_->state == host::kRdmaPortActive) {
      add(holds("SR-GATE-004", "port", port_->device + " active"));
    } else {
      add(fails(Verdict::kNotReady, "SR-GATE-004", "port",
                fmt::format("{} is not active (state {}, physical state {})", port_->device,
                            port_->state, port_->physical_state),
                "it follows the link: see there first"));
    }
    return true;
  }

  bool observe_gid() {
    const auto gid = view_.rdma_gid(*port_, address_.ip, link_->name);
    if (!gid) {
      add(fails(Verdict::kUnknown, std::string(kGidFact), "gid", gid.error().what, ""));
      return false;
    }
    if (!*gid) {
      add(fails(Verdict::kNotReady, std::string(kGidFact), "gid",
                fmt::format("no RoCE v2 GID of {} on this link", address_.ip.text()),
                "spark-reconcile apply"));
      return false;
    }
    found_.gid_index = (*gid)->index;
    add(holds(std::string(kGidFact), "gid",
              fmt::format("RoCE v2, now at index {}", (*gid)->index)));
    return true;
  }

  /// The floor is asked for, and nobody else is disturbed by measuring it.
  bool measures() {
    if (options_.depth != GateOptions::Depth::kNormal) {
      return options_.depth == GateOptions::Depth::kFull;
    }
    // Where nobody can tell, it may be: a job is not disturbed for a figure.
    const auto users = view_.rdma_users(*port_);
    beside_ = !users       ? "; no bandwidth run: who uses the device cannot be read"
              : *users > 0 ? "; no bandwidth run beside the job that uses it"
                           : "";
    return node_.ready.loopback_minimum && beside_.empty();
  }

  void move_bytes() {
    const auto& deadline = node_.ready.loopback_deadline;
    const bool with_bandwidth = measures();
    const auto report =
        host_.probe.loopback({.device = port_->device,
                              .port = port_->port,
                              .link_index = link_->index,
                              .ip = address_.ip,
                              .with_bandwidth = with_bandwidth,
                              .deadline = deadline ? deadline->value : kLoopbackDeadline});
    if (!report) {
      const bool hung = report.error().code == ErrorCode::kTimeout;
      add(fails(
          hung ? Verdict::kNotReady : Verdict::kUnknown, "SR-GATE-007", "loopback",
          report.error().what,
          hung ? "verbs hang in the kernel or the driver: `journalctl -k`, then reboot" : ""));
      return;
    }
    observe_path_mtu(*report);
    if (observe_registration(*report)) {
      observe_loopback(*report);
    }
    if (with_bandwidth && report->bytes_moved) {
      observe_bandwidth(*report);
    }
  }

  void observe_path_mtu(const protocol::LoopbackReport& report) {
    const auto mtu = wanted_.mtu ? wanted_.mtu->value : link_->mtu;
    const auto expected = path_mtu_of(mtu);
    if (report.active_mtu == expected) {
      add(holds("SR-GATE-006", "path mtu", std::to_string(report.active_mtu)));
    } else if (report.active_mtu != 0) {
      add(fails(Verdict::kNotReady, "SR-GATE-006", "path mtu",
                fmt::format("{}, though an MTU of {} yields {}", report.active_mtu, mtu, expected),
                "spark-reconcile apply; if the link's MTU is right, take the link down and up"));
    }
  }

  /// False: the limit on memory alone kept the loopback from being tried.
  bool observe_registration(const protocol::LoopbackReport& report) {
    const bool limited = !report.registered && report.failed && report.error_number == ENOMEM;
    if (report.registered) {
      add(holds("SR-GATE-008", "memlock",
                "4 MiB registered in this session, as without CAP_IPC_LOCK"));
    } else if (limited) {
      add(fails(Verdict::kNotReady, "SR-GATE-008", "memlock",
                fmt::format("{}: {}", *report.failed, report.why),
                "what this session may lock is too little (`ulimit -l`): raise it for logins and "
                "services, then log in again"));
    }
    return !limited;
  }

  void observe_loopback(const protocol::LoopbackReport& report) {
    if (!report.bytes_moved) {
      const bool all_well = std::ranges::all_of(
          found_.facts, [](const Fact& fact) { return fact.verdict == Verdict::kReady; });
      add(fails(Verdict::kNotReady, "SR-GATE-007", "loopback",
                fmt::format("{}: {}", report.failed.value_or("it"), report.why),
                all_well ? "`journalctl -k` shows what the driver logged"
                         : "fix what fails above first"));
      return;
    }
    add(holds(
        "SR-GATE-007", "loopback",
        fmt::format("WRITE, READ and SEND of 1 MiB verified; 8 bytes p50 {:.1f} us, p99 {:.1f} "
                    "us{}",
                    report.latency_p50_us, report.latency_p99_us, beside_)));
  }

  void observe_bandwidth(const protocol::LoopbackReport& report) {
    constexpr double kGiga = 1e9;
    const auto& minimum = node_.ready.loopback_minimum;
    const auto measured =
        fmt::format("{:.1f} Gb/s inside the port", report.bits_per_second / kGiga);
    if (!minimum || report.bits_per_second >= static_cast<double>(minimum->value)) {
      add(holds(std::string(kBandwidthFact), "bandwidth", measured));
    } else {
      const auto why = why_slow(view_, link_->name);
      add(fails(
          Verdict::kNotReady, std::string(kBandwidthFact), "bandwidth",
          fmt::format("{}, the file's floor is {:.1f} Gb/s{}{}", measured,
                      static_cast<double>(minimum->value) / kGiga, why.empty() ? "" : "; ", why),
          "reboot the node if it was cabled while running; see PCIe width and `lspci -vv`"));
    }
  }

  host::Host& host_;
  host::View& view_;
  const config::Node& node_;
  const GateOptions& options_;
  const config::WantedLink& wanted_;
  IpPrefix address_;
  RailFacts found_;
  const host::LinkInfo* link_ = nullptr;
  const host::RdmaPort* port_ = nullptr;
  std::string_view beside_;  ///< why no bandwidth is measured, to be said with the loopback
};

}  // namespace

RailFacts observe_rail(const GateSnapshot& snapshot, const config::WantedLink& wanted,
                       const IpPrefix& address) {
  return RailCheck(snapshot, wanted, address).look();
}

std::uint32_t path_mtu_of(std::uint32_t mtu_bytes) {
  // GRH 40, UDP 8, BTH 12, XRC 4, atomic 28, ICRC 4.
  constexpr std::uint32_t kHeaders = 96;
  const auto payload = mtu_bytes > kHeaders ? mtu_bytes - kHeaders : 0;
  constexpr std::array<std::uint32_t, 5> kSteps{4096, 2048, 1024, 512, 256};
  const auto step = std::ranges::find_if(kSteps, [&](auto bytes) { return bytes <= payload; });
  return step == kSteps.end() ? 0 : *step;
}

}  // namespace spark::gate
