#include "daemon/alerts/alert_mutes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"

namespace spark::daemon {

/// Without its moments, which are those of another process: the end by the wall clock is enough.
struct StoredKnownMute {
  std::string id;
  std::string alert;
  std::string node;
  std::chrono::milliseconds asked{};
  std::chrono::milliseconds until{};
  std::optional<std::uint64_t> subjects;
  AlertSeverity severity = AlertSeverity::kWarning;
  bool ended = false;
  std::string change_id;
};

template <EitherConst<StoredKnownMute> T, class Visit>
void each_field(T& mute, Visit visit) {
  visit("id", mute.id);
  visit("alert", mute.alert);
  visit("node", mute.node);
  visit("asked_ms", mute.asked);
  visit("until_ms", mute.until);
  visit("subjects", mute.subjects);
  visit("severity", mute.severity);
  visit("ended", mute.ended);
  visit("change_id", unless_empty(mute.change_id));
}

namespace {

using std::chrono::milliseconds;

/// True: the mute is for that alert.
bool is_for(const state::Mute& mute, const Alert& alert) {
  return alert.id == mute.id && (mute.node.empty() || label_of(alert, "node") == mute.node);
}

bool is_same_mute(const state::Mute& one, const state::Mute& other) {
  return one.id == other.id && one.node == other.node && one.asked == other.asked;
}

bool is_over(const state::Mute& mute, const Moment& now) { return mute.until.boot <= now.boot; }

/// What is raised of that for which the mute is.
struct RaisedNow {
  std::uint64_t count = 0;
  AlertSeverity highest = AlertSeverity::kWarning;
};

RaisedNow raised_of(const state::Mute& mute, const AlertStore& store) {
  RaisedNow raised;
  for (const auto& [print, entry] : store.entries()) {
    if (entry.resolved || !is_for(mute, entry.alert)) continue;
    ++raised.count;
    raised.highest = std::max(raised.highest, entry.alert.severity);
  }
  return raised;
}

/// Empty: it is no worse than when the mute began.
std::string how_it_worsened(const KnownMute& known, const RaisedNow& raised) {
  const auto subjects = known.record.subjects.value_or(0);
  if (subjects == 0) return {};  // it covers what comes
  if (raised.highest > known.severity) {
    return fmt::format("it is {} now, and was {} when it was muted", name_of(raised.highest),
                       name_of(known.severity));
  }
  if (raised.count > subjects) {
    return fmt::format("{} are raised now, and {} when it was muted", raised.count,
                       subjects == 1 ? "1 was" : fmt::format("{} were", subjects));
  }
  return {};
}

}  // namespace

const KnownMute* AlertMutes::find(const state::Mute& mute) const {
  const auto found = std::ranges::find_if(
      known_, [&mute](const KnownMute& known) { return is_same_mute(known.record.mute, mute); });
  return found == known_.end() ? nullptr : &*found;
}

/// Who restored them knows neither their reasons nor their moments.
void AlertMutes::read_again(const NodeState& state) {
  for (auto& known : known_) {
    const auto asked = std::ranges::find_if(state.mutes_asked, [&known](const state::Mute& mute) {
      return is_same_mute(mute, known.record.mute);
    });
    if (asked != state.mutes_asked.end()) known.record.mute = *asked;
  }
}

void AlertMutes::drop_what_is_gone(const NodeState& state, const Moment& now,
                                   std::vector<MuteChange>& changes) {
  std::erase_if(known_, [&](const KnownMute& known) {
    const auto& mute = known.record.mute;
    const bool is_asked = std::ranges::any_of(
        state.mutes_asked, [&](const state::Mute& other) { return is_same_mute(other, mute); });
    if (is_asked && (known.ended || !is_over(mute, now))) return false;
    if (!known.ended) {
      changes.push_back({known.record, is_over(mute, now)          ? "its time is over"
                                       : state.mutes_error.empty() ? "ended by hand"
                                                                   : state.mutes_error});
    }
    return !is_asked;
  });
  // Until its file is read again, what has just ended by time is still asked for.
  for (auto& known : known_) known.ended = known.ended || is_over(known.record.mute, now);
}

void AlertMutes::add_what_is_new(const NodeState& state, std::vector<MuteChange>& changes) {
  for (const auto& mute : state.mutes_asked) {
    if (find(mute) != nullptr) continue;
    known_.push_back({.record = {.mute = mute, .subjects = {}}});
    changes.push_back({known_.back().record, ""});
  }
}

std::vector<MuteChange> AlertMutes::update(const NodeState& state, const AlertStore& store,
                                           const Moment& now) {
  std::vector<MuteChange> changes;
  read_again(state);
  drop_what_is_gone(state, now, changes);
  add_what_is_new(state, changes);
  for (auto& known : known_) {
    if (known.ended) continue;
    const auto raised = raised_of(known.record.mute, store);
    known.record.raised = raised.count;
    if (!known.record.subjects) {
      known.record.subjects = raised.count;
      known.severity = raised.highest;
    }
    if (auto how = how_it_worsened(known, raised); !how.empty()) {
      known.ended = true;
      changes.push_back({known.record, std::move(how)});
    }
  }
  return changes;
}

bool AlertMutes::covers(const Alert& alert) const {
  return std::ranges::any_of(known_, [&alert](const KnownMute& known) {
    return !known.ended && is_for(known.record.mute, alert);
  });
}

std::vector<MuteRecord> AlertMutes::records() const {
  std::vector<MuteRecord> records;
  for (const auto& known : known_) {
    if (!known.ended) records.push_back(known.record);
  }
  return records;
}

std::vector<MuteRecord> AlertMutes::records_of(const std::vector<state::Mute>& asked) const {
  std::vector<MuteRecord> records;
  for (const auto& mute : asked) {
    const auto* known = find(mute);
    if (known == nullptr) {
      records.push_back({.mute = mute, .subjects = {}});
    } else if (!known->ended) {
      records.push_back(known->record);
    }
  }
  return records;
}

std::optional<milliseconds> AlertMutes::due() const {
  std::optional<milliseconds> first;
  for (const auto& known : known_) {
    const auto until = known.record.mute.until.boot;
    if (!known.ended && (!first || until < *first)) first = until;
  }
  return first;
}

nlohmann::json AlertMutes::to_json() const {
  auto list = nlohmann::json::array();
  for (const auto& known : known_) {
    const auto& mute = known.record.mute;
    list.push_back(
        TextJsonWriter::write(StoredKnownMute{.id = mute.id,
                                              .alert = mute.alert,
                                              .node = mute.node,
                                              .asked = mute.asked,
                                              .until = mute.until.wall.time_since_epoch(),
                                              .subjects = known.record.subjects,
                                              .severity = known.severity,
                                              .ended = known.ended,
                                              .change_id = mute.change_id}));
  }
  return list;
}

void AlertMutes::restore(const nlohmann::json& json, const Moment& now) {
  if (!json.is_array()) return;
  for (const auto& item : json) {
    if (known_.size() == state::kMostMutes) break;
    auto stored = value_from<StoredKnownMute>(item);
    if (!stored) continue;
    const auto left =
        std::min<milliseconds>(stored->until - now.wall.time_since_epoch(), state::kLongestMute);
    KnownMute known{.record = {.mute = {.id = std::move(stored->id),
                                        .alert = std::move(stored->alert),
                                        .node = std::move(stored->node),
                                        .since = now,
                                        .until = later(now, left),
                                        .reason = {},
                                        .by = {},
                                        .asked = stored->asked,
                                        .change_id = std::move(stored->change_id)},
                               .subjects = stored->subjects},
                    .severity = stored->severity,
                    .ended = stored->ended};
    known_.push_back(std::move(known));
  }
}

}  // namespace spark::daemon
