#pragma once
// What nodes tell each other of what they recorded: on demand, and without any name of a job.
//
//   RailsTold     the daemon → spark-peers: what the rails carried at its last look
//   RecordTold    spark-peers → a peer that asks for "record"
//   RecordsTask   a verb → `spark-peers records`, a line of JSON on its stdin
//   RecordTaken   `spark-peers records` → that verb, a line for each peer

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "protocol/node_signs.hpp"
#include "protocol/peers.hpp"

namespace spark::protocol {

/// A RailsTold, for all to read, replaced after each look at the rails.
inline constexpr const char* kRailsFile = "/run/spark-reconcile/rails.json";
inline constexpr const char* kRailsSchema = "spark-reconcile/rails/v1";
inline constexpr const char* kRecordToldSchema = "spark-reconcile/record-told/v1";
/// A node has four, and a file may name others.
inline constexpr std::size_t kMostRailsTold = 16;
inline constexpr std::size_t kMostRailsBytes = std::size_t{16} * 1024;
/// Of a RecordTold.
inline constexpr std::size_t kMostRecordToldBytes = kMostRecordedBytes + kMostRailsBytes;

/// What a rail carries.
struct RailTold {
  std::string link;
  std::optional<int> cage;  ///< empty, as `rail`: the link is in no cage that is known
  std::optional<int> rail;
  bool has_carrier = false;
  std::optional<std::uint64_t> limit;     ///< bits a second each way; empty: not known
  bool counts_rdma = false;               ///< else all that the link carried
  std::optional<std::uint64_t> received;  ///< bits a second; empty: not known
  std::optional<std::uint64_t> sent;      ///< the same
  std::optional<double> sent_again;       ///< a second; empty: not counted, or not known
  bool operator==(const RailTold&) const = default;
};

template <EitherConst<RailTold> T, class Visit>
void each_field(T& rail, Visit visit) {
  visit("link", rail.link);
  visit("cage", rail.cage);
  visit("rail", rail.rail);
  visit("carrier", rail.has_carrier);
  visit("limit", rail.limit);
  visit("counts_rdma", rail.counts_rdma);
  visit("received", rail.received);
  visit("sent", rail.sent);
  visit("sent_again", rail.sent_again);
}

struct RailsTold {
  WallTime looked;                     ///< by the clock of that node
  std::optional<std::size_t> running;  ///< jobs that have queue pairs; empty: not known
  std::vector<RailTold> rails;         ///< at most kMostRailsTold
  bool operator==(const RailsTold&) const = default;
};

template <EitherConst<RailsTold> T, class Visit>
void each_field(T& told, Visit visit) {
  visit("looked_ms", told.looked);
  visit("running", told.running);
  visit("rails", told.rails);
}

struct RecordTold {
  WallTime now;      ///< by the clock of who answers
  NodeSigns record;  ///< of the window that was asked about; without one it has its name alone
  std::optional<RailsTold> rails;  ///< empty: its daemon has not looked at them yet
  bool operator==(const RecordTold&) const = default;
};

template <EitherConst<RecordTold> T, class Visit>
void each_field(T& told, Visit visit) {
  visit("now_ms", told.now);
  visit("record", told.record);
  visit("rails", told.rails);
}

/// Of each line of RecordTaken: what is no character takes more bytes than it came with.
inline constexpr std::size_t kLongestRecordTaken = 4 * kMostRecordToldBytes;

/// Of the task: each of 254 nodes over four rails.
inline constexpr std::size_t kLongestRecordsTask = std::size_t{512} * 1024;
/// After that nobody is asked any more who was not asked before.
inline constexpr std::chrono::seconds kRecordsTime{15};

struct RecordsTask {
  std::string node;                 ///< this one
  std::string key_file;             ///< of the key that all nodes have; empty: they have none
  std::vector<ExpectedPeer> peers;  ///< each over its rails, in the order in which these are tried
  std::optional<Span> window;       ///< empty: no sign is asked for
};

template <EitherConst<RecordsTask> T, class Visit>
void each_field(T& task, Visit visit) {
  visit("node", task.node);
  visit("key_file", may_lack(task.key_file));
  visit("peers", task.peers);
  visit("window", unless_empty(task.window));
}

struct RecordTaken {
  static constexpr std::string_view kStep = "taken";
  std::string node;
  std::string why;        ///< why nothing came: a clause with the node's name; empty: it came
  bool is_older = false;  ///< of that: its version keeps no record
  NodeSigns record;       ///< how far its clock is ahead was measured
  std::optional<RailsTold> rails;
};

template <EitherConst<RecordTaken> T, class Visit>
void each_field(T& taken, Visit visit) {
  visit("node", taken.node);
  visit("why", taken.why);
  visit("is_older", may_lack(taken.is_older));
  visit("record", taken.record);
  visit("rails", taken.rails);
}

}  // namespace spark::protocol
