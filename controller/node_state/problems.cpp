#include "node_state/problems.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/checks/checks.hpp"
#include "node_state/node_state.hpp"
#include "node_state/time_text.hpp"
#include "node_state/wait_text.hpp"

namespace spark::node_state {
namespace {

using diagnosis::Problem;
using gate::Fact;
using gate::Verdict;

/// A job that still has the old index of a GID has ended by then, or somebody has noticed.
constexpr std::chrono::minutes kGidMoveIsNews{60};

/// Whose name is not that of the resource that they compare.
constexpr std::array kComparing{gate::kMtuFact, gate::kAddressFact, gate::kGidFact,
                                gate::kPathMtuFact};

bool is_of_kind(const Fact& fact, std::string_view kind) {
  return fact.name == kind || std::ranges::any_of(kComparing, [&](const gate::FactKind& row) {
           return row.id == fact.id && row.compares == kind;
         });
}

/// "cluster.yaml:17:8" of "/etc/spark-reconcile/cluster.yaml:17:8".
std::string place_of(const std::string& line) { return line.substr(line.find_last_of('/') + 1); }

/// Of one that no fact of the gate says.
std::string remedy_of(const Drift& drift) {
  const auto or_else = [&](std::string_view remedy) {
    return drift.remedy.empty() ? std::string(remedy) : drift.remedy;
  };
  switch (drift.state) {
    case Drift::State::kDiffers:
      break;
    case Drift::State::kFailed:
      return or_else(kRemedyOfFailure);
    case Drift::State::kContested:
      return fmt::format("{}; then `spark-reconcile resume` corrects it at once",
                         or_else(kRemedyOfContest));
  }
  return or_else(kRemedyOfDrift);
}

class NodeProblems {
 public:
  NodeProblems(const NodeState& state, const Moment& now) : state_(state), now_(now) {}

  std::vector<Problem> all() {
    add_hindrances();
    if (state_.gate) add_facts(*state_.gate);
    for (const auto& drift : state_.drifts) {
      if (is_new(drift)) note(drift, add_resource(drift, differs(drift)));
    }
    for (const auto& wait : state_.disturb_waits) {
      if (is_new(wait)) note(wait, add_resource(wait, differs(wait)));
    }
    for (const auto& skipped : state_.skipped) add_skipped(skipped);
    if (state_.rollout) {
      for (const auto& wait : state_.rollout->waits) add_wait(wait, *state_.rollout);
    }
    if (state_.all_nodes) add_mixed(*state_.all_nodes);
    for (const auto& move : state_.gid_moves) add_move(move);
    for (const auto& sink : state_.sinks) add_sink(sink);
    for (const auto& sign : state_.hardware.signs) add_sign(sign);
    return std::move(problems_);
  }

 private:
  /// `measured`: a whole sentence.
  Problem& add(std::string_view name, Verdict verdict, std::string measured) {
    return problems_.emplace_back(
        Problem{.node = state_.node,
                .found = {.name = std::string(name), .measured = std::move(measured)},
                .verdict = verdict,
                .counts = false,
                .remedy = {},
                .since = {},
                .state = {},
                .why = {},
                .place = {}});
  }

  void add_hindrances() {
    if (const auto& apply = state_.unfinished) {
      auto& problem = add(diagnosis::kUnfinished, Verdict::kNotReady, apply->what);
      problem.found.id = diagnosis::kUnfinishedId;
      problem.remedy.text = apply->remedy;
      problem.state = "not over";
    }
    const auto& file = state_.file;
    if (!file.refused.empty()) {
      const bool has_none = file.digest.empty();
      auto& problem = add(
          diagnosis::kRefusedFile, Verdict::kNotReady,
          fmt::format("the {}file is refused: {}", has_none ? "cluster " : "", file.refused_first));
      problem.counts = state_.node.empty();
      problem.remedy.text = has_none
                                ? "no other file is in force, so nothing is changed: fix the file"
                                : kRemedyOfRefusedFile;
      problem.since = passed(file.refused_since);
      problem.state = "refused";
    }
    if (!state_.pass_error.empty()) {
      auto& problem = add(diagnosis::kPass, Verdict::kNotReady, state_.pass_error);
      problem.remedy = {.text = std::string(kRemedyOfPass), .command = "spark-reconcile doctor"};
      problem.state = "the last pass could not look at the node";
    }
    for (const auto& refusal : state_.refusals) {
      auto& problem = add(diagnosis::kRefusal, Verdict::kNotReady, refusal);
      problem.remedy = {.text = std::string(kRemedyOfRefusal), .command = "spark-reconcile plan"};
      problem.state = "nothing is changed";
    }
  }

