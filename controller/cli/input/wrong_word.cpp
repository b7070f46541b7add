#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_line.hpp"
#include "protocol/discover.hpp"

namespace spark::cli {
namespace {

bool has_a_digit(std::string_view word) { return std::ranges::any_of(word, is_ascii_digit); }

/// The verb's only option that takes a duration; none: it has none, or several.
const OptionRow* duration_of(const VerbSpec& verb) {
  const auto is_it = [](const OptionRow& row) { return row.value == &Value::kDuration; };
  const auto found = std::ranges::find_if(verb.options.rows, is_it);
  return std::ranges::count_if(verb.options.rows, is_it) == 1 ? &*found : nullptr;
}

/// The line without the arguments behind the first that is too many, but for the value of the
/// option that this one is the name of: "init ring 3".
TypedLine without_others(const TypedLine& line, std::size_t first) {
  const auto* row = option_named(line.verb, "--" + line.arguments[first].text);
  const std::size_t kept = first + (row != nullptr && row->value != &Value::kNone ? 2 : 1);
  auto words = line.words;
  for (auto at = line.arguments.size(); at > kept; --at) {
    words = words_with(std::move(words), line.arguments[at - 1].at, {});
  }
  return TypedLine(std::move(words));
}

/// The word that is meant by `value`; empty: none is like it.
std::string nearest(std::span<const Word> words, const std::string& value) {
  std::vector<std::string_view> texts;
  for (const auto& word : words) texts.push_back(word.text);
  return std::string(closest(value, texts).value_or(""));
}

/// The value that people mean who write `value`; empty: the option takes none like it.
std::string value_near(const OptionRow& row, const std::string& value) {
  return row.value == &Value::kDuration ? duration_near(row, value)
                                        : nearest(row.value->words, value);
}

/// "10" and "minutes" behind it, as one: "10m". Empty: they are none.
std::string two_words_near(const TypedLine& line, std::size_t at, const OptionRow& row) {
  const auto is_next = [&](const TypedArgument& argument) { return argument.at == at + 1; };
  if (std::ranges::none_of(line.arguments, is_next) || !parse_decimal(line.words[at])) return {};
  const auto& unit = line.words[at + 1];
  return has_a_digit(unit) ? std::string()
                           : duration_near(row, fmt::format("{} {}", line.words[at], unit));
}

/// What to write in place of a word that names a node; empty: nothing is known.
std::string advice_on_node(const TypedLine& line, const TypedArgument& argument) {
  const auto& node = argument.text;
  if (line.verb->node == VerbSpec::OfNode::kAny && protocol::is_host_name(node)) {
    return fmt::format("a node is named by -n: {}", line_with(line, argument.at, {"-n", node}));
  }
  return may_be_node(node) ? advice_to_go_there(*line.verb, node) : "";
}

/// "10", "10m" or "10 minutes" for the verb that takes one duration; empty: it is none.
std::string advice_on_duration(const TypedLine& typed, const TypedLine& line,
                               const TypedArgument& argument) {
  const auto* row = duration_of(*line.verb);
  if (row == nullptr) return {};
  auto duration = two_words_near(typed, argument.at, *row);
  if (duration.empty() && row->range.may_be_word) duration = duration_near(*row, argument.text);
  if (duration.empty() && parse_duration(argument.text)) duration = argument.text;
  return duration.empty() ? ""
                          : fmt::format("how long is said by {}: {}", long_name(*row),
                                        line_with(line, argument.at, {long_name(*row), duration}));
}

/// What to write in place of a word that an option would take; empty: nothing is known.
std::string advice_on_value(const TypedLine& line, const TypedArgument& argument,
                            const TypedLine& typed) {
  const auto& verb = *line.verb;
  const auto& [at, word] = argument;
  if (auto advice = verb.advise == nullptr ? "" : verb.advise({line, argument, typed});
      !advice.empty()) {
    return advice;
  }
  // -f of `events` follows.
  const std::string file = option_named(&verb, "-f")->has_name("--file") ? "-f" : "--file";
  if (word == "-") {
    return fmt::format("stdin is named by {}: {}", file, line_with(line, at, {file, "-"}));
  }
  if (is_name_of_yaml(word) || word.contains('/')) {
    return fmt::format("the cluster's file is named by {}: {}", file,
                       line_with(line, at, {file, word}));
  }
  if (const auto* row = option_without_dashes(verb, word)) {
    const bool is_name = row->has_name("--" + word);
    std::vector<std::string> instead{long_name(*row)};
    if (!is_name) instead.push_back(word);
    const bool is_last = at + 1 == line.words.size();
    if (is_name && is_last && row->value != &Value::kNone) instead.push_back(sample_for(*row));
    return fmt::format("it is an option: {}", line_with(line, at, instead));
  }
  return {};
}

/// What to write in place of a value that an argument does not take; empty: nothing is known.
std::string advice_on_argument(const VerbSpec& verb, const OptionRow& row,
                               const std::string& value) {
  if (const auto meant = meant_by_word(verb, value); !meant.empty()) return std::string(meant);
  const TypedLine line(verb_and(verb, {value}));
  const TypedArgument argument{.at = 1, .text = value};
  const auto& words = row.value->words;
  if (!words.empty() && verb.advise != nullptr) {
    if (auto advice = verb.advise({line, argument, line}); !advice.empty()) return advice;
  }
  if (const auto near = nearest(words, value); !near.empty()) {
    return fmt::format("did you mean {}?", line_to_type(verb_and(verb, {near})));
  }
  if (!row.advice.empty()) return std::string(row.advice);
  auto advice = advice_on_value(line, argument, line);
  if (advice.empty() && has_a_digit(value)) advice = advice_on_node(line, argument);
  return advice;
}

}  // namespace

bool has_digits_alone(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_ascii_digit);
}

