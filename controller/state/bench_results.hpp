#pragma once
// BenchResults: what `bench` measured between this node and its peers, kept for comparison.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/result.hpp"
#include "host/files.hpp"

namespace spark::state {

/// One rail of a measurement.
struct BenchRail {
  std::string link;  ///< ours
  int cage = 0;      ///< ours
  int rail = 0;
  std::string driver;            ///< of our network device: "mlx5_core"; empty: not known
  std::uint32_t speed = 0;       ///< negotiated, Mb/s; 0: not known
  std::uint32_t pcie_lanes = 0;  ///< of our network device now; 0: not known
  std::uint32_t path_mtu = 0;    ///< of RDMA, bytes; 0: none was negotiated
  double latency_p50_us = 0;     ///< of a WRITE of 8 bytes; 0: not measured
  double latency_p99_us = 0;     ///< of the same
  bool operator==(const BenchRail&) const = default;
};

template <EitherConst<BenchRail> T, class Visit>
void each_field(T& rail, Visit visit) {
  visit("link", rail.link);
  visit("cage", rail.cage);
  visit("rail", rail.rail);
  visit("driver", may_lack(rail.driver));
  visit("speed_mbps", may_lack(rail.speed));
  visit("pcie_lanes", may_lack(rail.pcie_lanes));
  visit("path_mtu", may_lack(rail.path_mtu));
  visit("latency_p50_us", may_lack(rail.latency_p50_us));
  visit("latency_p99_us", may_lack(rail.latency_p99_us));
}

/// One number of a measurement: what went over some rails at once.
struct BenchFigure {
  std::string operation;           ///< "write" or "read"
  std::string direction;           ///< of the bytes: "to" the peer, "from" it, or "both" at once
  std::vector<std::string> links;  ///< ours, in the order of the rails
  double bits_per_second = 0;      ///< of all links and directions together
  std::string failed;              ///< why it is no number, as a clause; empty: it is one
  bool operator==(const BenchFigure&) const = default;
};

template <EitherConst<BenchFigure> T, class Visit>
void each_field(T& figure, Visit visit) {
  visit("operation", figure.operation);
  visit("direction", figure.direction);
  visit("links", figure.links);
  visit("bits_per_second", figure.bits_per_second);
  visit("failed", may_lack(figure.failed));
}

/// One run of `bench` with one peer.
struct BenchResult {
  std::string at;       ///< UTC, RFC 3339: when it began
  std::string version;  ///< of the program
  std::string node;     ///< this one
  std::string peer;
  std::uint32_t seconds = 0;         ///< of each number
  std::uint32_t queue_pairs = 0;     ///< on each rail
  std::vector<std::string> jobs;     ///< that ran beside it: "a job uses …", without names
  std::vector<BenchRail> rails;      ///< in their order
  std::vector<BenchFigure> figures;  ///< in the order in which they were measured
  bool operator==(const BenchResult&) const = default;
};

template <EitherConst<BenchResult> T, class Visit>
void each_field(T& result, Visit visit) {
  visit("at", result.at);
  visit("version", result.version);
  visit("node", result.node);
  visit("peer", result.peer);
  visit("seconds", result.seconds);
  visit("queue_pairs", result.queue_pairs);
  visit("jobs", result.jobs);
  visit("rails", result.rails);
  visit("figures", result.figures);
}

/// So many are kept, of all peers together.
inline constexpr std::size_t kMostBenchResults = 64;

/// The oldest first. None where none was measured.
/// Errors: kInvalid: damaged, or of a version that writes another schema; those of the files port.
Result<std::vector<BenchResult>> read_bench_results(host::Files& files);

/// Adds the newest; the oldest makes room. A damaged file is begun again.
/// Errors: those of the files port.
Result<> keep_bench_result(host::Files& files, BenchResult result);

}  // namespace spark::state
