#include "daemon/common/faults.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "daemon/common/time_text.hpp"
#include "daemon/common/verdict_reason.hpp"
#include "daemon/common/wait_text.hpp"
#include "gate/checks/link_check.hpp"
#include "gate/checks/loopback_check.hpp"
#include "gate/checks/rdma_check.hpp"

namespace spark::daemon {
namespace {

using gate::Fact;
using gate::Verdict;

/// A job that still has the old index of a GID has ended by then, or somebody has noticed.
constexpr std::chrono::minutes kGidMoveIsNews{60};
/// More links than these are counted.
constexpr std::size_t kMostNamed = 2;

/// A fact that does not hold because another one of the same rail does not.
struct Consequence {
  std::string_view of;     ///< id of the fact that follows
  std::string_view cause;  ///< id of the other
  Verdict how;             ///< which the other has to be
};
constexpr std::array kConsequences{
    Consequence{gate::kGidFact.id, gate::kAddressFact.id, Verdict::kNotReady},
    Consequence{gate::kPathMtuFact.id, gate::kMtuFact.id, Verdict::kNotReady},
    Consequence{gate::kPeersFact.id, gate::kCablingFact.id, Verdict::kNotReady},
    // Nobody answers the echo, so nobody proves the cable either.
    Consequence{gate::kCablingFact.id, gate::kPeersFact.id, Verdict::kNotReady},
};

bool follows(const Fact& fact, const Fact& cause) {
  if (&fact == &cause || cause.verdict == Verdict::kReady) return false;
  if (cause.id == gate::kLinkFact.id) return true;
  // A wrong cable is a cause, whatever the peers say.
  if (fact.id == gate::kCablingFact.id && fact.verdict == Verdict::kNotReady) return false;
  return std::ranges::any_of(kConsequences, [&](const Consequence& row) {
    return row.of == fact.id && row.cause == cause.id && row.how == cause.verdict;
  });
}

/// What was measured says it all: who should be at the other end, and who is.
bool is_whole_sentence(const Fact& fact) {
  return fact.id == gate::kPeersFact.id || fact.id == gate::kCablingFact.id;
}

/// A peer that does not answer leaves the node ready, so its own state is another word.
std::string state_of(const Fact& fact) {
  return !fact.counts && is_whole_sentence(fact) ? "not proven"
                                                 : std::string(gate::name_of(fact.verdict));
}

Fault fault_of(const Fact& fact, const std::string& link) {
  return {.is_bad = fact.counts && fact.verdict == Verdict::kNotReady,
          .name = is_whole_sentence(fact) ? "" : fact.name,
          .lines = {{link.empty() ? std::vector<std::string>{} : std::vector{link}, fact.measured}},
          .state = state_of(fact),
          .why = fact.counts ? "" : "this does not close the gate",
          .remedy = fact.remedy,
          .id = fact.id,
          .place = "",
          .subject = fact.subject,
          .since = {},
          .reasons = {gate::reason_text(fact, link)}};
}

/// "enp1s0f0np0" of "enp1s0f0np0 192.0.2.11".
std::string_view first_word(std::string_view key) { return key.substr(0, key.find(' ')); }

class Faults {
 public:
  explicit Faults(const Moment& now) : now_(now) {}

  void add(Fault fault) { faults_.push_back(std::move(fault)); }

  void add_rail(const gate::RailFacts& rail) {
    for (const auto& fact : rail.facts) {
      if (fact.verdict == Verdict::kReady) continue;
      const auto cause = std::ranges::find_if(
          rail.facts, [&fact](const Fact& other) { return follows(fact, other); });
      if (cause == rail.facts.end()) {
        add(fault_of(fact, rail.link));
        continue;
      }
      ++followers_[{rail.link, cause->id}];
    }
  }

