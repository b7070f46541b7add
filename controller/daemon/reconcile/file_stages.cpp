#include "daemon/reconcile/file_stages.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/parse/parse.hpp"
#include "daemon/reconcile/noted_applies.hpp"
#include "gate/common/peers_report.hpp"
#include "plan/plan.hpp"
#include "plan/refusals.hpp"
#include "plan/rollout.hpp"
#include "state/history.hpp"
#include "state/ledger.hpp"
#include "state/node_record.hpp"
#include "state/rollout_skips.hpp"
#include "state/select.hpp"

namespace spark::daemon {
namespace {

/// The file that was applied last and stayed, of the node `asked`, or, where that is empty, of the
/// node that this machine was last, as its history keeps it. Empty: it was none, no file stayed, or
/// this version cannot read the file. Errors: kInvalid where the kept file is damaged, or is not
/// what was applied; those of the view and of the files port.
Result<std::optional<std::string>> file_of_history(host::Files& files, host::View& view,
                                                   const std::string& asked) {
  const auto node = asked.empty() ? state::remembered_node(view) : asked;
  if (node.empty() || state::is_of_another_machine(files, node)) return std::nullopt;
  const auto history = state::read_history(files, node);
  if (!history) return std::unexpected(history.error());
  const auto last = state::last_settled(*history);
  if (!last) return std::nullopt;
  auto text = state::read_generation(files, node, last->digest);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto parsed = config::parse(**text);
  if (parsed.cluster.digest != last->digest) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}/files/{}.yaml' is not the file that was kept there: somebody "
                            "changed it, or the disk did. It is not used",
                            state::state_directory(node), last->digest));
  }
  if (config::has_errors(parsed.diagnostics)) {
    return std::nullopt;  // a newer version wrote it
  }
  if (asked.empty()) {
    // By the machine's name it may be another node since, which that file was never applied to.
    const auto own = state::own_node(parsed.cluster, view);
    if (!own) return std::unexpected(own.error());
    if (own->name != node) return std::nullopt;
  }
  return text;
}

}  // namespace

FileStages::FileStages(host::Host& host, const SourceRules& source, const std::string& path,
                       const TakeRules& take, host::Files* own, host::CheckHelper check_helper)
    : host_(host),
      own_(own == nullptr ? host.files : *own),
      check_helper_(std::move(check_helper)),
      file_(path, take),
      source_(source, path, take),
      offers_(host, own_, path) {}

void FileStages::look(bool is_first, const Found& last, const std::string& node, Pass& pass) {
  const auto& happened = pass.happened;
  if (const auto& waits = file_.record().unconfirmed; waits && happened.has_no_journal) {
    // Somebody moved the journal away: nobody can end it any more, and it stays as it is.
    pass.note(file_.tell(host_.files, state::events::Confirmed{*waits}, pass.start));
  }
  // What was confirmed is refused no more, nor what `sync --retry` names.
  if (happened.confirmed || (happened.by_hand && source_.is_set())) file_.forget_refusal();
  // What keeps it from being read keeps the file from being looked at too, which says so.
  static_cast<void>(file_.adopt(host_.files, pass.start));
  offers_.look(source_.is_set(), last, node, file_, pass);
  if (!offers_.follow(file_, pass.start)) {
    source_.look(host_, file_, pass.start);
    offers_.go_back(file_, pass);
  }
  file_.look(host_.files, source_.is_set() ? host_.files : own_, pass.start,
             pass.order.triggers.contains("reload"));
  if (is_first && !file_.damage().empty()) pass.found.loss = {pass.start, file_.damage()};
  // What has begun is finished, and what waits for a person or for other nodes is asked again in
  // each pass.
  pass.note(file_.tell(
      host_.files,
      pass.found.paused ? state::InForceEvent(state::events::Held{}) : state::events::Freed{},
      pass.start));
  // What was refused by its own words is no candidate any more, and is not finished.
  if (file_.effect() == state::Effect::kTry && file_.candidate() == nullptr) {
    pass.note(file_.tell(host_.files, state::events::Withdrawn{}, pass.start));
  }
}

