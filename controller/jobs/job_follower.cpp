#include "jobs/job_follower.hpp"

#include <algorithm>
#include <utility>

#include "jobs/findings.hpp"

namespace spark::jobs {
namespace {

/// By the clock of `now`, so that a jump of it makes no job longer.
Time wall_at(std::chrono::milliseconds boot, const Moment& now) {
  return later(now, boot - now.boot).wall;
}

void forget_names(JobRecord& record) {
  for (auto* name : {&record.name, &record.user, &record.container, &record.unit}) name->clear();
  record.pid = 0;
}

OpenJob opened(const Job& job, const SeenProcesses& seen) {
  OpenJob open;
  open.container = job.process.container;
  for (const auto pid : job.pids) {
    auto& began = open.began[pid];
    const auto process = seen.find(pid);
    if (process != seen.end() && process->second.place) began = process->second.place->started;
  }
  for (const auto& rail : job.rails) open.links.insert(rail.link);
  return open;
}

/// What the daemon before did not see end.
std::vector<OpenJob> left_open(const JobLog& log, const Moment& now) {
  std::vector<OpenJob> all;
  for (const auto& record : log.jobs()) {
    if (record.ended) continue;
    auto& open = all.emplace_back();
    open.number = record.number;
    // After a boot a pid is another process's, and what is in a container has started again.
    if (record.last_seen < wall_at({}, now)) continue;
    open.container = record.container;
    if (record.pid != 0) {
      open.began[record.pid] = std::nullopt;
      continue;
    }
    open.nameless_seen = now.boot - (now.wall - record.last_seen);
    for (const auto& rail : record.rails) open.links.insert(rail.link);
  }
  return all;
}

/// One of its processes was there then, and it is on one of the same links.
bool may_be_nameless(const OpenJob& before, const OpenJob& now) {
  return std::ranges::any_of(now.links,
                             [&](const auto& link) { return before.links.contains(link); }) &&
         std::ranges::any_of(now.began, [&](const auto& process) {
           return process.second && *process.second <= *before.nameless_seen;
         });
}

/// In the same container, or with a process that both have. A pid may be another process's now,
/// which began later.
bool is_same(const OpenJob& before, const OpenJob& now) {
  if (before.nameless_seen) return may_be_nameless(before, now);
  if (!now.container.empty() && now.container == before.container) return true;
  return std::ranges::any_of(now.began, [&](const auto& process) {
    const auto& [pid, began] = process;
    const auto earlier = before.began.find(pid);
    return earlier != before.began.end() &&
           (!began || !earlier->second || *began == *earlier->second);
  });
}

/// Those of the links of which nobody can say now who has queue pairs there.
std::set<std::string> unknown_of(const std::set<std::string>& links, const Snapshot& look) {
  std::set<std::string> unknown;
  for (const auto& rail : look.rails) {
    if (!rail.unknown.empty() && links.contains(rail.link)) unknown.insert(rail.link);
  }
  return unknown;
}

JobRailRecord& record_of_rail(const RailSnapshot& rail, JobRecord& record) {
  const auto found = std::ranges::find(record.rails, rail.link, &JobRailRecord::link);
  if (found != record.rails.end()) return *found;
  return record.rails.emplace_back(
      JobRailRecord{.link = rail.link,
                    .rail = rail.rail,
                    .counts_rdma = rail.counters.rdma_words.has_value(),
                    .is_shared = false,
                    .octets = {},
                    .sent_again = {}});
}

/// Of a device that came back since the look before, nothing is known of what it moved meanwhile.
void add_growth(const Snapshot& before, const Snapshot& look, const std::set<std::string>& links,
                JobRecord& record) {
  for (const auto& rail : look.rails) {
    if (!links.contains(rail.link)) continue;
    auto& kept = record_of_rail(rail, record);
    const auto growth = growth_between(before, rail);
    if (growth.carried) {
      auto& octets = kept.octets ? *kept.octets : kept.octets.emplace();
      octets.received += growth.carried->received;
      octets.sent += growth.carried->sent;
    }
    if (growth.sent_again) kept.sent_again = kept.sent_again.value_or(0) + *growth.sent_again;
  }
}

void note_shared(const Job& job, JobRecord& record) {
  for (auto& kept : record.rails) {
    const auto rail = std::ranges::find(job.rails, kept.link, &JobRail::link);
    if (rail != job.rails.end() && rail->is_shared) kept.is_shared = true;
  }
}

void note_findings(const std::vector<Finding>& found, const std::set<std::string>& links,
                   JobRecord& record) {
  for (const auto& finding : found) {
    if (!links.contains(finding.link)) continue;
    const auto kept = std::ranges::find(record.findings, finding.id, &Finding::id);
    if (kept == record.findings.end()) {
      record.findings.push_back(finding);
    } else if (finding.is_alert || !kept->is_alert) {
      *kept = finding;
    }
  }
}

}  // namespace

JobFollower::JobFollower(JobLog log, bool keeps_names)
    : log_(std::move(log)),
      last_of_before_(log_.jobs().empty() ? 0 : log_.jobs().back().number),
      keeps_names_(keeps_names) {
  if (keeps_names_) return;
  for (auto& record : log_.jobs()) forget_names(record);
}

void JobFollower::take(const Snapshot& look, const SeenProcesses& seen, const Moment& now,
                       const std::map<std::string, std::vector<std::string>>& peers) {
  auto jobs = jobs_of(look.rails, seen);
  // Root can read every process that is there: another one ended during the look, as probes do.
  std::erase_if(jobs, [&seen](const Job& job) {
    return std::ranges::none_of(job.pids, [&seen](auto pid) { return seen.contains(pid); });
  });
  follow_rails(look, jobs, now, peers);
  end_rested(now);
  auto before = last_at_ ? std::exchange(open_, {}) : left_open(log_, now);
  for (const auto& job : jobs) go_on(job, opened(job, seen), before, look, now);
  for (auto& job : before) {
    if (last_at_) {
      rest(std::move(job), look, now);
    } else {
      auto& record = record_of(job);
      record.ended = now.wall;
      record.is_end_unseen = true;
    }
  }
  log_.forget(now.wall);
  last_ = look;
  last_at_ = now;
}

void JobFollower::set_clock(std::chrono::milliseconds by) {
  if (!last_at_) return;
  for (auto& record : log_.jobs()) {
    if (record.ended && record.number <= last_of_before_) continue;
    for (auto* at : {&record.not_before, &record.seen, &record.last_seen}) *at += by;
    if (record.ended) *record.ended += by;
  }
  for (auto& job : open_) {
    if (job.gone) job.gone->wall += by;
  }
}

bool JobFollower::is_due() const {
  return std::ranges::any_of(log_.jobs(), [](const JobRecord& job) { return !job.ended; });
}

void JobFollower::follow_rails(const Snapshot& look, const std::vector<Job>& jobs,
                               const Moment& now,
                               const std::map<std::string, std::vector<std::string>>& peers) {
  followed_.at = now;
  const bool is_known = std::ranges::all_of(
      look.rails, [](const RailSnapshot& rail) { return rail.unknown.empty(); });
  followed_.running = is_known || !jobs.empty() ? std::optional(jobs.size()) : std::nullopt;
  followed_.rails = rates_between(last_, look);
  one_rail_ = one_rail_for(one_rail_, followed_.rails, jobs, look.at - last_.at);
  followed_.findings = findings(followed_.rails, without_names(jobs), one_rail_, peers);
  for (const auto& rail : look.rails) {
    if (!rail.counters.rdma_words && !rail.counters.link_octets) continue;
    const auto carried = growth_between(last_, rail).carried.value_or(host::BothWays{});
    followed_.octets[rail.link] += carried.received + carried.sent;
  }
}

void JobFollower::end_rested(const Moment& now) {
  std::erase_if(open_, [&](const OpenJob& job) {
    const bool has_ended = job.gone && now.boot - job.gone->boot >= kRest;
    if (has_ended) record_of(job).ended = job.gone->wall;
    return has_ended;
  });
}

/// The record of the job goes on, or begins.
void JobFollower::go_on(const Job& job, OpenJob open, std::vector<OpenJob>& before,
                        const Snapshot& look, const Moment& now) {
  auto used = open.links;  // now, or at the look before
  const auto same =
      std::ranges::find_if(before, [&](const OpenJob& earlier) { return is_same(earlier, open); });
  if (same == before.end()) {
    open.number = log_.add(begun(job, now)).number;
  } else {
    open.number = same->number;
    used.insert(same->links.begin(), same->links.end());
    open.links.merge(unknown_of(same->links, look));
    before.erase(same);
  }
  auto& record = record_of(open);
  record.last_seen = now.wall;
  add_growth(last_, look, used, record);
  note_shared(job, record);
  note_findings(followed_.findings, open.links, record);
  open_.push_back(std::move(open));
}

/// The job has no queue pairs now; what its rails moved since the look before it moved until its
/// end.
void JobFollower::rest(OpenJob job, const Snapshot& look, const Moment& now) {
  add_growth(last_, look, job.links, record_of(job));
  job.links = unknown_of(job.links, look);
  if (job.links.empty() && !job.gone) job.gone = now;
  open_.push_back(std::move(job));
}

JobRecord JobFollower::begun(const Job& job, const Moment& now) const {
  const auto before = last_at_ ? last_at_->boot : job.began.value_or(now.boot);
  JobRecord record;
  record.not_before = wall_at(std::max(before, job.began.value_or(before)), now);
  record.seen = now.wall;
  record.name = job.process.name;
  record.user = job.process.user;
  record.container = job.process.container;
  record.unit = job.process.unit;
  record.pid = job.process.pid;
  if (!keeps_names_) forget_names(record);
  return record;
}

JobRecord& JobFollower::record_of(const OpenJob& job) {
  return *std::ranges::find(log_.jobs(), job.number, &JobRecord::number);  // it is not forgotten
}

}  // namespace spark::jobs
