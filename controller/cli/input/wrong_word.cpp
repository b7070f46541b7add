#include "cli/input/wrong_word.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/input/line_to_type.hpp"
#include "cli/input/meant.hpp"
#include "protocol/discover.hpp"

namespace spark::cli {
namespace {

bool has_a_digit(std::string_view word) { return std::ranges::any_of(word, is_ascii_digit); }

bool has_digits_alone(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_ascii_digit);
}

/// -n of these verbs is any node of the file; the others work on the machine that they run on.
bool shows_any_node(Verb verb) {
  using enum Verb;
  constexpr std::array kShowing{kStatus, kPlan, kValidate, kExport};
  return std::ranges::find(kShowing, verb) != kShowing.end();
}

/// The verb's only option that takes a duration; none: it has none, or several.
const OptionRow* duration_of(Verb verb) {
  const auto is_it = [&](const OptionRow& row) {
    return row.verb == verb && row.value == Value::kDuration;
  };
  const auto rows = options();
  const auto found = std::ranges::find_if(rows, is_it);
  return std::ranges::count_if(rows, is_it) == 1 ? &*found : nullptr;
}

/// "diff old.yaml new.yaml": diff is the other name of plan.
bool compares_files(const TypedLine& line) {
  return line.words[line.verb_at] == "diff" && line.arguments.size() == 2;
}

/// The line without the arguments behind the first that is too many, but for the value of the
/// option that this one is the name of: "init ring 3".
TypedLine without_others(const TypedLine& line, std::size_t first) {
  if (compares_files(line)) return line;
  const auto* row = option_named(line.verb, "--" + line.arguments[first].text);
  const std::size_t kept = first + (row != nullptr && row->value != Value::kNone ? 2 : 1);
  auto words = line.words;
  for (auto at = line.arguments.size(); at > kept; --at) {
    words = words_with(std::move(words), line.arguments[at - 1].at, {});
  }
  return TypedLine(std::move(words));
}

/// The value that people mean who write `value`; empty: the option takes none like it.
std::string value_near(const OptionRow& row, const std::string& value) {
  if (row.value == Value::kDuration) return duration_near(row, value);
  std::vector<std::string_view> words;
  for (const auto& word : words_of(row.value)) words.push_back(word.text);
  return std::string(closest(value, words).value_or(""));
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
  const auto verb = *line.verb;
  const auto& node = argument.text;
  if (!protocol::is_host_name(node)) return {};
  if (verb == Verb::kStatus && has_digits_alone(node) && typed_option(line, "--watch") != nullptr) {
    return fmt::format("--watch has no interval: {}", line_with(line, argument.at, {}));
  }
  if (shows_any_node(verb)) {
    return fmt::format("a node is named by -n: {}", line_with(line, argument.at, {"-n", node}));
  }
  if (verb == Verb::kWait) {
    return fmt::format("nodes are named by --nodes: {}",
                       line_with(line, argument.at, {"--cluster", "--nodes", node}));
  }
  if (verb == Verb::kJoin) {
    return fmt::format("it finds the other node over the cable: {}",
                       line_with(line, argument.at, {}));
  }
  if (verb == Verb::kTopology) {
    return fmt::format("it shows all nodes: {}", line_with(line, argument.at, {}));
  }
  if (verb == Verb::kBench) {
    return fmt::format("it measures one peer, or all: {}",
                       line_to_type(verb, verb_and(verb, {"--all"})));
  }
  return may_be_node(node) ? advice_to_go_there(verb, node) : "";
}

/// The branch, or what else stands behind the URL.
std::string advice_on_branch(const TypedLine& line, const TypedArgument& argument) {
  const auto& url = line.arguments.front();
  const auto branched = TypedLine(words_with(line.words, argument.at, {"--branch", argument.text}));
  return fmt::format("the branch is named by --branch: {}",
                     url.text.contains("://")
                         ? line_to_type(line.verb, branched.words)
                         : line_with(branched, url.at, {std::string(sample_of(Value::kUrl))}));
}

/// "10", "10m" or "10 minutes" for the verb that takes one duration; empty: it is none.
std::string advice_on_duration(const TypedLine& typed, const TypedLine& line,
                               const TypedArgument& argument) {
  const auto* row = duration_of(*line.verb);
  if (row == nullptr) return {};
  auto duration = two_words_near(typed, argument.at, *row);
  if (duration.empty() && *line.verb != Verb::kEvents)
    duration = duration_near(*row, argument.text);
  if (duration.empty() && parse_duration(argument.text)) duration = argument.text;
  return duration.empty() ? ""
                          : fmt::format("how long is said by {}: {}", long_name(*row),
                                        line_with(line, argument.at, {long_name(*row), duration}));
}

/// What to write in place of a word that an option would take; empty: nothing is known.
std::string advice_on_value(const TypedLine& line, const TypedArgument& argument) {
  const auto verb = *line.verb;
  const auto& [at, word] = argument;
  // -f of `events` follows.
  const std::string file = has_name(*option_named(verb, "-f"), "--file") ? "-f" : "--file";
  if (verb == Verb::kFollow) return advice_on_branch(line, argument);
  if (word == "-") {
    if (verb == Verb::kDoctor) return "it reads the file more than once, and stdin only once";
    return fmt::format("stdin is named by {}: {}", file, line_with(line, at, {file, "-"}));
  }
  if (compares_files(line)) {
    return fmt::format("two files are compared by validate: {}",
                       line_to_type(Verb::kValidate,
                                    {"validate", "-f", line.arguments[1].text, "--against", word}));
  }
  if (is_name_of_yaml(word) || word.contains('/')) {
    return verb == Verb::kInit
               ? fmt::format("the new file is named by -o: {}", line_with(line, at, {"-o", word}))
               : fmt::format("the cluster's file is named by {}: {}", file,
                             line_with(line, at, {file, word}));
  }
  if (const auto* row = option_without_dashes(verb, word)) {
    const bool is_name = has_name(*row, "--" + word);
    std::vector<std::string> instead{long_name(*row)};
    if (!is_name) instead.push_back(word);
    const bool is_last = at + 1 == line.words.size();
    if (is_name && is_last && row->value != Value::kNone) instead.push_back(sample_for(*row));
    return fmt::format("it is an option: {}", line_with(line, at, instead));
  }
  return {};
}

/// What to write in place of a value that an argument does not take; empty: nothing is known.
std::string advice_on_argument(const OptionRow& row, const std::string& value) {
  const auto verb = *row.verb;
  if (const auto meant = meant_by_word(verb, value); !meant.empty()) return std::string(meant);
  if (row.value == Value::kGeneration) {
    return fmt::format(
        "{} lists them{}", line_to_type(Verb::kHistory, {"history"}),
        verb == Verb::kRollback ? ", and without one it returns to the last good file" : "");
  }
  if (row.value == Value::kHistoryView && has_digits_alone(value)) {
    return line_to_type(verb, {"history", "diff", value});
  }
  std::vector<std::string_view> words;
  for (const auto& word : words_of(row.value)) words.push_back(word.text);
  if (const auto near = closest(value, words)) {
    return fmt::format("did you mean {}?",
                       line_to_type(verb, verb_and(verb, {std::string(*near)})));
  }
  const TypedLine line(verb_and(verb, {value}));
  const TypedArgument argument{.at = 1, .text = value};
  if (row.value == Value::kHistoryView) {
    return line_to_type(verb, {"history"}) + " lists all that was applied";
  }
  auto advice = advice_on_value(line, argument);
  if (advice.empty() && has_a_digit(value)) advice = advice_on_node(line, argument);
  return advice;
}

}  // namespace

