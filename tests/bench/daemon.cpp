// The daemon, each figure beside a peer, in turn: ours, peer, ours, peer. Runs in a network and
// mount namespace of its own (tests/bench/run makes them).
//
//   bench_daemon SPARK-RECONCILE HOLD-LOOP DIRECTORY

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>

#include <nlohmann/json.hpp>

#include "bench/cluster_text.hpp"
#include "bench/machine.hpp"
#include "bench/metronome.hpp"
#include "bench/process.hpp"
#include "bench/rails.hpp"
#include "bench/service.hpp"
#include "bench/status_watch.hpp"
#include "bench/table.hpp"
#include "protocol/paths.hpp"

namespace spark::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kStartPairs = 60;
/// Of corrections: each damages every rail in both ways.
constexpr int kRounds = 25;
constexpr int kToggles = 10'000;
constexpr milliseconds kTogglePause{1};
constexpr milliseconds kIdleTime = seconds(10);

/// Longer than the daemon rests between two passes at most: what it was about to look at again it
/// has looked at.
constexpr milliseconds kRested{600};
/// Longer than after a change until the gate is judged for the last time but for the slow timers.
constexpr milliseconds kCalm = seconds(25);

constexpr const char* kNode = "spark1";

/// One number a measurement, by what was damaged.
struct Latencies {
  Series address;
  Series mtu;

  [[nodiscard]] Series& of(Damage damage) {
    return damage == Damage::kAddressDeleted ? address : mtu;
  }
  [[nodiscard]] Series all() const {
    auto both = address;
    both.insert(both.end(), mtu.begin(), mtu.end());
    return both;
  }
};

/// A row of one fact that holds or does not.
Row fact(std::string what, std::string ours, std::string target) {
  const bool met = ours == target;
  return {
      .what = std::move(what), .ours = std::move(ours), .target = std::move(target), .met = met};
}

std::uint32_t mtu_of_toggle(int number) { return number % 2 == 0 ? Rails::kOtherMtu : Rails::kMtu; }

std::unique_ptr<Rails> rails_at_far_end() {
  std::unique_ptr<Rails> rails;
  at_far_end([&] { rails = std::make_unique<Rails>(); });
  return rails;
}

/// The clock is read when something happens, whatever else this machine has to do. What is started
/// from here runs as always.
void go_first() {
  const sched_param lowest{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) != 0) {
    give_up("cannot become a real-time process");
  }
}

/// What its unit makes for it (RuntimeDirectory=). It gives up root.
void prepare_networkd() {
  constexpr const char* kDirectory = "/run/systemd/netif";
  std::filesystem::create_directories(kDirectory);
  std::filesystem::permissions(kDirectory, std::filesystem::perms::all);
}

/// A daemon that holds what its file says.
class Daemon : public Service {
 public:
  Daemon(const Argv& argv, const StatusWatch& status) : Service(argv) {
    const auto said = status.read();
    if (said.at("node") != kNode || !said.at("drift").empty()) {
      give_up("the daemon does not hold its file");
    }
  }
};

/// How a resource fares that should be the only one in dispute.
std::string in_dispute(const nlohmann::json& status, const char* what) {
  const auto& drift = status.at("drift");
  return drift.size() == 1 ? drift[0].at(what).get<std::string>()
                           : fmt::format("{} in dispute", drift.size());
}

class DaemonBench {
 public:
  DaemonBench(const Machine& machine, std::string hold_loop)
      : machine_(machine),
        hold_loop_(at_far_end({std::move(hold_loop), std::to_string(Rails::kMtu)})),
        file_(machine.write("ring.yaml", text_of_ring())) {
    std::vector<std::string> links;
    for (const auto& [rail, address] : rails_of_ring()) {
      links.push_back(rail);
    }
    machine_.renew(links);
    static_cast<void>(apply());
    daemon_ = machine_.daemon(text_of_ring(), kNode);
    status_.emplace(machine_.path(protocol::kStatusFile));
  }

  void measure_start(Table& table) const {
    Series ours;
    Series peer;
    for (int i = 0; i <= kStartPairs; ++i) {
      const double ready = Daemon(daemon_, *status_).seconds_to_ready();
      const double applied = apply().wall_seconds;
      if (i > 0) {  // the first warms the caches
        ours.push_back(ready);
        peer.push_back(applied);
      }
    }
    table.add(compare("daemon, start to READY=1 / converged apply", ours, peer, 3.0));
  }

  /// Before the peers are switched on.
  void measure_idle(Table& table) const {
    const Daemon daemon(daemon_, *status_);
    prepare_networkd();
    const Service networkd({"/lib/systemd/systemd-networkd"}, {"SYSTEMD_LOG_LEVEL=emerg"});
    status_->wait_for_silence(kCalm);
    const double ours = daemon.sleeps();
    const double peer = networkd.sleeps();
    poll(nullptr, 0, static_cast<int>(kIdleTime.count()));
    const double woken = daemon.sleeps() - ours;
    table.add(
        {.what = fmt::format("idle {} s, wake-ups / systemd-networkd", kIdleTime.count() / 1000),
         .ours = fmt::format("{}", woken),
         .peer = fmt::format("{}", networkd.sleeps() - peer),
         .target = "0",
         .met = woken == 0});
    table.add(compare("  private memory", {daemon.private_bytes()}, {networkd.private_bytes()}, 1.0,
                      mebibytes_text));
    table.add(compare("  of it written", {daemon.written_bytes()}, {networkd.written_bytes()},
                      std::nullopt, mebibytes_text));
  }

