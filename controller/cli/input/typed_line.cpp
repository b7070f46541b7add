#include "cli/input/typed_line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/arguments.hpp"

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

namespace {

/// A line that is longer is no help.
constexpr std::size_t kLongestLine = 200;

bool has_option(const TypedLine& line, std::string_view name) {
  return typed_option(line, name) != nullptr;
}

/// The words, and the options that their verb does nothing without.
std::vector<std::string> completed(std::vector<std::string> words) {
  const TypedLine typed(words);
  if (typed.verb == nullptr) return words;
  if (!typed.options.empty() && typed.options.back().waits()) {
    words.push_back(sample_for(*typed.options.back().row));
  }
  const TypedLine line(words);
  for (const auto& row : typed.verb->options.rows) {
    if (row.required && !has_option(line, long_name(row))) {
      std::ranges::copy(with_sample(row), std::back_inserter(words));
    }
  }
  if (typed.verb->complete != nullptr) typed.verb->complete(words);
  return words;
}

std::string in_backquotes(std::string line, const std::vector<std::string>& words) {
  for (const auto& word : words) line += " " + shell_word(word);
  return "`" + printable(line, kLongestLine) + "`";
}

}  // namespace

std::string line_to_type(const std::vector<std::string>& typed) {
  const auto words = completed(typed);
  const TypedLine line(words);
  const bool is_for_root = std::ranges::any_of(line.options, [](const TypedOption& option) {
    return option.row != nullptr && option.row->for_root;
  });
  const bool has_sudo = line.verb != nullptr && (line.verb->needs_root || is_for_root);
  return in_backquotes(has_sudo ? "sudo spark-reconcile" : "spark-reconcile", words);
}

std::string line_for_root(const std::vector<std::string>& typed) {
  return in_backquotes("sudo spark-reconcile", typed);
}

std::string line_with(const TypedLine& line, std::size_t at,
                      const std::vector<std::string>& instead) {
  return line_to_type(words_with(line.words, at, instead));
}

std::string line_with_value(const TypedLine& line, const TypedOption& option,
                            const std::string& value) {
  const bool is_next = option.at + 1 < line.words.size() && line.words[option.at] == option.name &&
                       line.words[option.at + 1] == option.value;
  return is_next ? line_with(line, option.at + 1, {value})
                 : line_with(line, option.at, {option.name, value});
}

std::string line_on(std::string_view node, std::string_view verb) {
  return fmt::format("`ssh -t {} {}", node,
                     line_for_root(completed({std::string(verb)})).substr(1));
}

std::vector<std::string> words_with(std::vector<std::string> words, std::size_t at,
                                    const std::vector<std::string>& others) {
  const auto place = words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  words.insert(place, others.begin(), others.end());
  return words;
}

std::vector<std::string> verb_and(const VerbSpec& verb, const std::vector<std::string>& words) {
  std::vector<std::string> all{std::string(verb.name)};
  std::ranges::copy(words, std::back_inserter(all));
  return all;
}

const TypedOption* typed_option(const TypedLine& line, std::string_view name) {
  const auto found = std::ranges::find_if(line.options, [&](const TypedOption& option) {
    return option.row != nullptr && option.row->has_name(name);
  });
  return found == line.options.end() ? nullptr : &*found;
}

bool is_name_of_yaml(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml");
}

std::string long_name(const OptionRow& row) { return std::string(names_in(row).back()); }

std::string sample_for(const OptionRow& row) {
  return std::string(row.sample.empty() ? sample_of(*row.value) : row.sample);
}

std::vector<std::string> with_sample(const OptionRow& row) {
  std::vector<std::string> words{long_name(row)};
  if (row.value != &Value::kNone) words.push_back(sample_for(row));
  return words;
}

}  // namespace spark::cli
