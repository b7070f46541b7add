#include "cli/input/wrong_line.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/line_to_type.hpp"
#include "cli/input/meant.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_word.hpp"

namespace spark::cli {
namespace {

using TypedWords = std::vector<std::string>;

constexpr std::string_view kIsEmpty = ", and got an empty word (a variable that is not set?)";

/// "export --format = json".
std::string fault_of_blanks(const TypedLine& line) {
  const auto& words = line.words;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i].starts_with("--") && words[i + 1] == "=") {
      const auto value = i + 2 < words.size() ? words[i + 2] : "VALUE";
      auto joined = words_with(words, i, {words[i] + "=" + value});
      const auto after = joined.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      joined.erase(after, after + std::min<std::ptrdiff_t>(2, joined.end() - after));
      return fmt::format("a blank too many after {}: {}", words[i],
                         line_to_type(line.verb, joined));
    }
  }
  return {};
}

std::string no_such_verb(const TypedWords& words, std::size_t at) {
  const auto& word = words[at];
  const auto what = fmt::format("there is no verb {}: ", in_quotes(word));
  if (is_name_of_yaml(word)) {
    return what +
           fmt::format("the cluster's file is named by -f: {}",
                       line_to_type(Verb::kPlan, words_with(words, at, {"plan", "-f", word})));
  }
  if (const auto meant = meant_by_verb(word); !meant.empty()) return what + std::string(meant);
  std::vector<std::string_view> names{kHelpVerb};
  for (const auto& row : verbs()) names.push_back(row.name);
  const auto near = closest(word, names);
  return near ? fmt::format(
                    "{}did you mean {}?", what,
                    line_to_type(verb_named(*near), words_with(words, at, {std::string(*near)})))
              : what + "`spark-reconcile help` lists those that there are";
}

std::string fault_of_verb(const TypedLine& line) {
  if (line.verb || line.is_help) return {};
  if (!line.before.empty()) return no_such_verb(line.words, line.before.front().at);
  const bool all_known =
      std::ranges::all_of(line.options, [](const TypedOption& option) { return option.row; });
  return all_known ? fmt::format("a verb is missing: {} shows what differs from the file",
                                 line_to_type({}, verb_and(Verb::kPlan, line.words)))
                   : "";
}

/// The option that has this name with another verb; none: no verb has it, or the name is too short
/// to say.
const OptionRow* option_elsewhere(std::string_view name) {
  const auto rows = options();
  const auto found = std::ranges::find_if(rows, [&](const OptionRow& row) {
    return row.verb && name.starts_with("--") && has_name(row, name);
  });
  return found == rows.end() ? nullptr : &*found;
}

/// The option of the verb that the name is a misspelling of, or has too few dashes for.
const OptionRow* option_near(std::optional<Verb> verb, const std::string& name) {
  if (const auto* row = option_named(verb, "-" + name)) return row;
  std::vector<std::string_view> names;
  for (const auto& row : options()) {
    const bool is_here = !row.verb || row.verb == verb;
    if (is_here && !row.is_argument()) names.push_back(names_in(row).back());
  }
  const auto near = closest(name, names);
  return near ? option_named(verb, *near) : nullptr;
}

/// The words with `row` in place of the option that was typed; a value that was typed stays.
std::string line_with_option(const TypedLine& line, const TypedOption& option,
                             const OptionRow& row) {
  TypedWords instead{long_name(row)};
  const bool is_last = option.at + 1 == line.words.size();
  if (row.value != Value::kNone && option.value) instead.front() += "=" + *option.value;
  if (row.value != Value::kNone && !option.value && is_last) instead.push_back(sample_for(row));
  return line_with(line, option.at, instead);
}

std::string unknown_option(const TypedLine& line, const TypedOption& option) {
  const auto verb = line.verb;
  // "-json" is one word, although its letters would be options.
  const auto& word = line.words[option.at];
  const auto name = word.starts_with("--") ? option.name : word.substr(0, word.find('='));
  const auto what = verb ? fmt::format("{} has no {}: ", name_of(*verb), printable(name))
                         : fmt::format("there is no {}: ", printable(name));
  if (const auto* row = option_named(verb, option.name)) {
    return fmt::format("{} stands behind its verb: {}", option.name,
                       line_to_type(verb, verb_and(*verb, with_sample(*row))));
  }
  if (const auto* row = same_option(verb, name)) {
    return fmt::format("{}here it is {}: {}", what, long_name(*row),
                       line_with_option(line, option, *row));
  }
  if (const auto meant = meant_by_option(verb, name); !meant.empty()) {
    return what + std::string(meant);
  }
  if (name == "--yes" || name == "-y") {
    return fmt::format("{}it asks nothing: {}", what, line_with(line, option.at, {}));
  }
  // Who wants this verb is not sent to another that changes something.
  const auto* elsewhere = option_elsewhere(name);
  if (elsewhere != nullptr && !needs_root(*elsewhere->verb)) {
    return fmt::format(
        "{}it is an option of {}: {}", what, name_of(*elsewhere->verb),
        line_to_type(elsewhere->verb, verb_and(*elsewhere->verb, with_sample(*elsewhere))));
  }
  if (const auto* row = option_near(verb, name)) {
    return fmt::format("{}did you mean {}?", what, line_with_option(line, option, *row));
  }
  return what +
         (verb ? fmt::format("`spark-reconcile help {}` lists those that it has", name_of(*verb))
               : "`spark-reconcile help` lists those that there are");
}