  /// What the gate says of it already gets its state, its writer and its remedy.
  void add_drift(const Drift& drift) {
    auto* known = of_resource(drift.kind, drift.key);
    auto& fault = known != nullptr ? *known : faults_.emplace_back();
    if (known == nullptr) {
      fault.name = drift.kind;
      fault.lines = {
          {{drift.key},
           fmt::format("{}, the file says {}", or_absent(drift.have), or_absent(drift.want))}};
    }
    fault.is_bad = fault.is_bad || drift.state != Drift::State::kDiffers;
    fault.state = name_of(drift.state);
    if (drift.state == Drift::State::kContested && is_set(drift.held_until)) {
      fault.state += ", left alone until " + utc_clock(drift.held_until);
    }
    fault.why = drift.why;
    if (!drift.remedy.empty()) fault.remedy = drift.remedy;
    fault.place = drift.line.substr(drift.line.find_last_of('/') + 1);
    fault.since = drift.since;
  }

  /// What the gate says of it already gets the job that it waits for.
  void add_wait(const DisturbWait& wait) {
    auto* known = of_resource(wait.kind, wait.key);
    auto& fault = known != nullptr ? *known : faults_.emplace_back();
    if (known == nullptr) {
      fault.name = wait.kind;
      fault.lines = {
          {{wait.key},
           fmt::format("{}, the file says {}", or_absent(wait.have), or_absent(wait.want))}};
    }
    fault.state = "waits for a job";
    fault.why = fmt::format("{}", fmt::join(reasons_of(wait), "; "));
    fault.remedy = kRemedyOfWait;
    fault.place = wait.line.substr(wait.line.find_last_of('/') + 1);
    fault.since = wait.since;
  }

  void add_skipped(const SkippedRecord& skipped) {
    if (skipped.why == kinds::Skipped::Why::kNotEnforced) return;
    if (auto* known = of_resource(skipped.kind, skipped.key)) {
      ++known->follow;
      return;
    }
    // Without its link, no address and no MTU of it can be set.
    if (auto* link = of_resource("link", std::string(first_word(skipped.key)))) {
      ++link->follow;
      return;
    }
    add({.is_bad = false,
         .name = skipped.kind,
         .lines = {{{skipped.key}, skipped.reason}},
         .state = in_words(kinds::name_of(skipped.why)),
         .why = "",
         .remedy = "",
         .id = skipped.id,
         .place = "",
         .since = {},
         .reasons = {}});
  }

  void add_sink(const SinkState& sink) {
    if (sink.failures == 0) return;
    add({.is_bad = false,
         .name = "",
         .lines = {{{}, fmt::format("alerts do not reach {}: {}", sink.name, sink.error)}},
         .state = "failing",
         .why = fmt::format("{} tries in a row failed", sink.failures),
         .remedy = "",
         .id = "",
         .place = "agent.yaml",
         .since = sink.failing_since,
         .reasons = {}});
  }

  void add_gid_move(const GidMove& move) {
    if (age(move.at, now_) > kGidMoveIsNews) return;
    add({.is_bad = false,
         .name = "",
         .lines = {{{},
                    fmt::format("the GID of {} on {} moved from index {} to {}", move.ip,
                                move.device, move.from, move.to)}},
         .state = "moved",
         .why = "",
         .remedy = "restart the jobs that were running before and use this device",
         .id = "",
         .place = "",
         .since = move.at,
         .reasons = {}});
  }

  /// One fault for all that one remedy is for.
  std::vector<Fault> merged() {
    std::vector<Fault> merged;
    for (auto& fault : faults_) {
      for (const auto& [cause, count] : followers_) {
        if (fault.id == cause.second && fault.lines.front().of == std::vector{cause.first}) {
          fault.follow += count;
        }
      }
      const auto same = std::ranges::find_if(merged, [&fault](const Fault& other) {
        return other.id == fault.id && other.name == fault.name && other.state == fault.state &&
               other.why == fault.why && other.remedy == fault.remedy &&
               other.is_bad == fault.is_bad;
      });
      if (same == merged.end()) {
        merged.push_back(std::move(fault));
      } else {
        merge(*same, std::move(fault));
      }
    }
    std::ranges::stable_partition(merged, &Fault::is_bad);
    return merged;
  }

