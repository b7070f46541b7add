#include "cli/explain/words.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/explain/page_text.hpp"
#include "cli/explain/pages.hpp"
#include "config/yaml/job_variables.hpp"
#include "daemon/export/metric_families.hpp"
#include "daemon/export/prometheus_text.hpp"

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

namespace {

/// The lines of its tables; a line may be about several words: "ring, switch".
const std::vector<Explanation>& all_terms() {
  static const auto kAll = [] {
    std::vector<Explanation> all;
    for (const auto& cells : rows_of(glossary_page(), "")) {
      if (cells.size() != 2 || cells[0] == "word") continue;
      for (auto word : split(cells[0], ',')) {
        if (word.starts_with(' ')) word.remove_prefix(1);
        all.push_back({.kind = WordKind::kTerm,
                       .word = std::string(word),
                       .parts = {{"Means", cells[1]}},
                       .page = "docs/reference/glossary.md"});
      }
    }
    return all;
  }();
  return kAll;
}

}  // namespace

std::vector<std::string> glossary_words() {
  std::vector<std::string> words;
  for (const auto& term : all_terms()) words.push_back(term.word);
  return words;
}

std::optional<Explanation> explain_glossary_word(std::string_view word) {
  const auto found = std::ranges::find(all_terms(), ascii_lower(word), [](const Explanation& term) {
    return ascii_lower(term.word);
  });
  return found == all_terms().end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> metric_words() {
  std::vector<std::string> words;
  for (auto& family : daemon::metric_families()) words.push_back(std::move(family.name));
  return words;
}

std::optional<Explanation> explain_metric(std::string_view word) {
  const auto families = daemon::metric_families();
  const auto found = std::ranges::find_if(families, [&](const daemon::MetricFamily& family) {
    return family.name == word || family.name == std::string(daemon::kMetricPrefix).append(word);
  });
  if (found == families.end()) return std::nullopt;
  Explanation explanation{.kind = WordKind::kMetric,
                          .word = found->name,
                          .title = found->type,
                          .page = "docs/monitoring/README.md#prometheus"};
  add_part(explanation, "Means", found->help);
  return explanation;
}

std::vector<std::string> variable_words() {
  std::vector<std::string> words;
  for (const auto& variable : config::job_variables()) words.emplace_back(variable.name);
  return words;
}

std::optional<Explanation> explain_variable(std::string_view word) {
  const auto all = config::job_variables();
  const auto found = std::ranges::find(
      all, ascii_lower(word),
      [](const config::JobVariable& variable) { return ascii_lower(variable.name); });
  if (found == all.end()) return std::nullopt;
  Explanation explanation{.kind = WordKind::kVariable,
                          .word = std::string(found->name),
                          .title = "a variable of jobs",
                          .page = "docs/reference/variables.md"};
  add_part(explanation, "Means", std::string(found->note));
  add_part(explanation, "Takes", config::values_of(*found));
  add_part(explanation, "Example", config::example_of(*found));
  return explanation;
}

const std::vector<WordTable>& word_tables() {
  static const std::vector<WordTable> kTables{{.kind = WordKind::kId,
                                               .about = "what a message ends with",
                                               .example = "SR-GATE-016",
                                               .words = id_words,
                                               .find = explain_id,
                                               .count = [] { return id_words().size(); }},
                                              {.kind = WordKind::kAlert,
                                               .about = "an alert, by name or id",
                                               .example = "SparkContested",
                                               .words = alert_words,
                                               .find = explain_alert,
                                               .count = alert_count},
                                              {.kind = WordKind::kKey,
                                               .about = "a key of cluster.yaml or agent.yaml",
                                               .example = "fabric.cables",
                                               .words = key_words,
                                               .find = explain_key,
                                               .count = [] { return key_words().size(); }},
                                              {.kind = WordKind::kMetric,
                                               .about = "a metric of the daemon",
                                               .example = "spark_reconcile_verdict",
                                               .words = metric_words,
                                               .find = explain_metric,
                                               .count = [] { return metric_words().size(); }},
                                              {.kind = WordKind::kVariable,
                                               .about = "a variable of jobs",
                                               .example = "NCCL_IB_HCA",
                                               .words = variable_words,
                                               .find = explain_variable,
                                               .count = [] { return variable_words().size(); }},
                                              {.kind = WordKind::kTerm,
                                               .about = "a word of the field, or of this program",
                                               .example = "rail",
                                               .words = glossary_words,
                                               .find = explain_glossary_word,
                                               .count = [] { return glossary_words().size(); }}};
  return kTables;
}

std::vector<std::string> all_words() {
  std::vector<std::string> all;
  for (const auto& table : word_tables()) {
    for (auto& word : table.words()) {
      if (std::ranges::find(all, word) == all.end()) all.push_back(std::move(word));
    }
  }
  return all;
}

std::optional<Explanation> explain_word(std::string_view word) {
  for (const auto& table : word_tables()) {
    auto explanation = table.find(word);
    if (!explanation) continue;
    const auto term = explain_glossary_word(word);
    if (term && table.kind != WordKind::kTerm) {
      add_part(*explanation, "Word", term->parts.front().text);
    }
    return explanation;
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t kMostNear = 3;
constexpr std::size_t kDigitsOfId = 3;

}  // namespace

std::vector<std::string> near_words(std::string_view word, const std::vector<std::string>& words) {
  std::vector<std::string> near;
  const auto lower = ascii_lower(word);
  std::vector<std::string_view> others;
  for (const auto& candidate : words) {
    const auto other = ascii_lower(candidate);
    // Who knows a key by its last part, as memlock, means host.memlock.
    const bool is_near =
        !lower.empty() && (other.starts_with(lower) || other.ends_with("." + lower));
    if (is_near && near.size() < kMostNear) {
      near.push_back(candidate);
    } else {
      others.emplace_back(candidate);
    }
  }
  while (near.size() < kMostNear) {
    const auto next = closest(word, others);
    if (!next) break;
    near.emplace_back(*next);
    std::erase(others, std::string_view(near.back()));
  }
  return near;
}

std::string unknown_word(std::string_view word, const std::vector<std::string>& words) {
  // Ids differ by numbers: none is a misspelling of another that is there.
  const auto number = word.substr(std::min(word.size(), word.rfind('-') + 1));
  const bool is_id = word.starts_with("SR-") && number.size() == kDigitsOfId &&
                     std::ranges::all_of(number, is_ascii_digit);
  const auto near = is_id ? std::vector<std::string>{} : near_words(word, words);
  return fmt::format("unknown word {}{}", in_quotes(word),
                     near.empty()
                         ? "; `spark-reconcile explain` lists the kinds of words"
                         : fmt::format(", did you mean '{}'?", fmt::join(near, "', or '")));
}

}  // namespace spark::cli
