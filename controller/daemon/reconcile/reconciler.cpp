#include "daemon/reconcile/reconciler.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apply/recovery.hpp"
#include "apply/transaction.hpp"
#include "cluster/shape.hpp"
#include "daemon/reconcile/apply_outcome.hpp"
#include "daemon/reconcile/link_records.hpp"
#include "daemon/reconcile/observe_cluster.hpp"
#include "daemon/reconcile/peers_order.hpp"
#include "daemon/reconcile/waiting_facts.hpp"
#include "kinds/network/address.hpp"
#include "kinds/storage/host_identity.hpp"
#include "kinds/storage/mount.hpp"
#include "kinds/storage/nvme.hpp"
#include "plan/guard.hpp"
#include "plan/part.hpp"
#include "plan/refusals.hpp"
#include "plan/release_mark.hpp"
#include "protocol/paths.hpp"
#include "state/by_hand.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/known_releases.hpp"
#include "state/ledger.hpp"
#include "state/node_record.hpp"
#include "state/pause.hpp"

namespace spark::daemon {
namespace {

/// Somebody applies by hand; that takes seconds.
constexpr std::chrono::seconds kAfterBusy{1};

config::DriftPolicy policy_of(const config::Cluster& cluster, std::string_view kind) {
  const auto& kinds = cluster.drift.kinds;
  const auto own = kinds.find(std::string(kind));
  return own == kinds.end() ? cluster.drift.fallback.value : own->second.value;
}

/// After how many corrections of a resource there is an alert; empty: there is none.
std::optional<std::uint64_t> alert_at(config::DriftAlert alert) {
  if (alert == config::DriftAlert::kNever) return std::nullopt;
  return alert == config::DriftAlert::kFirst ? 1 : kRecurringTimes;
}

bool is_correction(ChangeRecord::Cause cause) {
  return cause == ChangeRecord::Cause::kDrift || cause == ChangeRecord::Cause::kLink;
}

/// A writer that is quicker than the look that follows makes a contest, and no failure.
bool was_overwritten(const apply::Report& report, ChangeRecord::Cause cause) {
  return is_correction(cause) && !holds(report) && report.overwritten;
}

bool is_of_storage(const plan::Step& step) {
  return step.kind == kinds::HostIdentity::kName || step.kind == kinds::Nvme::kName ||
         step.kind == kinds::Mount::kName;
}

/// Who last changed an address of the step's link; empty: not known.
std::string writer_of(host::View& view, const plan::Step& step, const host::Writers& writers) {
  const auto* link = view.link(step.effect.link);
  const auto writer = link == nullptr ? writers.end() : writers.find(link->index);
  return writer == writers.end() ? "" : writer->second;
}

/// The same plan with one step.
plan::Plan only(const plan::Plan& plan, const plan::Step& step) {
  plan::Plan one = plan;
  one.steps = {step};
  return one;
}

}  // namespace

Reconciler::Reconciler(host::Host& host, ReconcilerOptions options)
    : host_(host),
      options_(std::move(options)),
      snapshots_(host, options_.node),
      file_(options_.file, options_.take),
      source_(options_.source_rules, options_.file, options_.take),
      drift_(options_.pace),
      waits_(options_.is_anybody_asked) {
  state_.version = options_.version;
  state_.started = options_.clock();
  state_.verdict_since = state_.started;
  state_.verdicts = {{.verdict = state_.verdict, .since = state_.started}};
}

PassOutcome Reconciler::pass(const PassOrder& order) {
  Pass pass{.start = options_.clock(),
            .writers = order.writers,
            .network_alone = order.network_alone,
            .outcome = {}};
  for (const auto& [source, times] : order.triggers) {
    state_.counters.triggers[source] += times;
  }
  if (const auto overruns = order.triggers.find("overrun"); overruns != order.triggers.end()) {
    state_.counters.resyncs += overruns->second;
  }
  waits_.begin_pass(order.answer, pass.start);
  check_own_state(pass);
  state_.paused = state::read_pause(host_, pass.start);
  state_.released.reset();
  state_.rollout.reset();
  state_.file.waits = false;
  state_.pass_error.clear();
  note_apply_by_hand();
  check_open_journal(pass);
  source_.look(host_, file_, pass.start);
  const bool is_below_root = source_.is_set() || options_.source == nullptr;
  file_.look(host_.files, is_below_root ? host_.files : *options_.source, pass.start,
             order.triggers.contains("reload"));
  if (state_.counters.passes == 0 && !file_.damage().empty()) {
    state_.loss = StateLoss{pass.start, file_.damage()};
  }
  if (state_.counters.passes == 0 && file_.in_force() != nullptr) {
    waits_.restore(host_, file_.in_force()->cluster.digest);
  }
  // What has begun is finished, and what waits for a person or for other nodes is asked again in
  // each pass.
  tell(state_.paused ? state::InForceEvent(state::events::Held{}) : state::events::Freed{},
       pass.start);
  // What was refused by its own words is no candidate any more, and is not finished.
  if (file_.effect() == state::Effect::kTry && file_.candidate() == nullptr) {
    tell(state::events::Withdrawn{}, pass.start);
  }
  if (file_.effect() == state::Effect::kGoBack) go_back(pass);
  if (is_candidate_due(pass.start)) try_candidate(pass);
  go_on_from_history(pass.start);
  // What is corrected without the ledger would become what was there before us.
  if (file_.in_force() != nullptr && !removal_) {
    hold(pass);
  }
  return finish(std::move(pass));
}

PassOutcome Reconciler::finish(Pass pass) {
  const bool waits = state_.file.waits;
  state_.file = file_.state();
  state_.file.waits = waits;
  note_source();
  note_change_id();
  state_.drifts = drift_.open();
  sets_up_ |= state_.paused || state_.released;
  ++state_.counters.passes;
  state_.counters.failed_passes += state_.pass_error.empty() ? 0 : 1;
  state_.pass_at = options_.clock();
  state_.pass_took = state_.pass_at.boot - pass.start.boot;
  auto& again_in = pass.outcome.again_in;
  const auto look_again_at = [&](std::chrono::milliseconds boot) {
    const auto left = std::max(boot - state_.pass_at.boot, std::chrono::milliseconds(0));
    again_in = again_in ? std::min(*again_in, left) : left;
  };
  if (state_.paused) {
    look_again_at(state_.paused->until.boot);
  } else if (const auto due = file_.next_try();
             due && (file_.effect() == state::Effect::kTry || *due > state_.pass_at.boot)) {
    // One that could not even be begun, as while the disk is full, is not tried at once.
    look_again_at(std::max<std::chrono::milliseconds>(*due, state_.pass_at.boot + kAfterBusy));
  }
  if (const auto due = drift_.next_due()) {
    look_again_at(*due);
  }
  if (const auto due = waits_.next_question()) {
    look_again_at(*due);
  }
  pass.outcome.waits = !state_.disturb_waits.empty();
  pass.outcome.question = waits_.question();
  pass.outcome.gate_due = file_.effect() == state::Effect::kLook;
  pass.outcome.state = state_;
  pass.outcome.file = file_.shared();
  pass.outcome.published = published_file();
  return std::move(pass.outcome);
}

void Reconciler::note_apply_by_hand() {
  auto note = state::last_by_hand(host_.files);
  if (by_hand_ && *by_hand_ != note) {
    drift_.forget();
    sets_up_ = true;
    if (source_.is_set()) file_.forget_refusal();  // `sync --retry`
  }
  by_hand_ = std::move(note);
  state_.by_hand = state::parse_by_hand(*by_hand_);
}

void Reconciler::note_change_id() {
  if (state_.node.empty()) return;
  auto text = host_.files.read(state::history_path(state_.node)).value_or(std::nullopt);
  if (text != history_seen_) {
    history_seen_ = std::move(text);
    const auto history = state::read_history(host_.files, state_.node);
    last_change_ = history && !history->empty() ? history->back() : state::Generation{};
  }
  // A file that changes nothing on this node has no entry: that of the file before is not its own.
  const auto& digest = state_.file.digest;
  const bool is_release = last_change_.outcome == state::Generation::Outcome::kReleased;
  const bool is_newest = is_release || digest.empty() || last_change_.digest == digest;
  state_.change_id = is_newest ? last_change_.change_id : std::string();
}

void Reconciler::check_own_state(Pass& pass) {
  const auto& now = pass.start;
  if (!file_.is_removed(host_.files)) {
    removal_.reset();
    return;
  }
  if (!removal_) {
    removal_ = Removal{.seen = now.boot, .was_paused = state_.paused && !was_pending_};
  }
  if (now.boot - removal_->seen < options_.removal_rest) {
    pass.outcome.again_in = options_.removal_rest;
    return;
  }
  state_.loss = StateLoss{now, restore_own_state(now)};
  removal_.reset();
}

std::string Reconciler::restore_own_state(const Moment& now) {
  std::vector<std::string> lost;
  std::vector<std::string> kept;
  const auto note = [&](const Result<>& written, const char* what) {
    (written ? kept : lost).emplace_back(what);
  };
  const bool all_is_gone =
      !state_.node.empty() && host_.files.list(state::state_directory(state_.node))
                                  .value_or(std::vector<std::string>{})
                                  .empty();
  note(file_.restore(host_.files), "the file in force");
  waits_.forget_file();  // this pass writes it again
  if (all_is_gone && !ledger_.empty()) {
    const auto lock = host_.files.lock(protocol::kLockFile);
    note(lock ? state::write_ledger(host_.files, state_.node, ledger_)
              : std::unexpected(lock.error()),
         "the values from before the first apply, which `release` restores");
  }
  if (all_is_gone) lost.emplace_back("the history, to which `rollback` returns");
  if (removal_->was_paused && !state::read_pause(host_, now)) lost.emplace_back("the pause");
  const auto list = [](std::string_view verb, const std::vector<std::string>& whats) {
    return whats.empty() ? "" : fmt::format(". {}: {}", verb, fmt::join(whats, "; "));
  };
  return fmt::format("'{}' was removed by somebody else{}{}",
                     all_is_gone ? protocol::kStateDirectory : protocol::kInForceRecord,
                     list("Written again from memory", kept), list("Lost", lost));
}

void Reconciler::check_open_journal(Pass& pass) {
  const auto& now = pass.start;
  const auto open = apply::find_open_journal(host_.files);
  if (!open) {
    state_.pass_error = open.error().what;
    return;
  }
  const auto boot = state::boot_id(host_);
  const auto journal_state =
      *open ? std::optional(apply::journal_state_of(host_.files, **open, now, boot)) : std::nullopt;
  if (journal_state == apply::JournalState::kPending) {
    const auto& journal = **open;
    was_pending_ = true;
    state_.paused =
        state::Paused{.since = journal.began,
                      .until = later(now, journal.left(now, boot)),
                      .reason = apply::describe(journal) + " waits for its confirmation",
                      .by = journal.request.by,
                      .change_id = journal.request.change_id};
    return;
  }
  if (const auto& waits = file_.record().unconfirmed; waits && !*open) {
    // Somebody moved the journal away: nobody can end it any more, and it stays as it is.
    tell(state::events::Confirmed{*waits}, now);
  }
  if (std::exchange(was_pending_, false)) {
    file_.forget_refusal();  // what was confirmed is refused no more
    node_.reset();
  }
  if (!journal_state || !apply::has_to_go(*journal_state)) {
    return;
  }
  const auto lock = host_.files.lock(protocol::kLockFile);
  if (!lock) {
    pass.outcome.again_in = kAfterBusy;
    return;
  }
  // The timer may have been quicker, and another apply begun since.
  const auto still = apply::find_open_journal(host_.files);
  if (!still || !*still || (*still)->id != (*open)->id) {
    pass.outcome.again_in = kAfterBusy;
    return;
  }
  pass.outcome.changed = true;
  const auto report = apply::roll_back_open(host_, **open, apply::TransactionObserver{},
                                            apply::outcome_of_rollback(*journal_state));
  const bool whole = report && report->outcome == apply::Report::Outcome::kRolledBack;
  if (!whole) {
    state_.pass_error = fmt::format(
        "{} is not rolled back: {}", apply::describe(**open),
        report ? fmt::format("{}", fmt::join(report->differs, ", ")) : report.error().what);
  } else if (!report->taken_along.empty()) {
    state_.pass_error =
        fmt::format("{} is rolled back, but the kernel removed with it what was not ours: {}",
                    apply::describe(**open), fmt::join(report->taken_along, ", "));
  }
  if (report && report->unnoted) state_.pass_error = report->unnoted->what;
}

bool Reconciler::correct_network(const host::Writers& writers) {
  Pass pass{.start = options_.clock(), .writers = writers, .outcome = {}};
  // Only where a whole pass found nothing that hinders it, and nobody has paused it since: else the
  // next pass sees to it.
  const bool may = !first_ && node_ && file_.in_force() != nullptr && !removal_ &&
                   state_.refusals.empty() && !state::read_pause(host_, pass.start);
  if (!may) {
    return false;
  }
  if (auto snapshot = snapshots_.of_network(*file_.in_force(), *node_)) {
    static_cast<void>(correct(std::move(*snapshot), pass));
  }
  return pass.outcome.changed;
}

void Reconciler::hold(Pass& pass) {
  auto snapshot = snapshots_.of_all(*file_.in_force());
  if (snapshot) {
    note_release(*snapshot, pass.start);
    if (state_.released) waits_.clear();
    snapshot = correct(std::move(*snapshot), pass);
  }
  names_no_node_ = !snapshot && snapshot.error().code == ErrorCode::kNotFound;
  if (!snapshot) {
    state_.pass_error = snapshot.error().what;
    return;
  }
  first_ &= pass.network_alone;
  node_ = snapshot->node;
  take_down(*snapshot, pass.start);
  // One that is gone may be gone with all else, which takes its time: then it is written again.
  if (!snapshot->ledger.empty()) ledger_ = std::move(snapshot->ledger);
  pass.outcome.sources = snapshot->view.sources();
  if (recorded_ != snapshot->node.name) {
    const auto noted = state::remember_node(host_, snapshot->node.name);
    recorded_ = noted ? snapshot->node.name : "";
    if (!noted) state_.pass_error = noted.error().what;
  }
}

void Reconciler::note_release(const Snapshot& snapshot, const Moment& now) {
  if (!plan::is_released(snapshot.ledger)) {
    return;
  }
  state_.node = snapshot.node.name;
  state_.cluster = snapshot.node.cluster;
  Released released;
  if (const auto history = state::read_history(host_.files, snapshot.node.name);
      history && state::ends_with_release(*history)) {
    const auto& last =
        *std::ranges::find(*history | std::views::reverse, state::Generation::Outcome::kReleased,
                           &state::Generation::outcome);
    released = {.at = last.at, .by = last.by};
  }
  state_.released = std::move(released);
  note_verdict(gate::Verdict::kNotReady, now);
}

void Reconciler::note(const Result<>& written) {
  if (!written) state_.pass_error = written.error().what;
}

void Reconciler::note_verdict(gate::Verdict verdict, const Moment& now) {
  if (verdict != state_.verdict) {
    state_.verdict = verdict;
    state_.verdict_since = now;
    auto& verdicts = state_.verdicts;
    // One ends where the next begins.
    while (verdicts.size() > 1 &&
           now.boot - verdicts[verdicts.size() - 2].since.boot > kVerdictsKept) {
      verdicts.pop_back();
    }
    if (verdicts.size() == kMostVerdicts) verdicts.pop_back();
    verdicts.push_front({.verdict = verdict, .since = now});
  }
}

bool Reconciler::may_correct_any(const Snapshot& snapshot, const Pass& pass) const {
  // What has begun is finished first, and what waits for its confirmation is left to that; what is
  // about to be tried, as soon as the lock is free, is not preceded by the file from before.
  const bool is_certain = file_.record().attempt.empty() && !file_.record().unconfirmed &&
                          !is_candidate_due(pass.start);
  // The end of a release, seen between two looks of one pass, is for the next one: it tries the
  // candidate first.
  return is_certain && !state_.paused && !state_.released && !file_.is_settling(pass.start) &&
         !plan::is_released(snapshot.ledger) && snapshot.plan.refusals.empty();
}

bool Reconciler::may_correct(const Snapshot& snapshot, const plan::Step& step,
                             const Pass& pass) const {
  const bool has_waited = waits_.has(step);
  // What has waited is made in a whole pass, all of it together.
  if (has_waited && (waits_.holds(step) || snapshot.plan.kinds != plan::Kinds::kAll)) {
    return false;
  }
  return may_correct_any(snapshot, pass) && !(pass.network_alone && is_of_storage(step)) &&
         (has_waited ||
          policy_of(snapshot.file->cluster, step.kind) == config::DriftPolicy::kEnforce) &&
         !drift_.is_held(step.name(), pass.start);
}

std::optional<host::FileLock> Reconciler::lock_as_seen(Snapshot& snapshot, Pass& pass) {
  auto lock = host_.files.lock(protocol::kLockFile);
  if (lock && is_current(host_.files, snapshot) && file_.is_current(host_.files)) {
    return std::move(*lock);
  }
  pass.outcome.again_in = kAfterBusy;
  return std::nullopt;
}

Result<Snapshot> Reconciler::look_again(const Snapshot& snapshot) {
  auto fresh = snapshots_.again(snapshot);
  if (fresh) waits_.look_again(*fresh);
  return fresh;
}

bool Reconciler::carry_out_freed(Snapshot& snapshot, Pass& pass) {
  std::set<std::string> others;
  std::vector<const plan::Step*> freed;
  for (const auto& step : snapshot.plan.steps) {
    if (waits_.has(step) && may_correct(snapshot, step, pass)) {
      freed.push_back(&step);
    } else {
      others.insert(step.name());
    }
  }
  if (freed.empty() || !waits_.begin_together()) return false;
  const auto plan = plan::without_steps(snapshot.plan, others, snapshot.ledger);
  const auto report =
      carry_out(snapshot, plan, {.cause = ChangeRecord::Cause::kFile}, request_for(snapshot));
  if (!holds(report)) {
    for (const auto* step : freed) {
      drift_.failed(*step, line_of(*snapshot.file, step->where), what_failed(report), pass.start);
    }
  }
  return true;
}

Result<Snapshot> Reconciler::correct(Snapshot snapshot, Pass& pass) {
  links_.note(snapshot.node, snapshot.view, pass.start);
  waits_.look(snapshot);
  const bool is_freed = std::ranges::any_of(snapshot.plan.steps, [&](const plan::Step& step) {
    return waits_.has(step) && may_correct(snapshot, step, pass);
  });
  if (is_freed) waits_.ask_about_freed(snapshot, pass.start);
  const auto next = [&](const std::set<std::string>& tried) {
    return std::ranges::find_if(snapshot.plan.steps, [&](const plan::Step& step) {
      return !tried.contains(step.name()) && may_correct(snapshot, step, pass);
    });
  };
  std::set<std::string> tried;
  if (next(tried) == snapshot.plan.steps.end()) {
    end_set_up(snapshot, pass);
    return snapshot;
  }
  const auto lock = lock_as_seen(snapshot, pass);
  if (!lock) {
    return snapshot;
  }
  pass.outcome.changed = true;
  if (carry_out_freed(snapshot, pass)) {
    auto fresh = look_again(snapshot);
    if (!fresh) return fresh;
    snapshot = std::move(*fresh);
  }
  if (first_) {
    // After a boot most is missing, and nobody uses it yet: all at once, and only if that fails one
    // by one. A correction of a live node never rolls back another.
    auto plan = snapshot.plan;
    std::erase_if(plan.steps,
                  [&](const plan::Step& step) { return !may_correct(snapshot, step, pass); });
    static_cast<void>(carry_out(snapshot, plan, {.cause = ChangeRecord::Cause::kBoot}));
    auto fresh = look_again(snapshot);
    if (!fresh) return fresh;
    snapshot = std::move(*fresh);
  }
  for (auto step = next(tried); step != snapshot.plan.steps.end(); step = next(tried)) {
    tried.insert(step->name());
    const auto line = line_of(*snapshot.file, step->where);
    const auto writer = writer_of(snapshot.view, *step, pass.writers);
    const auto occasion = links_.occasion(step->effect.link, pass.start);
    const auto cause = waits_.has(*step)               ? ChangeRecord::Cause::kFile
                       : first_                        ? ChangeRecord::Cause::kBoot
                       : sets_up_                      ? ChangeRecord::Cause::kResumed
                       : occasion == Occasion::kWriter ? ChangeRecord::Cause::kDrift
                                                       : ChangeRecord::Cause::kLink;
    const bool is_drift = cause == ChangeRecord::Cause::kDrift;
    const auto report = carry_out(snapshot, only(snapshot.plan, *step),
                                  {.cause = cause, .writer = is_drift ? writer : ""});
    if (!holds(report) && !was_overwritten(report, cause)) {
      drift_.failed(*step, line, what_failed(report), pass.start);
    } else if (is_correction(cause)) {
      drift_.corrected(*step, line, writer_clause(step->kind, writer), occasion, pass.start);
    }
    auto fresh = look_again(snapshot);
    if (!fresh) return fresh;
    snapshot = std::move(*fresh);
  }
  end_set_up(snapshot, pass);
  return snapshot;
}

void Reconciler::end_set_up(const Snapshot& snapshot, const Pass& pass) {
  const bool is_whole = snapshot.plan.kinds == plan::Kinds::kAll && !pass.network_alone;
  if (is_whole && may_correct_any(snapshot, pass)) sets_up_ = false;
}

state::ApplyRequest Reconciler::request_for(const Snapshot& snapshot) const {
  const auto& file = *snapshot.file;
  return {.file = file.name,
          .text = file.text,
          .by = state::kByDaemon,
          .confirm_within = {},
          .commit = source_.commit_of(host_.files, snapshot.node.name, file.cluster.digest)};
}

apply::Report Reconciler::carry_out(Snapshot& snapshot, const plan::Plan& plan,
                                    const ChangeRecord& why, const state::ApplyRequest& request) {
  auto report = apply::Transaction(host_, snapshot.node, plan, snapshot.view, snapshot.ledger,
                                   apply::TransactionObserver{}, request)
                    .run();
  record(plan, report, why);
  return report;
}

void Reconciler::record(const plan::Plan& plan, const apply::Report& report,
                        const ChangeRecord& why) {
  const bool overwritten = was_overwritten(report, why.cause);
  const bool made = holds(report) || overwritten;
  const auto failure = holds(report) ? std::string() : what_failed(report);
  for (const auto& done : report.steps) {
    const auto& step = plan.steps[done.step];
    const std::string kind(step.kind);
    if (done.waits()) {
      continue;  // it is skipped, and reported there
    }
    ++(made ? state_.counters.corrections : state_.counters.failures)[kind];
    if (made && why.cause == ChangeRecord::Cause::kDrift) {
      ++state_.counters.drifts[kind];
    }
    state_.changes.push_front({.at = options_.clock(),
                               .cause = why.cause,
                               .kind = kind,
                               .key = step.key,
                               .before = step.before,
                               .after = step.after,
                               .failure = failure,
                               .took = done.took,
                               .overwritten = overwritten,
                               .writer = why.writer});
  }
  if (state_.changes.size() > kMostChanges) {
    state_.changes.resize(kMostChanges);
  }
}

void Reconciler::take_down(Snapshot& snapshot, const Moment& now) {
  const auto& plan = snapshot.plan;
  state_.node = plan.node;
  state_.cluster = plan.cluster;
  state_.in_sync = plan.in_sync;
  state_.drift_alert_at = alert_at(snapshot.file->cluster.drift.alert.value);
  auto links = link_records(snapshot.node, snapshot.view);
  keep_looks(state_.links, links);
  state_.links = std::move(links);
  state_.peers_order = peers_order(snapshot.node, snapshot.view, state::boot_id(host_));
  state_.shape = cluster::shape_of(snapshot.file->cluster);
  if (!state_.rollout) state_.rollout_groups = groups_in_force(snapshot.file->cluster);
  state_.refusals.clear();
  std::ranges::transform(plan.refusals, std::back_inserter(state_.refusals), &kinds::Refusal::what);
  state_.skipped.clear();
  for (const auto& [kind, key, skipped, where] : plan.skipped) {
    state_.skipped.push_back({.kind = std::string(kind),
                              .key = key,
                              .why = std::string(plan::name_of(skipped.why)),
                              .id = skipped.id,
                              .reason = skipped.reason});
  }
  std::set<std::string> differing;
  for (const auto& step : plan.steps) {
    const auto policy = policy_of(snapshot.file->cluster, step.kind);
    // What is released is not as the file says, and is not meant to be.
    if (policy != config::DriftPolicy::kIgnore && !state_.released && !waits_.holds(step)) {
      const bool due =
          policy == config::DriftPolicy::kEnforce && !state_.paused && plan.refusals.empty();
      differing.insert(step.name());
      drift_.differs(step, line_of(*snapshot.file, step.where), now, due);
    }
  }
  note(waits_.end_pass(snapshot, host_));
  state_.disturb_waits = waits_.records(snapshot);
  drift_.end_pass(differing, now);
  drift_.name_conflicts([&snapshot](const std::string& kind, const std::string& key) {
    return find_conflict(snapshot.view, snapshot.node, kind, key);
  });
}

PassOutcome Reconciler::take_verdict(std::optional<GateObservation> look) {
  PassOutcome outcome;
  if (look) {
    auto& [report, speeds, hardware, around, at, again_in] = *look;
    if (state_.gate) {
      outcome.look_deeper = gate::keep_measured(*state_.gate, report);
    }
    for (auto& link : state_.links) {
      const auto speed = speeds.find(link.name);
      link.speed = speed == speeds.end() ? std::nullopt : std::optional(speed->second);
    }
    note_cabling(report, state_.links);
    if (hardware) {
      const auto known = state::read_known_releases(host_.files);
      state_.hardware = hardware_.take(*std::move(hardware), known.releases, at);
    }
    keep_echoes(state_.around, around);
    state_.around = std::move(around);
    excuse_waiting(report, state_.disturb_waits);
    note_others();
    const bool was_unseen = !file_.record().seen;
    if (node_) rollout_.excuse_other_ends(report, *node_, has_rollout(), at);
    outcome.again_in = again_in;
    state_.gate_at = at;
    note_verdict(state_.released ? gate::Verdict::kNotReady : report.verdict(), state_.gate_at);
    remember(state_.gid_moves, observe_gids(gids_, report, state_.gate_at));
    judge_trial(report);
    const bool may_try = file_.effect() == state::Effect::kTry && file_.next_try();
    outcome.pass_due =
        file_.effect() == state::Effect::kGoBack || (may_try && was_unseen) || rollout_moves();
    if (const auto& trial = file_.record().trial) {
      // A few looks within the time, and no more than the gate makes by itself beside a change.
      constexpr std::chrono::milliseconds kLeast{1000};
      const auto look_in = std::max(kLeast, trial->settle / 4);
      outcome.again_in = std::min(look_in, outcome.again_in.value_or(look_in));
    }
    note_source();
    state_.gate = std::move(report);
    note_change_id();  // it may come after the pass that applied the file, and an alert begins here
  } else if (file_.effect() == state::Effect::kLook &&
             (names_no_node_ || file_.in_force() == nullptr)) {
    // The file in force names no node here: with it no fact holds that another one could break.
    tell(state::events::Looked{}, options_.clock());
    outcome.pass_due = file_.effect() == state::Effect::kTry;
  }
  outcome.state = state_;
  return outcome;
}

}  // namespace spark::daemon
