#include "node_state/source_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "protocol/source_ids.hpp"

namespace spark::node_state {

std::string commit_text(const SourceState& source) {
  if (source.commit.empty()) return {};
  constexpr std::size_t kShort = 12;
  return fmt::format(
      "{:.{}} {}{} ({})", source.commit, kShort, in_quotes(source.subject),
      source.tag.empty() ? "" : fmt::format(", tag {}", in_quotes(source.tag)),
      source.principal.empty() ? "not verified" : fmt::format("signed by {}", source.principal));
}

std::vector<std::string> source_lines(const SourceState& source, const std::string& in_force,
                                      bool has_commit) {
  std::vector<std::string> lines;
  if (!has_commit) {
    lines.push_back(
        fmt::format("follows {} ({}), {}", source.url, source.branch,
                    source.commit.empty() ? "nothing was accepted yet" : commit_text(source)));
  }
  const bool is_in_force = source.digest.empty() || source.digest == in_force;
  if (!is_in_force) lines.emplace_back("its file is not in force");
  if (source.on_trial) {
    lines.push_back(fmt::format(
        "on trial: {}, and is good when nothing that held before fails for `settle`{}",
        is_in_force ? "the file is applied" : "the file of the commit before was applied",
        source.trial_waits.empty() ? "" : fmt::format("; now: {}", source.trial_waits)));
  }
  if (source.refused)
    lines.push_back(fmt::format("not taken: {}", protocol::fault_text(*source.refused, "; ")));
  if (source.waits)
    lines.push_back(fmt::format("waits: {}", protocol::fault_text(*source.waits, "; ")));
  if (source.fetch) {
    lines.push_back(
        fmt::format("the last fetch failed: {}", protocol::fault_text(*source.fetch, "; ")));
  }
  if (!source.error.empty()) lines.push_back(source.error);
  return lines;
}

}  // namespace spark::node_state
