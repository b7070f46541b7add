// The passes of the Reconciler, as far as they are about which file is in force: one that is new,
// one on trial, and one from the history.

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/reconcile/apply_outcome.hpp"
#include "daemon/reconcile/file_of_history.hpp"
#include "daemon/reconcile/reconciler.hpp"
#include "gate/common/peers_report.hpp"
#include "plan/helper_needs.hpp"
#include "plan/part.hpp"
#include "plan/rollout.hpp"
#include "state/history.hpp"
#include "state/node_record.hpp"
#include "state/rollout_skips.hpp"

namespace spark::daemon {

state::Effect Reconciler::tell(const state::InForceEvent& event, const Moment& now,
                               const host::FileLock* lock) {
  const auto told = file_.tell(host_.files, event, now, lock);
  if (told) return *told;
  // Somebody applies by hand: what is to be said is said again in the next pass.
  if (told.error().code != ErrorCode::kBusy) state_.pass_error = told.error().what;
  return state::Effect::kNone;
}

bool Reconciler::is_candidate_due(const Moment& now) const {
  const auto due = file_.next_try();
  return due && *due <= now.boot && file_.effect() == state::Effect::kTry;
}

void Reconciler::try_candidate(Pass& pass) {
  const auto& now = pass.start;
  const auto digest = file_.candidate()->cluster.digest;
  const bool has_begun = file_.record().attempt == digest;
  auto snapshot = snapshots_.of_all(*file_.candidate());
  if (!snapshot) {
    file_.refuse(snapshot.error().what, now);
    return;
  }
  note_release(*snapshot, now);
  if (state_.released) {
    tell(state::events::Held{}, now);
    state_.file.waits = true;
    pass.outcome.sources = snapshot->view.sources();
    return;
  }
  std::ranges::move(plan::find_missing_helpers(snapshot->plan, options_.check_helper),
                    std::back_inserter(snapshot->plan.refusals));
  if (!snapshot->plan.refusals.empty()) {
    std::vector<std::string> whats;
    std::ranges::transform(snapshot->plan.refusals, std::back_inserter(whats),
                           &kinds::Refusal::what);
    file_.refuse(fmt::format("{}", fmt::join(whats, "\n")), now);
    return;
  }
  if (!has_begun && is_held_by_others(*snapshot, now)) {
    tell(state::events::Held{}, now);
    pass.outcome.sources = snapshot->view.sources();
    return;
  }
  const auto waiting = waits_.steps_to_wait(*snapshot, snapshots_, file_.in_force(), now);
  if (!waiting) {
    // Programs take their time: until they have answered, drift from the file before is corrected.
    tell(state::events::Held{}, now);
    pass.outcome.sources = snapshot->view.sources();
    return;
  }
  const auto lock = lock_as_seen(*snapshot, pass);
  if (!lock) return;
  tell(state::events::Trying{}, now, &*lock);
  if (file_.record().attempt != digest) return;
  const auto plan = plan::without_steps(snapshot->plan, *waiting, snapshot->ledger);
  // Before the file is in force: a daemon that is killed in between forgets nothing that waits.
  const auto former_waits = waits_;
  note(waits_.begin(*waiting, snapshot->node.digest, host_, now));
  auto request = request_for(*snapshot);
  request.settle = file_.record().candidate->settle;
  const auto report = carry_out(*snapshot, plan, {.cause = ChangeRecord::Cause::kFile}, request);
  pass.outcome.changed |= !plan.steps.empty();
  if (!holds(report)) {
    waits_ = former_waits;
    waits_.forget_file();  // this pass writes it again
    const auto why = "not applied, and rolled back: " + what_failed(report);
    const bool was_last = file_.fail(why, now);
    state::events::NotApplied failed;
    if (was_last && request.settle) {
      failed.bad = {.digest = digest, .why = why, .at = utc_text(now.wall)};
    }
    tell(failed, now, &*lock);
    return;
  }
  if (snapshot->file->cluster.rollout) note(state::forget_rollout_skips(host_.files));
  trial_.rest();
  drift_.forget();
  node_.reset();
  first_ = false;
  note(file_.adopt(host_.files, now));  // the candidate is no more
  if (file_.record().attempt == digest) {
    // That could not be written: it is applied, and told, once more.
    if (report.unnoted) state_.pass_error = report.unnoted->what;
    tell(state::events::Freed{}, now);
  }
}

void Reconciler::note_others() {
  std::set<std::string> nodes;
  for (const auto* file : {file_.in_force(), file_.candidate()}) {
    if (file == nullptr) continue;
    for (const auto& [name, node] : file->cluster.nodes) nodes.insert(name);
  }
  rollout_.note(gate::read_peers_report(host_).value_or(std::nullopt), nodes);
}

bool Reconciler::is_held_by_others(const Snapshot& snapshot, const Moment& now) {
  // Who has no file yet has nothing in use, and no cable over which it would hear of the others.
  const auto* in_force = file_.in_force();
  if (in_force == nullptr) return false;
  const auto& cluster = snapshot.file->cluster;
  const auto order = plan::rollout_order(&in_force->cluster, cluster);
  if (!order.is_staged()) return false;
  note_others();
  const auto before = order.before(snapshot.node.name);
  const auto skips = state::read_rollout_skips(host_.files);
  auto waits = rollout_.waits_for(before, cluster.digest, skips);
  if (waits.empty()) return false;
  RolloutHeld held{.digest = cluster.digest,
                   .since = rollout_.held_since(cluster.digest, now),
                   .waits = std::move(waits),
                   .skipped = {}};
  for (const auto& skip : skips) {
    held.skipped.push_back(fmt::format("{}: {}", skip.node, skip.why));
  }
  rollout_before_ = before;
  state_.rollout = std::move(held);
  state_.rollout_groups = order.groups;
  return true;
}

std::vector<std::vector<std::string>> Reconciler::groups_in_force(const config::Cluster& cluster) {
  if (!cluster.rollout) return {};
  // Which cables the file changed is not known any more.
  return plan::rollout_order(nullptr, cluster).groups;
}

bool Reconciler::has_rollout() const {
  const auto* in_force = file_.in_force();
  return in_force != nullptr && in_force->cluster.rollout.has_value();
}

bool Reconciler::rollout_moves() const {
  return state_.rollout &&
         rollout_.waits_for(rollout_before_, state_.rollout->digest,
                            state::read_rollout_skips(host_.files)) != state_.rollout->waits;
}

void Reconciler::go_back(Pass& pass) {
  const auto give_up = [&](const host::FileLock* lock) {
    // Not again and again: each try would disturb the rails. The pass says what stands in the way.
    tell(state::events::NotApplied{}, pass.start, lock);
  };
  if (file_.in_force() == nullptr) {
    give_up(nullptr);
    return;
  }
  auto snapshot = snapshots_.of_all(*file_.in_force());
  if (!snapshot || !snapshot->plan.refusals.empty()) {
    give_up(nullptr);
    return;
  }
  note_release(*snapshot, pass.start);
  if (state_.released) return;
  const auto lock = lock_as_seen(*snapshot, pass);
  if (!lock) return;
  // A rollback waits for no job.
  const auto report = carry_out(*snapshot, snapshot->plan, {.cause = ChangeRecord::Cause::kFile},
                                request_for(*snapshot));
  pass.outcome.changed = true;
  if (!holds(report)) {
    give_up(&*lock);
    state_.pass_error = fmt::format(
        "the file from git is bad ({}), and the return to the last good one failed: {}",
        file_.record().bad.empty() ? "" : file_.record().bad.back().why, what_failed(report));
    return;
  }
  note(waits_.begin({}, snapshot->node.digest, host_, pass.start));
  drift_.forget();
  node_.reset();
  note(file_.adopt(host_.files, pass.start));
}

void Reconciler::judge_trial(const gate::GateReport& report) {
  trial_waits_.clear();
  if (!source_.is_set() && !file_.record().trial) return;
  // A file of which a part waits for a job is not all applied: it is neither good nor bad yet. On a
  // node that was released, or is paused, nothing says how it would be.
  const bool is_in_part = file_.record().trial && !state_.disturb_waits.empty();
  if (is_in_part || state_.released || state_.paused) {
    trial_.rest();
    return;
  }
  const auto now = state_.gate_at;
  const auto found = compare(file_.record().seen.value_or(state::FactsSeen{}), report);
  const auto seen = facts_seen(report);
  tell(state::events::Looked{.seen = seen, .trend = found.trend}, now);
  if (!file_.record().trial) return;
  trial_waits_ = found.why;
  if (!trial_.has_lasted(found.trend, file_.record().trial->settle, now)) return;
  tell(state::events::Settled{.why = fmt::format("it was applied, and then failed: {}", found.why),
                              .at = utc_text(now.wall),
                              .seen = seen},
       now);
  if (file_.record().trial) return;  // it could not be written, and is judged once more
  trial_waits_.clear();
  file_.forget_refusal();  // of its text there may be another word now
}

void Reconciler::note_source() {
  state_.source = source_.state();
  if (!state_.source) return;
  state_.source->on_trial = file_.record().trial.has_value();
  state_.source->trial_waits = trial_waits_;
  std::ranges::copy_if(file_.record().bad, std::back_inserter(state_.source->bad),
                       [](const state::BadFile& bad) { return bad.by.empty(); });
}

void Reconciler::go_on_from_history(const Moment& now) {
  if (file_.in_force() != nullptr || file_.state().refused.empty() || !file_.damage().empty()) {
    return;
  }
  host::View view(host_);
  auto file = file_of_history(host_.files, view, options_.node);
  if (file && *file) {
    note(file_.go_on_with(host_.files, (*file)->text, now));
  } else if (!file && file.error().code != ErrorCode::kInvalid) {
    state_.pass_error = file.error().what;
  } else if (!file && (!state_.loss || state_.loss->what != file.error().what)) {
    state_.loss = StateLoss{now, file.error().what};
  }
}

std::optional<state::PublishedFile> Reconciler::published_file() const {
  const auto* in_force = file_.in_force();
  if (in_force == nullptr) return std::nullopt;
  const auto& [path, text, cluster] = *in_force;
  state::PublishedFile now{.file = path,
                           .text = text,
                           .commit = source_.commit_of(host_.files, state_.node, cluster.digest),
                           .newer = std::nullopt};
  const auto& file = file_.state();
  if (!file.refused.empty()) {
    now.newer = {.file = file.path,
                 .digest = file_.refused_digest(),
                 .is_refused = true,
                 .why = file.refused_first,
                 .commit = {}};
  } else if (state_.rollout) {
    const auto& wait = state_.rollout->waits.front();
    now.newer = {.file = file.path,
                 .digest = state_.rollout->digest,
                 .is_refused = false,
                 .why = fmt::format("it waits for {}, which {}", wait.node, wait.why),
                 .commit = {}};
  }
  const auto& source = source_.state();
  if (now.newer && source && source->digest == now.newer->digest)
    now.newer->commit = source->commit;
  return now;
}

}  // namespace spark::daemon
