#include "daemon/alerts/alert_store.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "daemon/alerts/conditions.hpp"

namespace spark::daemon {
namespace {

constexpr std::chrono::seconds kQuietTime{60};
constexpr std::chrono::minutes kLongestQuietTime{15};
/// An alert that stayed that long did not come back lately.
constexpr std::chrono::hours kReturnsCount{1};

bool is_past(const std::optional<Moment>& moment, const Moment& now) {
  return moment && moment->boot <= now.boot;
}

/// The next instant at which an alert changes by time alone.
std::optional<std::chrono::milliseconds> due_of(const StoredAlert& entry) {
  if (entry.resolved) return std::nullopt;
  if (entry.quiet_since) return entry.quiet_since->boot + patience(entry.returns);
  if (entry.alert.until) return entry.alert.until->boot;
  return std::nullopt;
}

void count_return(StoredAlert& entry, const Moment& now) {
  const bool lately = entry.last_return && now.boot - entry.last_return->boot < kReturnsCount;
  entry.returns = lately ? entry.returns + 1 : 1;
  entry.last_return = now;
}

}  // namespace

std::chrono::milliseconds patience(unsigned returns) {
  constexpr unsigned kMostDoublings = 8;  // far beyond the longest time
  const auto time = kQuietTime * (1U << std::min(returns, kMostDoublings));
  return std::min<std::chrono::milliseconds>(time, kLongestQuietTime);
}

std::vector<Transition> AlertStore::update(const NodeState& state, const Moment& now) {
  std::vector<Transition> transitions;
  std::erase_if(entries_, [&now](const auto& item) {
    const auto& resolved = item.second.resolved;
    return resolved && now.boot - resolved->boot >= kRemembered;
  });

  std::set<std::string> seen;
  for (auto& alert : conditions(state)) {
    if (is_past(alert.until, now)) continue;
    alert.change_id = state.change_id;
    if (seen.insert(fingerprint(alert)).second) see(std::move(alert), now, transitions);
  }
  for (auto& [print, entry] : entries_) {
    if (entry.resolved || seen.contains(print)) continue;
    const bool lasts = entry.alert.until && !is_past(entry.alert.until, now);
    if (lasts || !is_judged(entry.alert, state)) {
      entry.quiet_since.reset();  // what is unknown is not quiet
      continue;
    }
    if (!entry.quiet_since) {
      entry.quiet_since = now;
      entry.how = how_it_ended(entry.alert, state);
    }
    // What had a time to last has waited already.
    if (!entry.alert.until && now.boot - entry.quiet_since->boot < patience(entry.returns)) {
      continue;
    }
    entry.resolved = now;
    transitions.push_back({Transition::What::kResolved, entry.alert, now, entry.how});
  }
  return transitions;
}

void AlertStore::mute(const IsMuted& is_muted) {
  for (auto& [print, entry] : entries_) entry.muted = entry.muted || is_muted(entry.alert);
}

std::vector<Transition> AlertStore::withhold(std::vector<Transition>& transitions,
                                             const IsMuted& is_muted, const Moment& now) {
  std::vector<Transition> withheld;
  std::vector<Transition> told;
  for (auto& transition : transitions) {
    const auto entry = entries_.find(fingerprint(transition.alert));
    // An end goes with its beginning.
    const bool began_muted = transition.what == Transition::What::kResolved &&
                             entry != entries_.end() && entry->second.muted;
    const bool is_quiet = began_muted || is_muted(transition.alert);
    if (is_quiet && entry != entries_.end()) entry->second.muted = true;
    (is_quiet ? withheld : told).push_back(std::move(transition));
  }
  for (auto& [print, entry] : entries_) {
    const bool is_quiet = is_muted(entry.alert);
    if (entry.resolved) {
      entry.muted = entry.muted || is_quiet;
      continue;
    }
    if (std::exchange(entry.muted, is_quiet) && !is_quiet) {
      told.push_back({Transition::What::kRaised, entry.alert, now, {}});
    }
  }
  transitions = std::move(told);
  return withheld;
}

void AlertStore::see(Alert alert, const Moment& now, std::vector<Transition>& transitions) {
  const auto print = fingerprint(alert);
  const auto known = entries_.find(print);
  if (known == entries_.end()) {
    if (!make_room()) {
      ++dropped_;
      return;
    }
    transitions.push_back({Transition::What::kRaised, alert, now, {}});
    entries_.emplace(print, StoredAlert{.alert = std::move(alert)});
    return;
  }
  StoredAlert& entry = known->second;
  if (entry.resolved) {
    transitions.push_back({Transition::What::kRaised, alert, now, {}});
    entry.alert = std::move(alert);
    entry.resolved.reset();
    entry.quiet_since.reset();
    entry.how.clear();
    entry.muted = false;
    count_return(entry, now);
    return;
  }
  if (std::exchange(entry.quiet_since, std::nullopt)) count_return(entry, now);
  // Labels and beginning stay: receivers identify the alert by them.
  entry.alert.summary = std::move(alert.summary);
  entry.alert.description = std::move(alert.description);
  entry.alert.remedy = std::move(alert.remedy);
  entry.alert.until = alert.until;
}

bool AlertStore::make_room() {
  if (entries_.size() < kMost) return true;
  auto oldest = entries_.end();
  for (auto item = entries_.begin(); item != entries_.end(); ++item) {
    if (!item->second.resolved) continue;
    if (oldest == entries_.end() || item->second.resolved->boot < oldest->second.resolved->boot) {
      oldest = item;
    }
  }
  if (oldest == entries_.end()) return false;
  entries_.erase(oldest);
  return true;
}

std::optional<std::chrono::milliseconds> AlertStore::due() const {
  std::optional<std::chrono::milliseconds> first;
  for (const auto& [print, entry] : entries_) {
    const auto due = due_of(entry);
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

}  // namespace spark::daemon