void FileStages::go_back(Machine& machine, JobWaits& waits, Pass& pass) {
  if (file_.effect() != state::Effect::kGoBack) return;
  const auto give_up = [&](const host::FileLock* lock) {
    // Not again and again: each try would disturb the rails. The pass says what stands in the way.
    pass.note(file_.tell(host_.files, state::events::NotApplied{}, pass.start, lock));
  };
  if (file_.in_force() == nullptr) return give_up(nullptr);
  auto snapshot = machine.of_all(*file_.in_force());
  if (!snapshot || !snapshot->plan.refusals.empty()) return give_up(nullptr);
  note_release(host_.files, *snapshot, pass);
  if (pass.found.released) return;
  const auto lock = machine.lock_as_seen(*snapshot, pass);
  if (!lock) return;
  // A rollback waits for no job.
  const auto made = machine.apply_file(*snapshot, snapshot->plan);
  pass.outcome.changed = true;
  if (!made) {
    give_up(&*lock);
    pass.error = fmt::format(
        "the file on trial is bad ({}), and the return to the last good one failed: {}",
        file_.record().bad.empty() ? "" : file_.record().bad.back().why, made.error().what);
    return;
  }
  pass.note(waits.begin({}, snapshot->node.digest, host_, pass.start));
  pass.happened.went_back = true;
  pass.note(file_.adopt(host_.files, pass.start));
}

void FileStages::take(Machine& machine, JobWaits& waits, Pass& pass) {
  if (!file_.is_candidate_due(pass.start)) return;
  const bool has_begun = file_.record().attempt == file_.candidate()->cluster.digest;
  auto snapshot = machine.of_all(*file_.candidate());
  if (!snapshot) {
    file_.refuse(snapshot.error().what, pass.start);
    return;
  }
  note_release(host_.files, *snapshot, pass);
  pass.happened.file_waits = pass.found.released.has_value();
  if (!pass.found.released && !may_apply(*snapshot, pass.start)) return;
  // Whom an offered file disturbs, a person has seen.
  const bool is_offered = !file_.record().candidate->offer.empty();
  const bool is_for_all = !is_offered && !has_begun && waits_for_all();
  pass.happened.waits_for_all = is_for_all && offers_.all_nodes().offered() == nullptr;
  const bool is_held = pass.found.released || is_for_all ||
                       (!is_offered && !has_begun && is_held_by_others(*snapshot, pass));
  const auto waiting = is_held ? std::nullopt
                       : is_offered
                           ? std::optional(std::set<std::string>())
                           : waits.steps_to_wait(*snapshot, machine, file_.in_force(), pass.start);
  if (!waiting) {
    // Programs take their time: until they have answered, drift from the file before is corrected.
    pass.note(file_.tell(host_.files, state::events::Held{}, pass.start));
    pass.outcome.sources = snapshot->view.sources();
    return;
  }
  if (const auto lock = machine.lock_as_seen(*snapshot, pass)) {
    apply(machine, waits, *snapshot, *waiting, *lock, pass);
  }
}

bool FileStages::may_apply(Snapshot& snapshot, const Moment& now) {
  auto& refusals = snapshot.plan.refusals;
  std::ranges::move(plan::find_missing_helpers(snapshot.plan, check_helper_),
                    std::back_inserter(refusals));
  if (refusals.empty()) return true;
  const auto whats = refusals | std::views::transform(&kinds::Refusal::what);
  file_.refuse(fmt::format("{}", fmt::join(whats, "\n")), now);
  return false;
}