  void switch_peers_on() const {
    std::string lines;
    for (const auto& [rail, address] : far_ends_of_ring()) {
      lines += fmt::format("link set {0} mtu {1}\naddress add {2} dev {0}\n", rail, Rails::kMtu,
                           address);
    }
    run(ip({"-netns", kFar, "-batch", machine_.write("far", lines)}));
  }

  void measure_storm(Table& table) const {
    const auto& rail = rails_of_ring().front();
    const Daemon daemon(daemon_, *status_);
    const Service hold_loop(hold_loop_);
    status_->wait_for_silence(kRested);
    const auto in_sync = status_->read().at("in_sync").get<int>();

    Rails near;
    const auto far = rails_at_far_end();
    const double peer = hold_loop.cpu_seconds();
    const double ours = daemon.cpu_seconds();
    Metronome metronome(kTogglePause);
    for (int i = 0; i < kToggles; ++i) {
      metronome.wait();
      far->set_mtu(far_ends_of_ring().front(), mtu_of_toggle(i));
      near.set_mtu(rail, mtu_of_toggle(i));
    }
    table.add(compare("10 000 toggles in 10 s, CPU / bare loop", {daemon.cpu_seconds() - ours},
                      {hold_loop.cpu_seconds() - peer}, 5.0));
    near.set_mtu(rail, Rails::kOtherMtu);
    status_->wait_for_silence(kRested);
    table.add(fact("  the toggled MTU", in_dispute(status_->read(), "state"), "contested"));

    // As many unheard: the daemon's socket overruns, and an address goes meanwhile.
    daemon.signal(SIGSTOP);
    for (int i = 0; i <= kToggles; ++i) {
      near.set_mtu(rail, mtu_of_toggle(i));
    }
    near.damage(rails_of_ring().back(), Damage::kAddressDeleted);
    daemon.signal(SIGCONT);
    status_->wait();
    status_->wait_for_silence(kRested);
    const auto status = status_->read();
    const bool resynced = status.at("counters").at("resyncs").get<int>() > 0;
    table.add(fact("  10 000 unheard", resynced ? "resync" : "heard", "resync"));
    table.add(fact("  all else", fmt::format("{} in sync", status.at("in_sync").get<int>()),
                   fmt::format("{} in sync", in_sync - 1)));
    table.add(
        fact("  its MTU in status", in_dispute(status, "have"), fmt::to_string(near.mtu(rail))));
  }

  void measure_corrections(Table& table) const {
    Latencies ours;
    Latencies peer;
    Rails near;
    const auto far = rails_at_far_end();
    for (int round = 0; round < kRounds; ++round) {
      // Again, since what is corrected three times within ten minutes is contested.
      const Daemon daemon(daemon_, *status_);
      const Service hold_loop(hold_loop_);
      for (std::size_t i = 0; i < far_ends_of_ring().size(); ++i) {
        for (const auto damage : {Damage::kAddressDeleted, Damage::kMtuChanged}) {
          status_->wait_for_silence(kRested);
          // The peer first: the daemon goes on after a correction.
          peer.of(damage).push_back(far->seconds_until_back(far_ends_of_ring().at(i), damage));
          ours.of(damage).push_back(near.seconds_until_back(rails_of_ring().at(i), damage));
        }
      }
    }
    table.add(compare_quantile("address deleted until back, p50 / bare loop", 0.5, ours.address,
                               peer.address, 10.0));
    table.add(
        compare_quantile("MTU changed until back, p50 / bare loop", 0.5, ours.mtu, peer.mtu, 10.0));
    table.add(compare_quantile(fmt::format("  p99 of all {}", ours.all().size()), 0.99, ours.all(),
                               peer.all(), 30.0));
  }

 private:
  /// 4: the GIDs of its rails are unknown, since virtual links have no RDMA device.
  [[nodiscard]] Cost apply() const { return run(machine_.apply(file_, kNode), 4); }

  const Machine& machine_;
  Argv hold_loop_;
  std::string file_;
  Argv daemon_;
  std::optional<StatusWatch> status_;
};

bool measure_all(const std::string& program, const std::string& hold_loop,
                 const std::string& directory) {
  const Machine machine(program, directory);
  Table table(false);
  const DaemonBench bench(machine, hold_loop);
  bench.measure_start(table);
  bench.measure_idle(table);
  bench.switch_peers_on();
  bench.measure_storm(table);
  go_first();
  bench.measure_corrections(table);
  return table.all_met();
}

}  // namespace
}  // namespace spark::bench

int main(int argc, char** argv) try {
  if (argc != 4) {
    spark::bench::give_up("usage: bench_daemon SPARK-RECONCILE HOLD-LOOP DIRECTORY");
  }
  return spark::bench::measure_all(argv[1], argv[2], argv[3]) ? 0 : 1;
} catch (const std::exception& error) {
  spark::bench::give_up(error.what());
}
