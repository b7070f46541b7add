#include "daemon/news.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <syslog.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/export/publish.hpp"
#include "diagnosis/kinds.hpp"
#include "node_state/problems.hpp"
#include "node_state/verdict_reason.hpp"
#include "protocol/source_ids.hpp"

namespace spark::daemon {
namespace {

/// As the page and `status` have it.
template <class IsMeant>
std::string remedy_of(const NodeState& state, IsMeant is_meant) {
  return written(node_state::remedy_where(diagnosis_of(state, state.pass_at), is_meant));
}

std::uint64_t changes_made(const Counters& counters) {
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : counters.corrections) sum += count;
  for (const auto& [kind, count] : counters.failures) sum += count;
  return sum;
}

/// "mtu enp1s0f0np0: 1500 → 9000 (drift): done". What somebody else had changed is told always.
News of_change(const ChangeRecord& change) {
  const bool done = change.failure.empty();
  const int priority = change.cause == ChangeRecord::Cause::kDrift ? LOG_NOTICE : LOG_INFO;
  return {.priority = done ? priority : LOG_WARNING,
          .what = done ? "corrected" : "correction_failed",
          .text = fmt::format("{} {}: {} → {} ({}{}): {}", change.kind, change.key,
                              or_absent(change.before), or_absent(change.after),
                              name_of(change.cause), writer_clause(change.kind, change.writer),
                              done ? "done" : change.failure),
          .cause = std::string(name_of(change.cause))};
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
                    fmt::format("in force{}: '{}', digest {:.12}",
                                state.node.empty() ? "" : fmt::format(" for node '{}'", state.node),
                                file.path, file.digest),
                    state.change_id, file.digest});
  }
  if (file.waits_for_all && !former.waits_for_all) {
    news.push_back({.priority = LOG_NOTICE,
                    .what = "waits_for_all",
                    .text = fmt::format("'{}' is changed, and waits", file.path),
                    .remedy = std::string(node_state::kRemedyOfWaitForAll)});
  }
  if (file.refused == former.refused) return;
  if (!file.refused.empty()) {
    news.push_back({.priority = LOG_WARNING,
                    .what = "file_refused",
                    .text = fmt::format("refused: {}", file.refused_first),
                    .remedy = remedy_of(state, node_state::is_named(diagnosis::kRefusedFile))});
  } else if (file.digest == former.digest) {
    news.push_back({LOG_NOTICE, "file_good", "no file is refused any more"});
  }
}

/// What came from git, and what is not taken from there.
/// `was_on_trial`: the digest of the file in force before, where that one was.
void add_source(const std::optional<SourceState>& former, const std::string& was_on_trial,
                const NodeState& state, std::vector<News>& news) {
  if (!state.source) {
    if (former) {
      news.push_back(
          {LOG_NOTICE, "source_left", fmt::format("no longer follows '{}'", former->url)});
    }
    return;
  }
  const auto& source = *state.source;
  if (!former || former->url != source.url) {
    news.push_back(
        {LOG_NOTICE, "source", fmt::format("follows '{}', branch {}", source.url, source.branch)});
  }
  if (!source.commit.empty() && (!former || former->commit != source.commit)) {
    news.push_back(
        {LOG_NOTICE, "source_accepted", fmt::format("accepted from git: {}", commit_text(source))});
  }
  const auto id_of = [](const std::optional<protocol::SourceFault>& fault) {
    return fault ? fault->id + fault->commit : std::string();
  };
  if (source.refused && (!former || id_of(former->refused) != id_of(source.refused))) {
    news.push_back(
        {LOG_WARNING, "source_refused",
         fmt::format("not taken from git: {}", protocol::fault_text(*source.refused, "; "))});
  }
  if (former && former->on_trial && !source.on_trial) {
    const auto found = std::ranges::find_if(source.bad, [&](const state::BadFile& bad) {
      return std::ranges::find(former->bad, bad) == former->bad.end();
    });
    if (found != source.bad.end()) {
      news.push_back(
          {LOG_WARNING, "source_bad", fmt::format("the file from git is bad: {}", found->why)});
    } else if (was_on_trial == state.file.digest) {
      news.push_back({LOG_NOTICE, "source_good",
                      "the file from git is good: nothing that held before it fails now"});
    }  // else somebody rolled it back, or applied another one
  }
}

