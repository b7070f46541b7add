#pragma once
// JobFollower: what one look after another says of jobs: a job begins, moves octets, and has ended.

#include <chrono>
#include <map>
#include <optional>
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

class JobFollower {
 public:
  /// `log`: of the daemon before. What is open there and has no queue pairs at the first look ended
  /// unseen. `keeps_names`: else records have none.
  JobFollower(JobLog log, bool keeps_names);

  /// A look. `peers`: the nodes at the other end, by link.
  void take(const Snapshot& look, const SeenProcesses& seen, const Moment& now,
            const std::map<std::string, std::vector<std::string>>& peers);

  [[nodiscard]] const JobLog& log() const { return log_; }
  [[nodiscard]] const Followed& followed() const { return followed_; }
  /// A job has queue pairs, or had some within the last kRest: a look is due in kLookEvery.
  [[nodiscard]] bool is_due() const;

 private:
  JobLog log_;
  bool keeps_names_;
  Followed followed_;
  std::optional<Snapshot> last_;
  std::optional<Moment> last_at_;
  OneRailFor one_rail_;
};

}  // namespace spark::jobs
