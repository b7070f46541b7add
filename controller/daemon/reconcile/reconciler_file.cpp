// The passes of the Reconciler, as far as they are about which file is in force: one that is new,
// one on trial, and one from the history.

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

void Reconciler::try_candidate(Pass& pass) {
  const bool has_begun = file_.record().attempt == file_.candidate()->cluster.digest;
  auto snapshot = snapshots_.of_all(*file_.candidate());
  if (!snapshot) {
    file_.refuse(snapshot.error().what, pass.start);
    return;
  }
  note_release(*snapshot, pass);
  pass.file_waits = pass.released.has_value();
  if (!pass.released && !may_apply(*snapshot, pass.start)) return;
  const bool is_held = pass.released || (!has_begun && is_held_by_others(*snapshot, pass));
  const auto waiting =
      is_held ? std::nullopt
              : waits_.steps_to_wait(*snapshot, snapshots_, file_.in_force(), pass.start);
  if (!waiting) {
    // Programs take their time: until they have answered, drift from the file before is corrected.
    pass.note(file_.tell(host_.files, state::events::Held{}, pass.start));
    pass.outcome.sources = snapshot->view.sources();
    return;
  }
  if (const auto lock = transactions_.lock_as_seen(*snapshot, pass)) {
    take_candidate(*snapshot, *waiting, *lock, pass);
  }
}

bool Reconciler::may_apply(Snapshot& snapshot, const Moment& now) {
  auto& refusals = snapshot.plan.refusals;
  std::ranges::move(plan::find_missing_helpers(snapshot.plan, options_.check_helper),
                    std::back_inserter(refusals));
  if (refusals.empty()) return true;
  std::vector<std::string> whats;
  std::ranges::transform(refusals, std::back_inserter(whats), &kinds::Refusal::what);
  file_.refuse(fmt::format("{}", fmt::join(whats, "\n")), now);
  return false;
}

void Reconciler::take_candidate(Snapshot& snapshot, const std::set<std::string>& waiting,
                                const host::FileLock& lock, Pass& pass) {
  const auto& now = pass.start;
  const auto digest = file_.candidate()->cluster.digest;
  pass.note(file_.tell(host_.files, state::events::Trying{}, now, &lock));
  if (file_.record().attempt != digest) return;
  const auto plan = plan::without_steps(snapshot.plan, waiting, snapshot.ledger);
  // Before the file is in force: a daemon that is killed in between forgets nothing that waits.
  const auto former_waits = waits_;
  pass.note(waits_.begin(waiting, snapshot.node.digest, host_, now));
  const auto settle = file_.record().candidate->settle;
  const auto made = transactions_.apply_file(snapshot, plan, settle);
  pass.outcome.changed |= !plan.steps.empty();
  if (!made) {
    waits_ = former_waits;
    waits_.forget_file();  // this pass writes it again
    const auto why = "not applied, and rolled back: " + made.error().what;
    const bool was_last = file_.fail(why, now);
    state::events::NotApplied failed;
    if (was_last && settle) failed.bad = {.digest = digest, .why = why, .at = utc_text(now.wall)};
    pass.note(file_.tell(host_.files, failed, now, &lock));
    return;
  }
  if (snapshot.file->cluster.rollout) pass.note(state::forget_rollout_skips(host_.files));
  trial_.rest();
  corrections_.forget_contests();
  corrections_.note_enforced();
  node_.reset();
  pass.note(file_.adopt(host_.files, now));  // the candidate is no more
  if (file_.record().attempt == digest) {
    // That could not be written: it is applied, and told, once more.
    if (made->unnoted) pass.error = made->unnoted->what;
    pass.note(file_.tell(host_.files, state::events::Freed{}, now));
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

bool Reconciler::is_held_by_others(const Snapshot& snapshot, Pass& pass) {
  // Who has no file yet has nothing in use, and no cable over which it would hear of the others.
  const auto* in_force = file_.in_force();
  if (in_force == nullptr) return false;
  const auto& cluster = snapshot.file->cluster;
  const auto order = plan::rollout_order(&in_force->cluster, cluster);
  if (!order.is_staged()) return false;
  note_others();
  pass.rollout = rollout_.hold(order.before(snapshot.node.name), cluster.digest,
                               state::read_rollout_skips(host_.files), pass.start);
  if (pass.rollout) state_.rollout_groups = order.groups;
  return pass.rollout.has_value();
}

void Reconciler::go_back(Pass& pass) {
  const auto give_up = [&](const host::FileLock* lock) {
    // Not again and again: each try would disturb the rails. The pass says what stands in the way.
    pass.note(file_.tell(host_.files, state::events::NotApplied{}, pass.start, lock));
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
  note_release(*snapshot, pass);
  if (pass.released) return;
  const auto lock = transactions_.lock_as_seen(*snapshot, pass);
  if (!lock) return;
  // A rollback waits for no job.
  const auto made = transactions_.apply_file(*snapshot, snapshot->plan);
  pass.outcome.changed = true;
  if (!made) {
    give_up(&*lock);
    pass.error = fmt::format(
        "the file from git is bad ({}), and the return to the last good one failed: {}",
        file_.record().bad.empty() ? "" : file_.record().bad.back().why, made.error().what);
    return;
  }
  pass.note(waits_.begin({}, snapshot->node.digest, host_, pass.start));
  corrections_.forget_contests();
  node_.reset();
  pass.note(file_.adopt(host_.files, pass.start));
}

void Reconciler::go_on_from_history(Pass& pass) {
  if (file_.in_force() != nullptr || file_.state().refused.empty() || !file_.damage().empty()) {
    return;
  }
  host::View view(host_);
  auto file = file_of_history(host_.files, view, options_.node);
  if (file && *file) {
    pass.note(file_.go_on_with(host_.files, **file, pass.start));
  } else if (!file && file.error().code != ErrorCode::kInvalid) {
    pass.error = file.error().what;
  } else if (!file && (!state_.loss || state_.loss->what != file.error().what)) {
    state_.loss = StateLoss{pass.start, file.error().what};
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