/// Of one that was only planned, or refused, nothing went back.
bool has_begun(const all_nodes::Progress& progress) {
  return std::ranges::any_of(progress.nodes, [](const auto& node) {
    return node.stage && *node.stage >= all_nodes::Stage::kGoing &&
           *node.stage != all_nodes::Stage::kBack;
  });
}

/// What became of a file for all nodes.
void add_all_nodes(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  if (!state.all_nodes) return;
  const auto& now = *state.all_nodes;
  const auto* before =
      former.all_nodes && former.all_nodes->terms.id == now.terms.id ? &*former.all_nodes : nullptr;
  const auto who = fmt::format("{} on {}", now.terms.by, now.terms.origin);
  if (before == nullptr && !is_over(now)) {
    news.push_back({LOG_NOTICE,
                    "all_nodes_offered",
                    fmt::format("{} offers a file to all nodes", who),
                    {},
                    now.terms.digest});
  }
  if (before == nullptr || now.nodes.empty()) return;
  const auto& own = now.nodes.front();
  if (is_mixed(now) && !is_mixed(*before)) {
    news.push_back({.priority = LOG_WARNING,
                    .what = "all_nodes_mixed",
                    .text = fmt::format("not all nodes keep the file that {} offered", who),
                    .remedy = std::string(node_state::kRemedyOfMixed)});
  } else if (is_over(now) && !is_over(*before) && own.stage == all_nodes::Stage::kKept) {
    news.push_back({LOG_NOTICE,
                    "all_nodes_kept",
                    fmt::format("all nodes keep the file that {} offered", who),
                    {},
                    now.terms.digest});
  } else if (is_over(now) && !is_over(*before) && has_begun(*before)) {
    const auto& why = now.why.empty() ? own.why : now.why;
    news.push_back({LOG_WARNING, "all_nodes_back",
                    fmt::format("no node keeps the file that {} offered{}", who,
                                why.empty() ? "" : ": " + why)});
  }
}

void add_refusals(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  for (const auto& refusal : state.refusals) {
    if (std::ranges::find(former.refusals, refusal) == former.refusals.end()) {
      news.push_back({.priority = LOG_WARNING,
                      .what = "hindered",
                      .text = fmt::format("nothing is changed: {}", refusal),
                      .remedy = remedy_of(state, node_state::is_named(diagnosis::kRefusal))});
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
      news.push_back({.priority = LOG_WARNING,
                      .what = "contested",
                      .text = fmt::format("{} {}: contested until {}: {}", drift.kind, drift.key,
                                          utc_text(drift.held_until.wall), drift.why),
                      .remedy = remedy_of(state, node_state::is_of_resource(drift))});
    }
  }
  for (const auto& drift : former.drifts) {
    if (is_contested(former, drift) && !is_contested(state, drift)) {
      news.push_back({LOG_NOTICE, "contest_ended",
                      fmt::format("{} {}: no longer contested", drift.kind, drift.key)});
    }
  }
}

bool is_waiting(const NodeState& state, const DisturbWait& wait) {
  return std::ranges::any_of(state.disturb_waits, [&](const DisturbWait& other) {
    return other.kind == wait.kind && other.key == wait.key && other.want == wait.want;
  });
}

/// Its end is a change like any other.
void add_waits(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  for (const auto& wait : state.disturb_waits) {
    if (is_waiting(former, wait)) continue;
    news.push_back(
        {.priority = LOG_NOTICE,
         .what = "waits_for_job",
         .text = fmt::format("{} waits: {}", change_text(wait), fmt::join(reasons_of(wait), "; ")),
         .remedy = remedy_of(state, node_state::is_of_resource(wait))});
  }
}

void add_rollout(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  if (!state.rollout) return;
  const auto& held = *state.rollout;
  if (former.rollout && former.rollout->digest == held.digest &&
      former.rollout->waits == held.waits) {
    return;
  }
  for (const auto& wait : held.waits) {
    news.push_back({.priority = LOG_NOTICE,
                    .what = "rollout_held",
                    .text = fmt::format("the file {:.12} waits for {}, which {}", held.digest,
                                        wait.node, wait.why),
                    .remedy = remedy_of(state, node_state::is_named(diagnosis::kRollout))});
  }
}

