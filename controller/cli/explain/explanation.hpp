#pragma once
// Explanation: what `explain` says about one word.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spark::cli {

/// The kinds of words, in the order in which they are looked for.
enum class WordKind : std::uint8_t { kId, kAlert, kKey, kMetric, kVariable, kTerm, kResource };

/// "id", "alert", …: as JSON has it.
std::string_view name_of(WordKind kind);

/// A labelled part of an explanation: "Cause", and what it is.
struct ExplainedPart {
  std::string label;
  std::string text;  ///< an example has several lines
};

struct Explanation {
  WordKind kind = WordKind::kId;
  std::string word;   ///< as the program writes it: "SR-GATE-016", "nodes.NAME.management"
  std::string title;  ///< what it is about, a few words; empty: the parts say it
  std::vector<ExplainedPart> parts;
  std::string page;  ///< "docs/reference/errors.md#sr-link-001-no-device"; empty: none has more
};

/// Adds the part, unless its text is empty.
void add_part(Explanation& explanation, std::string label, std::string text);

}  // namespace spark::cli
