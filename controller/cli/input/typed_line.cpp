#include "cli/input/typed_line.hpp"

#include <algorithm>
#include <utility>

namespace spark::cli {

TypedLine::TypedLine(std::vector<std::string> all) : words(std::move(all)) {
  for (std::size_t at = 0; at < words.size(); ++at) take(at);
}

void TypedLine::take(std::size_t at) {
  const auto& word = words[at];
  // The next option is no value: that was forgotten.
  if (!options.empty() && options.back().waits() && !names_an_option(word)) {
    options.back().value = word;
  } else if (only_arguments || !word.starts_with('-') || word == "-") {
    take_plain(at);
  } else if (word == "--") {
    only_arguments = true;
  } else if (word.starts_with("--")) {
    take_long(at);
  } else {
    take_short(at);
  }
}

void TypedLine::take_plain(std::size_t at) {
  const auto& word = words[at];
  if (verb != nullptr || is_help) {
    arguments.push_back({at, word});
  } else if (word == kHelpVerb) {
    is_help = true;
    verb_at = at;
  } else if (const auto* named = verb_named(word)) {
    verb = named;
    verb_at = at;
  } else {
    before.push_back({at, word});
  }
}

void TypedLine::take_long(std::size_t at) {
  const std::string_view word = words[at];
  const auto equals = std::min(word.find('='), word.size());
  const auto name = word.substr(0, equals);
  TypedOption option{
      .at = at, .name = std::string(name), .row = option_named(verb, name), .value = {}};
  if (equals < word.size()) option.value = word.substr(equals + 1);
  options.push_back(std::move(option));
}

/// "-qv", "-fFILE".
void TypedLine::take_short(std::size_t at) {
  const std::string_view word = words[at];
  for (std::size_t i = 1; i < word.size(); ++i) {
    const std::string name{'-', word[i]};
    const auto* row = option_named(verb, name);
    options.push_back({.at = at, .name = name, .row = row, .value = {}});
    const auto rest = word.substr(i + 1);
    const bool takes_rest =
        row != nullptr && (row->value != &Value::kNone || rest.starts_with('='));
    if (takes_rest && !rest.empty()) options.back().value = rest;
    if (row == nullptr || takes_rest) return;
  }
}

}  // namespace spark::cli
