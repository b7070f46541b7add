#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/id_text.hpp"
#include "base/text.hpp"
#include "cli/explain/page_text.hpp"
#include "cli/explain/pages.hpp"
#include "cli/explain/words.hpp"
#include "gate/gate.hpp"
#include "protocol/source_ids.hpp"

namespace spark::cli {
namespace {

using ExplanationsById = std::map<std::string, Explanation>;

void add_id(ExplanationsById& all, Explanation explanation) {
  auto id = explanation.word;
  all.emplace(std::move(id), std::move(explanation));
}

void add_text(ExplanationsById& all, const IdText& text, std::string page) {
  Explanation explanation{.kind = WordKind::kId,
                          .word = std::string(text.id),
                          .title = std::string(text.title),
                          .page = std::move(page)};
  add_part(explanation, "Cause", std::string(text.cause));
  add_part(explanation, "Do", std::string(text.fix));
  add_id(all, std::move(explanation));
}

/// The table of the gate has the names, the page what each fact proves and what to do.
void add_facts_of_gate(ExplanationsById& all) {
  std::map<std::string, std::vector<std::string>> rows;
  for (auto& cells : rows_of(gate_page(), "SR-GATE-")) {
    auto id = cells.front();
    rows.emplace(std::move(id), std::move(cells));
  }
  for (const auto& kind : gate::fact_kinds()) {
    Explanation explanation{.kind = WordKind::kId,
                            .word = std::string(kind.id),
                            .title = fmt::format("the fact '{}' of the readiness gate", kind.name),
                            .page = "docs/explain/gate.md#the-facts"};
    constexpr std::size_t kCells = 5;  // id, fact, what it proves, what it does not, what to do
    if (const auto row = rows.find(explanation.word);
        row != rows.end() && row->second.size() == kCells) {
      add_part(explanation, "Proves", row->second[2]);
      add_part(explanation, "Proves not", row->second[3]);
      add_part(explanation, "Do", row->second[4]);
    }
    add_id(all, std::move(explanation));
  }
}

ExplanationsById make_all() {
  ExplanationsById all;
  for (const auto& text : id_texts(spec_ids_text())) {
    add_text(all, text, "docs/reference/messages.md#errors-and-warnings-about-the-cluster-file");
  }
  for (const auto& text : protocol::git_ids()) {
    add_text(all, text, "docs/howto/git.md#what-is-refused-and-the-way-out");
  }
  add_facts_of_gate(all);
  for (auto& section : sections_of(errors_page())) {
    add_id(all, {.kind = WordKind::kId,
                 .word = section.id,
                 .title = section.title,
                 .parts = std::move(section.parts),
                 .page = fmt::format("docs/reference/errors.md#{}", section.anchor)});
  }
  return all;
}

const ExplanationsById& all_ids() {
  static const auto kAll = make_all();
  return kAll;
}

}  // namespace

std::vector<std::string> id_words() {
  std::vector<std::string> words;
  for (const auto& [id, explanation] : all_ids()) words.push_back(id);
  return words;
}

std::string id_of(std::string_view word) {
  if (word.starts_with('[') && word.ends_with(']') && word.size() > 1) {
    word = word.substr(1, word.size() - 2);
  }
  std::string id(word);
  std::ranges::transform(id, id.begin(), [](char c) {
    return is_ascii_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return id;
}

std::optional<Explanation> explain_id(std::string_view word) {
  const auto found = all_ids().find(id_of(word));
  return found == all_ids().end() ? std::nullopt : std::optional(found->second);
}

}  // namespace spark::cli
