#pragma once
// JobLog: the jobs that had queue pairs on this node, kept for thirty days. Root alone reads it:
// it has names.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/result.hpp"
#include "config/dgx_names.hpp"
#include "host/files.hpp"
#include "host/rail_counters.hpp"
#include "jobs/findings.hpp"
#include "jobs/recorded.hpp"

namespace spark::jobs {

/// What a rail carried while the job had queue pairs there.
struct JobRailRecord {
  std::string link;
  std::optional<config::Rail> rail;
  bool counts_rdma = false;  ///< else all that the link carried
  bool is_shared = false;    ///< another job had some there too, so the octets are of both
  /// Octets from the look before the first one that saw the job to the first one without it; empty:
  /// not known. What a device moved while nobody looked, or until it came back with new counters,
  /// is missing.
  std::optional<host::BothWays> octets;
  std::optional<std::uint64_t> sent_again;  ///< events; empty: not counted
  bool operator==(const JobRailRecord&) const = default;
};

template <EitherConst<JobRailRecord> T, class Visit>
void each_field(T& rail, Visit visit) {
  visit("link", rail.link);
  visit("rail", rail.rail);
  visit("counts_rdma", rail.counts_rdma);
  visit("shared", rail.is_shared);
  visit("octets", rail.octets);
  visit("sent_again", rail.sent_again);
}

struct JobRecord {
  std::uint64_t number = 0;  ///< 1, 2, …; of the log that has it
  Time not_before;           ///< it had no queue pair before: the look before, or its start
  Time seen;                 ///< the first look with queue pairs: it began then at latest
  Time last_seen;            ///< the last look with queue pairs
  /// The first look without any: it had ended by then. Empty: it has some, or had some within the
  /// last kRest.
  std::optional<Time> ended;
  /// Nobody looked when it ended: the daemon was down between `last_seen` and `ended`.
  bool is_end_unseen = false;
  // Of the first of its processes. Empty where agent.yaml has `jobs: { names: false }`.
  std::string name;
  std::string user;
  std::string container;
  std::string unit;
  std::uint32_t pid = 0;
  std::vector<JobRailRecord> rails;
  std::vector<Finding> findings;  ///< each once, as it was worst; without names
  bool operator==(const JobRecord&) const = default;
};

template <EitherConst<JobRecord> T, class Visit>
void each_field(T& job, Visit visit) {
  visit("number", job.number);
  visit("not_before_ms", job.not_before);
  visit("seen_ms", job.seen);
  visit("last_seen_ms", job.last_seen);
  visit("ended_ms", unless_empty(job.ended));
  visit("end_unseen", may_lack(job.is_end_unseen));
  visit("name", job.name);
  visit("user", job.user);
  visit("container", job.container);
  visit("unit", job.unit);
  visit("pid", job.pid);
  visit("rails", job.rails);
  visit("findings", job.findings);
}

inline constexpr const char* kJobsFile = "/var/lib/spark-reconcile/jobs.json";
inline constexpr const char* kJobsSchema = "spark-reconcile/jobs-record/v1";

/// The oldest first.
class JobLog {
 public:
  static constexpr std::size_t kMost = 200;
  static constexpr std::chrono::days kKept{30};

  /// Gives the job its number; beyond kMost the oldest that ended makes room.
  JobRecord& add(JobRecord job);
  /// Those that ended more than kKept ago go.
  void forget(Time now);

  [[nodiscard]] std::deque<JobRecord>& jobs() { return jobs_; }
  [[nodiscard]] const std::deque<JobRecord>& jobs() const { return jobs_; }
  /// Null: there is no such job, or it is not kept any more.
  [[nodiscard]] const JobRecord* job(std::uint64_t number) const;

  /// What kJobsFile holds, with its line feed. Its texts are printable, and cut where one is long.
  [[nodiscard]] std::string to_text() const;
  /// Errors: kInvalid: damaged, or of a version that writes another schema.
  static Result<JobLog> from_text(const std::string& text);

 private:
  std::deque<JobRecord> jobs_;
  std::uint64_t last_ = 0;  ///< number given
};

/// Errors: kPermission: it is root's alone; kInvalid, and those of the files port. Of a node whose
/// daemon saw no job yet: an empty one.
Result<JobLog> read_job_log(host::Files& files);

}  // namespace spark::jobs
