#include "daemon/reconcile/reconciler.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "cluster/shape.hpp"
#include "daemon/reconcile/link_records.hpp"
#include "daemon/reconcile/observe_cluster.hpp"
#include "daemon/reconcile/peers_order.hpp"
#include "daemon/reconcile/waiting_facts.hpp"
#include "plan/release_mark.hpp"
#include "plan/rollout.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/known_releases.hpp"
#include "state/pause.hpp"
#include "state/rollout_skips.hpp"

namespace spark::daemon {
namespace {

/// After how many corrections of a resource there is an alert; empty: there is none.
std::optional<std::uint64_t> alert_at(config::DriftAlert alert) {
  if (alert == config::DriftAlert::kNever) return std::nullopt;
  return alert == config::DriftAlert::kFirst ? 1 : kRecurringTimes;
}

}  // namespace

Reconciler::Reconciler(host::Host& host, ReconcilerOptions options)
    : host_(host),
      options_(std::move(options)),
      snapshots_(host, options_.node),
      file_(options_.file, options_.take),
      source_(options_.source_rules, options_.file, options_.take),
      own_files_(options_.removal_rest),
      waits_(options_.is_anybody_asked),
      transactions_(host, file_, source_, options_.clock),
      corrections_(options_.pace, file_, snapshots_, waits_, transactions_) {
  state_.version = options_.version;
  state_.started = options_.clock();
  state_.verdict_since = state_.started;
  state_.verdicts = {{.verdict = state_.verdict, .since = state_.started}};
}

PassOutcome Reconciler::pass(const PassOrder& order) {
  Pass pass{.order = order, .start = options_.clock()};
  for (const auto& [source, times] : order.triggers) {
    state_.counters.triggers[source] += times;
  }
  if (const auto overruns = order.triggers.find("overrun"); overruns != order.triggers.end()) {
    state_.counters.resyncs += overruns->second;
  }
  waits_.begin_pass(order.answer, pass.start);
  pass.paused = state::read_pause(host_, pass.start);
  const bool was_paused = state_.paused && !journal_.is_pending();
  if (auto loss = own_files_.look(host_, state_.node, was_paused, file_, waits_, pass)) {
    state_.loss = std::move(loss);
  }
  if (applies_.look(host_.files)) {
    corrections_.forget_contests();
    corrections_.note_left_alone();
    if (source_.is_set()) file_.forget_refusal();  // `sync --retry`
  }
  if (journal_.look(host_, file_, pass)) node_.reset();
  look_at_file(pass);
  if (file_.effect() == state::Effect::kGoBack) go_back(pass);
  if (file_.is_candidate_due(pass.start)) try_candidate(pass);
  go_on_from_history(pass);
  if (file_.in_force() != nullptr && !own_files_.are_removed()) hold(pass);
  return finish(std::move(pass));
}

void Reconciler::look_at_file(Pass& pass) {
  source_.look(host_, file_, pass.start);
  const bool is_below_root = source_.is_set() || options_.source == nullptr;
  file_.look(host_.files, is_below_root ? host_.files : *options_.source, pass.start,
             pass.order.triggers.contains("reload"));
  if (state_.counters.passes == 0 && !file_.damage().empty()) {
    state_.loss = StateLoss{pass.start, file_.damage()};
  }
  if (state_.counters.passes == 0 && file_.in_force() != nullptr) {
    waits_.restore(host_, file_.in_force()->cluster.digest);
  }
  // What has begun is finished, and what waits for a person or for other nodes is asked again in
  // each pass.
  pass.note(
      file_.tell(host_.files,
                 pass.paused ? state::InForceEvent(state::events::Held{}) : state::events::Freed{},
                 pass.start));
  // What was refused by its own words is no candidate any more, and is not finished.
  if (file_.effect() == state::Effect::kTry && file_.candidate() == nullptr) {
    pass.note(file_.tell(host_.files, state::events::Withdrawn{}, pass.start));
  }
}

PassOutcome Reconciler::finish(Pass pass) {
  state_.file = file_.state();
  state_.file.waits = pass.file_waits;
  state_.paused = std::move(pass.paused);
  state_.released = std::move(pass.released);
  state_.rollout = std::move(pass.rollout);
  state_.pass_error = std::move(pass.error);
  state_.by_hand = applies_.by_hand();
  state_.drifts = corrections_.drift().open();
  if (state_.paused || state_.released) corrections_.note_left_alone();
  ++state_.counters.passes;
  state_.counters.failed_passes += state_.pass_error.empty() ? 0 : 1;
  state_.pass_at = options_.clock();
  state_.pass_took = state_.pass_at.boot - pass.start.boot;
  auto& outcome = pass.outcome;
  const auto look_again_at = [&](std::optional<std::chrono::milliseconds> boot) {
    if (!boot) return;
    const auto left = std::max(*boot - state_.pass_at.boot, std::chrono::milliseconds(0));
    outcome.again_in = std::min(left, outcome.again_in.value_or(left));
  };
  if (state_.paused) {
    look_again_at(state_.paused->until.boot);
  } else if (const auto due = file_.next_try();
             due && (file_.effect() == state::Effect::kTry || *due > state_.pass_at.boot)) {
    // One that could not even be begun, as while the disk is full, is not tried at once.
    look_again_at(std::max<std::chrono::milliseconds>(*due, state_.pass_at.boot + kAfterBusy));
  }
  look_again_at(corrections_.drift().next_due());
  look_again_at(waits_.next_question());
  outcome.waits = !state_.disturb_waits.empty();
  outcome.question = waits_.question();
  outcome.gate_due = file_.effect() == state::Effect::kLook;
  outcome.state = state();
  outcome.file = file_.shared();
  outcome.published = published_file();
  return std::move(outcome);
}

const NodeState& Reconciler::state() {
  state_.source = source_.state();
  if (state_.source) {
    state_.source->on_trial = file_.record().trial.has_value();
    state_.source->trial_waits = trial_.waits();
    std::ranges::copy_if(file_.record().bad, std::back_inserter(state_.source->bad),
                         [](const state::BadFile& bad) { return bad.by.empty(); });
  }
  // It may come after the pass that applied the file, and an alert begins with a verdict.
  state_.change_id = applies_.change_id(host_.files, state_.node, state_.file.digest);
  const auto& made = transactions_.made();
  state_.changes = made.changes;
  state_.counters.corrections = made.corrections;
  state_.counters.drifts = made.drifts;
  state_.counters.failures = made.failures;
  return state_;
}

bool Reconciler::correct_network(const host::Writers& writers) {
  Pass pass{.order = {.writers = writers},
            .start = options_.clock(),
            .paused = state_.paused,
            .released = state_.released};
  // Only where a whole pass found nothing that hinders it, and nobody has paused it since: else the
  // next pass sees to it.
  const bool may = !corrections_.is_first() && node_ && file_.in_force() != nullptr &&
                   !own_files_.are_removed() && state_.refusals.empty() &&
                   !state::read_pause(host_, pass.start);
  if (!may) {
    return false;
  }
  if (auto snapshot = snapshots_.of_network(*file_.in_force(), *node_)) {
    static_cast<void>(corrections_.correct(*snapshot, pass));  // the next pass says why it failed
  }
  return pass.outcome.changed;
}

void Reconciler::hold(Pass& pass) {
  auto snapshot = snapshots_.of_all(*file_.in_force());
  if (snapshot) {
    note_release(*snapshot, pass);
    if (pass.released) waits_.clear();
    if (auto corrected = corrections_.correct(*snapshot, pass); !corrected) {
      snapshot = std::unexpected(corrected.error());
    }
  }
  names_no_node_ = !snapshot && snapshot.error().code == ErrorCode::kNotFound;
  if (!snapshot) {
    pass.error = snapshot.error().what;
    return;
  }
  node_ = snapshot->node;
  take_down(*snapshot, pass);
  pass.outcome.sources = snapshot->view.sources();
  own_files_.keep(host_, *snapshot, pass);
}

void Reconciler::note_release(const Snapshot& snapshot, Pass& pass) {
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
  pass.released = std::move(released);
  note_verdict(gate::Verdict::kNotReady, pass.start);
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

void Reconciler::take_down(Snapshot& snapshot, Pass& pass) {
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
  // Which cables the file in force changed is not known any more.
  if (!pass.rollout) {
    state_.rollout_groups = plan::rollout_order(nullptr, snapshot.file->cluster).groups;
  }
  state_.refusals.clear();
  std::ranges::transform(plan.refusals, std::back_inserter(state_.refusals), &kinds::Refusal::what);
  state_.skipped.clear();
  for (const auto& [kind, key, skipped, where] : plan.skipped) {
    state_.skipped.push_back({.kind = std::string(kind),
                              .key = key,
                              .why = skipped.why,
                              .id = skipped.id,
                              .reason = skipped.reason});
  }
  corrections_.end_pass(snapshot, pass);
  pass.note(waits_.end_pass(snapshot.plan, host_));
  state_.disturb_waits = waits_.records(snapshot);
}

PassOutcome Reconciler::take_verdict(std::optional<GateObservation> look) {
  Pass pass{.start = look ? look->at : options_.clock(),
            .paused = state_.paused,
            .released = state_.released};
  if (look) {
    if (state_.gate) {
      pass.outcome.look_deeper = gate::keep_measured(*state_.gate, look->report);
    }
    pass.outcome.again_in = look->again_in;
    take_surroundings(*look);
    take_facts(std::move(look->report), pass);
  } else if (file_.effect() == state::Effect::kLook &&
             (names_no_node_ || file_.in_force() == nullptr)) {
    // The file in force names no node here: with it no fact holds that another one could break.
    pass.note(file_.tell(host_.files, state::events::Looked{}, pass.start));
    pass.outcome.pass_due = file_.effect() == state::Effect::kTry;
  }
  if (!pass.error.empty()) state_.pass_error = std::move(pass.error);
  pass.outcome.state = state();
  return std::move(pass.outcome);
}

void Reconciler::take_surroundings(GateObservation& look) {
  for (auto& link : state_.links) {
    const auto speed = look.speeds.find(link.name);
    link.speed = speed == look.speeds.end() ? std::nullopt : std::optional(speed->second);
  }
  note_cabling(look.report, state_.links);
  if (look.hardware) {
    const auto known = state::read_known_releases(host_.files);
    state_.hardware = hardware_.take(*std::move(look.hardware), known.releases, look.at);
  }
  keep_echoes(state_.around, look.around);
  state_.around = std::move(look.around);
}

void Reconciler::take_facts(gate::GateReport report, Pass& pass) {
  auto& outcome = pass.outcome;
  excuse_waiting(report, state_.disturb_waits);
  note_others();
  const auto& record = file_.record();
  const bool was_unseen = !record.seen;
  if (node_) {
    const auto* file = file_.in_force();
    const bool rolls = file != nullptr && file->cluster.rollout.has_value();
    rollout_.excuse_other_ends(report, *node_, rolls, pass.start);
  }
  state_.gate_at = pass.start;
  note_verdict(pass.released ? gate::Verdict::kNotReady : report.verdict(), pass.start);
  remember(state_.gid_moves, observe_gids(gids_, report, pass.start));
  // A file of which a part waits for a job is not all applied: it is neither good nor bad yet. On a
  // node that was released, or is paused, nothing says how it would be.
  const bool is_in_part = record.trial && !state_.disturb_waits.empty();
  const bool is_meant = source_.is_set() || record.trial;
  if (!is_meant || is_in_part || pass.released || pass.paused) {
    trial_.rest();
  } else {
    trial_.judge(report, file_, host_.files, pass);
  }
  const bool may_try = file_.effect() == state::Effect::kTry && file_.next_try();
  const bool rollout_moves =
      state_.rollout && rollout_.moves(state::read_rollout_skips(host_.files));
  outcome.pass_due =
      file_.effect() == state::Effect::kGoBack || (may_try && was_unseen) || rollout_moves;
  if (record.trial) {
    // A few looks within the time, and no more than the gate makes by itself beside a change.
    constexpr std::chrono::milliseconds kLeast{1000};
    const auto look_in = std::max(kLeast, record.trial->settle / 4);
    outcome.again_in = std::min(look_in, outcome.again_in.value_or(look_in));
  }
  state_.gate = std::move(report);
}

}  // namespace spark::daemon