bool may_be_node(std::string_view word) {
  return protocol::is_host_name(word) && has_a_digit(word) && !has_digits_alone(word) &&
         !parse_duration(word);
}

std::string advice_to_go_there(Verb verb, const std::string& node) {
  using enum Verb;
  constexpr std::array kOfNoMachine{kInit, kExplain, kTopology, kRollout, kWait, kBench};
  const bool is_of_none =
      shows_any_node(verb) || std::ranges::find(kOfNoMachine, verb) != kOfNoMachine.end();
  return is_of_none
             ? ""
             : fmt::format("it is about the machine that it runs on: {}", line_on(node, verb));
}

const OptionRow* option_without_dashes(Verb verb, const std::string& word) {
  if (const auto* row = option_named(verb, "--" + word)) return row;
  const auto rows = options();
  const auto found = std::ranges::find_if(rows, [&](const OptionRow& row) {
    const auto words = words_of(row.value);
    return row.verb == verb && !row.is_argument() && row.value != Value::kDuration &&
           row.value != Value::kRail && std::ranges::find(words, word, &Word::text) != words.end();
  });
  return found == rows.end() ? nullptr : &*found;
}

std::string advice_on_word(const TypedLine& typed, std::size_t taken) {
  const auto verb = *typed.verb;
  const auto& argument = typed.arguments[taken];
  const auto line = without_others(typed, taken);
  if (const auto meant = meant_by_word(verb, argument.text); !meant.empty()) {
    return std::string(meant);
  }
  auto leave_out = fmt::format("leave it out: {}", line_with(line, argument.at, {}));
  if (const auto other = verb_named(argument.text)) {
    if (other == verb) return leave_out;
    return fmt::format("one verb a line: {}, then {}", line_with(line, argument.at, {}),
                       line_to_type(other, {std::string(name_of(*other))}));
  }
  if (auto advice = advice_on_value(line, argument); !advice.empty()) return advice;
  if (auto advice = advice_on_duration(typed, line, argument); !advice.empty()) return advice;
  if (auto advice = advice_on_node(line, argument); !advice.empty()) return advice;
  if (verb == Verb::kExplain && typed.arguments.size() > 2) {
    return "it takes one word: `spark-reconcile explain` lists the kinds of words, `sudo "
           "spark-reconcile doctor` says what is wrong here";
  }
  if (verb == Verb::kExplain) {
    const auto key = fmt::format("{}.{}", line.arguments.front().text, argument.text);
    return fmt::format("a key has dots: {}", line_to_type(verb, verb_and(verb, {key})));
  }
  return verb == Verb::kEvents && has_digits_alone(argument.text)
             ? "they are chosen by time: `spark-reconcile events --since 1h`"
             : leave_out;
}