void FileStages::apply(Machine& machine, JobWaits& waits, Snapshot& snapshot,
                       const std::set<std::string>& waiting, const host::FileLock& lock,
                       Pass& pass) {
  const auto& now = pass.start;
  const auto digest = file_.candidate()->cluster.digest;
  pass.note(file_.tell(host_.files, state::events::Trying{}, now, &lock));
  if (file_.record().attempt != digest) return;
  const auto plan = plan::without_steps(snapshot.plan, waiting, snapshot.ledger);
  // Before the file is in force: a daemon that is killed in between forgets nothing that waits.
  const auto former_waits = waits;
  pass.note(waits.begin(waiting, snapshot.node.digest, host_, now));
  const auto offer = *file_.record().candidate;
  const auto* const offered = offers_.all_nodes().offered();
  const bool is_theirs = offered != nullptr && offered->offer == offer.offer;
  const auto made =
      machine.apply_file(snapshot, plan, offer, is_theirs ? offered->change_id : std::string());
  pass.outcome.changed |= !plan.steps.empty();
  if (!made) {
    waits = former_waits;
    waits.forget_file();  // this pass writes it again
    const auto why = "not applied, and rolled back: " + made.error().what;
    const bool is_offered = !offer.offer.empty();
    if (is_offered) file_.refuse(why, now);
    const bool was_last = !is_offered && file_.fail(why, now);
    state::events::NotApplied failed;
    if (was_last && offer.settle)
      failed.bad = {.digest = digest, .why = why, .at = utc_text(now.wall)};
    pass.note(file_.tell(host_.files, failed, now, &lock));
    return;
  }
  if (snapshot.file->cluster.rollout) pass.note(state::forget_rollout_skips(host_.files));
  trial_.rest();
  pass.happened.taken = true;
  pass.note(file_.adopt(host_.files, now));  // the candidate is no more
  if (file_.record().attempt == digest) {
    // That could not be written: it is applied, and told, once more.
    if (made->unnoted) pass.error = made->unnoted->what;
    pass.note(file_.tell(host_.files, state::events::Freed{}, now));
  }
}

void FileStages::answer_offer(Machine& machine, Pass& pass) {
  offers_.plan(machine, file_, pass);
  if (offers_.end(file_, pass)) source_.look(host_, file_, pass.start);
  if (offers_.has_work(pass.start) && !pass.found.paused) pass.outcome.look_again_in(kAfterBusy);
}

bool FileStages::waits_for_all() const {
  const auto& all = offers_.all_nodes();
  // Who adds or renames a node has no key of it yet, and who removes one maybe none any more.
  return !source_.is_set() && file_.in_force() != nullptr &&
         (all.is_together(file_.in_force()->cluster) ||
          all.is_together(file_.candidate()->cluster));
}

void FileStages::note_others() {
  std::set<std::string> nodes;
  for (const auto* file : {file_.in_force(), file_.candidate()}) {
    if (file == nullptr) continue;
    for (const auto& [name, node] : file->cluster.nodes) nodes.insert(name);
  }
  rollout_.note(gate::read_peers_report(host_).value_or(std::nullopt), nodes);
}

bool FileStages::is_held_by_others(const Snapshot& snapshot, Pass& pass) {
  // Who has no file yet has nothing in use, and no cable over which it would hear of the others.
  const auto* in_force = file_.in_force();
  if (in_force == nullptr) return false;
  const auto& cluster = snapshot.file->cluster;
  const auto order = plan::rollout_order(&in_force->cluster, cluster);
  if (!order.is_staged()) return false;
  note_others();
  pass.found.rollout = rollout_.hold(order.before(snapshot.node.name), cluster.digest,
                                     state::read_rollout_skips(host_.files), pass.start);
  if (pass.found.rollout) groups_ = order.groups;
  return pass.found.rollout.has_value();
}

void FileStages::go_on_from_history(const Machine& machine, Pass& pass) {
  if (file_.in_force() != nullptr || file_.state().refused.empty() || !file_.damage().empty()) {
    return;
  }
  host::View view(host_);
  auto file = file_of_history(host_.files, view, machine.node());
  if (file && *file) {
    pass.note(file_.go_on_with(host_.files, **file, pass.start));
  } else if (!file && file.error().code != ErrorCode::kInvalid) {
    pass.error = file.error().what;
  } else if (auto& loss = pass.found.loss; !file && (!loss || loss->what != file.error().what)) {
    loss = {pass.start, file.error().what};
  }
}

