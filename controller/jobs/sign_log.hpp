#pragma once
// SignLog: the signs of this node, kept for thirty days, and while they were recorded.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "host/files.hpp"
#include "jobs/recorded.hpp"

namespace spark::jobs {

class SignLog {
 public:
  static constexpr std::chrono::days kKept{30};
  static constexpr std::size_t kLongestText = 120;  ///< code points

  SignLog() = default;
  explicit SignLog(NodeSigns record) : record_(std::move(record)) {}

  /// A daemon begins to record: another span of what is covered.
  void begin(Time now);
  /// It still records.
  void go_on(Time now);
  /// The clock was set to `by` more than it had at `now`, with this machine up since `booted`: what
  /// was recorded by it since then is as much later. What an earlier span covers too is left alone.
  void set_clock(Time booted, Time now, std::chrono::milliseconds by);
  /// A sign that stands from its time on, until `end` of the same sign, link and peer; a proof, or
  /// what has no end, only stands for itself. Its texts are made printable and cut. What is there
  /// already is not added again.
  void add(Recorded sign);
  /// Of the newest of these. Where none stands, nothing happens.
  void end(Sign sign, std::string_view link, std::string_view peer, Time now);
  /// Proofs are thinned out, but near what else is recorded and near `ends` of jobs; what is older
  /// than kKept goes, and the oldest beyond protocol::kMostSigns, echoes first.
  void forget(const std::vector<Time>& ends, Time now);

  [[nodiscard]] NodeSigns& record() { return record_; }
  [[nodiscard]] const NodeSigns& record() const { return record_; }

 private:
  NodeSigns record_;
};

/// What a document of kRecordSchema says. Errors: kInvalid.
Result<NodeSigns> record_from_text(const std::string& text);
std::string record_text(const NodeSigns& record);

/// The record of the daemon that runs, or that ran last. Empty: no daemon has recorded anything.
/// Errors: kInvalid, and those of the files port.
Result<std::optional<NodeSigns>> read_record(host::Files& files);

}  // namespace spark::jobs
