#include "daemon/reconcile/corrections.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "daemon/reconcile/conflicting_config.hpp"
#include "daemon/reconcile/noted_applies.hpp"
#include "kinds/storage/host_identity.hpp"
#include "kinds/storage/mount.hpp"
#include "kinds/storage/nvme.hpp"
#include "plan/plan.hpp"
#include "plan/release.hpp"

namespace spark::daemon {
namespace {

using Cause = ChangeRecord::Cause;

config::DriftPolicy policy_of(const config::Cluster& cluster, std::string_view kind) {
  const auto& kinds = cluster.drift.kinds;
  const auto own = kinds.find(std::string(kind));
  return own == kinds.end() ? cluster.drift.fallback.value : own->second.value;
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

}  // namespace

void Corrections::begin_pass(const Happened& happened) {
  const bool is_of_file = happened.taken || happened.went_back;
  if (happened.by_hand || is_of_file) drift_.forget();  // old contests are no reason to wait
  if (happened.confirmed || is_of_file) node_.reset();
  sets_up_ |= happened.by_hand;
  is_first_ &= !happened.taken;
}

bool Corrections::may_correct_any(const Snapshot& snapshot, const Pass& pass) const {
  // What has begun is finished first, and what waits for its confirmation is left to that; what is
  // about to be tried, as soon as the lock is free, is not preceded by the file from before.
  const bool is_certain = file_.record().attempt.empty() && !file_.record().unconfirmed &&
                          !file_.is_candidate_due(pass.start);
  // The end of a release, seen between two looks of one pass, is for the next one: it tries the
  // candidate first.
  return is_certain && !pass.found.paused && !pass.found.released &&
         !file_.is_settling(pass.start) && !plan::is_released(snapshot.ledger) &&
         snapshot.plan.refusals.empty();
}

bool Corrections::may_correct(const Snapshot& snapshot, const plan::Step& step,
                              const Pass& pass) const {
  const bool has_waited = waits_.has(step);
  // What has waited is made in a whole pass, all of it together.
  if (has_waited && (waits_.holds(step) || snapshot.plan.kinds != plan::Kinds::kAll)) return false;
  return may_correct_any(snapshot, pass) && !(pass.order.network_alone && is_of_storage(step)) &&
         (has_waited ||
          policy_of(snapshot.file->cluster, step.kind) == config::DriftPolicy::kEnforce) &&
         !drift_.is_held(step.name(), pass.start);
}

std::vector<const plan::Step*> Corrections::freed(const Snapshot& snapshot,
                                                  const Pass& pass) const {
  std::vector<const plan::Step*> steps;
  for (const auto& step : snapshot.plan.steps) {
    if (waits_.has(step) && may_correct(snapshot, step, pass)) steps.push_back(&step);
  }
  return steps;
}

Result<> Corrections::correct(Snapshot& snapshot, Pass& pass) {
  links_.note(snapshot.node, snapshot.view, pass.start);
  waits_.look(snapshot);
  if (!freed(snapshot, pass).empty()) waits_.ask_about_freed(snapshot, pass.start);
  const bool is_due = std::ranges::any_of(snapshot.plan.steps, [&](const plan::Step& step) {
    return may_correct(snapshot, step, pass);
  });
  if (is_due) {
    const auto lock = machine_.lock_as_seen(snapshot, pass);
    if (!lock) return {};
    pass.outcome.changed = true;
    if (auto made = make_all(snapshot, pass); !made) return made;
  }
  // What differs from now on has been changed by somebody: a whole pass could correct all else.
  const bool is_whole = snapshot.plan.kinds == plan::Kinds::kAll && !pass.order.network_alone;
  if (is_whole && may_correct_any(snapshot, pass)) sets_up_ = false;
  return {};
}

Result<> Corrections::make_all(Snapshot& snapshot, Pass& pass) {
  if (carry_out_freed(snapshot, pass)) {
    if (auto seen = look_again(snapshot); !seen) return seen;
  }
  if (is_first_) {
    // After a boot most is missing, and nobody uses it yet: all at once, and only if that fails one
    // by one. A correction of a live node never rolls back another.
    auto plan = snapshot.plan;
    std::erase_if(plan.steps,
                  [&](const plan::Step& step) { return !may_correct(snapshot, step, pass); });
    // Why it failed, each step alone says again.
    static_cast<void>(machine_.carry_out(snapshot, plan, {.cause = Cause::kBoot}));
    if (auto seen = look_again(snapshot); !seen) return seen;
  }
  std::set<std::string> tried;
  for (;;) {
    const auto next = std::ranges::find_if(snapshot.plan.steps, [&](const plan::Step& step) {
      return !tried.contains(step.name()) && may_correct(snapshot, step, pass);
    });
    if (next == snapshot.plan.steps.end()) return {};
    tried.insert(next->name());
    make(*next, snapshot, pass);
    if (auto seen = look_again(snapshot); !seen) return seen;
  }
}

bool Corrections::carry_out_freed(Snapshot& snapshot, const Pass& pass) {
  const auto steps = freed(snapshot, pass);
  if (steps.empty() || !waits_.begin_together()) return false;
  std::set<std::string> others;
  for (const auto& step : snapshot.plan.steps) {
    if (std::ranges::find(steps, &step) == steps.end()) others.insert(step.name());
  }
  const auto plan = plan::without_steps(snapshot.plan, others, snapshot.ledger);
  if (const auto made = machine_.apply_file(snapshot, plan); !made) {
    for (const auto* step : steps) {
      drift_.failed(*step, line_of(*snapshot.file, step->where), made.error().what, pass.start);
    }
  }
  return true;
}

void Corrections::make(const plan::Step& step, Snapshot& snapshot, const Pass& pass) {
  const auto line = line_of(*snapshot.file, step.where);
  const auto writer = writer_of(snapshot.view, step, pass.order.writers);
  const auto occasion = links_.occasion(step.effect.link, pass.start);
  const auto cause = cause_of(step, occasion);
  auto alone = snapshot.plan;
  alone.steps = {step};
  const auto made = machine_.carry_out(
      snapshot, alone, {.cause = cause, .writer = cause == Cause::kDrift ? writer : ""});
  if (!made) {
    drift_.failed(step, line, made.error().what, pass.start);
  } else if (is_correction(cause)) {
    drift_.corrected(step, line, writer_clause(step.kind, writer), occasion, pass.start);
  }
}

Cause Corrections::cause_of(const plan::Step& step, Occasion occasion) const {
  if (waits_.has(step)) return Cause::kFile;
  if (is_first_) return Cause::kBoot;
  if (sets_up_) return Cause::kResumed;
  return occasion == Occasion::kWriter ? Cause::kDrift : Cause::kLink;
}

Result<> Corrections::look_again(Snapshot& snapshot) {
  auto fresh = machine_.again(snapshot);
  if (!fresh) return std::unexpected(fresh.error());
  snapshot = *std::move(fresh);
  waits_.look_again(snapshot);
  return {};
}

Result<Snapshot> Corrections::hold(const GoodFile& file, host::Files& files, Pass& pass) {
  auto snapshot = machine_.of_all(file);
  if (snapshot) {
    note_release(files, *snapshot, pass);
    if (pass.found.released) waits_.clear();
    if (auto corrected = correct(*snapshot, pass); !corrected) {
      snapshot = std::unexpected(corrected.error());
    }
  }
  pass.found.names_no_node = !snapshot && snapshot.error().code == ErrorCode::kNotFound;
  if (snapshot) node_ = snapshot->node;
  return snapshot;
}

bool Corrections::correct_network(Pass& pass) {
  if (is_first_ || !node_ || file_.in_force() == nullptr) return false;
  if (auto snapshot = machine_.of_network(*file_.in_force(), *node_)) {
    static_cast<void>(correct(*snapshot, pass));  // the next pass says why it failed
  }
  return pass.outcome.changed;
}

void Corrections::end_pass(Snapshot& snapshot, const Pass& pass) {
  const auto& plan = snapshot.plan;
  std::set<std::string> differing;
  for (const auto& step : plan.steps) {
    const auto policy = policy_of(snapshot.file->cluster, step.kind);
    // What is released is not as the file says, and is not meant to be.
    if (policy == config::DriftPolicy::kIgnore || pass.found.released || waits_.holds(step))
      continue;
    const bool due =
        policy == config::DriftPolicy::kEnforce && !pass.found.paused && plan.refusals.empty();
    differing.insert(step.name());
    drift_.differs(step, line_of(*snapshot.file, step.where), pass.start, due);
  }
  drift_.end_pass(differing, pass.start);
  drift_.name_conflicts([&snapshot](const plan::ResourceKey& key) {
    return find_conflict(snapshot.view, snapshot.node, key);
  });
  is_first_ &= pass.order.network_alone;
}

}  // namespace spark::daemon
