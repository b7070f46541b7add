#include "daemon/reconcile/reconciler.hpp"

#include <algorithm>
#include <utility>

#include "daemon/reconcile/disturb_waits.hpp"
#include "state/pause.hpp"

namespace spark::daemon {

Reconciler::Reconciler(host::Host& host, const ReconcilerOptions& options)
    : host_(host),
      others_{.own_files = OwnFiles(options.removal_rest), .journal = {}, .applies = {}},
      file_(host, options.source_rules, options.file, options.take, options.source,
            options.check_helper),
      machine_(host, options.node, file_.file(), file_.source(), options.clock),
      waits_(options.is_anybody_asked),
      corrections_(options.pace, file_.file(), machine_, waits_),
      record_(options.version, options.clock),
      gate_(record_.started()) {}

PassOutcome Reconciler::pass(const PassOrder& order) {
  const bool is_first = record_.counters().passes == 0;
  const auto& last = record_.last().found;
  auto pass = record_.begin(order);
  auto& [own_files, journal, applies] = others_;
  const bool was_paused = last.paused && !journal.is_pending();
  pass.found.paused = state::read_pause(host_, pass.start);
  own_files.look(host_, last.node, was_paused, file_.file(), pass);
  journal.look(host_, pass);
  applies.look(host_.files, pass);
  file_.look(is_first, last, machine_.node(), pass);
  waits_.begin_pass(host_, file_.file().in_force(), is_first, pass);
  file_.go_back(machine_, waits_, pass);
  file_.take(machine_, waits_, pass);
  file_.answer_offer(machine_, pass);
  file_.go_on_from_history(machine_, pass);
  corrections_.begin_pass(pass.happened);
  if (file_.file().in_force() != nullptr && !own_files.are_removed()) hold(pass);
  return finish(std::move(pass));
}

void Reconciler::hold(Pass& pass) {
  auto snapshot = corrections_.hold(*file_.file().in_force(), host_.files, pass);
  if (!snapshot) {
    pass.error = snapshot.error().what;
    return;
  }
  file_.end_pass(snapshot->file->cluster, pass);
  corrections_.end_pass(*snapshot, pass);
  pass.note(waits_.end_pass(snapshot->plan, host_));
  waits_.record(*snapshot);
  gate_.note_links(*snapshot);
  record_.note_held(*snapshot, host_, pass);
  pass.outcome.sources = snapshot->view.sources();
  others_.own_files.keep(host_, *snapshot, pass);
}

PassOutcome Reconciler::finish(Pass pass) {
  others_.journal.look_again(host_, pass);
  auto& [file, paused, unfinished, released, rollout, loss, node, cluster, names_no_node] =
      pass.found;
  const auto& active = file_.file();
  file = active.state();
  file.waits = pass.happened.file_waits;
  file.waits_for_all = pass.happened.waits_for_all;
  if (file.refused == state::kWhyAllWentBack) {  // nothing is wrong with it that this node knows of
    file.refused.clear();
    file.refused_first.clear();
    file.waits_for_all = true;
  }
  if (released) gate_.note_verdict(gate::Verdict::kNotReady, pass.start);
  record_.end(pass, corrections_.drift().open());
  if (paused || released) corrections_.note_left_alone();
  auto& outcome = pass.outcome;
  schedule(outcome);
  outcome.waits = !waits_.records().empty();
  outcome.question = waits_.question();
  outcome.gate_due =
      active.effect() == state::Effect::kLook || file_.offers().wants_look(pass.start);
  outcome.state = state();
  outcome.file = active.shared();
  outcome.published = file_.published(node, rollout);
  return std::move(outcome);
}

void Reconciler::schedule(PassOutcome& outcome) const {
  const auto now = record_.last().at.boot;
  const auto look_again_at = [&](std::optional<std::chrono::milliseconds> boot) {
    if (boot) outcome.look_again_in(std::max(*boot - now, std::chrono::milliseconds(0)));
  };
  const auto& file = file_.file();
  if (const auto& paused = record_.last().found.paused) {
    look_again_at(paused->until.boot);
  } else if (const auto due = file.next_try();
             due && (file.effect() == state::Effect::kTry || *due > now)) {
    // One that could not even be begun, as while the disk is full, is not tried at once.
    look_again_at(std::max<std::chrono::milliseconds>(*due, now + kAfterBusy));
  }
  look_again_at(corrections_.drift().next_due());
  look_again_at(waits_.next_question());
  if (const auto due = file_.offers().all_nodes().next_due()) {
    // What is still due could not be written, as while the disk is full.
    look_again_at(*due > now ? *due : now + kAfterBusy);
  }
}

bool Reconciler::correct_network(const host::Writers& writers) {
  auto pass = record_.between();
  pass.order.writers = writers;
  // Only where a whole pass found nothing that hinders it, and nobody has paused it since: else the
  // next pass sees to it.
  const bool may = !others_.own_files.are_removed() && record_.held().refusals.empty() &&
                   !state::read_pause(host_, pass.start);
  return may && corrections_.correct_network(pass);
}

PassOutcome Reconciler::take_verdict(std::optional<GateObservation> look) {
  // Not as of the look, which may be older: whether time is left to decide for all counts from now.
  auto pass = record_.between();
  if (look) {
    const auto& waits = waits_.records();
    auto& report = look->report;
    gate_.note_surroundings(*look, host_.files, pass.outcome);
    excuse_waiting(report, waits);
    file_.excuse_other_ends(report, corrections_.node(), pass.start);
    gate_.note_report(std::move(report), pass.found.released.has_value(), look->at);
    file_.judge(*gate_.part().gate, !waits.empty(), pass);
  } else {
    file_.go_on_unseen(pass);
  }
  if (!pass.error.empty()) record_.note_error(pass.error);
  pass.outcome.state = state();
  return std::move(pass.outcome);
}

NodeState Reconciler::state() {
  const auto& last = record_.last();
  const auto& [file, paused, unfinished, released, rollout, loss, node, cluster, names_no_node] =
      last.found;
  const auto& held = record_.held();
  const auto& gate = gate_.part();
  const auto& verdict = gate.verdicts.front();
  const auto& made = machine_.made();
  auto counters = record_.counters();
  counters.corrections = made.corrections;
  counters.drifts = made.drifts;
  counters.failures = made.failures;
  return {.version = record_.version(),
          .node = node,
          .cluster = cluster,
          .started = record_.started(),
          .file = file,
          .source = file_.source_state(),
          .paused = paused,
          .unfinished = unfinished,
          .released = released,
          .rollout = rollout,
          .all_nodes = file_.offers().all_nodes().progress(),
          .rollout_groups = file_.groups(),
          .gate = gate.gate,
          .gate_at = gate.gate_at,
          .verdict = verdict.verdict,
          .verdict_since = verdict.since,
          .verdicts = gate.verdicts,
          .drifts = last.drifts,
          .drift_alert_at = held.drift_alert_at,
          .disturb_waits = waits_.records(),
          .skipped = held.skipped,
          .refusals = held.refusals,
          .pass_error = last.error,
          .in_sync = held.in_sync,
          .links = gate.links,
          .routes = held.routes,
          .changes = made.changes,
          .pass_at = last.at,
          .pass_took = last.took,
          .counters = std::move(counters),
          .gid_moves = gate.gid_moves,
          .loss = loss,
          .hardware = gate.hardware,
          .shape = held.shape,
          .around = gate.around,
          // It may come after the pass that applied the file, and an alert begins with a verdict.
          .change_id = others_.applies.change_id(host_.files, node, file.digest),
          .by_hand = others_.applies.by_hand(),
          .peers_order = held.peers_order};
}

}  // namespace spark::daemon
