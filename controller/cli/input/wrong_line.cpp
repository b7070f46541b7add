#include "cli/input/wrong_line.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
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

constexpr std::string_view kListsVerbs = "`spark-reconcile help` lists those that there are";

/// The dash that an editor or a page made of two: "—yes". Empty: the word begins with none.
std::string_view long_dash_of(std::string_view word) {
  constexpr std::array<std::string_view, 4> kDashes{"\u2014", "\u2013", "\u2012", "\u2212"};
  const auto found =
      std::ranges::find_if(kDashes, [&](std::string_view dash) { return word.starts_with(dash); });
  return found == kDashes.end() ? std::string_view() : *found;
}

/// What people mean by the word in the place of the verb, and by the next: "service restart",
/// "delete node spark2". Empty: no row has it.
std::string meant_by_words(const TypedWords& words, std::size_t at) {
  const auto word_at = [&](std::size_t i) {
    return i < words.size() && !words[i].starts_with('-') ? words[i] : std::string();
  };
  const auto next = ascii_lower(word_at(at + 1));
  const bool says_node = next == "node" || next == "nodes";
  const auto node = word_at(says_node ? at + 2 : at + 1);
  if (may_be_node(node)) {
    constexpr std::string_view kPlace = "NODE";
    std::string advice(meant_by_verb(words[at] + " node"));
    const auto place = advice.find(kPlace);
    if (place != std::string::npos) return advice.replace(place, kPlace.size(), node);
  }
  const auto both = meant_by_verb(words[at] + " " + next);
  return std::string(both.empty() ? meant_by_verb(words[at]) : both);
}

std::string no_such_verb(const TypedWords& words, std::size_t at) {
  const auto& word = words[at];
  const auto what = fmt::format("there is no verb {}: ", in_quotes(word));
  if (is_name_of_yaml(word)) {
    return what +
           fmt::format("the cluster's file is named by -f: {}",
                       line_to_type(Verb::kPlan, words_with(words, at, {"plan", "-f", word})));
  }
  if (const auto meant = meant_by_words(words, at); !meant.empty()) return what + meant;
  std::vector<std::string_view> names{kHelpVerb};
  for (const auto& row : verbs()) names.push_back(row.name);
  const auto near = closest(word, names);
  return near ? fmt::format(
                    "{}did you mean {}?", what,
                    line_to_type(verb_named(*near), words_with(words, at, {std::string(*near)})))
              : what + std::string(kListsVerbs);
}

std::string fault_of_verb(const TypedLine& line) {
  if (line.verb || line.is_help) return {};
  const auto unknown = std::ranges::find(line.options, nullptr, &TypedOption::row);
  const bool is_unknown = unknown != line.options.end();
  // What stands behind an option that only some verb has is its value.
  const bool is_value = is_unknown && !line.before.empty() && unknown->at < line.before.front().at;
  if (!line.before.empty() && !is_value) return no_such_verb(line.words, line.before.front().at);
  return is_unknown ? ""
                    : fmt::format("a verb is missing: {} shows what differs from the file",
                                  line_to_type(Verb::kPlan, verb_and(Verb::kPlan, line.words)));
}

/// It changes this machine, or writes a file.
bool changes_something(Verb verb) {
  return needs_root(verb) || verb == Verb::kInit || verb == Verb::kRollout;
}

