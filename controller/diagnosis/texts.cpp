#include "diagnosis/texts.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace spark::diagnosis {
namespace {

Sentence with_id(std::string what, const Problem& problem) {
  const auto& id = problem.found.id;
  return Sentence(id.empty() ? std::move(what) : fmt::format("{} [{}]", what, id));
}

}  // namespace

Sentence text_of(const Problem& problem) { return with_id(written(sentence_of(problem)), problem); }

Sentence follows_text(const Root& root) {
  const auto count = root.effects.size();
  if (count == 0) return {};
  return Sentence(count == 1 ? " (and 1 that follows)"
                             : fmt::format(" (and {} that follow)", count));
}

Sentence text_of(const Root& root) {
  std::set<std::string_view> others;
  for (const auto& again : root.again) others.insert(again.found.link);
  others.erase(root.problem.found.link);
  auto what = written(sentence_of(root.problem));
  if (!others.empty()) what += fmt::format("; {} more of its rails", others.size());
  return Sentence(written(with_id(std::move(what), root.problem)) + written(follows_text(root)));
}

Sentence text_of(const Remedy& remedy) {
  const bool is_command = remedy.text.empty() || remedy.text == remedy.command;
  return Sentence(is_command && !remedy.command.empty() ? fmt::format("`{}`", remedy.command)
                                                        : remedy.text);
}

}  // namespace spark::diagnosis
