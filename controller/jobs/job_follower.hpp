#pragma once
// JobFollower: what one look after another says of jobs: a job begins, moves octets, and has ended.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "jobs/followed.hpp"
#include "jobs/job.hpp"
#include "jobs/job_log.hpp"
#include "jobs/rail_traffic.hpp"

namespace spark::jobs {

/// A job without queue pairs for so long has ended; some programs make new ones.
inline constexpr std::chrono::seconds kRest{30};
/// While a job has queue pairs, and until it has ended, a look is due after so long.
inline constexpr std::chrono::seconds kLookEvery{10};

/// A job that has not ended, by what it is known again: its record may have no names.
struct OpenJob {
  std::uint64_t number = 0;  ///< of its record
  std::string container;     ///< empty: it is in none
  /// When its processes began, by pid; empty: not known.
  std::map<std::uint32_t, std::optional<std::chrono::milliseconds>> began;
  std::set<std::string> links;  ///< on which it has queue pairs, or nobody can say
  std::optional<Moment> gone;   ///< the first look without any
  /// Of a record without names that another daemon left: since the boot, when it was seen last.
  std::optional<std::chrono::milliseconds> nameless_seen;
};

class JobFollower {
 public:
  /// `log`: of the daemon before. What is open there and has no queue pairs at the first look ended
  /// unseen. `keeps_names`: else records have none.
  JobFollower(JobLog log, bool keeps_names);

  /// A look. `peers`: the nodes at the other end, by link.
  void take(const Snapshot& look, const SeenProcesses& seen, const Moment& now,
            const std::map<std::string, std::vector<std::string>>& peers);

  /// The clock was set to `by` more than it had: what was seen by it is as much later.
  void set_clock(std::chrono::milliseconds by);

  [[nodiscard]] const JobLog& log() const { return log_; }
  [[nodiscard]] const Followed& followed() const { return followed_; }
  /// A job has queue pairs, or had some within the last kRest: a look is due in kLookEvery.
  [[nodiscard]] bool is_due() const;

 private:
  void follow_rails(const Snapshot& look, const std::vector<Job>& jobs, const Moment& now,
                    const std::map<std::string, std::vector<std::string>>& peers);
  void end_rested(const Moment& now);
  void go_on(const Job& job, OpenJob open, std::vector<OpenJob>& before, const Snapshot& look,
             const Moment& now);
  void rest(OpenJob job, const Snapshot& look, const Moment& now);
  [[nodiscard]] JobRecord begun(const Job& job, const Moment& now) const;
  JobRecord& record_of(const OpenJob& job);

  JobLog log_;
  std::uint64_t last_of_before_;  ///< the last number that the daemon before gave; 0: none
  bool keeps_names_;
  Followed followed_;
  Snapshot last_;
  std::optional<Moment> last_at_;  ///< empty: there was no look
  OneRailFor one_rail_;
  std::vector<OpenJob> open_;
};

}  // namespace spark::jobs
