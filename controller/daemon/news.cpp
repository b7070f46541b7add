#include "daemon/news.hpp"

#include <algorithm>
#include <cstddef>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <syslog.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "daemon/common/verdict_reason.hpp"
#include "daemon/export/publish.hpp"

namespace spark::daemon {
namespace {

std::uint64_t changes_made(const Counters& counters) {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : counters.corrections) sum += count;
  for (const auto& [kind, count] : counters.failures) sum += count;
  return sum;
}

/// "mtu enp1s0f0np0: 1500 → 9000 (drift): done".
News of_change(const ChangeRecord& change) {
  const bool done = change.failure.empty();
  return {
      done ? LOG_INFO : LOG_WARNING, done ? "corrected" : "correction_failed",
      fmt::format("{} {}: {} → {} ({}): {}", change.kind, change.key, or_absent(change.before),
                  or_absent(change.after), name_of(change.cause), done ? "done" : change.failure)};
}

void add_changes(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  const auto made = changes_made(state.counters) - changes_made(former.counters);
  const auto count = std::min<std::size_t>(made, state.changes.size());
  for (const auto& change : state.changes | std::views::take(count) | std::views::reverse) {
    news.push_back(of_change(change));
  }
}

void add_file(const FileState& former, const NodeState& state, std::vector<News>& news) {
  const auto& file = state.file;
  if (file.digest != former.digest) {
    news.push_back({LOG_NOTICE, "file_in_force",
                    fmt::format("in force for node '{}': '{}', digest {:.12}", state.node,
                                file.path, file.digest)});
  }
  if (file.refused == former.refused) {
    return;
  }
  if (!file.refused.empty()) {
    news.push_back({LOG_WARNING, "file_refused", fmt::format("refused: {}", file.refused_first)});
  } else if (file.digest == former.digest) {
    news.push_back({LOG_NOTICE, "file_good", "no file is refused any more"});
  }
}

void add_refusals(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  for (const auto& refusal : state.refusals) {
    if (std::ranges::find(former.refusals, refusal) == former.refusals.end()) {
      news.push_back({LOG_WARNING, "hindered", fmt::format("nothing is changed: {}", refusal)});
    }
  }
  if (state.refusals.empty() && !former.refusals.empty()) {
    news.push_back({LOG_NOTICE, "unhindered", "nothing hinders a change any more"});
  }
}

bool is_contested(const NodeState& state, const Drift& drift) {
  return std::ranges::any_of(state.drifts, [&](const Drift& other) {
    return other.state == Drift::State::kContested && other.kind == drift.kind &&
           other.key == drift.key;
  });
}

void add_contests(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  for (const auto& drift : state.drifts) {
    if (is_contested(state, drift) && !is_contested(former, drift)) {
      news.push_back({LOG_WARNING, "contested",
                      fmt::format("{} {}: contested until {}: {}", drift.kind, drift.key,
                                  utc_text(drift.held_until.wall), drift.why)});
    }
  }
  for (const auto& drift : former.drifts) {
    if (is_contested(former, drift) && !is_contested(state, drift)) {
      news.push_back({LOG_NOTICE, "contest_ended",
                      fmt::format("{} {}: no longer contested", drift.kind, drift.key)});
    }
  }
}

void add_rests(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  if (state.paused && !former.paused) {
    const auto& paused = *state.paused;
    news.push_back({LOG_NOTICE, "paused",
                    fmt::format("paused until {}{}{}", utc_text(paused.until.wall),
                                paused.by.empty() ? "" : " by " + paused.by,
                                paused.reason.empty() ? "" : ": " + paused.reason)});
  } else if (former.paused && !state.paused) {
    news.push_back({LOG_NOTICE, "resumed", "the pause has ended; drift is corrected again"});
  }
  if (state.released && !former.released) {
    news.push_back({LOG_NOTICE, "released", release_text(state)});
  } else if (former.released && !state.released) {
    news.push_back({LOG_NOTICE, "release_ended", "the release has ended; the file applies again"});
  }
}

void add_losses(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  const auto is_known = [&former](const GidMove& move) {
    return std::ranges::any_of(former.gid_moves, [&](const GidMove& other) {
      return other.at.wall == move.at.wall && other.link == move.link && other.ip == move.ip;
    });
  };
  for (const auto& move : state.gid_moves | std::views::reverse) {
    if (!is_known(move)) {
      news.push_back({LOG_WARNING, "gid_moved",
                      fmt::format("the RoCE v2 GID of {} on {} ({}) moved from index {} to {}: "
                                  "programs that use the old index hang",
                                  move.ip, move.link, move.device, move.from, move.to)});
    }
  }
  if (state.loss && (!former.loss || former.loss->at.wall != state.loss->at.wall)) {
    news.push_back({LOG_WARNING, "state_lost", state.loss->what});
  }
}

/// With its reason where the node is not ready.
std::string verdict_text(const NodeState& state) {
  const auto text = one_line(state);
  return state.verdict == gate::Verdict::kReady || state.released || state.node.empty()
             ? text
             : fmt::format("{}; {}", text, why_of(state));
}

/// As syslog(3) orders them.
const char* severity_name(int priority) {
  switch (priority) {
    case LOG_INFO:
      return "info";
    case LOG_NOTICE:
      return "notice";
    case LOG_WARNING:
      return "warning";
    default:
      return "error";
  }
}

}  // namespace

std::vector<News> news(const NodeState& former, const NodeState& state) {
  std::vector<News> news;
  add_file(former.file, state, news);
  add_changes(former, state, news);
  add_contests(former, state, news);
  add_refusals(former, state, news);
  if (state.pass_error != former.pass_error) {
    news.push_back(state.pass_error.empty()
                       ? News{LOG_NOTICE, "readable", "it can look at the node again"}
                       : News{LOG_ERR, "unreadable", state.pass_error});
  }
  add_losses(former, state, news);
  add_rests(former, state, news);
  // Who releases a node knows that it is not ready.
  if (state.verdict != former.verdict && !state.released) {
    news.push_back({LOG_NOTICE, "verdict", verdict_text(state)});
  }
  return news;
}

state::Event event_of(const News& news, const Moment& at) {
  return {.at = utc_text(at.wall),
          .what = news.what,
          .severity = severity_name(news.priority),
          .text = news.text};
}

std::string sources_text(const Triggers& triggers) {
  std::vector<std::string> sources;
  for (const auto& [source, times] : triggers) {
    sources.push_back(fmt::format("{} {}", source, times));
  }
  return fmt::format("{}", fmt::join(sources, ", "));
}

}  // namespace spark::daemon
