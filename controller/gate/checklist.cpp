#include "gate/checklist.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gate/checks/checks.hpp"
#include "host/hardware_signs.hpp"

namespace spark::gate {
namespace {

using Answer = ChecklistAnswer;

struct MachineSnapshot {
  host::View& view;
  const std::optional<GateReport>& of_daemon;
  /// Network devices of ConnectX cards, by name.
  std::vector<const host::LinkHardware*> ports;
};

struct Seen {
  Answer answer = Answer::kByHand;
  std::string what;
};

struct Row {
  ChecklistItem item;
  Seen (*observe)(const MachineSnapshot& look);
};

/// "enp1s0f0np0 9000, enP2p1s0f0np0 9000".
template <class TextOf>
std::string of_each(const MachineSnapshot& look, TextOf text_of) {
  std::vector<std::string> texts;
  for (const auto* port : look.ports) {
    const auto* link = look.view.link(port->link);
    if (link != nullptr) texts.push_back(fmt::format("{} {}", port->link, text_of(*port, *link)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

Seen no_card() { return {Answer::kNotHere, "no network device of the driver mlx5_core"}; }

Seen observe_carriers(const MachineSnapshot& look) {
  if (look.ports.empty()) return no_card();
  return {Answer::kByHand, of_each(look, [](const auto& /*port*/, const host::LinkInfo& link) {
            return link.carrier ? "carrier" : "no carrier";
          })};
}

Seen observe_mtus(const MachineSnapshot& look) {
  if (look.ports.empty()) return no_card();
  return {Answer::kByHand, of_each(look, [](const auto& /*port*/, const host::LinkInfo& link) {
            return std::to_string(link.mtu);
          })};
}

Seen observe_pause(const MachineSnapshot& look) {
  if (look.ports.empty()) return no_card();
  const bool all_on = std::ranges::all_of(look.ports, [](const auto* port) {
    return port->pause && port->pause->rx && port->pause->tx;
  });
  return {all_on ? Answer::kAsExpected : Answer::kDifferent,
          of_each(look, [](const host::LinkHardware& port, const auto& /*link*/) {
            return port.pause ? fmt::format("rx {} tx {}", port.pause->rx ? "on" : "off",
                                            port.pause->tx ? "on" : "off")
                              : std::string("does not say");
          })};
}

Seen observe_lanes(const MachineSnapshot& look) {
  if (look.ports.empty()) return no_card();
  const bool all_four = std::ranges::all_of(look.ports, [](const auto* port) {
    return port->pcie && port->pcie->width == host::kPcieLanes;
  });
  return {all_four ? Answer::kAsExpected : Answer::kDifferent,
          of_each(look, [](const host::LinkHardware& port, const auto& /*link*/) {
            return port.pcie ? fmt::format("{} of {} lanes, {}", port.pcie->width,
                                           port.pcie->max_width, port.pcie->speed)
                             : std::string("does not say");
          })};
}

Seen observe_signals(const MachineSnapshot& look) {
  return look.ports.empty() ? no_card() : Seen{Answer::kByHand, ""};
}

/// The daemon's unit forbids such memory: where its gate moved bytes, the card does without.
Seen observe_executable_memory(const MachineSnapshot& look) {
  if (look.ports.empty()) return no_card();
  if (!look.of_daemon) return {Answer::kByHand, "no daemon has looked since the machine booted"};
  std::vector<std::string> failed;
  bool moved = false;
  for (const auto& rail : look.of_daemon->rails) {
    const auto* const loopback = rail.find(kLoopbackFact.id);
    if (loopback == nullptr) continue;
    moved = moved || loopback->verdict == Verdict::kReady;
    if (loopback->verdict == Verdict::kNotReady)
      failed.push_back(reason_text(*loopback, rail.link));
  }
  if (!failed.empty()) return {Answer::kDifferent, fmt::format("{}", fmt::join(failed, "; "))};
  return moved ? Seen{Answer::kAsExpected, "the daemon's loopback moved bytes"}
               : Seen{Answer::kByHand, "the daemon has moved no bytes yet"};
}

Seen observe_nvme_tcp(const MachineSnapshot& look) {
  const auto& identity = look.view.identity();
  const auto& module = look.view.module("nvme_tcp");
  if (!module) return {Answer::kByHand, module.error().what};
  const auto kernel = identity ? identity->kernel : std::string("this kernel");
  return {module->available ? Answer::kAsExpected : Answer::kDifferent,
          fmt::format("{}: {}", kernel,
                      module->built_in    ? "built in"
                      : module->loaded    ? "loaded"
                      : module->available ? "a module that is not loaded"
                                          : "there is no such module")};
}

/// The last assignment counts (systemd.syntax(7)); empty: none.
std::string last_of(const std::vector<host::UnitSetting>& settings) {
  return settings.empty() ? "" : settings.back().value;
}

Seen observe_docker(const MachineSnapshot& look) {
  std::vector<std::string> seen;
  bool unlimited = false;
  for (const std::string unit : {"docker.service", "containerd.service"}) {
    const auto& settings = look.view.unit_settings(unit, "LimitMEMLOCK");
    if (!settings) continue;
    const auto limit = last_of(*settings);
    unlimited = unlimited || limit == "infinity";
    seen.push_back(fmt::format("{} {}", unit, limit.empty() ? "sets none" : limit));
  }
  if (seen.empty()) return {Answer::kNotHere, "no unit docker.service or containerd.service"};
  return {unlimited ? Answer::kAsExpected : Answer::kByHand,
          fmt::format("LimitMEMLOCK: {}", fmt::join(seen, ", "))};
}

Seen observe_secret_mode(const MachineSnapshot& look) {
  const auto& nvme = look.view.nvme();
  if (!nvme) return {Answer::kByHand, nvme.error().what};
  if (nvme->controllers.empty()) return {Answer::kNotHere, "no NVMe target is connected"};
  return {Answer::kByHand, fmt::format("{} connected", nvme->controllers.size())};
}

Seen observe_network_manager(const MachineSnapshot& look) {
  const auto& folder = look.view.directory("/run/NetworkManager");
  if (!folder || folder->empty()) return {Answer::kNotHere, "NetworkManager does not run"};
  return {Answer::kByHand, ""};
}

// Sources of the questions: docs/dev/on-a-real-spark.md. A question is answered here for good once
// two machines have answered it alike.
constexpr std::array kRows{
    Row{{"loopback-without-carrier", "Does a loopback pass without a carrier?",
         "it passes: gate has ✗ link, and ✓ loopback below it",
         "pull the cable, then `sudo spark-reconcile gate`"},
        observe_carriers},
    Row{{"shared-mtu", "Do the two rails of a cage share an MTU?", "each has its own",
         "`sudo ip link set RAIL mtu 4000` for one rail of a cage that is not the LAN, look at the "
         "other with `ip link`, then `sudo spark-reconcile apply`"},
        observe_mtus},
    Row{{"pause", "Does the port send and obey pause frames by default?", "rx on, tx on",
         "`ethtool -a enp1s0f0np0`"},
        observe_pause},
    Row{{"fec-and-trust", "Which FEC and which trust does the firmware begin with?",
         "RS-FEC; trust pcp", "`ethtool --show-fec enp1s0f0np0`, `dcb app show dev enp1s0f0np0`"},
        observe_signals},
    Row{{"lanes", "How many PCIe lanes has each port?", "4",
         "`cat /sys/class/net/enp1s0f0np0/device/current_link_width`"},
        observe_lanes},
    Row{{"executable-memory",
         "Does the card's library do without memory that is writable and "
         "executable?",
         "yes: the daemon, whose unit forbids it, gets ready",
         "`sudo systemctl start spark-reconcile`, wait for its gate, then this list again"},
        observe_executable_memory},
    Row{{"nvme-tcp", "Does this kernel have nvme-tcp?", "yes", "`modinfo nvme-tcp`"},
        observe_nvme_tcp},
    Row{{"docker-memlock", "Which unit gives containers their memory limit?",
         "docker.service or containerd.service says infinity",
         "`docker run --rm IMAGE sh -c 'ulimit -l'`"},
        observe_docker},
    Row{{"secret-mode", "Who may read dhchap_secret in sysfs?",
         "everybody, mode 644, on a connection that `nvme connect` made; 600 on ours",
         "`ls -l /sys/class/nvme/nvme*/dhchap_secret`"},
        observe_secret_mode},
    Row{{"network-manager", "Does NetworkManager 1.46 let the rails go, and manage them again?",
         "unmanaged after apply, managed again after release",
         "`NetworkManager --version`, `nmcli device`, before and after"},
        observe_network_manager}};

}  // namespace

std::string_view name_of(ChecklistAnswer answer) {
  switch (answer) {
    case Answer::kAsExpected:
      return "as_expected";
    case Answer::kDifferent:
      return "different";
    case Answer::kByHand:
      return "by_hand";
    case Answer::kNotHere:
      return "not_here";
  }
  return "";
}

std::vector<ChecklistItem> checklist_items() {
  std::vector<ChecklistItem> items;
  std::ranges::transform(kRows, std::back_inserter(items), &Row::item);
  return items;
}

std::vector<ChecklistResult> go_through_checklist(host::View& view,
                                                  const std::optional<GateReport>& of_daemon) {
  MachineSnapshot look{.view = view, .of_daemon = of_daemon};
  if (const auto& hardware = view.hardware()) {
    for (const auto& link : hardware->links) {
      if (host::is_connectx(link)) look.ports.push_back(&link);
    }
  }
  std::vector<ChecklistResult> results;
  for (const auto& row : kRows) {
    auto [answer, what] = row.observe(look);
    results.push_back({.item = row.item, .answer = answer, .seen = std::move(what)});
  }
  return results;
}

}  // namespace spark::gate