/// The option that has this name with another verb, one that changes nothing first; none: no verb
/// has it, or the name is too short to say.
const OptionRow* option_elsewhere(std::string_view name) {
  const OptionRow* found = nullptr;
  for (const auto& row : options()) {
    if (!row.verb || !name.starts_with("--") || !has_name(row, name)) continue;
    if (!changes_something(*row.verb)) return &row;
    if (found == nullptr) found = &row;
  }
  return found;
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

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// What was typed as the value of an option that is not known; empty: nothing.
std::string typed_value(const TypedLine& line, const TypedOption& option) {
  if (option.value) return *option.value;
  const auto next = option.at + 1;
  const bool is_word = next < line.words.size() && !line.words[next].starts_with('-');
  return is_word ? line.words[next] : std::string();
}

/// The line with other words in place of the option, and without its value.
std::string line_without(const TypedLine& line, const TypedOption& option,
                         const TypedWords& instead) {
  const bool has_next = !option.value && !typed_value(line, option).empty();
  return line_to_type(line.verb,
                      words_with(has_next ? words_with(line.words, option.at + 1, {}) : line.words,
                                 option.at, instead));
}

/// "-o json", as kubectl has it, where `-o` of this program is a file or nothing.
std::string advice_on_output(const TypedLine& line, const TypedOption& option) {
  const auto value = typed_value(line, option);
  if (!is_one_of(option.name, {"-o", "--output", "--format"})) return {};
  if (is_one_of(value, {"json", "yaml"})) {
    return fmt::format("JSON is printed by --json: {}", line_without(line, option, {"--json"}));
  }
  return is_one_of(value, {"wide", "text", "table", "name"})
             ? fmt::format("leave it out: {}", line_without(line, option, {}))
             : "";
}

/// An option for what is a word here, or the value of another option; empty: it is none.
std::string advice_on_form(const TypedLine& line, const TypedOption& option) {
  const auto verb = *line.verb;
  const auto value = typed_value(line, option);
  const bool takes_number = std::ranges::any_of(
      arguments_of(verb), [](const OptionRow& row) { return row.value == Value::kGeneration; });
  const bool is_number = is_one_of(option.name, {"--to", "--generation", "--to-revision"});
  if (takes_number && is_number && verb == Verb::kRollback) {
    return fmt::format("the number stands alone: {}",
                       line_without(line, option, {value.empty() ? "3" : value}));
  }
  if (!option.name.starts_with("--")) return {};
  const auto word = option.name.substr(2);
  const auto* row = option_without_dashes(verb, word);
  return row == nullptr ? ""
                        : fmt::format("it is a value: {}",
                                      line_with(line, option.at, {long_name(*row), word}));
}

/// An option that names the node for a verb that is about the machine that it runs on.
std::string advice_on_other_node(const TypedLine& line, const TypedOption& option) {
  const bool names_node = is_one_of(option.name, {"--node-name", "--nodes", "--names", "--host",
                                                  "--hosts", "--hostname", "--on", "--limit"});
  const auto node = typed_value(line, option);
  return names_node && may_be_node(node) ? advice_to_go_there(*line.verb, node) : "";
}

/// The last that can be said of an option.
std::string advice_on_others(const TypedLine& line, const TypedOption& option,
                             const OptionRow* elsewhere) {
  const auto verb = line.verb;
  if (elsewhere != nullptr) {
    return fmt::format("it is an option of {0}: `spark-reconcile help {0}`",
                       name_of(*elsewhere->verb));
  }
  if (!verb) return std::string(kListsVerbs);
  const auto list =
      fmt::format("`spark-reconcile help {}` lists those that it has", name_of(*verb));
  // Without an option that holds it back, a verb may change more.
  return changes_something(*verb)
             ? list
             : fmt::format("leave it out: {}; {}", line_without(line, option, {}), list);
}

std::string unknown_option(const TypedLine& line, const TypedOption& option) {
  const auto verb = line.verb;
  // "-json" is one word, although its letters would be options.
  const auto& word = line.words[option.at];
  const auto name = word.starts_with("--") ? option.name : word.substr(0, word.find('='));
  const auto what = verb ? fmt::format("{} has no {}: ", line.words[line.verb_at], printable(name))
                         : fmt::format("there is no {}: ", printable(name));
  if (const auto* row = option_named(verb, option.name)) {
    return fmt::format("{} stands behind its verb: {}", option.name,
                       line_to_type(verb, verb_and(*verb, with_sample(*row))));
  }
  if (verb) {
    for (const auto advice : {advice_on_output, advice_on_form, advice_on_other_node}) {
      if (const auto text = advice(line, option); !text.empty()) return what + text;
    }
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
  if (elsewhere != nullptr && !changes_something(*elsewhere->verb)) {
    return fmt::format(
        "{}it is an option of {}: {}", what, name_of(*elsewhere->verb),
        line_to_type(elsewhere->verb, verb_and(*elsewhere->verb, with_sample(*elsewhere))));
  }
  if (const auto* row = option_near(verb, name)) {
    return fmt::format("{}did you mean {}?", what, line_with_option(line, option, *row));
  }
  return what + advice_on_others(line, option, elsewhere);
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

/// "--names spark1 spark2".
std::string fault_of_names(const TypedLine& line) {
  for (const auto& option : line.options) {
    const bool is_list = option.row != nullptr && option.row->value == Value::kNames;
    if (!is_list || !option.value || line.words[option.at] != option.name) continue;
    auto words = line.words;
    const auto at = option.at + 1;
    const auto is_next = [&](const TypedArgument& argument) { return argument.at == at + 1; };
    if (std::ranges::none_of(line.arguments, is_next)) continue;
    while (at + 1 < words.size() && may_be_node(words[at + 1])) {
      words[at] += (words[at].ends_with(',') ? "" : ",") + words[at + 1];
      words = words_with(std::move(words), at + 1, {});
    }
    if (words != line.words) {
      return fmt::format("names have commas between them: {}", line_to_type(line.verb, words));
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
                      : fmt::format("{} does not take {}: {}", line.words[line.verb_at],
                                    in_quotes(extra.text), advice_on_word(line, taken));
}

std::string fault_of_required(const TypedLine& line) {
  if (!line.verb) return {};
  for (const auto& row : options_of(*line.verb)) {
    const auto is_it = [&](const TypedOption& option) {
      return option.row != nullptr && option.row->names == row.names;
    };
    if (row.required && std::ranges::none_of(line.options, is_it)) {
      return fmt::format("{} needs {} {}: {}", name_of(*line.verb), long_name(row),
                         name_of(row.value), line_to_type(line.verb, line.words));
    }
  }
  return {};
}

}  // namespace

std::string fault_of_dashes(const TypedLine& line) {
  for (const auto* words : {&line.before, &line.arguments}) {
    for (const auto& argument : *words) {
      const auto dash = long_dash_of(argument.text);
      if (dash.empty()) continue;
      const auto name = argument.text.find_first_not_of('-', dash.size());
      if (name == std::string::npos) continue;
      return fmt::format("{} begins with a long dash: {}", in_quotes(argument.text),
                         line_with(line, argument.at, {"--" + argument.text.substr(name)}));
    }
  }
  return {};
}

std::string why_not_read(const std::vector<std::string>& all) {
  // The mark behind which all are arguments is in no line that is better without it.
  auto words = all;
  std::erase(words, "--");
  const TypedLine line(words);
  for (const auto fault :
       {fault_of_dashes, fault_of_blanks, fault_of_empty_words, fault_of_verb, fault_of_options,
        fault_of_names, fault_of_arguments, fault_of_required}) {
    if (auto text = fault(line); !text.empty()) return text;
  }
  return fmt::format(
      "{}: {}", all == words ? "this is not understood" : "leave out '--'",
      line_to_type(line.verb, all == words ? TypedWords{std::string(kHelpVerb)} : words));
}

std::string why_no_help(const std::string& word) {
  const auto what = fmt::format("there is no verb {}: ", in_quotes(word));
  const auto help_on = [](std::string_view verb) {
    return fmt::format("`spark-reconcile {} {}`", kHelpVerb, verb);
  };
  // Who asks what a verb does is not shown the line that does it.
  constexpr std::string_view kProgram = "spark-reconcile ";
  const auto meant = meant_by_verb(word);
  if (const auto at = meant.find(kProgram); at != std::string_view::npos) {
    const auto line = meant.substr(at + kProgram.size());
    const auto verb = line.substr(0, line.find_first_of(" `"));
    if (verb_named(verb)) return what + help_on(verb);
  }
  std::vector<std::string_view> names;
  for (const auto& row : verbs()) names.push_back(row.name);
  const auto near = closest(word, names);
  return what + (near ? fmt::format("did you mean {}?", help_on(*near)) : std::string(kListsVerbs));
}

}  // namespace spark::cli
