#pragma once
// Records: what all nodes recorded, by the clock of this node.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/recorded.hpp"

namespace spark::jobs {

struct Question {
  Time at;                       ///< the end of the job, or of the time that is asked about
  std::optional<JobSpan> job;    ///< empty: no job is asked about
  std::vector<Way> ways;         ///< of this node
  std::vector<NodeSigns> nodes;  ///< this node first; whose record did not come is left out
  /// So long is the time that is asked about, as 03:12 is a minute; of a job 0.
  std::chrono::milliseconds lasts{0};
};

/// The earliest time at which the job can have ended, or the begin of the one that is asked about.
inline Time earliest_end(const Question& question) {
  return question.job ? question.job->last_seen : question.at - question.lasts;
}

/// So long before its end a fault can have ended a job: with NCCL_IB_TIMEOUT=22, as guides have it,
/// NCCL tries seven times for 17 s each.
inline constexpr std::chrono::minutes kAround{2};
/// What clocks still differ by once the offset is known, and what a look takes.
inline constexpr std::chrono::seconds kClocks{1};
/// All rails of a machine that goes down lose their carrier within that time.
inline constexpr std::chrono::seconds kTogether{5};

/// A sign by the clock of this node.
struct Placed {
  const NodeSigns* node = nullptr;
  const Recorded* sign = nullptr;
  Time at;
  std::optional<config::Rail> rail;  ///< of its link, where that is on a way
};

class Records {
 public:
  /// `question` must outlive this.
  explicit Records(const Question& question);

  /// In the order of time, without those of nodes whose clock is not known.
  [[nodiscard]] const std::vector<Placed>& placed() const { return placed_; }
  [[nodiscard]] bool is_own(const NodeSigns& node) const {
    return &node == &question_.nodes.front();
  }
  [[nodiscard]] std::string own() const;

  /// The job had queue pairs there, or no job is asked about.
  [[nodiscard]] bool is_used(const Way& way) const;
  /// The ways of this node that the sign is about, whichever end recorded it.
  [[nodiscard]] std::vector<Way> ways_of(const Placed& placed) const;
  [[nodiscard]] Placed place(const NodeSigns& node, const Recorded& sign, Time at) const;

  /// The daemon of the node recorded at that time.
  [[nodiscard]] bool knows(std::string_view node, Time at) const;
  /// When the machine started again after that time, its daemon having recorded something shortly
  /// before, and nothing between. Empty: it did not, or that is not known.
  [[nodiscard]] std::optional<Time> restart_after(std::string_view node, Time at) const;
  /// From the first to the last moment of the span that this node did not record. Empty: it has
  /// all.
  [[nodiscard]] std::optional<Span> gap_in(const Span& span) const;

 private:
  const Question& question_;
  std::vector<Placed> placed_;
};

}  // namespace spark::jobs
