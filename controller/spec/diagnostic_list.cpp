#include "spec/diagnostic_list.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace spark {
namespace {

constexpr auto kFirstMeaning = SpecId::kMore;
constexpr auto kFirstWarning = SpecId::kHalfTheCable;

}  // namespace

void Findings::add(SpecId id, Where where, std::string message, std::string reason,
                   std::vector<Related> related) {
  Entry entry;
  entry.diagnostic.where = where;
  entry.diagnostic.message = std::move(message);
  entry.diagnostic.reason = std::move(reason);
  entry.diagnostic.related = std::move(related);
  add(std::move(entry), id);
}

void Findings::add_about(const Value& container, SpecId id, std::string message,
                         std::string reason) {
  Entry entry;
  entry.about_container = true;
  entry.diagnostic.where = container.where;
  entry.diagnostic.message = std::move(message);
  entry.diagnostic.reason = std::move(reason);
  add(std::move(entry), id);
}

void Findings::add(Entry entry, SpecId id) {
  const auto severity = id < kFirstWarning ? Severity::kError : Severity::kWarning;
  structure_is_broken_ = structure_is_broken_ || id < kFirstMeaning;
  if (entries_.size() == kMost) {
    ++dropped_.at(std::to_underlying(severity));
    return;
  }
  entry.diagnostic.severity = severity;
  entry.diagnostic.id = text_of(id);
  entries_.push_back(std::move(entry));
}

std::vector<Diagnostic> Findings::take(const Value* root) && {
  std::ranges::stable_sort(entries_, {}, [](const Entry& entry) { return entry.diagnostic.where; });
  std::vector<Diagnostic> diagnostics;
  for (Entry& entry : entries_) {
    if (root != nullptr) {
      entry.diagnostic.path = path_of(*root, entry.diagnostic.where, entry.about_container);
    }
    diagnostics.push_back(std::move(entry.diagnostic));
  }
  for (const auto severity : {Severity::kError, Severity::kWarning}) {
    const std::size_t count = dropped_.at(std::to_underlying(severity));
    if (count == 0) continue;
    Diagnostic more;
    more.severity = severity;
    more.id = text_of(SpecId::kMore);
    more.where = diagnostics.back().where;
    more.message = fmt::format("and {} more {}", count,
                               severity == Severity::kError ? "errors" : "warnings");
    more.reason = "mend the ones above and validate again";
    diagnostics.push_back(std::move(more));
  }
  return diagnostics;
}

}  // namespace spark
