// Parts of the program, in process, each beside its peer; Google Benchmark measures them. Its own
// options set the repetitions (tests/bench/run).

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <yaml-cpp/yaml.h>

#include "base/ip.hpp"
#include "bench/cluster_text.hpp"
#include "bench/table.hpp"
#include "config/parse/parse.hpp"
#include "host/linux/netlink/decode.hpp"
#include "host/linux/netlink/request.hpp"

namespace spark::bench {
namespace {

constexpr int kNodes = 1'000;
constexpr int kAddresses = 1'000;

/// A dump of addresses as kernel 6.1 sends it (inet_fill_ifaddr in net/ipv4/devinet.c).
std::vector<std::uint8_t> address_dump() {
  std::vector<std::uint8_t> dump;
  for (int number = 0; number < kAddresses; ++number) {
    const auto prefix = IpPrefix::parse(numbered_address(number)).value();
    const ifa_cacheinfo forever{
        .ifa_prefered = ~0U, .ifa_valid = ~0U, .cstamp = 1'000, .tstamp = 1'000};
    host::NetlinkRequest row(RTM_NEWADDR, ifaddrmsg{.ifa_family = AF_INET,
                                                    .ifa_prefixlen = prefix.prefix_len,
                                                    .ifa_flags = IFA_F_PERMANENT,
                                                    .ifa_scope = RT_SCOPE_UNIVERSE,
                                                    .ifa_index = 3});
    row.put_ip(IFA_ADDRESS, prefix.ip);
    row.put_ip(IFA_LOCAL, prefix.ip);
    row.put_text(IFA_LABEL, "enp1s0f0np0");
    row.put_u8(IFA_PROTO, 1);
    row.put_u32(IFA_FLAGS, IFA_F_PERMANENT);
    row.put(IFA_CACHEINFO, sizeof(forever), &forever);
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(row.header()),
                          row.header()->nlmsg_len);
    dump.insert(dump.end(), bytes.begin(), bytes.end());
    dump.resize(NLMSG_ALIGN(dump.size()));
  }
  return dump;
}

/// Calls `take` for every message of the dump.
template <class Take>
void walk(std::vector<std::uint8_t>& dump, Take take) {
  auto left = static_cast<int>(dump.size());
  for (auto* message = reinterpret_cast<nlmsghdr*>(dump.data()); nlmsg_ok(message, left) != 0;
       message = nlmsg_next(message, &left)) {
    take(*message);
  }
}

void decode_ours(benchmark::State& state) {
  auto dump = address_dump();
  for (auto _ : state) {
    walk(dump,
         [](const nlmsghdr& message) { benchmark::DoNotOptimize(host::decode_address(message)); });
  }
}

void decode_peer(benchmark::State& state) {
  auto dump = address_dump();
  for (auto _ : state) {
    walk(dump, [](nlmsghdr& message) {
      std::array<nlattr*, IFA_MAX + 1> attributes{};
      benchmark::DoNotOptimize(
          nlmsg_parse(&message, sizeof(ifaddrmsg), attributes.data(), IFA_MAX, nullptr));
    });
  }
}

void parse_ours(benchmark::State& state) {
  const auto text = text_of_switch(kNodes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(config::parse(text));
  }
}

void parse_peer(benchmark::State& state) {
  const auto text = text_of_switch(kNodes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(YAML::Load(text));
  }
}

BENCHMARK(decode_ours);
BENCHMARK(decode_peer);
BENCHMARK(parse_ours);
BENCHMARK(parse_peer);

/// Keeps the CPU seconds of one iteration, a number for each repetition.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.run_type == Run::RT_Iteration) {
        seconds_[run.run_name.function_name].push_back(run.cpu_accumulated_time /
                                                       static_cast<double>(run.iterations));
      }
    }
  }
  [[nodiscard]] const Series& seconds(const std::string& name) const { return seconds_.at(name); }

 private:
  std::map<std::string, Series> seconds_;
};

bool measure_parts() {
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  Table table(false);
  table.add(compare("1 000 nodes, parse / yaml-cpp's load", collector.seconds("parse_ours"),
                    collector.seconds("parse_peer"), 2.0));
  table.add(compare("1 000 addresses, decode / nlmsg_parse", collector.seconds("decode_ours"),
                    collector.seconds("decode_peer"), std::nullopt));
  return table.all_met();
}

}  // namespace
}  // namespace spark::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  return spark::bench::measure_parts() ? EXIT_SUCCESS : EXIT_FAILURE;
}
