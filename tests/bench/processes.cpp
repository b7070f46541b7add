// Whole processes, each against the program that one would use instead, in turn: ours, peer, ours,
// peer. Runs in a network and mount namespace of its own (tests/bench/run makes them).
//
//   bench_processes SPARK-RECONCILE YAML-LOAD DIRECTORY

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/cluster_text.hpp"
#include "bench/events.hpp"
#include "bench/machine.hpp"
#include "bench/process.hpp"
#include "bench/table.hpp"

namespace spark::bench {
namespace {

constexpr int kConvergedPairs = 200;
constexpr int kFirstPairs = 40;
constexpr int kValidatePairs = 60;
constexpr int kLargeRounds = 9;

using Costs = std::vector<Cost>;

struct Pairs {
  Costs ours;
  Costs peer;
};

/// Runs both `count` times in turn; `renew` comes before each run and is not measured. The first
/// pair, which warms the caches, does not count.
Pairs in_turn(int count, const std::function<void()>& renew, const std::function<Cost()>& ours,
              const std::function<Cost()>& peer) {
  Pairs pairs;
  for (int i = 0; i <= count; ++i) {
    renew();
    const auto our_cost = ours();
    renew();
    const auto peer_cost = peer();
    if (i > 0) {
      pairs.ours.push_back(our_cost);
      pairs.peer.push_back(peer_cost);
    }
  }
  return pairs;
}

Series series(const Costs& costs, double Cost::* part) {
  Series values;
  std::ranges::transform(costs, std::back_inserter(values), part);
  return values;
}

/// The row of the wall time, and below it the CPU time, which other programs of this machine move
/// less.
void add_times(Table& table, std::string what, const Pairs& pairs, double limit) {
  table.add(compare(std::move(what), series(pairs.ours, &Cost::wall_seconds),
                    series(pairs.peer, &Cost::wall_seconds), limit));
  table.add(compare("  of it CPU", series(pairs.ours, &Cost::cpu_seconds),
                    series(pairs.peer, &Cost::cpu_seconds), std::nullopt));
}

void add_peak_memory(Table& table, const Costs& ours, const Costs& peer) {
  constexpr double kLimitBytes = 40.0 * (1 << 20);
  const auto largest = [](const Costs& costs) {
    return std::ranges::max(series(costs, &Cost::peak_bytes));
  };
  table.add({.what = "  peak memory",
             .ours = mebibytes_text(largest(ours)),
             .peer = mebibytes_text(largest(peer)),
             .target = "< 40 MiB",
             .met = largest(ours) < kLimitBytes});
}

class Ring {
 public:
  explicit Ring(const Machine& machine)
      : machine_(machine), file_(machine.write("ring.yaml", text_of_ring())) {
    for (const auto& [rail, address] : rails_of_ring()) {
      links_.push_back(rail);
    }
  }

  void measure_first_apply(Table& table) const {
    std::string lines;
    std::string keys;
    for (const auto& [rail, address] : rails_of_ring()) {
      lines += fmt::format("link set {0} mtu 9000 up\naddress add {1} dev {0}\n", rail, address);
      keys += fmt::format("net.ipv4.conf.{0}.arp_ignore = 1\nnet.ipv4.conf.{0}.arp_announce = 2\n",
                          rail);
    }
    const auto batch = ip({"-batch", machine_.write("ring.batch", lines)});
    const Argv sysctl{"/sbin/sysctl", "-p", machine_.write("ring.conf", keys)};
    const auto pairs = in_turn(
        kFirstPairs, [this] { machine_.renew(links_); }, [this] { return apply(); },
        [&] { return run(batch) + run(sysctl); });
    add_times(table, "ring, first apply / ip -batch, sysctl -p", pairs, 3.0);
  }

  void measure_converged(Table& table) const {
    machine_.renew(links_);
    apply();
    Events events;
    events.wait_for_silence();
    const auto pairs = in_turn(
        kConvergedPairs, [] {}, [this] { return apply(); },
        [] { return run(ip({"-json", "-details", "address"})); });
    const auto heard = events.take();
    add_times(table, "ring, converged apply / ip -j -d address", pairs, 2.0);
    table.add({.what = fmt::format("  kernel events in {} applies", kConvergedPairs + 1),
               .ours = fmt::to_string(heard),
               .target = "0",
               .met = heard == 0});
  }

