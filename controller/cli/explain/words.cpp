#include "cli/explain/words.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/explain/vocabularies.hpp"

namespace spark::cli {

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
