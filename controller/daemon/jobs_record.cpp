#include "daemon/jobs_record.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <syslog.h>

#include "host/view.hpp"
#include "jobs/look.hpp"
#include "node_state/signs.hpp"
#include "protocol/node_signs.hpp"
#include "protocol/records.hpp"
#include "state/select.hpp"

namespace spark::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr unsigned kPrivate = 0600;
constexpr unsigned kPublic = 0644;

/// What a power cut takes of a job that runs.
constexpr minutes kJobsEvery{5};
/// Beside a job, a machine that started again explains what its peers saw only where its daemon
/// recorded something within two minutes before that (jobs::kAround).
constexpr minutes kSignsEvery{1};
/// An idle node leaves its disk alone: a power cut then takes what is known of its last hour.
constexpr std::chrono::hours kSignsKeptEvery{1};
constexpr minutes kNobodyLooked{3};
/// A link that flaps writes the disk no oftener.
constexpr seconds kSignsRest{1};
/// By less a clock is only kept right.
constexpr seconds kClockJump{2};
/// What ended a job stands in the kernel's log by then; a job is known to have ended a minute
/// later.
constexpr minutes kKernelLinesBefore{5};

template <class T>
T read_or_empty(Result<T> read, const char* path, const DaemonLog& log) {
  if (read) return *std::move(read);
  log(LOG_WARNING,
      fmt::format("'{}' is not understood; it starts empty: {}", path, read.error().what));
  return T{};
}

jobs::SignLog sign_log_of(host::Files& files, const DaemonLog& log) {
  auto record = read_or_empty(jobs::read_record(files), protocol::kKeptRecordFile, log);
  return jobs::SignLog(std::move(record).value_or(jobs::NodeSigns{}));
}

std::vector<std::uint64_t> running_of(const jobs::JobLog& log) {
  std::vector<std::uint64_t> numbers;
  for (const auto& job : log.jobs()) {
    if (!job.ended) numbers.push_back(job.number);
  }
  return numbers;
}

std::vector<jobs::Time> ends_of(const jobs::JobLog& log) {
  std::vector<jobs::Time> ends;
  for (const auto& job : log.jobs()) {
    if (job.ended) ends.push_back(*job.ended);
  }
  return ends;
}

/// Of all signs but proofs: how many there are, and how many of them are over.
std::pair<std::size_t, std::size_t> count_of(const jobs::SignLog& log) {
  std::pair<std::size_t, std::size_t> count;
  for (const auto& sign : log.record().signs) {
    if (protocol::is_proof(sign.sign)) continue;
    ++count.first;
    if (sign.lasted) ++count.second;
  }
  return count;
}

}  // namespace

JobsRecord::JobsRecord(host::Host& host, Options options, const DaemonLog& log, const Moment& now)
    : host_(host),
      kernel_lines_(std::move(options.kernel_lines)),
      follower_(read_or_empty(jobs::read_job_log(host.files), jobs::kJobsFile, log),
                options.keeps_names),
      signs_(sign_log_of(host.files, log)),
      running_(running_of(follower_.log())),
      jobs_are_new_(!options.keeps_names && !follower_.log().jobs().empty()),
      clock_(now),
      kept_at_(now.boot) {
  node_state::note_start(signs_, now);
  signs_.begin(now.wall);
}

void JobsRecord::look(const config::Cluster* file, const std::string& node, const Moment& now) {
  follow_clock(now);
  std::optional<config::Node> own;
  if (file != nullptr) {
    host::View view(host_);
    if (auto selection = state::select(*file, node, view)) own = std::move(selection->node);
  }
  const auto* const wanted = own ? &*own : nullptr;
  const auto look = jobs::look_now(host_, wanted);
  if (!look) return;  // the gate says of links and RDMA ports that cannot be read
  const auto kept = follower_.log().jobs().size();
  follower_.take(*look, jobs::processes_of(*look, host_.processes), now,
                 jobs::peers_by_link(wanted));
  // Below /run, and written again with the next look.
  static_cast<void>(
      host_.files.write(protocol::kRailsFile, jobs::rails_text(follower_.followed()), kPublic));
  // On disk too, names are kept no longer.
  jobs_are_new_ |= follower_.log().jobs().size() < kept;
  auto running = running_of(follower_.log());
  if (running == running_) return;
  jobs_are_new_ = true;
  const bool has_ended = std::ranges::any_of(running_, [&running](std::uint64_t number) {
    return std::ranges::find(running, number) == running.end();
  });
  running_ = std::move(running);
  if (!has_ended) return;
  signs_are_new_ = true;
  add_kernel_lines(now.wall);
}

void JobsRecord::note(const NodeState& before, const NodeState& state, const Moment& now) {
  follow_clock(now);
  const auto count = count_of(signs_);
  node_state::note_signs(before, state, signs_);
  signs_are_new_ |= count != count_of(signs_);
}

void JobsRecord::keep(const Moment& now) {
  follow_clock(now);
  // The gate is looked at each minute: nobody did, as while the machine was suspended.
  if (now.boot - kept_at_ > kNobodyLooked) signs_.begin(now.wall);
  kept_at_ = now.boot;
  if (jobs_are_new_ || (is_due() && now.boot - jobs_written_ >= kJobsEvery)) write_jobs(now);
  const auto rest = now.boot - signs_written_;
  if (rest < (signs_are_new_ ? milliseconds(kSignsRest) : milliseconds(kSignsEvery))) return;
  write_signs(now, signs_are_new_ || is_due() || now.boot - signs_kept_ >= kSignsKeptEvery);
}

void JobsRecord::end(const Moment& now) {
  follow_clock(now);
  if (jobs_are_new_ || is_due()) write_jobs(now);
  write_signs(now, true);
}

void JobsRecord::follow_clock(const Moment& now) {
  const auto last = std::exchange(clock_, now);
  const auto by = (now.wall - last.wall) - (now.boot - last.boot);
  if (std::chrono::abs(by) <= kClockJump) return;
  signs_.set_clock(last.wall - last.boot, last.wall, by);
  follower_.set_clock(by);
  kernel_read_to_ = {};
  signs_are_new_ = true;
  jobs_are_new_ |= !follower_.log().jobs().empty();
}

void JobsRecord::add_kernel_lines(jobs::Time now) {
  if (!kernel_lines_) return;
  const auto lines = kernel_lines_(std::max(now - kKernelLinesBefore, kernel_read_to_), now);
  if (!lines) return;  // `jobs N` reads them itself
  for (const auto& line : *lines) signs_.add(line);
  kernel_read_to_ = now;
}

void JobsRecord::write_jobs(const Moment& now) {
  jobs_are_new_ = !host_.files.write_durably(jobs::kJobsFile, follower_.log().to_text(), kPrivate);
  jobs_written_ = now.boot;
}

void JobsRecord::write_signs(const Moment& now, bool is_kept) {
  signs_.go_on(now.wall);
  signs_.forget(ends_of(follower_.log()), now.wall);
  const auto text = jobs::record_text(signs_.record());
  // Below /run, and written again in a minute.
  static_cast<void>(host_.files.write(protocol::kRecordFile, text, kPublic));
  signs_written_ = now.boot;
  if (!is_kept) return;
  signs_are_new_ = !host_.files.write_durably(protocol::kKeptRecordFile, text, kPrivate);
  signs_kept_ = now.boot;
}

}  // namespace spark::daemon
