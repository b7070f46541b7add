#pragma once
// RailCounters: what a rail had carried and counted when somebody looked. Two looks make a rate.

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/fields.hpp"

namespace spark::host {

/// Both directions of one counter.
struct BothWays {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  bool operator==(const BothWays&) const = default;
};

template <EitherConst<BothWays> T, class Visit>
void each_field(T& counter, Visit visit) {
  visit("received", counter.received);
  visit("sent", counter.sent);
}

struct RailCounters {
  /// port_rcv_data and port_xmit_data of the RDMA port, in units of FOUR octets (IBTA,
  /// PortCounters). Of mlx5 these are the octets of RDMA alone (drivers/infiniband/hw/mlx5/mad.c;
  /// not seen on a Spark). Empty: the driver has none, as rxe.
  std::optional<BothWays> rdma_words;
  /// rx_bytes and tx_bytes of the network device: of rxe all of it, of mlx5 what the kernel's
  /// network carried, and nothing of RDMA.
  std::optional<BothWays> link_octets;
  /// Of hw_counters those that kRailEvents names, and the driver has.
  std::map<std::string, std::uint64_t> events;
  /// For so long the driver answers with what it read before (hw_counters/lifespan).
  std::chrono::milliseconds lifespan{0};
  std::optional<std::uint64_t>
      speed;  ///< bits a second; empty: no carrier, or the driver says none
  bool operator==(const RailCounters&) const = default;
};

enum class RailEvent : std::uint8_t {
  kSentAgain,   ///< this node sent again what the other end did not get, or could not take
  kOutOfOrder,  ///< something before it is missing here: the other end sends again
  kCongestion,  ///< a notification (CNP) was sent, or obeyed
};

struct RailEventCounter {
  std::string_view name;
  RailEvent event;
};

/// Names of mlx5 and of rxe (drivers/infiniband/sw/rxe/rxe_hw_counters.c). No event is counted by
/// two of them.
inline constexpr std::array kRailEvents{
    RailEventCounter{"packet_seq_err", RailEvent::kSentAgain},
    RailEventCounter{"local_ack_timeout_err", RailEvent::kSentAgain},
    RailEventCounter{"rnr_nak_retry_err", RailEvent::kSentAgain},
    RailEventCounter{"implied_nak_seq_err", RailEvent::kSentAgain},
    RailEventCounter{"completer_retry_err", RailEvent::kSentAgain},
    RailEventCounter{"rcvd_rnr_err", RailEvent::kSentAgain},
    RailEventCounter{"out_of_sequence", RailEvent::kOutOfOrder},
    RailEventCounter{"out_of_seq_request", RailEvent::kOutOfOrder},
    RailEventCounter{"np_cnp_sent", RailEvent::kCongestion},
    RailEventCounter{"rp_cnp_handled", RailEvent::kCongestion},
};

/// By how much a counter grew, also where it has 32 bits and began again from 0. Empty: the device
/// came back with new counters, or the counter stays at its largest (IBTA: PortCounters do).
std::optional<std::uint64_t> grown(std::uint64_t before, std::uint64_t now);

}  // namespace spark::host
