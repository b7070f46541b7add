#include "cli/explain/words.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace spark::cli