 private:
  /// 4: the GIDs of its rails are unknown, since virtual links have no RDMA device.
  Cost apply() const { return run(machine_.apply(file_, "spark1"), 4); }

  const Machine& machine_;
  std::string file_;
  std::vector<std::string> links_;
};

/// One link with so many addresses: made by us, looked at again by us, made by `ip -batch`.
struct LinkCosts {
  Costs first;
  Costs again;
  Costs batch;
};

class LargeLink {
 public:
  LargeLink(const Machine& machine, int addresses)
      : machine_(machine),
        file_(machine.write(fmt::format("{}.yaml", addresses), text_of_link(kLink, addresses))) {
    std::string lines = fmt::format("link set {} up\n", kLink);
    for (int number = 0; number < addresses; ++number) {
      lines += fmt::format("address add {} dev {}\n", numbered_address(number), kLink);
    }
    batch_ = machine.write(fmt::format("{}.batch", addresses), lines);
  }

  void measure_once(LinkCosts& costs) const {
    machine_.renew({kLink});
    run(ip({"link", "set", kLink, "up"}));
    costs.first.push_back(apply());
    costs.again.push_back(apply());
    machine_.renew({kLink});
    run(ip({"link", "set", kLink, "up"}));
    costs.batch.push_back(run(ip({"-batch", batch_})));
  }

 private:
  static constexpr const char* kLink = "storage0";

  Cost apply() const { return run(machine_.apply(file_, "node1")); }

  const Machine& machine_;
  std::string file_;
  std::string batch_;
};

Series growth(const Costs& small, const Costs& large) {
  Series growth;
  std::ranges::transform(series(large, &Cost::wall_seconds), series(small, &Cost::wall_seconds),
                         std::back_inserter(growth), std::divides{});
  return growth;
}

void measure_many_addresses(Table& table, const Machine& machine) {
  const LargeLink thousand(machine, 1'000);
  const LargeLink ten_thousand(machine, 10'000);
  LinkCosts small;
  LinkCosts large;
  for (int round = 0; round < kLargeRounds; ++round) {
    thousand.measure_once(small);
    ten_thousand.measure_once(large);
  }
  add_times(table, "10 000 addresses, first apply / ip -batch", {large.first, large.batch}, 1.2);
  add_times(table, "10 000 addresses, converged / first apply", {large.again, large.first}, 0.3);
  table.add(compare("1 000 to 10 000, growth / that of ip -batch", growth(small.first, large.first),
                    growth(small.batch, large.batch), 1.0, factor_text));
  large.first.insert(large.first.end(), large.again.begin(), large.again.end());
  add_peak_memory(table, large.first, large.batch);
}

void measure_validate(Table& table, const Machine& machine, const std::string& program,
                      const std::string& yaml_load) {
  const auto file = machine.write("switch.yaml", text_of_switch(1'000));
  const auto pairs = in_turn(
      kValidatePairs, [] {}, [&] { return run({program, "validate", "-f", file}); },
      [&] { return run({yaml_load, file}); });
  table.add(compare("1 000 nodes, CPU of validate / yaml-cpp's load",
                    series(pairs.ours, &Cost::cpu_seconds), series(pairs.peer, &Cost::cpu_seconds),
                    2.0));
  add_peak_memory(table, pairs.ours, pairs.peer);
}

bool measure_all(const std::string& program, const std::string& yaml_load,
                 const std::string& directory) {
  const Machine machine(program, directory);
  Table table(true);
  const Ring ring(machine);
  ring.measure_converged(table);
  ring.measure_first_apply(table);
  measure_many_addresses(table, machine);
  measure_validate(table, machine, program, yaml_load);
  return table.all_met();
}

}  // namespace
}  // namespace spark::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    spark::bench::give_up("usage: bench_processes SPARK-RECONCILE YAML-LOAD DIRECTORY");
  }
  return spark::bench::measure_all(argv[1], argv[2], argv[3]) ? 0 : 1;
}