std::string missing_value(const TypedLine& line, const TypedOption& option) {
  const auto& word = line.words[option.at];
  const bool is_glued = word.ends_with('=');
  const auto sample = sample_for(*option.row);
  auto words = words_with(line.words, option.at,
                          is_glued ? TypedWords{word + sample} : TypedWords{word, sample});
  const auto next = words.begin() + static_cast<std::ptrdiff_t>(option.at) + 2;
  if (option.value && !is_glued) words.erase(next);  // the empty word
  return fmt::format("{} needs {}{}: {}", option.name, described(option.row->value),
                     option.value ? kIsEmpty : "", line_to_type(line.verb, words));
}

/// Another value of the same option stands before it.
bool is_repeated(const TypedLine& line, const TypedOption& option) {
  return option.row->value != Value::kNone &&
         std::ranges::any_of(line.options, [&](const TypedOption& other) {
           return other.at < option.at && other.row != nullptr &&
                  other.row->names == option.row->names;
         });
}

std::string repeated_option(const TypedLine& line, const TypedOption& option) {
  auto words = words_with(line.words, option.at, {});
  const bool is_glued = line.words[option.at] != option.name;
  if (!is_glued) words = words_with(std::move(words), option.at, {});
  return fmt::format("{} is given twice: {}", long_name(*option.row),
                     line_to_type(line.verb, words));
}

std::string fault_of_options(const TypedLine& line) {
  constexpr std::array<std::string_view, 8> kOfFlags{"true", "false", "yes", "no",
                                                     "on",   "off",   "1",   "0"};
  for (const auto& option : line.options) {
    const auto* row = option.row;
    if (row == nullptr) return unknown_option(line, option);
    if (option.waits() || (option.value && option.value->empty())) {
      return missing_value(line, option);
    }
    if (is_repeated(line, option)) return repeated_option(line, option);
    if (row->value == Value::kNone && option.value &&
        std::ranges::find(kOfFlags, *option.value) == kOfFlags.end()) {
      return fmt::format("{} takes no value: {}", option.name,
                         line_with(line, option.at, {option.name}));
    }
  }
  return {};
}

/// A word that is the value of no option.
std::string fault_of_empty_words(const TypedLine& line) {
  for (const auto* words : {&line.before, &line.arguments}) {
    const auto found = std::ranges::find(*words, "", &TypedArgument::text);
    if (found != words->end()) {
      auto others = line.words;
      std::erase(others, "");
      if (others.empty()) others.emplace_back(kHelpVerb);
      return fmt::format("word {} is empty (a variable that is not set?): leave it out, {}",
                         found->at + 1, line_to_type(line.verb, others));
    }
  }
  return {};
}

std::string fault_of_arguments(const TypedLine& line) {
  const std::size_t taken = line.is_help ? 1 : line.verb ? arguments_of(*line.verb).size() : 0;
  if (line.arguments.size() <= taken) {
    return line.before.empty() ? "" : no_such_verb(line.words, line.before.front().at);
  }
  const auto& extra = line.arguments[taken];
  return line.is_help ? fmt::format("help takes one verb, not also {}: {}", in_quotes(extra.text),
                                    line_with(line, extra.at, {}))
                      : fmt::format("{} does not take {}: {}", name_of(*line.verb),
                                    in_quotes(extra.text), advice_on_word(line, taken));
}

std::string fault_of_required(const TypedLine& line) {
  if (!line.verb) return {};
  for (const auto& row : options_of(*line.verb)) {
    const auto is_it = [&](const TypedOption& option) {
      return option.row != nullptr && option.row->names == row.names;
    };
    if (row.required && std::ranges::none_of(line.options, is_it)) {
      return fmt::format("{} needs {}, {}: {}", name_of(*line.verb), long_name(row),
                         described(row.value), line_to_type(line.verb, line.words));
    }
  }
  return {};
}

}  // namespace

std::string why_not_read(const std::vector<std::string>& all) {
  // The mark behind which all are arguments is in no line that is better without it.
  auto words = all;
  std::erase(words, "--");
  const TypedLine line(words);
  for (const auto fault : {fault_of_blanks, fault_of_empty_words, fault_of_verb, fault_of_options,
                           fault_of_arguments, fault_of_required}) {
    if (auto text = fault(line); !text.empty()) return text;
  }
  return fmt::format(
      "{}: {}", all == words ? "this is not understood" : "leave out '--'",
      line_to_type(line.verb, all == words ? TypedWords{std::string(kHelpVerb)} : words));
}

std::string why_no_verb(const std::string& word) { return no_such_verb({word}, 0); }

}  // namespace spark::cli
