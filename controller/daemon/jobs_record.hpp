#pragma once
// JobsRecord: what the daemon remembers of jobs and of this node's network across restarts, so that
// "was it the network" has an answer when nobody looked.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "config/cluster.hpp"
#include "daemon/common/daemon_log.hpp"
#include "daemon/common/node_state_names.hpp"
#include "host/host.hpp"
#include "jobs/job_follower.hpp"
#include "jobs/sign_log.hpp"

namespace spark::daemon {

/// What the kernel logged in that time. Errors: its log cannot be read.
using KernelLines =
    std::function<Result<std::vector<jobs::Recorded>>(jobs::Time since, jobs::Time until)>;

/// Not thread-safe: one worker has it.
class JobsRecord {
 public:
  struct Options {
    bool keeps_names = true;   ///< else what it writes of a job has none
    KernelLines kernel_lines;  ///< empty: nobody reads them
  };

  /// Reads what the daemon before wrote. Where this version cannot read that, it is logged, and the
  /// record starts empty. `host` must outlive it.
  JobsRecord(host::Host& host, Options options, const DaemonLog& log, const Moment& now);

  /// Looks at the rails and at who has queue pairs there; opens no RDMA device. `file`: in force;
  /// null: none is. `node`: as in select().
  void look(const config::Cluster* file, const std::string& node, const Moment& now);
  /// The node was as `before`, and is as `state`.
  void note(const NodeState& before, const NodeState& state, const Moment& now);
  /// Writes what is due: faults and ends of jobs at once, all else from time to time. What cannot
  /// be written is due again.
  void keep(const Moment& now);
  /// Nothing is recorded after `now`.
  void end(const Moment& now);

  [[nodiscard]] const jobs::Followed& followed() const { return follower_.followed(); }
  /// A job is there.
  [[nodiscard]] bool is_due() const { return follower_.is_due(); }

 private:
  /// Where somebody set the clock since it was read last, all that was recorded by it moves along.
  void follow_clock(const Moment& now);
  void add_kernel_lines(jobs::Time now);
  void write_jobs(const Moment& now);
  /// `is_kept`: also what outlives a reboot.
  void write_signs(const Moment& now, bool is_kept);

  host::Host& host_;
  KernelLines kernel_lines_;
  jobs::JobFollower follower_;
  jobs::SignLog signs_;
  std::vector<std::uint64_t> running_;   ///< the numbers of the jobs that have not ended
  bool jobs_are_new_;                    ///< at first, where they may have names that go
  bool signs_are_new_ = true;            ///< others than proofs; at first, that a daemon runs again
  Moment clock_;                         ///< as it was read last
  std::chrono::milliseconds kept_at_{};  ///< since the boot, the last `keep`
  std::chrono::milliseconds jobs_written_{};
  std::chrono::milliseconds signs_written_{};
  std::chrono::milliseconds signs_kept_{};
  jobs::Time kernel_read_to_;
};

}  // namespace spark::daemon
