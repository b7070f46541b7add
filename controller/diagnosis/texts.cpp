#include "diagnosis/texts.hpp"

#include <set>
#include <string_view>

#include <fmt/format.h>

namespace spark::diagnosis {
namespace {

std::string with_id(std::string what, const Problem& problem) {
  const auto& id = problem.found.id;
  return id.empty() ? what : fmt::format("{} [{}]", what, id);
}

}  // namespace

std::string text_of(const Problem& problem) { return with_id(sentence_of(problem), problem); }

std::string follows_text(const Root& root) {
  const auto count = root.effects.size();
  if (count == 0) return {};
  return count == 1 ? " (and 1 that follows)" : fmt::format(" (and {} that follow)", count);
}

std::string text_of(const Root& root) {
  std::set<std::string_view> others;
  for (const auto& again : root.again) others.insert(again.found.link);
  others.erase(root.problem.found.link);
  auto what = sentence_of(root.problem);
  if (!others.empty()) what += fmt::format("; {} more of its rails", others.size());
  return with_id(std::move(what), root.problem) + follows_text(root);
}

std::string text_of(const Remedy& remedy) {
  const bool is_command = remedy.text.empty() || remedy.text == remedy.command;
  return is_command && !remedy.command.empty() ? fmt::format("`{}`", remedy.command) : remedy.text;
}

}  // namespace spark::diagnosis
