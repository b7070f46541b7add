#pragma once
// words: all that `explain` knows, by kind.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

// What `explain` knows, by kind: the words of each kind, and what one of them means.

// The words of the field and of this program, as the glossary has them.

/// "cage", "queue pair", …
std::vector<std::string> glossary_words();

/// `word` is one of them, in letters of any size. Empty: there is none.
std::optional<Explanation> explain_glossary_word(std::string_view word);

// The ids of messages, SR-…, but those of alerts: what each means, why, and what to do.

/// All that a message can end with, by area and number.
std::vector<std::string> id_words();

/// `word` is an id, in letters of any size, with or without its brackets. Empty: there is none.
std::optional<Explanation> explain_id(std::string_view word);

/// "[sr-gate-016]" as "SR-GATE-016".
std::string id_of(std::string_view word);

// The alerts, by id or name: what each means, when it ends, and what to do.

/// Their names, then their ids.
std::vector<std::string> alert_words();
/// How many there are.
std::size_t alert_count();

/// `word` is the id or the name, in letters of any size. Empty: there is none.
std::optional<Explanation> explain_alert(std::string_view word);

// The keys of cluster.yaml and agent.yaml: what each takes, its default, what it means, an
// example.

/// Each as a person types it: "nodes.management", "fabric.cables.ends".
std::vector<std::string> key_words();

/// `word` is a path, with or without what stands for names and items: "nodes.management",
/// "nodes.*.management", "nodes.spark1.management". Empty: there is none.
std::optional<Explanation> explain_key(std::string_view word);

// The variables of jobs that a file may set: what each takes and sets, an example.

/// "NCCL_IB_HCA", …
std::vector<std::string> variable_words();

/// `word` is a name, in letters of any size. Empty: there is none.
std::optional<Explanation> explain_variable(std::string_view word);

// The metrics of the daemon: type and help, as /metrics has them.

std::vector<std::string> metric_words();

/// `word` is a name, with or without "spark_reconcile_". Empty: there is none.
std::optional<Explanation> explain_metric(std::string_view word);

/// A kind of words that needs no file: everything but resources.
struct WordTable {
  WordKind kind{};
  std::string_view about;  ///< what such a word is
  std::string_view example;
  std::vector<std::string> (*words)() = nullptr;
  std::optional<Explanation> (*find)(std::string_view word) = nullptr;
  /// How many things there are, of which each may have several words.
  std::size_t (*count)() = nullptr;
};

const std::vector<WordTable>& word_tables();

/// The words of all tables.
std::vector<std::string> all_words();

/// Empty: it is in no table.
std::optional<Explanation> explain_word(std::string_view word);

// near_words: "did you mean" for a word that `explain` does not know.

/// At most three of the words: those that begin with `word` or have it as their last part, then
/// those that it may be a misspelling of.
std::vector<std::string> near_words(std::string_view word, const std::vector<std::string>& words);

/// "unknown word 'SR-GATE-16': did you mean SR-GATE-016, …?", or where all words are listed.
std::string unknown_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace spark::cli