bool may_be_node(std::string_view word) {
  return protocol::is_host_name(word) && has_a_digit(word) && !has_digits_alone(word) &&
         !parse_duration(word);
}

std::string advice_to_go_there(const VerbSpec& verb, const std::string& node) {
  return verb.node == VerbSpec::OfNode::kThisMachine
             ? fmt::format("it is about the machine that it runs on: {}", line_on(node, verb.name))
             : "";
}

const OptionRow* option_without_dashes(const VerbSpec& verb, const std::string& word) {
  if (const auto* row = option_named(&verb, "--" + word)) return row;
  const auto found = std::ranges::find_if(verb.options.rows, [&](const OptionRow& row) {
    const auto& words = row.value->words;
    return !row.is_argument() && row.value->means_option &&
           std::ranges::find(words, word, &Word::text) != words.end();
  });
  return found == verb.options.rows.end() ? nullptr : &*found;
}

std::string advice_on_word(const TypedLine& typed, std::size_t taken) {
  const auto& verb = *typed.verb;
  const auto& argument = typed.arguments[taken];
  const auto line = without_others(typed, taken);
  if (const auto meant = meant_by_word(verb, argument.text); !meant.empty()) {
    return std::string(meant);
  }
  auto leave_out = fmt::format("leave it out: {}", line_with(line, argument.at, {}));
  if (const auto* other = verb_named(argument.text)) {
    if (other == &verb) return leave_out;
    return fmt::format("one verb a line: {}, then {}", line_with(line, argument.at, {}),
                       line_to_type({std::string(other->name)}));
  }
  if (auto advice = advice_on_value(line, argument, typed); !advice.empty()) return advice;
  if (auto advice = advice_on_duration(typed, line, argument); !advice.empty()) return advice;
  if (verb.advise_last != nullptr) {
    if (auto advice = verb.advise_last({line, argument, typed}); !advice.empty()) return advice;
  }
  auto advice = advice_on_node(line, argument);
  return advice.empty() ? leave_out : advice;
}

std::string why_not_taken(const TypedLine& line, const OptionRow& row, const std::string& value) {
  const auto* owner = owner_of(row);
  const auto name = row.is_argument() ? std::string(owner->name) : long_name(row);
  auto what = fmt::format("{} takes {}, not {}", name, described(*row.value), in_quotes(value));
  if (row.is_argument()) {
    const auto advice = advice_on_argument(*owner, row, value);
    return advice.empty() ? what : fmt::format("{}: {}", what, advice);
  }
  if (const auto meant = owner != nullptr ? meant_by_word(*owner, value) : ""; !meant.empty()) {
    return fmt::format("{}: {}", what, meant);
  }
  const auto* option = typed_option(line, long_name(row));
  if (option == nullptr) return what;
  const auto behind = option->at + 1;
  const auto both = row.value == &Value::kDuration && line.words[option->at] == option->name
                        ? two_words_near(line, behind, row)
                        : std::string();
  if (!both.empty()) {
    const auto without = words_with(line.words, behind + 1, {});
    return fmt::format("{}: did you mean {}?", what,
                       line_to_type(words_with(without, behind, {both})));
  }
  const auto near = value_near(row, value);
  return near.empty()
             ? fmt::format("{}: {}", what, line_with_value(line, *option, sample_for(row)))
             : fmt::format("{}: did you mean {}?", what, line_with_value(line, *option, near));
}

}  // namespace spark::cli
