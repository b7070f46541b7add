#pragma once
// The screen of the verb `jobs`: what the rails carry, who uses them, and what is found about that.

#include <chrono>
#include <string>
#include <vector>

#include "cli/terminal.hpp"
#include "jobs/findings.hpp"
#include "jobs/job.hpp"
#include "jobs/rail_traffic.hpp"
#include "protocol/records.hpp"

namespace spark::cli {

/// What was measured.
struct JobsShown {
  std::string node;  ///< empty: not known
  std::chrono::milliseconds measured{0};
  std::chrono::milliseconds at{0};  ///< since the boot, as Job::began
  std::vector<jobs::RailTraffic> rails;
  std::vector<jobs::Job> jobs;
  std::vector<jobs::Finding> findings;
};

/// A line for each rail, the jobs with their rails, and the findings with what to do.
std::string jobs_text(const JobsShown& shown, const Terminal& terminal);

/// "alert: … [SR-JOB-001]", and what to do about it.
std::string finding_text(const jobs::Finding& finding, const Terminal& terminal);

/// The same lines of the rails of a peer, as it told them.
std::string told_text(const std::string& node, const protocol::RailsTold& told,
                      std::chrono::milliseconds ago, const Terminal& terminal);

/// One line: "2 jobs there; names stay on their node".
std::string told_line(const protocol::RailsTold& told);

/// One line: "1 job on 2 rails, 1 alert".
std::string jobs_line(const JobsShown& shown);

}  // namespace spark::cli
