#include "config/yaml/diagnostic_list.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace spark::config {
namespace {

constexpr auto kFirstMeaning = SpecId::kMore;
constexpr auto kFirstWarning = SpecId::kHalfTheCable;

}  // namespace

void Findings::add(SpecId id, Where where, std::string message, std::string reason,
                   std::vector<Related> related) {
  add(id, About::kValue,
      {.where = where,
       .message = std::move(message),
       .reason = std::move(reason),
       .related = std::move(related)});
}

void Findings::add_about(const Value& container, SpecId id, std::string message,
                         std::string reason) {
  add(id, About::kContainer,
      {.where = container.where, .message = std::move(message), .reason = std::move(reason)});
}

void Findings::add_about_text(SpecId id, Where where, std::string message, std::string reason,
                              std::vector<Related> related) {
  add(id, About::kText,
      {.where = where,
       .message = std::move(message),
       .reason = std::move(reason),
       .related = std::move(related)});
}

void Findings::add(SpecId id, About about, Diagnostic diagnostic) {
  diagnostic.severity = id < kFirstWarning ? Severity::kError : Severity::kWarning;
  diagnostic.id = text_of(id);
  structure_is_broken_ = structure_is_broken_ || id < kFirstMeaning;
  if (is_full()) {
    ++dropped_.at(std::to_underlying(diagnostic.severity));
    return;
  }
  entries_.push_back({std::move(diagnostic), about});
}

bool Findings::has(SpecId id) const {
  return std::ranges::any_of(
      entries_, [&](const Entry& entry) { return entry.diagnostic.id == text_of(id); });
}

bool Findings::has_beside(SpecId id, Where related) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    const auto& found = entry.diagnostic;
    return found.id == text_of(id) && !found.related.empty() &&
           found.related.front().where == related;
  });
}

bool Findings::has_errors() const {
  return dropped_.at(std::to_underlying(Severity::kError)) > 0 ||
         std::ranges::any_of(entries_, [](const Entry& entry) {
           return entry.diagnostic.severity == Severity::kError;
         });
}

std::vector<Where> Findings::errors_on(int line) const {
  std::vector<Where> places;
  for (const auto& [diagnostic, about] : entries_) {
    if (diagnostic.severity == Severity::kError && diagnostic.where.line == line) {
      places.push_back(diagnostic.where);
    }
  }
  return places;
}

void Findings::drop_errors(int line) {
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.diagnostic.severity == Severity::kError &&
           (line == 0 || entry.diagnostic.where.line == line);
  });
  if (line == 0) dropped_ = {};
}

std::vector<Diagnostic> Findings::take(const Value* root) && {
  if (has_errors()) {
    std::erase_if(entries_, [](const Entry& entry) {
      return entry.diagnostic.severity == Severity::kWarning;
    });
    dropped_.at(std::to_underlying(Severity::kWarning)) = 0;
  }
  std::ranges::stable_sort(entries_, {}, [](const Entry& entry) { return entry.diagnostic.where; });
  std::vector<Diagnostic> diagnostics;
  for (auto& [diagnostic, about] : entries_) {
    if (root != nullptr && about != About::kText) {
      diagnostic.path = path_of(*root, diagnostic.where, about == About::kContainer);
    }
    diagnostics.push_back(std::move(diagnostic));
  }
  for (const auto severity : {Severity::kError, Severity::kWarning}) {
    const std::size_t count = dropped_.at(std::to_underlying(severity));
    if (count == 0) continue;
    Diagnostic more;
    more.severity = severity;
    more.id = text_of(SpecId::kMore);
    more.where = diagnostics.back().where;
    more.message =
        fmt::format("and {} more {}", count, severity == Severity::kError ? "errors" : "warnings");
    more.reason = "fix the ones above and validate again";
    diagnostics.push_back(std::move(more));
  }
  return diagnostics;
}

}  // namespace spark::config
