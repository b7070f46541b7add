#include "cli/input/wrong_line.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "state/pause.hpp"

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
      return fmt::format("a blank too many after {}: {}", words[i], line_to_type(joined));
    }
  }
  return {};
}

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
    return what + fmt::format("the cluster's file is named by -f: {}",
                              line_to_type(words_with(words, at, {"plan", "-f", word})));
  }
  if (const auto meant = meant_by_words(words, at); !meant.empty()) return what + meant;
  std::vector<std::string_view> names{kHelpVerb};
  for (const auto* verb : verbs()) names.push_back(verb->name);
  const auto near = closest(word, names);
  return near ? fmt::format("{}did you mean {}?", what,
                            line_to_type(words_with(words, at, {std::string(*near)})))
              : what + std::string(kListsVerbs);
}

std::string fault_of_verb(const TypedLine& line) {
  if (line.verb != nullptr || line.is_help) return {};
  const auto unknown = std::ranges::find(line.options, nullptr, &TypedOption::row);
  const bool is_unknown = unknown != line.options.end();
  // What stands behind an option that only some verb has is its value.
  const bool is_value = is_unknown && !line.before.empty() && unknown->at < line.before.front().at;
  if (!line.before.empty() && !is_value) return no_such_verb(line.words, line.before.front().at);
  return is_unknown ? ""
                    : fmt::format("a verb is missing: {} shows what differs from the file",
                                  line_to_type(verb_and(*verb_named("plan"), line.words)));
}

std::string missing_value(const TypedLine& line, const TypedOption& option) {
  const auto& word = line.words[option.at];
  const bool is_glued = word.ends_with('=');
  const auto sample = sample_for(*option.row);
  auto words = words_with(line.words, option.at,
                          is_glued ? TypedWords{word + sample} : TypedWords{word, sample});
  const auto next = words.begin() + static_cast<std::ptrdiff_t>(option.at) + 2;
  if (option.value && !is_glued) words.erase(next);  // the empty word
  return fmt::format("{} needs {}{}: {}", option.name, described(*option.row->value),
                     option.value ? kIsEmpty : "", line_to_type(words));
}

/// Another value of the same option stands before it.
bool is_repeated(const TypedLine& line, const TypedOption& option) {
  return option.row->value != &Value::kNone &&
         std::ranges::any_of(line.options, [&](const TypedOption& other) {
           return other.at < option.at && other.row != nullptr &&
                  other.row->names == option.row->names;
         });
}

std::string repeated_option(const TypedLine& line, const TypedOption& option) {
  auto words = words_with(line.words, option.at, {});
  const bool is_glued = line.words[option.at] != option.name;
  if (!is_glued) words = words_with(std::move(words), option.at, {});
  return fmt::format("{} is given twice: {}", long_name(*option.row), line_to_type(words));
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
    if (row->value == &Value::kNone && option.value &&
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
                         found->at + 1, line_to_type(others));
    }
  }
  return {};
}

std::string fault_of_arguments(const TypedLine& line) {
  const std::size_t taken = line.is_help           ? 1
                            : line.verb != nullptr ? arguments_of(*line.verb).size()
                                                   : 0;
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
  if (line.verb == nullptr) return {};
  for (const auto& row : line.verb->options.rows) {
    const auto is_it = [&](const TypedOption& option) {
      return option.row != nullptr && option.row->names == row.names;
    };
    if (row.required && std::ranges::none_of(line.options, is_it)) {
      return fmt::format("{} needs {} {}: {}", line.verb->name, long_name(row), row.value->name,
                         line_to_type(line.words));
    }
  }
  return {};
}

}  // namespace

std::string fault_of_names(const TypedLine& line) {
  for (const auto& option : line.options) {
    const bool is_list = option.row != nullptr && option.row->value == &Value::kNames;
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
      return fmt::format("names have commas between them: {}", line_to_type(words));
    }
  }
  return {};
}

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
  return fmt::format("{}: {}", all == words ? "this is not understood" : "leave out '--'",
                     line_to_type(all == words ? TypedWords{std::string(kHelpVerb)} : words));
}

std::string fault_of_why(const std::string& why) {
  return printable(why) == printable(why, state::kLongestReason)
             ? ""
             : fmt::format(
                   "--why has more than {} characters: shorten it; a link to the ticket is "
                   "enough",
                   state::kLongestReason);
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
    if (verb_named(verb) != nullptr) return what + help_on(verb);
  }
  std::vector<std::string_view> names;
  for (const auto* verb : verbs()) names.push_back(verb->name);
  const auto near = closest(word, names);
  return what + (near ? fmt::format("did you mean {}?", help_on(*near)) : std::string(kListsVerbs));
}

}  // namespace spark::cli
