#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_line.hpp"

namespace spark::cli {
namespace {

/// The option that has this name with another verb, one that changes nothing first; none: no verb
/// has it, or the name is too short to say.
const OptionRow* option_elsewhere(std::string_view name) {
  const OptionRow* found = nullptr;
  if (!name.starts_with("--")) return found;
  for (const auto* verb : verbs()) {
    for (const auto& row : verb->options.rows) {
      if (!row.has_name(name)) continue;
      if (!changes_something(*verb)) return &row;
      if (found == nullptr) found = &row;
    }
  }
  return found;
}

/// The option of the verb that the name is a misspelling of, or has too few dashes for.
const OptionRow* option_near(const VerbSpec* verb, const std::string& name) {
  if (const auto* row = option_named(verb, "-" + name)) return row;
  std::vector<std::string_view> names;
  const auto add = [&](std::span<const OptionRow> rows) {
    for (const auto& row : rows) {
      if (!row.is_argument()) names.push_back(names_in(row).back());
    }
  };
  if (verb != nullptr) add(verb->options.rows);
  add(common_options());
  const auto near = closest(name, names);
  return near ? option_named(verb, *near) : nullptr;
}

/// The words with `row` in place of the option that was typed; a value that was typed stays.
std::string line_with_option(const TypedLine& line, const TypedOption& option,
                             const OptionRow& row) {
  std::vector<std::string> instead{long_name(row)};
  const bool is_last = option.at + 1 == line.words.size();
  if (row.value != &Value::kNone && option.value) instead.front() += "=" + *option.value;
  if (row.value != &Value::kNone && !option.value && is_last) instead.push_back(sample_for(row));
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
                         const std::vector<std::string>& instead) {
  const bool has_next = !option.value && !typed_value(line, option).empty();
  return line_to_type(words_with(has_next ? words_with(line.words, option.at + 1, {}) : line.words,
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
  const auto& verb = *line.verb;
  const auto value = typed_value(line, option);
  const auto words = arguments_of(verb);
  const bool takes_number = !words.empty() && words.front().value == &Value::kGeneration;
  const bool is_number = is_one_of(option.name, {"--to", "--generation", "--to-revision"});
  if (takes_number && is_number) {
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
  const auto* verb = line.verb;
  if (elsewhere != nullptr) {
    return fmt::format("it is an option of {0}: `spark-reconcile help {0}`",
                       owner_of(*elsewhere)->name);
  }
  if (verb == nullptr) return std::string(kListsVerbs);
  const auto list = fmt::format("`spark-reconcile help {}` lists those that it has", verb->name);
  // Without an option that holds it back, a verb may change more.
  return changes_something(*verb)
             ? list
             : fmt::format("leave it out: {}; {}", line_without(line, option, {}), list);
}

}  // namespace

std::string unknown_option(const TypedLine& line, const TypedOption& option) {
  const auto* verb = line.verb;
  // "-json" is one word, although its letters would be options.
  const auto& word = line.words[option.at];
  const auto name = word.starts_with("--") ? option.name : word.substr(0, word.find('='));
  const auto what = verb != nullptr
                        ? fmt::format("{} has no {}: ", line.words[line.verb_at], printable(name))
                        : fmt::format("there is no {}: ", printable(name));
  if (const auto* row = verb == nullptr ? nullptr : option_named(verb, option.name)) {
    return fmt::format("{} stands behind its verb: {}", option.name,
                       line_to_type(verb_and(*verb, with_sample(*row))));
  }
  if (verb != nullptr) {
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
  if (elsewhere != nullptr && !changes_something(*owner_of(*elsewhere))) {
    const auto& other = *owner_of(*elsewhere);
    auto words = with_sample(*elsewhere);
    const auto value = typed_value(line, option);
    const bool is_duration = elsewhere->value == &Value::kDuration && !value.empty();
    if (is_duration && duration_near(*elsewhere, value) == value) words.back() = value;
    return fmt::format("{}it is an option of {}: {}", what, other.name,
                       line_to_type(verb_and(other, words)));
  }
  if (const auto* row = option_near(verb, name)) {
    return fmt::format("{}did you mean {}?", what, line_with_option(line, option, *row));
  }
  return what + advice_on_others(line, option, elsewhere);
}

}  // namespace spark::cli
