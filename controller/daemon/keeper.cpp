#include "daemon/keeper.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/paths.hpp"
#include "daemon/link_records.hpp"
#include "reconcile/ledger.hpp"
#include "reconcile/objections.hpp"
#include "reconcile/pause.hpp"
#include "reconcile/transaction.hpp"
#include "resource/mount.hpp"
#include "resource/nvme.hpp"

namespace spark {
namespace {

/// Somebody applies by hand; that takes seconds.
constexpr std::chrono::seconds kAfterBusy{1};

DriftPolicy policy_of(const Cluster& cluster, std::string_view kind) {
  const auto& [fallback, kinds] = cluster.drift;
  const auto own = kinds.find(std::string(kind));
  return own == kinds.end() ? fallback.value : own->second.value;
}

std::string line_of(const GoodFile& file, const Where& where) {
  return where.line == 0 ? "" : fmt::format("{}:{}:{}", file.name, where.line, where.column);
}

bool holds(const Report& report) {
  return report.outcome == Report::Outcome::kApplied ||
         report.outcome == Report::Outcome::kNothingToDo;
}

std::string what_failed(const Report& report) {
  const auto failure = report.failure ? report.failure->what : std::string("it failed");
  return report.outcome == Report::Outcome::kRollbackIncomplete
             ? fmt::format("{}; the undo is incomplete: {}", failure,
                           fmt::join(report.differs, ", "))
             : failure;
}

/// The same plan with one step.
Plan only(const Plan& plan, const Step& step) {
  Plan one = plan;
  one.steps = {step};
  return one;
}

/// Nobody follows a correction, and a signal waits for its end.
Watcher nobody() {
  return {[](const Step&, const StepReport&, bool) {}, [] { return false; }};
}

}  // namespace

Keeper::Keeper(Host& host, KeeperOptions options)
    : host_(host), options_(std::move(options)), file_(options_.file), episodes_(options_.pace) {
  state_.version = options_.version;
  state_.started = now();
  state_.verdict_since = state_.started;
}

PassOutcome Keeper::pass(const PassOrder& order) {
  const auto start = now();
  order_ = order;
  state_.sinks = order_.sinks;
  PassOutcome outcome;
  for (const auto& [source, times] : order_.triggers) {
    state_.counters.triggers[source] += times;
  }
  if (const auto overruns = order_.triggers.find("overrun"); overruns != order_.triggers.end()) {
    state_.counters.resyncs += overruns->second;
  }
  file_.look(host_.files, start);
  state_.paused = read_pause(host_.files, start);
  if (state_.paused) {
    outcome.again_in = state_.paused->until.boot - start.boot;
  }
  state_.pass_error.clear();
  if (file_.candidate() != nullptr && file_.is_due(start) && !state_.paused) {
    try_candidate(start, outcome);
  }
  if (file_.in_force() != nullptr) {
    hold(start, outcome);
  }
  state_.file = file_.state();
  state_.episodes = episodes_.open();
  ++state_.counters.passes;
  state_.counters.failed_passes += state_.pass_error.empty() ? 0 : 1;
  state_.pass_at = now();
  state_.pass_took = state_.pass_at.boot - start.boot;
  if (const auto due = episodes_.next_due()) {
    const auto left = std::max(*due - state_.pass_at.boot, std::chrono::milliseconds(0));
    outcome.again_in = outcome.again_in ? std::min(*outcome.again_in, left) : left;
  }
  outcome.state = state_;
  return outcome;
}

Result<Keeper::Scene> Keeper::look(const GoodFile& file) {
  Scene scene{.view = View(host_), .node = {}, .ledger = {}, .plan = {}, .file = &file};
  auto selection = select(file.cluster, options_.node, scene.view);
  if (!selection) return std::unexpected(selection.error());
  scene.node = std::move(selection->node);
  auto ledger = read_ledger(scene.view, scene.node.name);
  if (!ledger) return std::unexpected(ledger.error());
  scene.ledger = std::move(*ledger);
  scene.plan = make_plan(scene.node, scene.view, scene.ledger);
  add_objections(scene.plan, scene.node, scene.view);
  return scene;
}

void Keeper::try_candidate(const Moment& now, PassOutcome& outcome) {
  auto scene = look(*file_.candidate());
  if (!scene) {
    file_.refuse(scene.error().what, now);
    return;
  }
  if (!scene->plan.objections.empty()) {
    std::vector<std::string> whats;
    std::ranges::transform(scene->plan.objections, std::back_inserter(whats), &Objection::what);
    file_.refuse(fmt::format("{}", fmt::join(whats, "\n")), now);
    return;
  }
  const auto lock = host_.files.lock(kLockFile);
  if (!lock) {
    outcome.again_in = kAfterBusy;
    return;
  }
  const auto report = carry_out_all(*scene, scene->plan, ChangeRecord::Cause::kFile);
  outcome.changed |= !scene->plan.steps.empty();
  if (!holds(report)) {
    outcome.again_in = file_.fail("not applied, and undone: " + what_failed(report), now);
    return;
  }
  episodes_.forget();
  first_ = false;
  if (auto kept = file_.accept(host_.files, now); !kept) {
    state_.pass_error = kept.error().what;
  }
}

void Keeper::hold(const Moment& now, PassOutcome& outcome) {
  auto scene = look(*file_.in_force());
  if (scene) {
    scene = correct(std::move(*scene), now, outcome);
  }
  if (!scene) {
    state_.pass_error = scene.error().what;
    return;
  }
  first_ &= order_.scope == PassOrder::Scope::kNetwork;
  take_down(*scene, now);
  outcome.sources = scene->view.sources();
}

bool Keeper::may_correct(const Scene& scene, const Step& step, const Moment& now) const {
  const bool in_scope = order_.scope == PassOrder::Scope::kAll ||
                        (step.kind != Nvme::kName && step.kind != Mount::kName);
  return in_scope && !state_.paused && scene.plan.objections.empty() &&
         policy_of(scene.file->cluster, step.kind) == DriftPolicy::kEnforce &&
         !episodes_.is_held(step.name(), now);
}

Result<Keeper::Scene> Keeper::correct(Scene scene, const Moment& now, PassOutcome& outcome) {
  const auto next = [&](const std::set<std::string>& tried) {
    return std::ranges::find_if(scene.plan.steps, [&](const Step& step) {
      return !tried.contains(step.name()) && may_correct(scene, step, now);
    });
  };
  std::set<std::string> tried;
  if (next(tried) == scene.plan.steps.end()) {
    return scene;
  }
  const auto lock = host_.files.lock(kLockFile);
  if (!lock) {
    outcome.again_in = kAfterBusy;
    return scene;
  }
  outcome.changed = true;
  const auto cause = first_ ? ChangeRecord::Cause::kBoot : ChangeRecord::Cause::kDrift;
  if (first_) {
    // After a boot most is missing, and nobody uses it yet: all at once, and only if that fails one
    // by one. A correction of a live node never takes back another.
    auto plan = scene.plan;
    std::erase_if(plan.steps, [&](const Step& step) { return !may_correct(scene, step, now); });
    static_cast<void>(carry_out_all(scene, plan, cause));
    auto fresh = look(*scene.file);
    if (!fresh) return fresh;
    scene = std::move(*fresh);
  }
  for (auto step = next(tried); step != scene.plan.steps.end(); step = next(tried)) {
    tried.insert(step->name());
    const auto line = line_of(*scene.file, step->where);
    const auto writer = writer_of(scene, *step);
    const auto report = carry_out_all(scene, only(scene.plan, *step), cause);
    if (!holds(report)) {
      episodes_.failed(*step, line, what_failed(report), now);
    } else if (cause == ChangeRecord::Cause::kDrift) {
      episodes_.corrected(*step, line, writer, now);
    }
    auto fresh = look(*scene.file);
    if (!fresh) return fresh;
    scene = std::move(*fresh);
  }
  return scene;
}

std::string Keeper::writer_of(Scene& scene, const Step& step) const {
  const auto* link = scene.view.link(step.effect.link);
  const auto writer = link == nullptr ? order_.writers.end() : order_.writers.find(link->index);
  return writer == order_.writers.end() ? "" : writer->second;
}

Report Keeper::carry_out_all(Scene& scene, const Plan& plan, ChangeRecord::Cause cause) {
  auto report = carry_out(host_, scene.node, plan, scene.view, scene.ledger, nobody());
  record(plan, report, cause);
  return report;
}

void Keeper::record(const Plan& plan, const Report& report, ChangeRecord::Cause cause) {
  const bool good = holds(report);
  const auto failure = good ? std::string() : what_failed(report);
  for (const auto& done : report.steps) {
    const auto& step = plan.steps[done.step];
    const std::string kind(step.kind);
    if (done.waits) {
      continue;  // it is set aside, and told there
    }
    ++(good ? state_.counters.corrections : state_.counters.failures)[kind];
    if (good && cause == ChangeRecord::Cause::kDrift) {
      ++state_.counters.drifts[kind];
    }
    state_.changes.push_front({.at = now(),
                               .cause = cause,
                               .kind = kind,
                               .key = step.key,
                               .before = step.before.value_or("absent"),
                               .after = step.after.value_or("absent"),
                               .failure = failure,
                               .took = done.took});
  }
  if (state_.changes.size() > kMostChanges) {
    state_.changes.resize(kMostChanges);
  }
}

void Keeper::take_down(Scene& scene, const Moment& now) {
  const auto& plan = scene.plan;
  state_.node = plan.node;
  state_.cluster = plan.cluster;
  state_.in_sync = plan.in_sync;
  auto links = link_records(scene.node, scene.view);
  // Asking every driver is for the gate, which is looked at less often.
  for (auto& link : links) {
    const auto last = std::ranges::find(state_.links, link.name, &LinkRecord::name);
    link.speed = last == state_.links.end() ? std::nullopt : last->speed;
  }
  state_.links = std::move(links);
  state_.objections.clear();
  std::ranges::transform(plan.objections, std::back_inserter(state_.objections), &Objection::what);
  state_.aside.clear();
  for (const auto& [kind, key, aside, where] : plan.aside) {
    state_.aside.push_back({.kind = std::string(kind),
                            .key = key,
                            .why = std::string(name_of(aside.why)),
                            .id = aside.id,
                            .reason = aside.reason});
  }
  std::set<std::string> differing;
  for (const auto& step : plan.steps) {
    if (policy_of(scene.file->cluster, step.kind) != DriftPolicy::kIgnore) {
      differing.insert(step.name());
      episodes_.differs(step, line_of(*scene.file, step.where), now);
    }
  }
  episodes_.end_pass(differing, now);
}

PassOutcome Keeper::gate(GateOptions::Depth depth) {
  PassOutcome outcome;
  if (const auto* file = file_.in_force()) {
    View view(host_);
    if (const auto selection = select(file->cluster, options_.node, view)) {
      auto report = judge(host_, view, selection->node, {.depth = depth});
      if (state_.gate) {
        outcome.look_deeper = keep_measured(*state_.gate, report);
      }
      for (auto& link : state_.links) {
        const auto* hardware = view.hardware_of(link.name);
        link.speed = hardware == nullptr ? std::nullopt : hardware->speed;
      }
      state_.gate_at = now();
      if (const auto verdict = report.verdict(); verdict != state_.verdict) {
        state_.verdict = verdict;
        state_.verdict_since = state_.gate_at;
      }
      remember(state_.gid_moves, observe_gids(gids_, report, state_.gate_at));
      state_.gate = std::move(report);
    }
  }
  outcome.state = state_;
  return outcome;
}

}  // namespace spark
