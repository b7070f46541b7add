#include "daemon/reconcile/file_trial.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gate/checks/checks.hpp"

namespace spark::daemon {
namespace {

using gate::Verdict;
using state::FactKey;
using state::Trend;

/// Calls `visit(fact, key)` for each fact that a trial looks at.
void each_fact(const gate::GateReport& report, const auto& visit) {
  for (const auto& rail : report.rails) {
    for (const auto& fact : rail.facts) visit(fact, FactKey{fact.id, rail.link, rail.ip.text()});
  }
  for (const auto& fact : report.node) {
    if (fact.reach != gate::Reach::kAllNodes) visit(fact, FactKey{fact.id, {}, fact.subject});
  }
}

/// Links that are down or without a carrier: a cable that is pulled at its other end does that.
std::set<std::string, std::less<>> links_without_carrier(const gate::GateReport& report) {
  std::set<std::string, std::less<>> links;
  for (const auto& rail : report.rails) {
    const auto* link = rail.find(gate::kLinkFact.id);
    if (link != nullptr && link->verdict != Verdict::kReady) links.insert(rail.link);
  }
  return links;
}

/// What held before, of the facts that are there now.
class Held {
 public:
  Held(const state::FactsSeen& before, const gate::GateReport& now) {
    std::set<FactKey> there;
    each_fact(now, [&](const gate::Fact& /*fact*/, const FactKey& key) { there.insert(key); });
    known_.insert(before.failed.begin(), before.failed.end());
    for (const auto& key : before.held) {
      known_.insert(key);
      (there.contains(key) ? held_ : gone_).insert(key);
    }
  }

  /// An address that the file has changed stands for the one that was there.
  bool take(const FactKey& key) {
    if (held_.contains(key)) return true;
    if (known_.contains(key) || key.link.empty()) return false;
    const auto former = std::ranges::find_if(
        gone_, [&](const FactKey& other) { return other.id == key.id && other.link == key.link; });
    if (former == gone_.end()) return false;
    gone_.erase(former);
    return true;
  }

  /// Those that are not there any more.
  [[nodiscard]] const std::set<FactKey>& gone() const { return gone_; }

 private:
  std::set<FactKey> held_;
  std::set<FactKey> gone_;
  std::set<FactKey> known_;
};

}  // namespace

state::FactsSeen facts_seen(const gate::GateReport& report) {
  state::FactsSeen seen;
  each_fact(report, [&](const gate::Fact& fact, FactKey key) {
    (fact.verdict == Verdict::kReady ? seen.held : seen.failed).push_back(std::move(key));
  });
  return seen;
}

Comparison compare(const state::FactsSeen& before, const gate::GateReport& now) {
  std::string worse;
  std::string open;
  Held held(before, now);
  const auto without = links_without_carrier(now);
  std::set<std::string, std::less<>> failing;  // links with a fact that does not hold
  each_fact(now, [&](const gate::Fact& fact, const FactKey& key) {
    const auto& link = key.link;
    if (fact.verdict != Verdict::kReady) failing.insert(link);
    if (!held.take(key) || fact.verdict == Verdict::kReady) return;
    const bool lacks_carrier =
        fact.goes_with_carrier && (link.empty() ? !without.empty() : without.contains(link));
    const bool is_ours = fact.verdict == Verdict::kNotReady && fact.counts &&
                         fact.reach == gate::Reach::kNode && !lacks_carrier;
    auto& reason = is_ours ? worse : open;
    if (reason.empty()) reason = gate::reason_text(fact, link);
  });
  // A fact is left out where one that it needs does not hold. One that nobody asks for any more, as
  // of a rail that left the file, is no part of the trial.
  for (const auto& key : held.gone()) {
    if (open.empty() && failing.contains(key.link))
      open = fmt::format("{} is not seen", key.text());
  }
  if (!worse.empty()) return {.trend = Trend::kWorse, .why = worse};
  return {.trend = open.empty() ? Trend::kSame : Trend::kOpen, .why = open};
}

bool FileTrial::has_lasted(Trend trend, std::chrono::milliseconds settle, const Moment& now) {
  if (trend == Trend::kOpen) {
    since_.reset();
    return false;
  }
  if (!since_ || trend != trend_) since_ = now.boot;
  trend_ = trend;
  return now.boot - *since_ >= settle;
}

void FileTrial::rest() {
  waits_.clear();
  since_.reset();
}

void FileTrial::judge(const gate::GateReport& report, ActiveConfig& file, host::Files& files,
                      Pass& pass) {
  waits_.clear();
  const auto& trial = file.record().trial;
  const auto& now = pass.start;
  const auto found = compare(file.record().seen.value_or(state::FactsSeen{}), report);
  const auto seen = facts_seen(report);
  pass.note(file.tell(files, state::events::Looked{.seen = seen, .trend = found.trend}, now));
  if (!trial) return;
  waits_ = found.why;
  if (!has_lasted(found.trend, trial->settle, now)) return;
  pass.note(file.tell(
      files,
      state::events::Settled{.why = fmt::format("it was applied, and then failed: {}", found.why),
                             .at = utc_text(now.wall),
                             .seen = seen},
      now));
  if (trial) return;  // it could not be written, and is judged once more
  waits_.clear();
  file.forget_refusal();  // of its text there may be another word now
}

}  // namespace spark::daemon