std::string why_not_taken(const TypedLine& line, const OptionRow& row, const std::string& value) {
  const auto name = row.is_argument() ? std::string(name_of(*row.verb)) : long_name(row);
  auto what = fmt::format("{} takes {}, not {}", name, described(row.value), in_quotes(value));
  if (row.is_argument()) {
    const auto advice = advice_on_argument(row, value);
    return advice.empty() ? what : fmt::format("{}: {}", what, advice);
  }
  if (const auto meant = row.verb ? meant_by_word(*row.verb, value) : ""; !meant.empty()) {
    return fmt::format("{}: {}", what, meant);
  }
  const auto* option = typed_option(line, long_name(row));
  if (option == nullptr) return what;
  const auto behind = option->at + 1;
  const auto both = row.value == Value::kDuration && line.words[option->at] == option->name
                        ? two_words_near(line, behind, row)
                        : std::string();
  if (!both.empty()) {
    const auto without = words_with(line.words, behind + 1, {});
    return fmt::format("{}: did you mean {}?", what,
                       line_to_type(line.verb, words_with(without, behind, {both})));
  }
  const auto near = value_near(row, value);
  return near.empty()
             ? fmt::format("{}: {}", what, line_with_value(line, *option, sample_for(row)))
             : fmt::format("{}: did you mean {}?", what, line_with_value(line, *option, near));
}

}  // namespace spark::cli