 private:
  Fault* of_resource(const std::string& kind, const std::string& key) {
    const auto found = std::ranges::find_if(faults_, [&](const Fault& fault) {
      if (fault.name != kind || fault.lines.empty()) return false;
      const auto& of = fault.lines.front().of;
      return of.empty() ? fault.subject == key : of.front() == key || of.front() == first_word(key);
    });
    return found == faults_.end() ? nullptr : &*found;
  }

  static void merge(Fault& fault, Fault other) {
    auto& line = other.lines.front();
    const auto same = std::ranges::find(fault.lines, line.what, &FaultLine::what);
    if (same == fault.lines.end()) {
      fault.lines.push_back(std::move(line));
    } else {
      std::ranges::move(line.of, std::back_inserter(same->of));
    }
    fault.follow += other.follow;
    std::ranges::move(other.reasons, std::back_inserter(fault.reasons));
    if (!is_set(fault.since)) fault.since = other.since;
  }

  Moment now_;
  std::vector<Fault> faults_;
  /// By link and id of the cause.
  std::map<std::pair<std::string, std::string>, std::size_t> followers_;
};

Fault notice(std::string what, std::string state, std::string remedy) {
  return {.is_bad = true,
          .name = "",
          .lines = {{{}, what}},
          .state = std::move(state),
          .why = "",
          .remedy = std::move(remedy),
          .id = "",
          .place = "",
          .since = {},
          .reasons = {std::move(what)}};
}

void add_notices(const NodeState& state, Faults& faults) {
  if (!state.file.refused.empty()) {
    auto fault =
        notice("the file is refused: " + state.file.refused_first, "refused",
               state.file.digest.empty() ? "no other file is in force, so nothing is changed"
                                         : "fix the file; the last good one stays in force");
    if (state.node.empty()) fault.reasons = {why_of(state)};
    fault.since = state.file.refused_since;
    faults.add(std::move(fault));
  }
  if (!state.pass_error.empty()) {
    faults.add(notice(state.pass_error, "the last pass could not look at the node", ""));
  }
  if (state.rollout) {
    for (const auto& wait : state.rollout->waits) {
      auto fault =
          notice(fmt::format("a changed file waits for {}, which {}", wait.node, wait.why),
                 "roll-out", "`spark-reconcile sync --skip NODE --why …` goes on without a node");
      fault.since = state.rollout->since;
      faults.add(std::move(fault));
    }
  }
  for (const auto& refusal : state.refusals) {
    faults.add(notice(refusal, "nothing is changed",
                      "`spark-reconcile plan` names each reason with its id"));
  }
}

}  // namespace

std::string line_text(const Fault& fault, const FaultLine& line) {
  if (fault.name.empty() || line.of.empty()) {
    return fault.name.empty() ? line.what : fmt::format("{}: {}", fault.name, line.what);
  }
  const auto of = line.of.size() <= kMostNamed
                      ? fmt::format("{}", fmt::join(line.of, " and "))
                      : fmt::format("{} and {} others", line.of.front(), line.of.size() - 1);
  return fmt::format("{} of {}: {}", fault.name, of, line.what);
}

std::vector<Fault> faults_of(const NodeState& state, const Moment& now) {
  Faults faults(now);
  add_notices(state, faults);
  if (state.gate) {
    for (const auto& rail : state.gate->rails) faults.add_rail(rail);
    for (const auto& fact : state.gate->node) {
      if (fact.verdict != Verdict::kReady) faults.add(fault_of(fact, ""));
    }
  }
  for (const auto& drift : state.drifts) faults.add_drift(drift);
  for (const auto& wait : state.disturb_waits) faults.add_wait(wait);
  for (const auto& skipped : state.skipped) faults.add_skipped(skipped);
  for (const auto& move : state.gid_moves) faults.add_gid_move(move);
  for (const auto& sink : state.sinks) faults.add_sink(sink);
  return faults.merged();
}

}  // namespace spark::daemon
