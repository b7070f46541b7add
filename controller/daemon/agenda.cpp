#include "daemon/agenda.hpp"

#include <algorithm>
#include <utility>

#include "jobs/job_follower.hpp"

namespace spark::daemon {
namespace {

using std::chrono::seconds;

/// For what nobody tells of, such as sysctls.
constexpr seconds kSlowLook{60};
/// Links settle before the gate is judged; and not oftener than that.
constexpr seconds kGateRest{2};
constexpr seconds kGateEvery{60};
/// What a peer tells comes in pieces: of each rail, and of both ends. So does a job: it opens each
/// device, and makes its queue pairs later.
constexpr seconds kSettle{1};
constexpr seconds kRest{5};
/// The kernel reports no end of queue pairs (no notification in its nldev.c), so somebody has to
/// look, and only while something waits for it: what waits is carried out within 10 s.
constexpr seconds kUsersEvery{5};
/// A task that takes longer hangs: the longest step is a check of a large filesystem.
constexpr std::chrono::minutes kLongestTask{30};

}  // namespace

Agenda::Agenda(Time start) : slow_look_at_(start + kSlowLook) {}

void Agenda::reported(std::string_view source, Time now) {
  if (source == "peers") {
    if (!peers_due_) peers_due_ = std::max(now + kSettle, peers_looked_at_ + kRest);
    return;
  }
  if (source == "verbs") {
    // The gate opens them too, and its verdict brings a look. A look opens none, so that none asks
    // for the next.
    if (gate_look_) return;
    const auto due = std::max(now + kSettle, jobs_looked_at_ + kRest);
    jobs_at_ = std::min(due, jobs_at_.value_or(due));
    look_for_jobs_again_ = true;
    return;
  }
  ++pending_[std::string(source)];
  passes_.told(now);
  if (source == "netlink") {
    corrections_.told(now);
    network_changed_ = true;
  }
}

void Agenda::corrected(bool changed, Time now) {
  at_work_since_.reset();
  corrections_.looked(now, changed);
  corrected_ |= changed;
  if (changed) changed_at_ = now;
}

void Agenda::passed(const PassResult& result, Time now) {
  at_work_since_.reset();
  if (result.changed) changed_at_ = now;
  const bool changed = std::exchange(corrected_, false) || result.changed;
  passes_.looked(now, changed);
  const bool first = !std::exchange(had_pass_, true);
  if (first || changed || result.links_moved) {
    measure_ = true;
    gate_within(kGateRest, now);
  }
  if (result.gate_due) gate_within(kGateRest, now);
  again_at_.reset();
  if (result.again_in) again_at_ = now + *result.again_in;
  users_at_.reset();
  if (result.waits) users_at_ = now + kUsersEvery;
  if (first) reported("storage", now);
}

void Agenda::gate_observed() {
  if (gate_look_) gate_look_->is_over = true;
}

void Agenda::verdict_taken(bool deeper, std::optional<Duration> again_in, Time now) {
  at_work_since_.reset();
  measure_ |= deeper;
  gate_within(std::min<Duration>(again_in.value_or(kGateEvery), kGateEvery), now);
}

void Agenda::users_seen(bool changed, Time now) {
  at_work_since_.reset();
  if (changed) {
    reported("again", now);
  } else {
    users_at_ = now + kUsersEvery;
  }
}

void Agenda::jobs_seen(bool is_due, Time now) {
  at_work_since_.reset();
  // A program opens its device some seconds before it makes queue pairs.
  if (!std::exchange(look_for_jobs_again_, false) && !is_due) return;
  const auto next = now + jobs::kLookEvery;
  jobs_at_ = std::min(next, jobs_at_.value_or(next));
}

std::optional<Task> Agenda::next(Time now) {
  if (stopping_) return std::nullopt;
  report_what_is_due(now);
  if (review_at_ && now >= *review_at_) {
    review_at_.reset();
    return ReviewAlerts{};
  }
  if (at_work_since_) return std::nullopt;
  if (network_changed_ && now >= corrections_.next()) {
    network_changed_ = false;
    return begin(CorrectNetwork{}, now);
  }
  if (!pending_.empty() && now >= passes_.next()) return begin(next_pass(), now);
  if (gate_look_ && gate_look_->is_over) {
    const auto look = *std::exchange(gate_look_, std::nullopt);
    if (changed_at_ <= look.since) return begin(TakeVerdict{}, now);
    measure_ |= look.deeply;
    gate_within(kGateRest, now);
  }
  if (!pending_.empty()) {
    return std::nullopt;  // a pass is near, and comes first
  }
  if (users_at_ && now >= *users_at_) {
    users_at_.reset();
    return begin(ObserveUsers{}, now);
  }
  if (jobs_at_ && now >= *jobs_at_) {
    jobs_at_.reset();
    jobs_looked_at_ = now;
    return begin(ObserveJobs{}, now);
  }
  if (std::exchange(keep_records_, false)) return begin(KeepRecords{}, now);
  const bool is_peers_turn = peers_due_ && now >= *peers_due_;
  if (!gate_look_ && (is_peers_turn || (gate_due_ && now >= *gate_due_))) {
    if (is_peers_turn) {
      peers_due_.reset();
      peers_looked_at_ = now;
    }
    gate_due_.reset();
    gate_look_ = GateObservation{.since = now, .deeply = std::exchange(measure_, false)};
    return ObserveGate{.deeply = gate_look_->deeply};
  }
  return std::nullopt;
}

Agenda::Time Agenda::wake_at() const {
  auto wake = slow_look_at_;
  const auto also_at = [&wake](const std::optional<Time>& at) {
    if (at) wake = std::min(wake, *at);
  };
  also_at(again_at_);
  also_at(review_at_);
  if (at_work_since_) {
    return wake;  // what else is due waits for the end of that task
  }
  if (!pending_.empty()) {
    also_at(passes_.next());
    if (network_changed_) also_at(corrections_.next());
    return wake;
  }
  also_at(users_at_);
  also_at(jobs_at_);
  if (!gate_look_) {
    also_at(gate_due_);
    also_at(peers_due_);
  }
  return wake;
}

bool Agenda::hangs(Time now) const {
  return (at_work_since_ && now - *at_work_since_ > kLongestTask) ||
         (gate_look_ && !gate_look_->is_over && now - gate_look_->since > kLongestTask);
}

void Agenda::report_what_is_due(Time now) {
  if (now >= slow_look_at_) {
    slow_look_at_ = now + kSlowLook;
    reported("timer", now);
  }
  if (again_at_ && now >= *again_at_) {
    again_at_.reset();
    reported("again", now);
  }
}

std::optional<Task> Agenda::begin(Task task, Time now) {
  at_work_since_ = now;
  return task;
}

MakePass Agenda::next_pass() {
  network_changed_ = false;  // the pass looks at the network too
  return {.triggers = std::exchange(pending_, {}), .network_alone = !had_pass_};
}

void Agenda::gate_within(Duration time, Time now) {
  gate_due_ = gate_due_ ? std::min(*gate_due_, now + time) : now + time;
}

}  // namespace spark::daemon
