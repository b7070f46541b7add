#include "jobs/records.hpp"

#include <algorithm>

namespace spark::jobs {

Records::Records(const Question& question) : question_(question) {
  for (const auto& node : question.nodes) {
    if (!node.ahead) continue;
    for (const auto& sign : node.signs) {
      placed_.push_back(place(node, sign, sign.at - *node.ahead));
    }
  }
  std::ranges::stable_sort(placed_, {}, &Placed::at);
}

std::string Records::own() const {
  return question_.nodes.empty() ? "this node" : question_.nodes.front().node;
}

bool Records::is_used(const Way& way) const {
  return !question_.job ||
         std::ranges::find(question_.job->links, way.link) != question_.job->links.end();
}

std::vector<Way> Records::ways_of(const Placed& placed) const {
  std::vector<Way> found;
  for (const auto& way : question_.ways) {
    const auto& [at, sign, link, other, lasted, text] = *placed.sign;
    const bool is_here = is_own(*placed.node) && way.link == link;
    const bool is_there = way.peer == placed.node->node && way.peer_link == link;
    const bool is_its_end = other.empty() || other == (is_here ? way.peer : own());
    if ((is_here || is_there) && is_its_end) found.push_back(way);
  }
  return found;
}

Placed Records::place(const NodeSigns& node, const Recorded& sign, Time at) const {
  Placed placed{.node = &node, .sign = &sign, .at = at, .rail = {}};
  for (const auto& way : ways_of(placed)) placed.rail = is_own(node) ? way.rail : way.peer_rail;
  return placed;
}

bool Records::knows(std::string_view node, Time at) const {
  const auto record = std::ranges::find(question_.nodes, node, &NodeSigns::node);
  return record != question_.nodes.end() && record->ahead &&
         std::ranges::any_of(record->covered, [&](const Span& span) {
           return span.from <= at + *record->ahead && at + *record->ahead <= span.to;
         });
}

std::optional<Time> Records::restart_after(std::string_view node, Time at) const {
  const auto start = std::ranges::find_if(placed_, [&](const Placed& placed) {
    return placed.node->node == node && placed.sign->sign == Sign::kNodeStarted &&
           placed.at >= at - kTogether;
  });
  if (start == placed_.end()) return std::nullopt;
  const auto ahead = *start->node->ahead;
  const auto recorded_in = [&](Time from, Time to) {
    return std::ranges::any_of(start->node->covered, [&](const Span& span) {
      return span.from < to + ahead && span.to > from + ahead;
    });
  };
  // A daemon that had ended long before says nothing of when its machine went down.
  const bool lived = recorded_in(at + kTogether, start->at);
  return lived || !recorded_in(at - kAround, at) ? std::nullopt : std::optional(start->at);
}

std::optional<Span> Records::gap_in(const Span& span) const {
  auto covered = question_.nodes.empty() ? std::vector<Span>() : question_.nodes.front().covered;
  std::ranges::sort(covered, {}, &Span::from);
  covered.push_back({.from = span.to, .to = span.to});
  std::optional<Span> gap;
  auto known_to = span.from;
  for (const auto& part : covered) {
    const auto end = std::min(part.from, span.to);
    if (end > known_to) gap = Span{.from = gap ? gap->from : known_to, .to = end};
    known_to = std::max(known_to, part.to);
  }
  return gap;
}

}  // namespace spark::jobs
