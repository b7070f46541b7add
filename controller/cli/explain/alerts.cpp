#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/explain/page_text.hpp"
#include "cli/explain/pages.hpp"
#include "cli/explain/vocabularies.hpp"

namespace spark::cli {
namespace {

const std::vector<PageSection>& all_alerts() {
  static const auto kAll = sections_of(alerts_page());
  return kAll;
}

/// The sentence of a page that says when an alert ends; empty: it ends as all do.
std::string own_end(const PageSection& alert) {
  constexpr std::string_view kEnds = "The alert ends ";
  for (const auto& part : alert.parts) {
    const auto begin = part.text.find(kEnds);
    if (begin == std::string::npos) continue;
    const auto end = part.text.find(". ", begin);
    return part.text.substr(begin, end == std::string::npos ? end : end + 1 - begin);
  }
  return {};
}

}  // namespace

std::vector<std::string> alert_words() {
  std::vector<std::string> words;
  for (const auto& alert : all_alerts()) words.push_back(alert.title);
  for (const auto& alert : all_alerts()) words.push_back(alert.id);
  return words;
}

std::size_t alert_count() { return all_alerts().size(); }

std::optional<Explanation> explain_alert(std::string_view word) {
  const auto id = id_of(word);
  const auto found = std::ranges::find_if(all_alerts(), [&](const PageSection& alert) {
    return alert.id == id || ascii_lower(alert.title) == ascii_lower(word);
  });
  if (found == all_alerts().end()) return std::nullopt;
  Explanation explanation{.kind = WordKind::kAlert,
                          .word = found->id,
                          .title = found->title,
                          .parts = {},
                          .page = fmt::format("docs/reference/alerts.md#{}", found->anchor)};
  for (const auto& part : found->parts) {
    if (part.label == "Do") {
      auto end = own_end(*found);
      if (end.empty()) end = item_of(alerts_page(), "An alert begins at once.");
      add_part(explanation, "Ends", std::move(end));
    }
    add_part(explanation, part.label, part.text);
  }
  return explanation;
}

}  // namespace spark::cli
