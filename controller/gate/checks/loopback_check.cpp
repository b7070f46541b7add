#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "config/cages.hpp"
#include "gate/checks/checks.hpp"
#include "gate/common/hints.hpp"

namespace spark::gate {
namespace {

using protocol::LoopbackReport;

constexpr std::chrono::milliseconds kLoopbackDeadline{20'000};

/// Whether bandwidth is measured: the floor is asked for, and nobody else is disturbed.
struct Bandwidth {
  bool is_measured = false;
  std::string_view why_not;  ///< to be said with the loopback
};

Bandwidth bandwidth_of(const RailObservation& look) {
  const auto& [host, view, node, options] = look.snapshot;
  if (options.depth == GateOptions::Depth::kFull) return {true, ""};
  const bool is_light = options.depth == GateOptions::Depth::kLight;
  const bool has_floor = node.ready.loopback_minimum.has_value();
  if (is_light && !has_floor) return {};
  // Where nobody can tell, it may be: a job is not disturbed for a figure.
  const auto users = view.rdma_users(*look.port);
  if (!users) return {false, "; no bandwidth run: who uses the device cannot be read"};
  if (!users->empty()) return {false, "; no bandwidth run beside the job that uses it"};
  return {has_floor && !is_light, ""};
}

Result<LoopbackReport> move_bytes(const RailObservation& look, bool with_bandwidth) {
  const auto& deadline = look.snapshot.node.ready.loopback_deadline;
  return look.snapshot.host.probe.loopback(
      {.device = look.port->device,
       .port = look.port->port,
       .link_index = look.link->index,
       .ip = look.address.ip,
       .with_bandwidth = with_bandwidth,
       .deadline = deadline ? deadline->value : kLoopbackDeadline});
}

Fact no_report(const Error& error) {
  return error.code == ErrorCode::kTimeout
             ? fails(kLoopbackFact, Verdict::kNotReady, Detail::kTryFailed, error.what,
                     "verbs hang in the kernel or the driver: `journalctl -k`, then reboot")
             : fails(kLoopbackFact, Verdict::kUnknown, Detail::kUnread, error.what, "");
}

void judge_path_mtu(const LoopbackReport& report, RailObservation& look) {
  const auto mtu = look.wanted.mtu ? look.wanted.mtu->value : look.link->mtu;
  const auto expected = config::path_mtu_of(mtu);
  if (report.active_mtu == expected) {
    look.found.add(holds(kPathMtuFact, std::to_string(report.active_mtu)));
  } else if (report.active_mtu != 0) {
    auto fact = fails_until_apply(
        kPathMtuFact, Detail::kDiffers,
        fmt::format("{}, though an MTU of {} yields {}", report.active_mtu, mtu, expected));
    fact.remedy += "; if the link's MTU is right, take the link down and up";
    look.found.add(std::move(fact));
  }
}

/// False: the limit on memory alone kept the loopback from being tried.
bool judge_registration(const LoopbackReport& report, RailObservation& look) {
  const bool limited = !report.registered && report.failed && report.error_number == ENOMEM;
  if (report.registered) {
    look.found.add(
        holds(kMemlockFact, "4 MiB registered in this session, as without CAP_IPC_LOCK"));
  } else if (limited) {
    look.found.add(fails(kMemlockFact, Verdict::kNotReady, Detail::kTryFailed,
                         fmt::format("{}: {}", *report.failed, report.why),
                         "what this session may lock is too little (`ulimit -l`): raise it for "
                         "logins and services, then log in again"));
  }
  return !limited;
}

void judge_loopback(const LoopbackReport& report, std::string_view why_no_bandwidth,
                    RailObservation& look) {
  if (!report.bytes_moved) {
    const bool all_well = std::ranges::all_of(
        look.found.facts, [](const Fact& fact) { return fact.verdict == Verdict::kReady; });
    look.found.add(fails(
        kLoopbackFact, Verdict::kNotReady, Detail::kTryFailed,
        fmt::format("{}: {}", report.failed.value_or("it"), report.why),
        all_well ? "`journalctl -k` shows what the driver logged" : "fix what fails above first"));
    return;
  }
  look.found.add(holds(
      kLoopbackFact,
      fmt::format("WRITE, READ and SEND of 1 MiB verified; 8 bytes p50 {:.1f} us, p99 {:.1f} us{}",
                  report.latency_p50_us, report.latency_p99_us, why_no_bandwidth)));
}

void judge_bandwidth(const LoopbackReport& report, RailObservation& look) {
  constexpr double kGiga = 1e9;
  const auto& minimum = look.snapshot.node.ready.loopback_minimum;
  const auto measured = fmt::format("{:.1f} Gb/s inside the port", report.bits_per_second / kGiga);
  if (!minimum || report.bits_per_second >= static_cast<double>(minimum->value)) {
    look.found.add(holds(kBandwidthFact, measured));
    return;
  }
  const auto why = why_slow(look.snapshot.view, look.link->name);
  look.found.add(
      fails(kBandwidthFact, Verdict::kNotReady, Detail::kDiffers,
            fmt::format("{}, the file's floor is {:.1f} Gb/s{}{}", measured,
                        static_cast<double>(minimum->value) / kGiga, why.empty() ? "" : "; ", why),
            "reboot the node if it was cabled while running; see PCIe width and `lspci -vv`"));
}

}  // namespace

void check_loopback(RailObservation& look) {
  const auto bandwidth = bandwidth_of(look);
  const auto report = move_bytes(look, bandwidth.is_measured);
  if (!report) {
    look.found.add(no_report(report.error()));
    return;
  }
  judge_path_mtu(*report, look);
  if (judge_registration(*report, look)) judge_loopback(*report, bandwidth.why_not, look);
  if (bandwidth.is_measured && report->bytes_moved) judge_bandwidth(*report, look);
}

}  // namespace spark::gate
