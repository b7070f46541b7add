#pragma once
// OtherEnd: what the probe on the other node says, a line at a time, in the order of the steps.

#include <chrono>
#include <optional>
#include <string>

#include "helpers/verbs/verbs.hpp"
#include "protocol/peer_probe.hpp"

namespace spark::helpers {

class OtherEnd {
 public:
  using Clock = std::chrono::steady_clock;

  /// `fd` stays the caller's. Every wait ends at `deadline`.
  OtherEnd(int fd, Clock::time_point deadline) : fd_(fd), deadline_(deadline) {}

  /// They wait. A report in place of the line is a failure, as are the end of the lines, a line
  /// that is none and the deadline.
  Attempt<protocol::PeerOffer> wait_for_offer();
  Attempt<> wait_for_connected();
  /// It waits for the report, and no longer than `end`. False: there is none, and none is to come
  /// or the time is over.
  bool wait_for_report(Clock::time_point end);

  /// Reads what is there, once poll(2) says that something is. Fails when the lines end before the
  /// report.
  Attempt<> read_on();
  /// For poll(2); -1, which poll(2) passes over, when no line is to come.
  [[nodiscard]] int fd() const { return is_over_ ? -1 : fd_; }

  [[nodiscard]] const std::optional<protocol::PeerReport>& report() const { return report_; }
  /// It was started and ended without a report.
  [[nodiscard]] bool is_lost() const { return is_over_ && !report_; }
  /// What its report says of its failure: ASCII, cut. Empty: nothing.
  [[nodiscard]] std::string reason() const;

 private:
  Attempt<> take(const std::string& text);
  /// Reads until `seen` or the end. `step` is what it waits for.
  template <class Seen>
  Attempt<> wait(std::string_view step, Seen seen);

  int fd_;
  Clock::time_point deadline_;
  protocol::PeerLineBuffer lines_;
  bool is_over_ = false;  ///< nothing is to come
  std::optional<protocol::PeerOffer> offer_;
  bool is_connected_ = false;
  std::optional<protocol::PeerReport> report_;
};

}  // namespace spark::helpers
