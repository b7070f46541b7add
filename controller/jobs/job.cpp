#include "jobs/job.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::jobs {
namespace {

/// They start the jobs of a user side by side, as that user.
constexpr std::array<std::string_view, 3> kStarters{"systemd", "sshd", "sshd-session"};

const SeenProcess* seen_process(const SeenProcesses& seen, std::uint32_t pid) {
  const auto found = seen.find(pid);
  return found == seen.end() ? nullptr : &found->second;
}

bool is_same_job(const SeenProcess& child, const SeenProcess& parent) {
  return parent.place && !parent.place->leads_terminal &&
         parent.process.user == child.process.user &&
         parent.process.container == child.process.container &&
         parent.process.unit == child.process.unit &&
         std::ranges::find(kStarters, parent.process.name) == kStarters.end();
}

/// What is the same for all processes of a job.
std::string key_of(std::uint32_t pid, const SeenProcesses& seen) {
  const auto* process = seen_process(seen, pid);
  if (process != nullptr && !process->process.container.empty()) return process->process.container;
  // A process may be gone, and its number another's, while its children are looked at.
  std::size_t left = seen.size();
  while (process != nullptr && process->place && left-- > 0) {
    const auto* parent = seen_process(seen, process->place->parent);
    if (parent == nullptr || !is_same_job(*process, *parent)) break;
    pid = process->place->parent;
    process = parent;
  }
  return fmt::format("{}", pid);
}

void add_pair(std::uint32_t pid, const std::string& link, const SeenProcesses& seen, Job& job) {
  const auto* process = seen_process(seen, pid);
  const bool is_first = job.pids.empty() || pid < std::ranges::min(job.pids);
  if (is_first) {
    job.process = process != nullptr ? process->process : host::RunningProcess{};
    job.process.pid = pid;
    if (job.process.name.empty()) job.process.name = "a process";
  }
  if (std::ranges::find(job.pids, pid) == job.pids.end()) job.pids.push_back(pid);
  if (process != nullptr && process->place) {
    const auto began = process->place->started;
    job.began = std::min(job.began.value_or(began), began);
  }
  if (job.rails.empty() || job.rails.back().link != link) {
    job.rails.push_back({.link = link, .queue_pairs = 0, .is_shared = false});
  }
  ++job.rails.back().queue_pairs;
}

void mark_shared(std::vector<Job>& jobs) {
  std::map<std::string, std::size_t> users;  // by link
  for (const auto& job : jobs) {
    for (const auto& rail : job.rails) ++users[rail.link];
  }
  for (auto& job : jobs) {
    for (auto& rail : job.rails) rail.is_shared = users[rail.link] > 1;
  }
}

}  // namespace

std::vector<Job> jobs_of(const std::vector<RailSnapshot>& rails, const SeenProcesses& seen) {
  std::map<std::string, Job> by_key;
  for (const auto& rail : rails) {
    for (const auto pid : rail.queue_pairs) {
      const auto* process = seen_process(seen, pid);
      if (process != nullptr && host::is_own_probe(process->process)) continue;
      add_pair(pid, rail.link, seen, by_key[key_of(pid, seen)]);
    }
  }
  std::vector<Job> jobs;
  for (auto& [key, job] : by_key) {
    std::ranges::sort(job.pids);
    jobs.push_back(std::move(job));
  }
  std::ranges::sort(jobs, {}, [](const Job& job) { return job.process.pid; });
  mark_shared(jobs);
  return jobs;
}

std::vector<Job> without_names(std::vector<Job> jobs) {
  for (auto& job : jobs) {
    job.process = {};
    job.pids.clear();
  }
  return jobs;
}

std::string name_of(const Job& job) {
  if (job.process.name.empty()) return "a job";
  return fmt::format("{} (pid {})", printable(job.process.name), job.process.pid);
}

}  // namespace spark::jobs