void FileStages::end_pass(const config::Cluster& in_force, const Pass& pass) {
  // Which cables the file in force changed is not known any more.
  if (!pass.found.rollout) groups_ = plan::rollout_order(nullptr, in_force).groups;
}

void FileStages::excuse_other_ends(gate::GateReport& report,
                                   const std::optional<config::Node>& node, const Moment& now) {
  note_others();
  const auto* file = file_.in_force();
  const bool rolls = file != nullptr && file->cluster.rollout.has_value();
  if (node) rollout_.excuse_other_ends(report, *node, rolls, now);
}

void FileStages::judge(const gate::GateReport& report, bool waits, Pass& pass) {
  const auto& record = file_.record();
  const bool was_unseen = !record.seen;
  // A file of which a part waits for a job is not all applied: it is neither good nor bad yet. On a
  // node that was released, or is paused, nothing says how it would be.
  const bool is_in_part = record.trial && waits;
  // All nodes end the trial of an offer, and what was seen before it is what it is judged by.
  const bool is_of_all =
      (record.trial && !record.trial->offer.empty()) || (offers_.keeps_look() && record.seen);
  const bool is_meant = source_.is_set() || record.trial || offers_.all_nodes().offered();
  offers_.judge(report, file_, pass);
  if (!is_meant || is_of_all || is_in_part || pass.found.released || pass.found.paused) {
    trial_.rest();
  } else {
    trial_.judge(report, file_, host_.files, pass);
  }
  const bool may_try = file_.effect() == state::Effect::kTry && file_.next_try();
  const bool rollout_moves =
      pass.found.rollout && rollout_.moves(state::read_rollout_skips(host_.files));
  pass.outcome.pass_due = file_.effect() == state::Effect::kGoBack || (may_try && was_unseen) ||
                          rollout_moves || offers_.has_work(pass.start);
  if (record.trial && record.trial->offer.empty()) {
    // A few looks within the time, and no more than the gate makes by itself beside a change.
    constexpr std::chrono::milliseconds kLeast{1000};
    pass.outcome.look_again_in(std::max(kLeast, record.trial->settle / 4));
  }
}

void FileStages::go_on_unseen(Pass& pass) {
  if (file_.effect() != state::Effect::kLook) return;
  if (!pass.found.names_no_node && file_.in_force() != nullptr) return;
  // The file in force names no node here: with it no fact holds that another one could break.
  pass.note(file_.tell(host_.files, state::events::Looked{}, pass.start));
  pass.outcome.pass_due = file_.effect() == state::Effect::kTry;
}

std::optional<SourceState> FileStages::source_state() const {
  auto state = source_.state();
  if (!state) return state;
  state->on_trial = file_.record().trial.has_value();
  state->trial_waits = trial_.waits();
  std::ranges::copy_if(file_.record().bad, std::back_inserter(state->bad),
                       [](const state::BadFile& bad) { return bad.by.empty(); });
  return state;
}

std::optional<state::PublishedFile> FileStages::published(
    const std::string& node, const std::optional<RolloutHeld>& rollout) const {
  const auto* in_force = file_.in_force();
  if (in_force == nullptr) return std::nullopt;
  const auto& [path, text, cluster] = *in_force;
  state::PublishedFile now{
      .file = path, .text = text, .commit = source_.commit_of(host_.files, node, cluster.digest)};
  const auto& file = file_.state();
  if (!file.refused.empty()) {
    now.newer = {.file = file.path,
                 .digest = file_.refused_digest(),
                 .is_refused = true,
                 .why = file.refused_first};
  } else if (rollout) {
    const auto& wait = rollout->waits.front();
    now.newer = {.file = file.path,
                 .digest = rollout->digest,
                 .is_refused = false,
                 .why = fmt::format("it waits for {}, which {}", wait.node, wait.why)};
  }
  const auto& source = source_.state();
  if (now.newer && source && source->digest == now.newer->digest)
    now.newer->commit = source->commit;
  return now;
}

}  // namespace spark::daemon
