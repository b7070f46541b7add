#include "jobs/job_log.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/text.hpp"

namespace spark::jobs {
namespace {

/// Code points. All records together stay below what the files port reads.
constexpr std::size_t kLongestJobText = 200;

struct JobsDocument {
  std::uint64_t last = 0;  ///< the number given last, also where that job is forgotten
  std::deque<JobRecord> jobs;
};

template <EitherConst<JobsDocument> T, class Visit>
void each_field(T& document, Visit visit) {
  visit("last_number", document.last);
  visit("jobs", document.jobs);
}

void make_printable(JobRecord& job) {
  const auto cut = [](std::string& text) { text = printable(text, kLongestJobText); };
  for (auto* text : {&job.name, &job.user, &job.container, &job.unit}) cut(*text);
  for (auto& rail : job.rails) cut(rail.link);
  for (auto& finding : job.findings) {
    for (auto* text : {&finding.link, &finding.what, &finding.remedy}) cut(*text);
  }
}

}  // namespace

JobRecord& JobLog::add(JobRecord job) {
  job.number = ++last_;
  jobs_.push_back(std::move(job));
  if (jobs_.size() > kMost) {
    const auto ended = std::ranges::find_if(
        jobs_, [](const JobRecord& record) { return record.ended.has_value(); });
    if (ended != jobs_.end()) jobs_.erase(ended);
  }
  return jobs_.back();
}

void JobLog::forget(Time now) {
  std::erase_if(jobs_, [&](const JobRecord& job) { return job.ended && now - *job.ended > kKept; });
}

const JobRecord* JobLog::job(std::uint64_t number) const {
  const auto found = std::ranges::find(jobs_, number, &JobRecord::number);
  return found == jobs_.end() ? nullptr : &*found;
}

std::string JobLog::to_text() const {
  JobsDocument document{.last = last_, .jobs = jobs_};
  for (auto& job : document.jobs) make_printable(job);
  return json_text(document_of(kJobsSchema, document), 0) + "\n";
}

Result<JobLog> JobLog::from_text(const std::string& text) {
  auto document = document_from_text<JobsDocument>(kJobsSchema, text);
  if (!document) return std::unexpected(document.error());
  JobLog log;
  log.jobs_ = std::move(document->jobs);
  log.last_ = document->last;
  return log;
}

Result<JobLog> read_job_log(host::Files& files) {
  const auto text = files.read(kJobsFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) return JobLog{};
  auto log = JobLog::from_text(**text);
  if (!log) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is damaged or of another version ({}): the daemon begins a new "
                            "one when it starts",
                            kJobsFile, log.error().what));
  }
  return log;
}

}  // namespace spark::jobs
