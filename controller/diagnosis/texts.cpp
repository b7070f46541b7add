#include "diagnosis/texts.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark::diagnosis {
namespace {

Sentence with_id(std::string what, const Problem& problem) {
  const auto& id = problem.found.id;
  return Sentence(id.empty() ? std::move(what) : fmt::format("{} [{}]", what, id));
}

/// More links than these are counted.
constexpr std::size_t kMostNamed = 2;

/// But for the link, and where and since when it is so.
bool is_said_alike(Problem problem, const Problem& other) {
  if (problem.found.link.empty() || other.found.link.empty()) return false;
  problem.found.link = other.found.link;
  problem.place = other.place;
  problem.since = other.since;
  problem.resources = other.resources;
  return problem == other;
}

}  // namespace

Sentence text_of(const Problem& problem) { return with_id(written(sentence_of(problem)), problem); }

Sentence follows_text(const Root& root) {
  const auto count = root.effects.size();
  if (count == 0) return {};
  return Sentence(count == 1 ? " (and 1 that follows)"
                             : fmt::format(" (and {} that follow)", count));
}

std::vector<Alike> alike_in(const Root& root) {
  std::vector<Alike> all;
  const auto add = [&all](const Problem& problem) {
    auto alike = std::ranges::find_if(
        all, [&](const Alike& other) { return is_said_alike(problem, other.problem); });
    if (alike == all.end()) alike = all.insert(all.end(), {.problem = problem, .links = {}});
    const auto& link = problem.found.link;
    const bool is_new = std::ranges::find(alike->links, link) == alike->links.end();
    if (!link.empty() && is_new) alike->links.push_back(link);
    if (!alike->problem.since) alike->problem.since = problem.since;
  };
  add(root.problem);
  std::ranges::for_each(root.again, add);
  return all;
}

Sentence sentence_of(const Alike& alike) {
  const auto& [problem, links] = alike;
  if (is_sentence(problem) || links.size() < 2) return sentence_of(problem);
  const auto of = links.size() <= kMostNamed
                      ? fmt::format("{}", fmt::join(links, " and "))
                      : fmt::format("{} and {} others", links.front(), links.size() - 1);
  return Sentence(fmt::format("{} of {}: {}", problem.found.name, of, problem.found.measured));
}

Sentence text_of(const Alike& alike) { return with_id(written(sentence_of(alike)), alike.problem); }

Sentence text_of(const Root& root) {
  const auto all = alike_in(root);
  std::set<std::string_view> others;
  for (const auto& alike : all) others.insert(alike.links.begin(), alike.links.end());
  for (const auto& link : all.front().links) others.erase(link);
  auto what = written(sentence_of(all.front()));
  if (!others.empty()) what += fmt::format("; {} more of its rails", others.size());
  return Sentence(written(with_id(std::move(what), root.problem)) + written(follows_text(root)));
}

Sentence text_of(const Remedy& remedy) {
  const bool is_command = remedy.text.empty() || remedy.text == remedy.command;
  return Sentence(is_command && !remedy.command.empty() ? fmt::format("`{}`", remedy.command)
                                                        : remedy.text);
}

}  // namespace spark::diagnosis
