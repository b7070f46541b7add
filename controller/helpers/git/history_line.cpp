#include "helpers/git/history_line.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include <fmt/format.h>

namespace spark::helpers {
namespace {

constexpr std::size_t kLargestCommit = std::size_t{256} * 1024;

std::unexpected<Fault> too_long(const std::string& head) {
  return found(GitId::kLineTooLong,
               fmt::format("more than {} commits lie below {}", kMostCommits, head));
}

/// Whether `base` is among the ancestors of `head`, by any parent.
OrFault<bool> is_ancestor(ObjectReader& objects, const std::string& base, const std::string& head) {
  std::set<std::string> seen{head};
  std::deque<std::string> next{head};
  while (!next.empty()) {
    if (seen.size() > kMostCommits) return too_long(head);
    const auto commit = read_commit(objects, next.front());
    next.pop_front();
    if (!commit) return std::unexpected(commit.error());
    for (const auto& parent : commit->parents) {
      if (parent == base) return true;
      if (seen.insert(parent).second) next.push_back(parent);
    }
  }
  return false;
}

}  // namespace

OrFault<Commit> read_commit(ObjectReader& objects, const std::string& id) {
  const auto content = objects.read(id, "commit", kLargestCommit);
  if (!content) return std::unexpected(content.error());
  return parse_commit(*content, id);
}

OrFault<HistoryLine> read_line(ObjectReader& objects, const std::string& head,
                               const std::string& base, WithoutBase without) {
  HistoryLine line;
  const bool head_alone = base.empty() && without == WithoutBase::kHeadAlone;
  line.has_base = line.is_on_line = head == base;
  auto id = head;
  while (id != base) {
    auto commit = read_commit(objects, id);
    if (!commit) return std::unexpected(commit.error());
    const auto& parents = commit->parents;
    const auto parent = parents.empty() || head_alone ? "" : parents.front();
    // Most ways end here: the base is a parent by now, whichever.
    line.has_base |= std::ranges::find(parents, base) != parents.end();
    line.first_parents.push_back({id, std::move(*commit)});
    if (parent.empty()) break;
    if (line.first_parents.size() >= kMostCommits) return too_long(head);
    id = parent;
  }
  line.is_on_line |= !base.empty() && id == base;
  line.has_base |= line.is_on_line;
  if (!base.empty() && !line.has_base) {
    const auto has_base = is_ancestor(objects, base, head);
    if (!has_base) return std::unexpected(has_base.error());
    line.has_base = *has_base;
  }
  return line;
}

}  // namespace spark::helpers
