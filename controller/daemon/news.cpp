#include "daemon/news.hpp"

#include <algorithm>
#include <cstddef>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <syslog.h>

#include "base/text.hpp"
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
  return {change.failure.empty() ? LOG_INFO : LOG_WARNING,
          fmt::format("{} {}: {} → {} ({}): {}", change.kind, change.key, or_absent(change.before),
                      or_absent(change.after), name_of(change.cause),
                      change.failure.empty() ? "done" : change.failure)};
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
    news.push_back({LOG_NOTICE, fmt::format("in force for node '{}': '{}', digest {:.12}",
                                            state.node, file.path, file.digest)});
  }
  if (file.refused == former.refused) {
    return;
  }
  if (!file.refused.empty()) {
    news.push_back({LOG_WARNING, fmt::format("refused: {}", file.refused_first)});
  } else if (file.digest == former.digest) {
    news.push_back({LOG_NOTICE, "no file is refused any more"});
  }
}

}  // namespace

std::vector<News> news(const NodeState& former, const NodeState& state) {
  std::vector<News> news;
  add_file(former.file, state, news);
  add_changes(former, state, news);
  for (const auto& refusal : state.refusals) {
    if (std::ranges::find(former.refusals, refusal) == former.refusals.end()) {
      news.push_back({LOG_WARNING, fmt::format("nothing is changed: {}", refusal)});
    }
  }
  if (state.refusals.empty() && !former.refusals.empty()) {
    news.push_back({LOG_NOTICE, "nothing hinders a change any more"});
  }
  if (state.pass_error != former.pass_error) {
    news.push_back(state.pass_error.empty() ? News{LOG_NOTICE, "it can look at the node again"}
                                            : News{LOG_ERR, state.pass_error});
  }
  if (state.verdict != former.verdict || state.paused.has_value() != former.paused.has_value()) {
    news.push_back({LOG_NOTICE, one_line(state)});
  }
  return news;
}

std::string sources_text(const Triggers& triggers) {
  std::vector<std::string> sources;
  for (const auto& [source, times] : triggers) {
    sources.push_back(fmt::format("{} {}", source, times));
  }
  return fmt::format("{}", fmt::join(sources, ", "));
}

}  // namespace spark::daemon
