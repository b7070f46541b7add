#pragma once
// RailTraffic: what a rail carries, from two looks at it.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "config/dgx_names.hpp"
#include "host/rail_counters.hpp"

namespace spark::jobs {

/// One look at a rail.
struct RailSnapshot {
  std::string link;
  std::string device;                ///< its RDMA device; empty: none
  std::optional<config::Rail> rail;  ///< empty: the link is in no cage that is known
  bool in_file = false;              ///< the file has it as a rail, or there is no file
  bool has_carrier = false;
  int link_index = 0;  ///< of the network device, another one is another device; 0: there is none
  host::RailCounters counters;
  std::vector<std::uint32_t> queue_pairs;  ///< the process of each
  std::string unknown;  ///< why it cannot be known who has queue pairs; empty: it is known
};

/// All rails at one time.
struct Snapshot {
  std::chrono::milliseconds at{0};  ///< since the boot
  std::vector<RailSnapshot> rails;
};

struct BitRate {
  std::uint64_t received = 0;  ///< bits a second
  std::uint64_t sent = 0;
  [[nodiscard]] std::uint64_t larger() const { return received > sent ? received : sent; }
  bool operator==(const BitRate&) const = default;
};

struct RailTraffic {
  std::string link;
  std::string device;
  std::optional<config::Rail> rail;
  bool in_file = false;
  bool has_carrier = false;
  /// What it can carry each way, bits a second: the speed of the cage, or its PCIe link where that
  /// is less. Empty: the driver says no speed.
  std::optional<std::uint64_t> limit;
  /// `carried` is RDMA alone; else all that the link carried, since the driver counts no RDMA.
  bool counts_rdma = false;
  std::optional<BitRate> carried;      ///< empty: not known, as of a device that came back
  std::optional<BitRate> beside_rdma;  ///< TCP and the like; empty: not told from RDMA
  // A second, each way in which RDMA repairs or slows down. Empty: not counted, or not known.
  std::optional<double> sent_again;
  std::optional<double> out_of_order;
  std::optional<double> congestion;
  std::string unknown;  ///< as RailSnapshot::unknown
  bool operator==(const RailTraffic&) const = default;
};

template <EitherConst<BitRate> T, class Visit>
void each_field(T& rate, Visit visit) {
  visit("received", rate.received);
  visit("sent", rate.sent);
}

template <EitherConst<RailTraffic> T, class Visit>
void each_field(T& traffic, Visit visit) {
  visit("link", traffic.link);
  visit("device", traffic.device);
  visit("rail", traffic.rail);
  visit("in_file", traffic.in_file);
  visit("carrier", traffic.has_carrier);
  visit("limit", traffic.limit);
  visit("counts_rdma", traffic.counts_rdma);
  visit("carried", traffic.carried);
  visit("beside_rdma", traffic.beside_rdma);
  visit("sent_again", traffic.sent_again);
  visit("out_of_order", traffic.out_of_order);
  visit("congestion", traffic.congestion);
  visit("unknown", traffic.unknown);
}

/// What a rail carried and counted between two looks. Empty: not counted, or not known, as of a
/// device that came back.
struct RailGrowth {
  std::optional<host::BothWays> carried;      ///< octets, otherwise as RailTraffic::carried
  std::optional<host::BothWays> beside_rdma;  ///< octets
  std::optional<std::uint64_t> sent_again;    ///< events, as the next two
  std::optional<std::uint64_t> out_of_order;
  std::optional<std::uint64_t> congestion;
};

/// Of a rail that was not in the look before, or was another device then, nothing is known.
RailGrowth growth_between(const Snapshot& before, const RailSnapshot& now);

/// Of the rails of `now`, in their order. What was not there before, or is another device now, has
/// no rates.
std::vector<RailTraffic> rates_between(const Snapshot& before, const Snapshot& now);

/// "cage 0 rail 1", or the link's name.
std::string short_name(const RailTraffic& rail);
/// "rail 1 of cage 0 (enP2p1s0f0np0)", or the link's name.
std::string name_of(const RailTraffic& rail);

}  // namespace spark::jobs