/// Whether the last note of an apply or a resume by hand was written since that release. An apply
/// may write none, and is then the last entry of the history.
bool was_noted_since(const Released& released, const NodeState& state) {
  const auto ago = state.pass_at.boot - state.by_hand.boot;
  return state.by_hand.boot.count() > 0 && !released.at.empty() &&
         utc_text(state.pass_at.wall - ago) >= released.at;
}

/// The history has it: by whom, and for which change. `release` marks the ledger before that.
bool is_noted(const std::optional<Released>& released) { return released && !released->at.empty(); }

void add_rests(const NodeState& former, const NodeState& state, std::vector<News>& news) {
  if (state.paused && !former.paused) {
    const auto& paused = *state.paused;
    news.push_back({LOG_NOTICE, "paused",
                    fmt::format("paused until {}{}{}", utc_text(paused.until.wall),
                                paused.by.empty() ? "" : " by " + paused.by,
                                paused.reason.empty() ? "" : ": " + paused.reason),
                    paused.change_id});
  } else if (former.paused && !state.paused) {
    const bool by_hand = state.by_hand.boot >= former.paused->since.boot;
    news.push_back({LOG_NOTICE, "resumed", "the pause has ended; drift is corrected again",
                    by_hand ? state.by_hand.change_id : former.paused->change_id});
  }
  if (is_noted(state.released) && !is_noted(former.released)) {
    news.push_back({LOG_NOTICE, "released", release_text(state), state.change_id});
  } else if (former.released && !state.released) {
    news.push_back(
        {LOG_NOTICE, "release_ended", "the release has ended; the file applies again",
         was_noted_since(*former.released, state) ? state.by_hand.change_id : state.change_id});
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
      news.push_back(
          {.priority = LOG_WARNING,
           .what = "gid_moved",
           .text = fmt::format("the RoCE v2 GID of {} on {} ({}) moved from index {} to {}: "
                               "programs that use the old index hang",
                               move.ip, move.link, move.device, move.from, move.to),
           .remedy = remedy_of(state, node_state::is_named(diagnosis::kMovedGid, move.ip))});
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
             : fmt::format("{}; {}", text, written(why_of(state)));
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
  add_source(former.source, former.file.digest, state, news);
  add_file(former.file, state, news);
  add_changes(former, state, news);
  add_waits(former, state, news);
  add_rollout(former, state, news);
  add_all_nodes(former, state, news);
  add_contests(former, state, news);
  add_refusals(former, state, news);
  if (state.unfinished && state.unfinished != former.unfinished) {
    news.push_back({.priority = LOG_WARNING,
                    .what = "apply_unfinished",
                    .text = state.unfinished->what,
                    .remedy = state.unfinished->remedy});
  }
  if (state.pass_error != former.pass_error) {
    news.push_back(state.pass_error.empty()
                       ? News{LOG_NOTICE, "readable", "it can look at the node again"}
                       : News{.priority = LOG_ERR,
                              .what = "unreadable",
                              .text = state.pass_error,
                              .remedy = remedy_of(state, node_state::is_named(diagnosis::kPass))});
  }
  add_losses(former, state, news);
  if (state.mutes_error != former.mutes_error && !state.mutes_error.empty()) {
    news.push_back({LOG_WARNING, "mutes_unreadable", state.mutes_error});
  }
  add_rests(former, state, news);
  // Who releases a node knows that it is not ready.
  if (state.verdict != former.verdict && !state.released) {
    news.push_back({.priority = LOG_NOTICE,
                    .what = "verdict",
                    .text = verdict_text(state),
                    .remedy = written(remedy_of_verdict(state))});
  }
  return news;
}

state::Event event_of(const News& news, const Moment& at) {
  return {.at = utc_text(at.wall),
          .what = news.what,
          .severity = severity_name(news.priority),
          .text = news.text,
          .change_id = news.change_id,
          .digest = news.digest,
          .cause = news.cause,
          .remedy = news.remedy};
}

std::string sources_text(const Triggers& triggers) {
  std::vector<std::string> sources;
  for (const auto& [source, times] : triggers) {
    sources.push_back(fmt::format("{} {}", source, times));
  }
  return fmt::format("{}", fmt::join(sources, ", "));
}

}  // namespace spark::daemon
