#include "unit/daemon/states.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "daemon/reconcile/hardware_tracker.hpp"

namespace spark::daemon {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kDigest = "3b5518c1a27d4e0f9f60b1d2c3a4958677e8f90a1b2c3d4e5f60718293a4b5c6";

/// Cage 0 is enp1s0f0np0 and enP2p1s0f0np0.
LinkRecord rail(int cage, int number, const std::string& peer, std::string address) {
  return {.name = fmt::format("en{}p1s0f{}np{}", number == 0 ? "" : "P2", cage, cage),
          .cage = cage,
          .rail = number,
          .present = true,
          .up = true,
          .carrier = true,
          .mtu = 9000,
          .speed = 200'000,
          .addresses = {std::move(address)},
          .device = fmt::format("roce{}p1s0f{}", number == 0 ? "" : "P2", cage),
          .peers = {peer},
          .segment = "",
          .cabling = gate::Cabling{.state = gate::CablingState::kProven, .by = {peer, cage}}};
}

std::vector<LinkRecord> cage(int number, const std::string& peer) {
  return {rail(number, 0, peer, fmt::format("192.0.2.{}/28", 11 + 32 * number)),
          rail(number, 1, peer, fmt::format("192.0.2.{}/28", 27 + 32 * number))};
}

LinkRecord management() {
  return {.name = "enP7s7",
          .cage = {},
          .rail = {},
          .present = true,
          .up = true,
          .carrier = true,
          .mtu = 1500,
          .speed = 10'000,
          .addresses = {"198.51.100.11/24", "2001:db8::11/64"},
          .device = "",
          .peers = {},
          .segment = ""};
}

gate::RailFacts facts_of(const LinkRecord& link) {
  const auto ip = IpPrefix::parse(link.addresses.front())->ip;
  return {
      .link = link.name,
      .device = link.device,
      .ip = ip,
      .facts = {
          {gate::Verdict::kReady, "SR-GATE-001", "link", "up, carrier", ""},
          {gate::Verdict::kReady, "SR-GATE-002", "mtu", "9000", ""},
          {gate::Verdict::kReady, "SR-GATE-003", "address", link.addresses.front(), ""},
          {gate::Verdict::kReady, "SR-GATE-004", "port", link.device + " active", ""},
          {gate::Verdict::kReady, "SR-GATE-005", "gid", "RoCE v2, now at index 3", ""},
          {gate::Verdict::kReady, "SR-GATE-006", "path mtu", "4096", ""},
          {gate::Verdict::kReady, "SR-GATE-008", "memlock", "4 MiB registered in this session", ""},
          {gate::Verdict::kReady, "SR-GATE-007", "loopback", "WRITE, READ and SEND verified", ""},
          {gate::Verdict::kReady, "SR-GATE-009", "bandwidth", "98.1 Gb/s, the floor is 64", ""},
          {gate::Verdict::kReady, "SR-GATE-011", "peers", "spark2 answers 9000 bytes in 0.07 ms",
           ""},
          {gate::Verdict::kReady, "SR-GATE-016", "cabling", "spark2:0 answers", ""},
          {gate::Verdict::kReady, "SR-GATE-017", "one host",
           "no other host answers for " + ip.text(), ""},
      }};
}

gate::Fact& fact(NodeState& state, std::size_t of_rail, std::string_view id) {
  for (auto& fact : state.gate->rails[of_rail].facts) {
    if (fact.id == id) {
      return fact;
    }
  }
  std::abort();  // facts_of() has them all
}

void add_links(NodeState& state, const std::vector<LinkRecord>& links) {
  for (const auto& link : links) {
    state.links.push_back(link);
    if (link.cage) {
      state.gate->rails.push_back(facts_of(link));
    }
  }
}

/// A rail of a healthy Spark.
host::LinkHardware card(const LinkRecord& link) {
  const auto domain = link.rail == 0 ? 0 : 2;
  return {.link = link.name,
          .driver = "mlx5_core",
          .pci_address = fmt::format("{:04}:01:00.{}", domain, *link.cage),
          .pcie = host::PcieLink{"32.0 GT/s PCIe", "32.0 GT/s PCIe", 4, 4},
          .speed = link.speed,
          .firmware = "28.45.4028 (NVD0000000087)",
          .iommu = "identity",
          .pause = host::Pause{.autoneg = false, .rx = true, .tx = true},
          .temperatures = {{"asic", 52'000}, {"Module0", 45'000}},
          .counters = {},
          .driver_version = "6.14.0-1015-nvidia",
          .fec = "RS",
          .carrier_changes = 3,
          .statistics = {{"rx_symbol_err_phy", 0},
                         {"rx_crc_errors_phy", 0},
                         {"fec_uncorrectable_blocks", 0},
                         {"rx_discards_phy", 0},
                         {"tx_discards_phy", 0},
                         {"link_down_events_phy", 1},
                         {"rx_corrected_bits_phy", 123'456},
                         {"rx_pause_ctrl_phy", 40},
                         {"tx_pause_ctrl_phy", 0}},
          .appeared_ms = 4'200,
          .pcie_errors = {{fmt::format("{:04}:01:00.{}", domain, *link.cage), 0, 0, 0},
                          {fmt::format("{:04}:00:00.0", domain), 2, 0, 0}}};
}

host::HardwareFacts healthy_hardware(const NodeState& state) {
  host::HardwareFacts facts{.command_line = "root=/dev/nvme0n1p2 kho=off",
                            .cable_hotplug = true,
                            .links = {},
                            .kernel = "6.14.0-1015-nvidia",
                            .dgx_os = "7.5.0",
                            .gpu_driver = "580.95.05",
                            .cma_total_kib = 65'536,
                            .cma_free_kib = 60'000};
  for (const auto& link : state.links) {
    if (link.cage && link.present) facts.links.push_back(card(link));
  }
  return facts;
}

/// As two looks find it, a minute apart.
HardwareState hardware_after(host::HardwareFacts before, host::HardwareFacts now) {
  HardwareTracker tracker;
  static_cast<void>(tracker.take(std::move(before), host::KernelReleases(), ago(minutes(1))));
  return tracker.take(std::move(now), host::KernelReleases(), ago(seconds(0)));
}

void add_hardware(NodeState& state) {
  const auto facts = healthy_hardware(state);
  state.hardware = hardware_after(facts, facts);
}

/// Each sign of a fault, on the first link.
void add_hardware_faults(NodeState& state) {
  const auto before = healthy_hardware(state);
  auto now = before;
  now.cma_free_kib = 120'000;
  now.kernel = "6.17.0-1008-nvidia";
  auto& link = now.links.front();
  link.pcie->width = 2;
  link.iommu = "DMA-FQ";
  link.temperatures["Module0"] = 72'000;
  link.statistics["rx_symbol_err_phy"] = 17;
  link.statistics["rx_pause_ctrl_phy"] = 200'000;
  link.pcie_errors.front().nonfatal = 1;
  state.hardware = hardware_after(before, now);
  // A device that came later is another one, whose counters begin again.
  state.hardware.facts->links.back().appeared_ms = 320'000;
  state.hardware.signs.push_back({"cabled", before.links.back().link, true,
                                  "the device came 5 min after the boot: the card was cabled while "
                                  "the machine ran",
                                  "measure it: `spark-reconcile bench`"});
}

/// All that `state` has cables to is proven and heard, and as fast as it ever was.
void add_around(NodeState& state) {
  auto& around = state.around;
  for (const auto& link : state.links) {
    for (const auto& peer : link.peers) {
      around.rails.push_back({.peer = peer,
                              .link = link.name,
                              .cage = *link.cage,
                              .rail = *link.rail,
                              .ip = IpPrefix::parse(link.addresses.front())->ip,
                              .echo = true,
                              .rdma = true});
      around.bench.push_back({.peer = peer,
                              .links = link.name,
                              .operation = "write",
                              .direction = "to",
                              .bytes_per_second = 12.1e9,
                              .best = 12.4e9});
      if (std::ranges::find(around.heard, peer, &HeardPeer::peer) == around.heard.end()) {
        around.heard.push_back({peer, state.gate_at});
      }
    }
  }
  around.nodes = around.heard.size() + 1;
}

/// A job uses both rails of the cage.
void add_job(NodeState& state, int cage) {
  auto& jobs = state.jobs;
  jobs.at = ago(seconds(8));
  jobs.running = 1;
  for (const auto& link : state.links) {
    if (link.cage != cage) continue;
    jobs.rails.push_back({.link = link.name,
                          .device = link.device,
                          .rail = config::Rail{cage, *link.rail},
                          .in_file = true,
                          .has_carrier = true,
                          .limit = 126'000'000'000,
                          .counts_rdma = true,
                          .carried = jobs::BitRate{94'100'000'000, 93'800'000'000},
                          .beside_rdma = jobs::BitRate{1'200, 800},
                          .sent_again = 0,
                          .out_of_order = 0,
                          .congestion = {},
                          .unknown = ""});
    jobs.octets[link.name] = 1'210'000'000'000;
  }
}

NodeState nothing() {
  NodeState state;
  state.version = "0.2.0";
  state.started = ago(milliseconds(400));
  state.file.path = "/etc/spark-reconcile/cluster.yaml";
  return state;
}

/// In force and ready, without a link yet.
NodeState settled() {
  auto state = nothing();
  state.started = ago(hours(76));
  state.node = "spark1";
  state.cluster = "lab";
  state.file.digest = kDigest;
  state.file.since = ago(hours(27));
  state.gate = gate::GateReport{};
  state.gate->node = {{gate::Verdict::kReady, "SR-GATE-015", "service",
                       "64 MiB registered in a new service, which may lock without limit", ""}};
  state.gate_at = ago(seconds(48));
  state.verdict = gate::Verdict::kReady;
  state.verdict_since = ago(hours(27) - seconds(9));
  state.verdicts = {{gate::Verdict::kReady, state.verdict_since}};
  state.in_sync = 41;
  state.pass_at = ago(seconds(48));
  state.pass_took = milliseconds(8);
  state.counters.passes = 912;
  state.counters.corrections = {{"mtu", 1}, {"sysctl", 2}};
  state.counters.drifts = {{"mtu", 1}};
  state.counters.triggers = {{"boot", 1}, {"link", 40}, {"timer", 850}, {"file", 2}};
  state.changes = {{ago(hours(3)), ChangeRecord::Cause::kDrift, "mtu", "enp1s0f0np0", "1500",
                    "9000", "", milliseconds(3)},
                   {ago(hours(27)), ChangeRecord::Cause::kFile, "sysctl", "net.core.rmem_max",
                    "212992", "268435456", "", milliseconds(1)},
                   {ago(hours(75)),
                    ChangeRecord::Cause::kBoot,
                    "address",
                    "enp1s0f0np0 192.0.2.11",
                    {},
                    "28 bits",
                    "",
                    milliseconds(12)}};
  state.sinks = {{.name = "journal", .error = "", .delivered = 4}};
  return state;
}

NodeState ready() {
  auto state = settled();
  add_links(state, cage(0, "spark2"));
  auto unused = cage(1, "");
  for (auto& link : unused) {
    link.carrier = false;
    link.speed.reset();
    link.addresses.clear();
    link.peers.clear();
    link.cabling.reset();
    state.links.push_back(link);
  }
  state.links.push_back(management());
  add_hardware(state);
  add_around(state);
  return state;
}

NodeState ring() {
  auto state = settled();
  add_links(state, cage(0, "spark2"));
  add_links(state, cage(1, "spark3"));
  state.links.push_back(management());
  add_hardware(state);
  add_around(state);
  add_job(state, 0);
  return state;
}

/// At the other end of the second cage of contested(): it has another file, and has proven both
/// rails.
NodeState neighbour() {
  auto state = settled();
  state.node = "spark3";
  state.file.digest.front() = 'a';
  add_links(state, cage(0, "spark1"));
  add_around(state);
  return state;
}

NodeState switched() {
  auto state = settled();
  auto links = cage(0, "spark2");
  for (auto& link : links) {
    link.peers = {"spark2", "spark3", "spark4", "spark5", "spark6", "spark7", "spark8"};
    link.segment = "leaf";
  }
  add_links(state, links);
  state.links.push_back(management());
  return state;
}

/// Nobody answers at the far end of cage 1, and the gate does not count peers.
NodeState unproven() {
  auto state = ring();
  for (std::size_t i = 2; i < 4; ++i) {
    state.links[i].cabling = gate::Cabling{};
    auto& cabling = fact(state, i, "SR-GATE-016");
    cabling = {gate::Verdict::kUnknown,
               cabling.id,
               cabling.name,
               "nobody answers at the other end of spark1:1",
               "start spark3, or look at its cage 0",
               false};
    auto& peers = fact(state, i, "SR-GATE-011");
    peers = {gate::Verdict::kNotReady,
             peers.id,
             peers.name,
             "spark3 does not answer",
             "start spark3, or look at its cage 0",
             false};
  }
  return state;
}

void stands_since(NodeState& state, gate::Verdict verdict, const Moment& since) {
  state.verdict = verdict;
  state.verdict_since = since;
  state.verdicts.push_front({verdict, since});
}

/// The plugs of both cages are swapped, and nothing else is wrong.
NodeState miswired() {
  auto state = ring();
  stands_since(state, gate::Verdict::kNotReady, ago(minutes(3)));
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string found = i < 2 ? "spark3" : "spark2";
    auto& link = state.links[i];
    link.cabling = gate::Cabling{.state = gate::CablingState::kWrong, .by = {found, 0}};
    auto& cabling = fact(state, i, "SR-GATE-016");
    cabling = {gate::Verdict::kNotReady, cabling.id, cabling.name,
               fmt::format("the cable in spark1:{} leads to {}:0, the file says to {}:0", i / 2,
                           found, link.peers.front()),
               "swap the plugs in spark1:0 and spark1:1"};
    cabling.detail = gate::Detail::kWrongEnd;
    cabling.peers = {link.peers.front(), found};
    cabling.plug = link.cabling->by;
    auto& peers = fact(state, i, "SR-GATE-011");
    peers = {gate::Verdict::kNotReady, peers.id, peers.name, "it does not answer", "", false};
    peers.detail = gate::Detail::kNoAnswer;
    peers.peers = {link.peers.front()};
  }
  return state;
}

/// The first rails have no carrier.
void lose_carriers(NodeState& state, const std::string& remedy) {
  stands_since(state, gate::Verdict::kNotReady, ago(minutes(3)));
  for (std::size_t i = 0; i < state.gate->rails.size(); ++i) {
    state.links[i].carrier = false;
    state.links[i].speed.reset();
    auto& facts = state.gate->rails[i].facts;
    facts.resize(4);  // link, mtu, address, port: the others need a port that is active
    facts[0] = {gate::Verdict::kNotReady, facts[0].id, facts[0].name, "up, no carrier", remedy};
    facts[0].detail = gate::Detail::kNoCarrier;
    facts[3] = {gate::Verdict::kNotReady, facts[3].id, facts[3].name,
                state.links[i].device + " is not active (state 1, physical state 3)",
                "it follows the link: see there first"};
    facts[3].detail = gate::Detail::kDown;
  }
  for (auto& rail : state.around.rails) rail.echo = rail.rdma = false;
}

/// The plug is in cage 1; the file says cage 0.
NodeState misplaced() {
  auto state = ready();
  lose_carriers(
      state,
      "cage 1 has a carrier and is not in the file: move the plug, or write spark1:1 in `ends`");
  for (std::size_t i = 0; i < 2; ++i) {
    state.links[i].cabling =
        gate::Cabling{.state = gate::CablingState::kWrong, .by = {"spark1", 1}};
    state.links[i + 2].carrier = true;
    state.links[i + 2].speed = 200'000;
  }
  for (auto& rail : state.gate->rails) {
    rail.facts[0].detail = gate::Detail::kOtherCage;
    rail.facts[0].plug = {"spark1", 1};
  }
  state.around.heard.front().at = {};
  return state;
}

/// The cable to the switch is out.
NodeState unplugged() {
  auto state = switched();
  lose_carriers(state, "plug the cable, or look at the other end: its port may be down");
  for (std::size_t i = 0; i < 2; ++i) state.links[i].cabling.reset();
  return state;
}

NodeState contested() {
  auto state = ring();
  state.source = SourceState{.url = "https://git.example.org/lab.git",
                             .branch = "main",
                             .path = "cluster.yaml",
                             .commit = "ab83c1d2ab83c1d2ab83c1d2ab83c1d2ab83c1d2",
                             .digest = kDigest,
                             .subject = "fabric: mtu 9000",
                             .principal = "alice@lab",
                             .time = 1'932'000'000};
  state.source->refused =
      protocol::SourceFault{.id = "SR-GIT-022",
                            .what =
                                "the branch is at 1c7a20de4f11, which is older than "
                                "ab83c1d2ab83, the commit in force",
                            .commit = "1c7a20de4f111c7a20de4f111c7a20de4f111c7a",
                            .since = ""};
  state.source->fault_since = ago(minutes(12));
  stands_since(state, gate::Verdict::kNotReady, ago(minutes(4)));
  state.links[0].mtu = 1500;
  state.links[2].cabling = state.links[3].cabling = gate::Cabling{};
  state.links[3].carrier = false;
  state.links[3].speed.reset();
  state.around.rails[3].echo = state.around.rails[3].rdma = false;
  state.around.heard[1].at = ago(minutes(10));
  state.around.bench[2].bytes_per_second = 3.9e9;
  auto& mtu = fact(state, 0, "SR-GATE-002");
  mtu = {gate::Verdict::kNotReady, mtu.id, mtu.name, "1500, the file says 9000",
         "spark-reconcile apply"};
  auto& gid = fact(state, 1, "SR-GATE-005");
  gid = {gate::Verdict::kNotReady, gid.id, gid.name, "no RoCE v2 GID of 192.0.2.27 on this link",
         "spark-reconcile apply"};
  auto& bandwidth = fact(state, 2, "SR-GATE-009");
  bandwidth = {gate::Verdict::kNotReady, bandwidth.id, bandwidth.name, "31.5 Gb/s, the floor is 64",
               "`journalctl -k` for the link's width"};
  auto& carrier = fact(state, 3, "SR-GATE-001");
  carrier = {gate::Verdict::kNotReady, carrier.id, carrier.name, "up, no carrier",
             "plug the cable, or look at the other end: its port may be down"};
  auto& peers = fact(state, 3, "SR-GATE-011");
  peers = {gate::Verdict::kUnknown, peers.id, peers.name, "spark3 could not be asked", "", false};
  state.in_sync = 38;
  state.drifts = {
      {"address",
       "enP2p1s0f0np0 192.0.2.27",
       Drift::State::kFailed,
       {},
       "28 bits",
       ago(minutes(2)),
       "add address: Operation not permitted",
       {},
       "cluster.yaml:14:60",
       "",
       false,
       {"enP2p1s0f0np0", IpAddress::parse("192.0.2.27").value()}},
      {"mtu",
       "enp1s0f0np0",
       Drift::State::kContested,
       "1500",
       "9000",
       ago(minutes(4)),
       "corrected 3 times within 10 minutes and changed again; /etc/netplan/40-cx7.yaml:5, active "
       "on "
       "enp1s0f0np0 as /run/NetworkManager/system-connections/netplan-enp1s0f0np0.nmconnection, "
       "sets mtu 1500",
       ago(-minutes(6)),
       "/etc/spark-reconcile/cluster.yaml:17:8",
       "`exclusive: true` in the file keeps NetworkManager off enp1s0f0np0; or change "
       "/etc/netplan/40-cx7.yaml:5",
       false,
       {"enp1s0f0np0", {}}},
      {"mount",
       "/srv/models",
       Drift::State::kDiffers,
       {},
       "nqn data, volume 1, ext4, ro",
       ago(hours(5)),
       "mounts are only reported (drift.kinds.mount)",
       {},
       "cluster.yaml:44:9",
       ""}};
  state.skipped = {{"memlock", "sshd.service", kinds::Skipped::Why::kPending, "SR-MEMLOCK-004",
                    "runs since before; restart it to have the limit"}};
  state.routes = {{"enp1s0f0np0", "10.77.0.0/16 via 192.0.2.28", "not_enforced"},
                  {"enp1s0f1np1", "10.78.0.0/16 via 192.0.2.44", "in_sync"}};
  for (int i = 1; i <= 3; ++i) {
    state.changes.push_front({ago(minutes(10 - 2 * i)), ChangeRecord::Cause::kDrift, "mtu",
                              "enp1s0f0np0", "1500", "9000", "", milliseconds(3)});
  }
  state.changes.push_front({ago(minutes(2)),
                            ChangeRecord::Cause::kDrift,
                            "address",
                            "enP2p1s0f0np0 192.0.2.27",
                            {},
                            "28 bits",
                            "add address: Operation not permitted",
                            milliseconds(1)});
  state.counters.corrections["mtu"] = 4;
  state.counters.failures["address"] = 1;
  state.sinks.push_back({.name = "alertmanager http://127.0.0.1:9093",
                         .error = "connect to 127.0.0.1:9093: Connection refused",
                         .failing_since = ago(minutes(3)),
                         .failures = 3,
                         .delivered = 12,
                         .dropped = 0});
  state.disturb_patience = hours(2);
  state.rollout = RolloutHeld{.digest = std::string(64, '3'),
                              .since = state.pass_at,
                              .waits = {{.node = "spark3", .why = "tries it"}},
                              .skipped = {"spark4: in repair"}};
  state.host_keys = {{"spark2", {"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"}}};
  state.rollout_groups = {{"spark3"}, {"spark1", "spark2"}};
  state.all_nodes = all_nodes::Progress{
      .terms = {.id = std::string(32, 'a'),
                .origin = "spark2",
                .by = "alice",
                .digest = std::string(64, '4'),
                .nodes = {"spark1", "spark2", "spark3"}},
      .order = all_nodes::Order::kGo,
      .why = {},
      .until = state.pass_at,
      .nodes = {{.node = "spark1",
                 .stage = all_nodes::Stage::kApplied,
                 .why = "rdma of enp1s0f0np0: not tried yet",
                 .plan = {.changes = 1,
                          .disturbs = {"interrupts rail 0 of cage 0 for a moment"},
                          .jobs = {},
                          .steps = {"mtu enp1s0f0np0: 9000 → 4000"}}},
                {.node = "spark2", .stage = all_nodes::Stage::kOpen, .why = {}, .plan = {}},
                {.node = "spark3", .stage = {}, .why = {}, .plan = {}}}};
  state.disturb_waits = {{.kind = "mtu",
                          .key = "enp1s0f1np1",
                          .have = "9000",
                          .want = "4000",
                          .line = "cluster.yaml:17:8",
                          .since = ago(hours(3)),
                          .uses = {{.link = "enp1s0f1np1",
                                    .device = "rocep1s0f1",
                                    .rail = config::Rail{1, 0},
                                    .process_count = 2,
                                    .unknown = ""}},
                          .asked = "",
                          .on = {"enp1s0f1np1", {}}}};
  state.gid_moves = {{ago(minutes(2)), "enp1s0f1np1", "rocep1s0f1", "192.0.2.43", 3, 5}};
  state.jobs.rails[1].carried = jobs::BitRate{};
  state.jobs.findings = {{.id = "SR-JOB-001",
                          .is_alert = true,
                          .link = state.links[0].name,
                          .what = "a job has rail 0 of cage 0 (enp1s0f0np0) near its limit for 3 "
                                  "min, and rail 1 of cage 0 (enP2p1s0f0np0) carries next to "
                                  "nothing",
                          .remedy = "start the job with the variables of both rails: `eval "
                                    "\"$(spark-reconcile export --format shell)\"`; a test of one "
                                    "rail is no fault"}};
  add_hardware_faults(state);
  return state;
}

NodeState refused() {
  auto state = ready();
  state.file.refused_since = ago(minutes(12));
  state.file.refused_first = "cluster.yaml:9:3: unknown key 'fabrik'; did you mean 'fabric'?";
  state.file.refused =
      "cluster.yaml:9:3: error: unknown key 'fabrik'; did you mean 'fabric'? [SR-SPEC-004]\n"
      "    fabrik:\n"
      "    ^~~~~~\n"
      "cluster.yaml:12:5: error: 192.0.2.11 is an address of spark2 too [SR-SPEC-031]\n";
  return state;
}

NodeState waiting() {
  auto state = settled();
  stands_since(state, gate::Verdict::kWaiting, ago(seconds(75)));
  for (auto link : cage(0, "spark2")) {
    auto facts = facts_of(link);
    facts.device = "";
    facts.facts = {{gate::Verdict::kWaiting, "SR-GATE-001", "link", "no such device",
                    "plug the cable: a Spark powers its ConnectX-7 off without one"}};
    state.gate->rails.push_back(facts);
    state.skipped.push_back({"link",
                             link.name,
                             kinds::Skipped::Why::kWaiting,
                             "SR-LINK-001",
                             "there is no such device",
                             {link.name, {}}});
    link.present = link.up = link.carrier = false;
    link.cabling = gate::Cabling{};
    link.speed.reset();
    link.device = "";
    link.mtu = 0;
    state.links.push_back(link);
  }
  state.gate->node.clear();
  state.links.push_back(management());
  state.in_sync = 22;
  state.changes.clear();
  return state;
}

NodeState paused() {
  auto state = ring();
  state.paused =
      state::Paused{ago(minutes(9)), ago(-minutes(21)), "swapping the cable of cage 1", "ada"};
  state.mutes = {{.mute = {.id = "SR-ALERT-001",
                           .alert = "SparkNodeNotReady",
                           .node = "",
                           .since = ago(minutes(9)),
                           .until = ago(-minutes(111)),
                           .reason = "new cable in rack 3",
                           .by = "ada",
                           .asked = {}},
                  .subjects = 0,
                  .raised = 1}};
  state.refusals = {"address: 198.51.100.11 is what this ssh session lives on [SR-GUARD-002]"};
  state.pass_error = "read links: No buffer space available";
  return state;
}

NodeState hostile() {
  auto state = contested();
  const std::string nasty = "\"'><script>alert(1)</script>&amp;\\\n\x1b[31m\xff\xe2\x80\xae";
  for (auto* text : {&state.version,
                     &state.node,
                     &state.cluster,
                     &state.file.path,
                     &state.file.refused,
                     &state.file.refused_first,
                     &state.pass_error,
                     &state.gate->rails[0].link,
                     &state.gate->rails[0].facts[1].name,
                     &state.gate->rails[0].facts[1].measured,
                     &state.gate->rails[0].facts[1].remedy,
                     &state.links[0].name,
                     &state.links[0].device,
                     &state.links[0].addresses[0],
                     &state.links[0].peers[0],
                     &state.links[1].segment,
                     &state.drifts[0].kind,
                     &state.drifts[0].key,
                     &state.drifts[0].why,
                     &state.drifts[0].line,
                     &state.skipped[0].kind,
                     &state.skipped[0].key,
                     &state.skipped[0].id,
                     &state.skipped[0].reason,
                     &state.routes[0].text,
                     &state.changes[0].kind,
                     &state.changes[0].key,
                     &state.changes[0].failure,
                     &state.all_nodes->terms.by,
                     &state.all_nodes->nodes[0].why,
                     &state.all_nodes->nodes[0].plan.steps[0],
                     &state.rollout->waits[0].node,
                     &state.rollout->waits[0].why,
                     &state.rollout->skipped[0],
                     &state.disturb_waits[0].kind,
                     &state.disturb_waits[0].key,
                     &state.disturb_waits[0].uses[0].link,
                     &state.disturb_waits[0].uses[0].device,
                     &state.gid_moves[0].link,
                     &state.gid_moves[0].ip,
                     &state.sinks[0].name,
                     &state.hardware.facts->links[0].link,
                     &state.hardware.facts->links[0].firmware,
                     &state.hardware.facts->links[0].pcie_errors[0].address,
                     &state.hardware.facts->gpu_driver,
                     &state.hardware.signs[0].subject,
                     &state.hardware.signs[0].what,
                     &state.around.rails[0].peer,
                     &state.around.heard[0].peer,
                     &state.around.bench[0].links,
                     &state.jobs.rails[0].link,
                     &state.jobs.findings[0].what,
                     &state.jobs.findings[0].remedy,
                     &state.sinks[0].error}) {
    *text = nasty;
  }
  for (auto* value : {&state.drifts[0].have, &state.drifts[0].want, &state.changes[0].before,
                      &state.changes[0].after}) {
    *value = nasty;
  }
  state.paused = state::Paused{ago(minutes(9)), ago(-minutes(21)), nasty, nasty};
  state.mutes = {{.mute = {.id = nasty,
                           .alert = nasty,
                           .node = nasty,
                           .since = ago(minutes(9)),
                           .until = ago(-minutes(21)),
                           .reason = nasty,
                           .by = nasty,
                           .asked = {}},
                  .subjects = {},
                  .raised = 1}};
  state.refusals = {nasty};
  state.counters.triggers[nasty] = 1;
  state.counters.corrections[nasty] = 1;
  return state;
}

NodeState huge() {
  auto state = contested();
  for (int i = 0; i < 60; ++i) {
    auto link = rail(i % 2, i, fmt::format("peer{}", i), fmt::format("198.51.100.{}/24", i + 1));
    link.name = fmt::format("rail{}", i);
    add_links(state, {link});
    state.counters.triggers[fmt::format("source{}", i)] = 1;
    state.sinks.push_back(
        {.name = fmt::format("webhook http://192.0.2.{}/", i + 1), .error = "", .delivered = 1});
    state.sinks.push_back(state.sinks.back());
    state.mutes.push_back({.mute = {.id = fmt::format("SR-ALERT-{:03}", i),
                                    .alert = fmt::format("Alert{}", i),
                                    .node = "",
                                    .since = ago(minutes(1)),
                                    .until = ago(-minutes(1)),
                                    .reason = "",
                                    .by = "",
                                    .asked = {}},
                           .subjects = 1,
                           .raised = 1});
    state.gate->node.push_back({gate::Verdict::kUnknown, "SR-GATE-013", "mount", "", ""});
  }
  add_hardware_faults(state);
  add_around(state);
  add_job(state, 1);
  state.jobs.findings.resize(4, state.jobs.findings.front());
  for (int i = 0; i < 4; ++i) state.jobs.findings[i].id = fmt::format("SR-JOB-00{}", i + 1);
  return state;
}

}  // namespace

Moment test_now() {
  using std::chrono::sys_days;
  return {sys_days(std::chrono::year(2031) / 4 / 5) + hours(6) + minutes(7) + seconds(8),
          hours(80) + minutes(3)};
}

Moment ago(milliseconds duration) {
  const auto now = test_now();
  return {now.wall - duration, now.boot - duration};
}

const std::map<std::string, NodeState>& test_states() {
  static const std::map<std::string, NodeState> kStates = {
      {"nothing", nothing()},     {"ready", ready()},         {"ring", ring()},
      {"switch", switched()},     {"contested", contested()}, {"refused", refused()},
      {"unproven", unproven()},   {"miswired", miswired()},   {"waiting", waiting()},
      {"paused", paused()},       {"hostile", hostile()},     {"huge", huge()},
      {"misplaced", misplaced()}, {"unplugged", unplugged()}, {"neighbour", neighbour()}};
  return kStates;
}

}  // namespace spark::daemon
