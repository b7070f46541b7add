#include "cli/input/verb.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace spark::cli {
namespace {

const OptionRow* option_among(std::span<const OptionRow> rows, std::string_view name) {
  const auto found =
      std::ranges::find_if(rows, [&](const OptionRow& row) { return row.has_name(name); });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::string_view title_of(VerbGroup group) {
  constexpr std::array<std::string_view, 6> kTitles{
      "Start", "Look", "Go back", "Service", "Jobs and machines", "This program"};
  return kTitles.at(static_cast<std::size_t>(group));
}

const VerbSpec* verb_named(std::string_view name) {
  for (const auto* verb : verbs()) {
    if (verb->name == name || (!verb->alias.empty() && verb->alias == name)) return verb;
  }
  return nullptr;
}

const VerbSpec* owner_of(const OptionRow& option) {
  for (const auto* verb : verbs()) {
    const auto is_it = [&](const OptionRow& row) { return &row == &option; };
    if (std::ranges::any_of(verb->options.rows, is_it)) return verb;
  }
  return nullptr;
}

bool changes_something(const VerbSpec& verb) { return verb.needs_root || verb.writes; }

std::vector<OptionRow> arguments_of(const VerbSpec& verb) {
  std::vector<OptionRow> rows;
  std::ranges::copy_if(verb.options.rows, std::back_inserter(rows), &OptionRow::is_argument);
  return rows;
}

std::vector<OptionRow> common_options(const VerbSpec& verb) {
  const auto rows = common_options();
  std::vector<OptionRow> common(rows.begin(), rows.end());
  for (auto& row : common) {
    const auto names = names_in(row);
    if (names.size() > 1 && option_among(verb.options.rows, names.front()) != nullptr) {
      row.names = names.back();
    }
  }
  return common;
}

const OptionRow* option_named(const VerbSpec* verb, std::string_view name) {
  const auto* own = verb == nullptr ? nullptr : option_among(verb->options.rows, name);
  return own != nullptr ? own : option_among(common_options(), name);
}

bool names_an_option(std::string_view word) {
  return word.starts_with('-') && (option_named(nullptr, word) != nullptr ||
                                   std::ranges::any_of(verbs(), [&](const VerbSpec* verb) {
                                     return option_among(verb->options.rows, word) != nullptr;
                                   }));
}

}  // namespace spark::cli