  void add_facts(const gate::GateReport& gate) {
    for (const auto& rail : gate.rails) {
      for (const auto& fact : rail.facts) add_fact(fact, &rail);
    }
    for (const auto& fact : gate.node) add_fact(fact, nullptr);
  }

  void add_fact(const Fact& fact, const gate::RailFacts* rail) {
    if (!gate::is_wrong(fact)) return;
    Problem problem{.node = state_.node,
                    .found = gate::problem_of(fact, rail == nullptr ? "" : rail->link),
                    .verdict = fact.verdict,
                    .counts = fact.counts,
                    .remedy = {.text = fact.remedy, .command = {}},
                    .since = {},
                    .state = {},
                    .why = fact.counts ? "" : "this does not close the gate",
                    .place = {}};
    if (fact.action == protocol::Action::kApply) problem.remedy.command = "spark-reconcile apply";
    for_each_of(state_.drifts, fact, rail, [&](const Drift& drift) { note(drift, problem); });
    for_each_of(state_.disturb_waits, fact, rail,
                [&](const DisturbWait& wait) { note(wait, problem); });
    // A rail with two addresses has its link and its MTU twice.
    if (std::ranges::find(problems_, problem) == problems_.end()) {
      problems_.push_back(std::move(problem));
    }
  }

  /// Of the records of the resource that the fact compares.
  template <class Record, class Each>
  void for_each_of(const std::vector<Record>& records, const Fact& fact,
                   const gate::RailFacts* rail, Each each) {
    for (const auto& record : records) {
      const bool is_there = rail == nullptr ? record.on.empty() && record.key == fact.subject
                                            : record.on.link == rail->link &&
                                                  (!record.on.ip || *record.on.ip == rail->ip);
      if (!is_there || !is_of_kind(fact, record.kind)) continue;
      said_.insert(&record);
      each(record);
    }
  }

  /// No fact of the gate says it.
  [[nodiscard]] bool is_new(const auto& record) const { return !said_.contains(&record); }

  static std::string differs(const auto& record) {
    return fmt::format("{}, the file says {}", or_absent(record.have), or_absent(record.want));
  }

  Problem& add_resource(const auto& record, const std::string& what) {
    const auto& on = record.on;
    auto subject = on.ip ? on.ip->text() : record.key == on.link ? std::string() : record.key;
    auto& problem = add(record.kind, Verdict::kUnknown,
                        subject.empty() ? what : fmt::format("{}: {}", subject, what));
    problem.found.link = on.link;
    problem.found.subject = std::move(subject);
    return problem;
  }

  void note(const Drift& drift, Problem& problem) {
    problem.stands_alone = drift.state != Drift::State::kDiffers;
    if (problem.stands_alone) problem.verdict = Verdict::kNotReady;
    problem.state = name_of(drift.state);
    if (drift.state == Drift::State::kContested && is_set(drift.held_until)) {
      problem.state += ", left alone until " + utc_clock(drift.held_until);
    }
    problem.why = drift.why;
    // An apply would be reverted too.
    const bool is_contested = drift.state == Drift::State::kContested;
    if (is_contested || !drift.remedy.empty()) {
      problem.remedy = {.text = remedy_of(drift), .command = {}};
    } else if (problem.remedy.text.empty()) {
      problem.remedy.text = remedy_of(drift);
    }
    problem.resources.insert(resource_of(drift));
    problem.place = place_of(drift.line);
    problem.since = passed(drift.since);
  }

  void note(const DisturbWait& wait, Problem& problem) {
    problem.verdict = Verdict::kWaiting;
    problem.stands_alone = true;
    problem.state = "waits for a job";
    problem.why = fmt::format("{}", fmt::join(reasons_of(wait), "; "));
    problem.remedy = {.text = kRemedyOfWait, .command = {}};
    problem.resources.insert(resource_of(wait));
    problem.place = place_of(wait.line);
    problem.since = passed(wait.since);
  }

  void add_skipped(const SkippedRecord& skipped) {
    if (skipped.why == kinds::Skipped::Why::kNotEnforced) return;
    auto& problem = add_resource(skipped, skipped.reason);
    problem.found.id = skipped.id;
    problem.found.detail = protocol::Detail::kSkipped;
    problem.state = in_words(kinds::name_of(skipped.why));
  }

  void add_wait(const cluster::RolloutWait& wait, const RolloutHeld& held) {
    auto& problem = add(diagnosis::kRollout, Verdict::kWaiting,
                        fmt::format("a changed file waits for {}, which {}", wait.node, wait.why));
    problem.found.peers = {wait.node};
    problem.remedy.text = kRemedyOfRollout;
    problem.since = passed(held.since);
    problem.state = "roll-out";
    if (!held.skipped.empty()) {
      problem.why = fmt::format("it does not wait for {}", fmt::join(held.skipped, "; "));
    }
  }

