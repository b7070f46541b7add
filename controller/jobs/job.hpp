#pragma once
// Job: a process tree or a container that has queue pairs on rails.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "host/process_place.hpp"
#include "host/running_process.hpp"
#include "jobs/rail_traffic.hpp"

namespace spark::jobs {

struct SeenProcess {
  host::RunningProcess process;
  std::optional<host::ProcessPlace> place;
};

/// Those that have queue pairs, and what they descend from; by pid.
using SeenProcesses = std::map<std::uint32_t, SeenProcess>;

/// What a job has on one rail.
struct JobRail {
  std::string link;
  std::size_t queue_pairs = 0;
  bool is_shared = false;  ///< another job has some there too
  bool operator==(const JobRail&) const = default;
};

struct Job {
  /// The first of its processes that has queue pairs, by pid. Its names never leave this node.
  host::RunningProcess process;
  std::vector<std::uint32_t> pids;  ///< of all that have queue pairs
  /// When the first of these began, since the boot: its queue pairs came later, and nobody recorded
  /// when. Empty: not known.
  std::optional<std::chrono::milliseconds> began;
  std::vector<JobRail> rails;  ///< in the order of the look
  bool operator==(const Job&) const = default;
};

template <EitherConst<JobRail> T, class Visit>
void each_field(T& rail, Visit visit) {
  visit("link", rail.link);
  visit("queue_pairs", rail.queue_pairs);
  visit("shared", rail.is_shared);
}

/// By pid. Probes of this program are no job. Processes are one job in one container, or where one
/// of them, or a process that started both, is of the same user and unit and leads no terminal.
std::vector<Job> jobs_of(const std::vector<RailSnapshot>& rails, const SeenProcesses& seen);

/// Without what names them, as what leaves this node has them: no name, user, container or pid.
std::vector<Job> without_names(std::vector<Job> jobs);

/// "vllm (pid 4711)"; "a job" of one without names.
std::string name_of(const Job& job);

}  // namespace spark::jobs
