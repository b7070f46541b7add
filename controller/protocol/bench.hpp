#pragma once
// What the verb `bench` asks `spark-peers bench` for, a line of JSON on its stdin, and the lines
// that this prints: BenchProgress while bytes move, and one BenchEnded for each rail.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "protocol/peer_probe.hpp"

namespace spark::protocol {

/// Of the task, and of each line that answers it.
inline constexpr std::size_t kLongestBenchLine = std::size_t{64} * 1024;

/// A rail between this node and the peer.
struct RailRoute {
  std::string link;        ///< our rail
  IpAddress local;         ///< our address there
  std::string device;      ///< our RDMA device
  std::uint32_t port = 0;  ///< of that device, from 1
  IpAddress ip;            ///< the peer's address there
};

template <EitherConst<RailRoute> T, class Visit>
void each_field(T& route, Visit visit) {
  visit("link", route.link);
  visit("local", route.local);
  visit("device", route.device);
  visit("port", route.port);
  visit("ip", route.ip);
}

/// One measurement, over all of the routes at once.
struct BenchTask {
  std::string node;  ///< this one
  std::string peer;
  std::string run;  ///< of one run of `bench`: a peer takes part in one at a time
  PeerOperation ours = PeerOperation::kNone;
  PeerOperation theirs = PeerOperation::kNone;
  std::uint32_t seconds = 0;      ///< 1 to kMostBenchSeconds; nothing for kVerify
  std::uint32_t queue_pairs = 1;  ///< on each rail, 1 to kMostQueuePairs
  bool beside_jobs = false;
  bool is_last = false;  ///< of the run
  std::vector<RailRoute> routes;
  std::string key_file;  ///< of the key that all nodes have; empty: they have none
};

template <EitherConst<BenchTask> T, class Visit>
void each_field(T& task, Visit visit) {
  visit("node", task.node);
  visit("peer", task.peer);
  visit("run", task.run);
  visit("ours", task.ours);
  visit("theirs", task.theirs);
  visit("seconds", task.seconds);
  visit("queue_pairs", task.queue_pairs);
  visit("beside_jobs", task.beside_jobs);
  visit("is_last", task.is_last);
  visit("routes", task.routes);
  visit("key_file", may_lack(task.key_file));
}

/// Who moved the bytes.
enum class BenchEnd : std::uint8_t { kOurs, kTheirs };

inline constexpr std::array<std::string_view, 2> kBenchEnds = {"ours", "theirs"};
constexpr const auto& names_of(BenchEnd /*any*/) { return kBenchEnds; }

struct BenchProgress {
  static constexpr std::string_view kStep = "progress";
  std::string link;
  BenchEnd end = BenchEnd::kOurs;
  double bits_per_second = 0;  ///< since the line of that end before it
};

template <EitherConst<BenchProgress> T, class Visit>
void each_field(T& progress, Visit visit) {
  visit("link", progress.link);
  visit("end", progress.end);
  visit("bits_per_second", progress.bits_per_second);
}

struct BenchEnded {
  static constexpr std::string_view kStep = "ended";
  std::string link;
  std::optional<PeerReport> ours;
  std::optional<PeerReport> theirs;
  std::string why;       ///< why not both have reported: a clause; empty: both have
  bool is_busy = false;  ///< a job or another measurement is in the way
};

template <EitherConst<BenchEnded> T, class Visit>
void each_field(T& ended, Visit visit) {
  visit("link", ended.link);
  visit("ours", ended.ours);
  visit("theirs", ended.theirs);
  visit("why", ended.why);
  visit("is_busy", ended.is_busy);
}

}  // namespace spark::protocol
