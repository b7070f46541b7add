// The passes of the Reconciler, as far as they are about which file is in force: one that is new,
// one on trial, and one from the history.

#include <algorithm>
#include <iterator>
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
#include "state/rollout_skips.hpp"

namespace spark::daemon {

void Reconciler::try_candidate(Pass& pass) {
  const auto& now = pass.start;
  const auto digest = file_.candidate()->cluster.digest;
  if (const auto why = source_.why_not_tried(digest); !why.empty()) {
    file_.refuse(why, now);
    return;
  }
  auto snapshot = snapshots_.of_all(*file_.candidate());
  if (!snapshot) {
    file_.refuse(snapshot.error().what, now);
    return;
  }
  note_release(*snapshot, now);
  if (state_.released) {
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
  const auto history = state::read_history(host_.files, snapshot->node.name);
  if (history && state::was_rejected(*history, snapshot->node.digest)) {
    file_.refuse(
        "it was rolled back after it was applied last: change it, or apply it by hand "
        "(`spark-reconcile apply`)",
        now);
    return;
  }
  if (is_held_by_others(*snapshot, now)) {
    pass.outcome.sources = snapshot->view.sources();
    return;
  }
  // Before the lock: programs of ask.d take their time.
  const auto waiting = waits_.steps_to_wait(*snapshot, snapshots_, file_.in_force(), now);
  const auto lock = lock_as_seen(*snapshot, pass);
  if (!lock) {
    return;
  }
  const auto plan = plan::without_steps(snapshot->plan, waiting, snapshot->ledger);
  // Before the first change: after a kill in between, the file is judged by how it was before.
  const auto trial_before = source_.trial();
  if (source_.is_set()) note(source_.begin_trial(host_.files, digest, state_.gate));
  const auto report =
      carry_out(*snapshot, plan, ChangeRecord::Cause::kFile, request_for(*snapshot));
  pass.outcome.changed |= !plan.steps.empty();
  if (!holds(report)) {
    if (source_.is_set()) note(source_.resume_trial(host_.files, trial_before));
    const auto why = "not applied, and rolled back: " + what_failed(report);
    file_.fail(why, now);
    // The last of several tries.
    if (file_.candidate() == nullptr) note(source_.failed(host_.files, digest, why, now));
    return;
  }
  // Before the file is in force: a daemon that is killed in between forgets nothing that waits.
  note(waits_.begin(waiting, snapshot->node.digest, host_, now));
  if (snapshot->file->cluster.rollout) note(state::forget_rollout_skips(host_.files));
  drift_.forget();
  node_.reset();
  first_ = false;
  if (source_.is_set()) {
    file_.accept_on_trial(now);
  } else {
    note(file_.accept(host_.files, now));
  }
}

bool Reconciler::is_held_by_others(const Snapshot& snapshot, const Moment& now) {
  // Who has no file yet has nothing in use, and no cable over which it would hear of the others.
  const auto* in_force = file_.in_force();
  if (in_force == nullptr) return false;
  const auto& cluster = snapshot.file->cluster;
  const auto order = plan::rollout_order(&in_force->cluster, cluster);
  if (!order.is_staged()) return false;
  rollout_.note(gate::read_peers_report(host_).value_or(std::nullopt));
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

void Reconciler::leave_bad_file(Pass& pass) {
  const auto& now = pass.start;
  const auto digest = source_.trial()->digest;
  const auto why = fmt::format("it was applied, and then failed: {}", source_.bad());
  const auto end_as_bad = [&] {
    note(source_.failed(host_.files, digest, why, now));
    note(source_.end_trial(host_.files));
  };
  auto former = file_.former(host_.files);
  auto snapshot =
      former ? snapshots_.of_all(*former)
             : Result<Snapshot>(fail(ErrorCode::kNotFound, "there is no earlier good file"));
  // Nothing to return to, or it would do harm: what is in force stays, and is tried no more.
  if (!snapshot || !snapshot->plan.refusals.empty()) {
    end_as_bad();
    return;
  }
  note_release(*snapshot, now);
  if (state_.released) return;
  const auto lock = lock_as_seen(*snapshot, pass);
  if (!lock) return;
  // A rollback waits for no job.
  const auto report =
      carry_out(*snapshot, snapshot->plan, ChangeRecord::Cause::kFile, request_for(*snapshot));
  pass.outcome.changed = true;
  if (!holds(report)) {
    state_.pass_error = fmt::format(
        "the file from git is bad ({}), and the return to the last good "
        "one failed: {}",
        why, what_failed(report));
    // Not again and again: each try would disturb the rails.
    end_as_bad();
    return;
  }
  note(waits_.begin({}, snapshot->node.digest, host_, now));
  drift_.forget();
  node_.reset();
  end_as_bad();
  file_.go_back_to(std::move(*former), why, now);
}

void Reconciler::judge_trial(const gate::GateReport& report) {
  // A file of which a part waits for a job is not all applied: it is neither good nor bad yet. On a
  // node that was released, or is paused, nothing says how it would be.
  if (!state_.disturb_waits.empty() || state_.released || state_.paused) {
    source_.rest_trial();
  } else if (source_.judge(host_.files, state_.file.digest, report, state_.gate_at)) {
    note(file_.keep(host_.files));
  }
}

void Reconciler::go_on_from_history(const Moment& now) {
  if (file_.in_force() != nullptr || file_.state().refused.empty() || !file_.damage().empty()) {
    return;
  }
  host::View view(host_);
  auto file = file_of_history(host_.files, view, options_.node);
  if (file && *file) {
    auto kept =
        file_.go_on_with(host_.files, std::move((*file)->text), std::move((*file)->cluster), now);
    if (!kept) state_.pass_error = kept.error().what;
  } else if (!file && file.error().code != ErrorCode::kInvalid) {
    state_.pass_error = file.error().what;
  } else if (!file && (!state_.loss || state_.loss->what != file.error().what)) {
    state_.loss = StateLoss{now, file.error().what};
  }
}

}  // namespace spark::daemon