  /// Until one file is in force on all, or another one than then is in force here.
  void add_mixed(const all_nodes::Progress& progress) {
    if (!all_nodes::is_mixed(progress)) return;
    const bool has_kept = progress.nodes.front().stage == all_nodes::Stage::kKept;
    if (has_kept != (state_.file.digest == progress.terms.digest)) return;
    const auto& facts = state_.gate ? state_.gate->node : std::vector<Fact>{};
    if (std::ranges::any_of(facts, [](const Fact& fact) {
          return fact.id == gate::kSameFileFact.id && fact.verdict == Verdict::kReady;
        }))
      return;
    const auto nodes_at = [&](all_nodes::Stage stage) {
      std::vector<std::string> names;
      for (const auto& node : progress.nodes) {
        if (node.stage == stage) names.push_back(node.node);
      }
      return listed(names);
    };
    auto& problem = add(
        diagnosis::kMixed, Verdict::kUnknown,
        fmt::format("of the file that {} on {} offered to all nodes: kept on {}, rolled back on {}",
                    progress.terms.by, progress.terms.origin, nodes_at(all_nodes::Stage::kKept),
                    nodes_at(all_nodes::Stage::kBack)));
    problem.found.id = diagnosis::kMixedId;
    problem.remedy.text = kRemedyOfMixed;
    problem.state = "not the same on all nodes";
  }

  void add_move(const GidMove& move) {
    if (age(move.at, now_) > kGidMoveIsNews) return;
    auto& problem = add(diagnosis::kMovedGid, Verdict::kUnknown,
                        fmt::format("the GID of {} on {} moved from index {} to {}", move.ip,
                                    move.device, move.from, move.to));
    problem.found.link = move.link;
    problem.found.subject = move.ip;
    problem.remedy.text = kRemedyOfMovedGid;
    problem.since = passed(move.at);
    problem.state = "moved";
  }

  void add_sink(const SinkState& sink) {
    if (sink.failures == 0) return;
    auto& problem = add(diagnosis::kReceiver, Verdict::kUnknown,
                        fmt::format("alerts do not reach {}: {}", sink.name, sink.error));
    problem.found.subject = sink.name;
    problem.remedy.text = kRemedyOfReceiver;
    problem.since = passed(sink.failing_since);
    problem.state = "failing";
    problem.why = fmt::format("{} tries in a row failed", sink.failures);
    problem.place = "agent.yaml";
  }

  void add_sign(const host::HardwareSign& sign) {
    if (!sign.is_fault) return;
    const bool is_of_link =
        std::ranges::find(state_.links, sign.subject, &LinkRecord::name) != state_.links.end();
    auto& problem =
        add(sign.name, Verdict::kUnknown,
            is_of_link || sign.subject.empty() ? sign.what
                                               : fmt::format("{}: {}", sign.subject, sign.what));
    (is_of_link ? problem.found.link : problem.found.subject) = sign.subject;
    problem.remedy.text = sign.remedy;
    problem.state = "hardware";
  }

  [[nodiscard]] std::optional<std::chrono::milliseconds> passed(const Moment& since) const {
    return is_set(since) ? std::optional(age(since, now_)) : std::nullopt;
  }

  const NodeState& state_;
  Moment now_;
  std::vector<Problem> problems_;
  std::set<const void*> said_;  ///< records of resources that a fact of the gate is about
};

}  // namespace

std::vector<Problem> problems_of(const NodeState& state, const Moment& now) {
  return NodeProblems(state, now).all();
}

diagnosis::Diagnosis diagnosis_of(const NodeState& state, const Moment& now) {
  return diagnose(problems_of(state, now), {.own = state.node, .rails = {}, .unheard = {}});
}

const diagnosis::Root* decisive_root(const NodeState& state,
                                     const diagnosis::Diagnosis& diagnosis) {
  const auto named = [&](std::string_view name) { return diagnosis.root_where(is_named(name)); };
  if (state.released) return nullptr;
  if (state.node.empty()) {
    const auto* const refused = named(diagnosis::kRefusedFile);
    return refused == nullptr ? named(diagnosis::kPass) : refused;
  }
  // What the gate saw last may be older than the verdict.
  if (!state.gate || state.gate->verdict() != state.verdict) {
    const auto* const error = named(diagnosis::kPass);
    return error == nullptr && state.gate ? named(diagnosis::kRefusal) : error;
  }
  if (state.verdict == Verdict::kReady) return nullptr;
  const auto [fact, link] = state.gate->decisive();
  return diagnosis.root_where([found = gate::problem_of(*fact, link)](const Problem& problem) {
    return problem.found == found;
  });
}

}  // namespace spark::node_state
