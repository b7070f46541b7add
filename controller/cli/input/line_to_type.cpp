#include "cli/input/line_to_type.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/arguments.hpp"

namespace spark::cli {
namespace {

/// A line that is longer is no help.
constexpr std::size_t kLongestLine = 200;

/// Values that say more than those of their kind.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSamples{{
    {"--file", "cluster.yaml"},
    {"--against", "old.yaml"},
    {"--diff", "old.yaml"},
    {"--facts", "facts.json"},
    {"--branch", "main"},
    {"--path", "cluster.yaml"},
    {"--change-id", "CHG0031"},
}};

/// `init` writes nothing without one of them.
constexpr std::array<std::string_view, 5> kShapes{"--discover", "--from-host", "--pair", "--ring",
                                                  "--switch"};

bool has_option(const TypedLine& line, std::string_view name) {
  return typed_option(line, name) != nullptr;
}

/// "--names spark1,spark2": a pair, a ring of three or four, or a switch.
std::vector<std::string> shape_for(const TypedLine& line) {
  const auto* names = typed_option(line, "--names");
  if (names == nullptr || !names->value) return {std::string(kShapes.front())};
  const auto count = split(*names->value, ',').size();
  if (count <= 2) return {"--pair"};
  return {count <= 4 ? "--ring" : "--switch", std::to_string(count)};
}

/// The words, and the options that the verb does nothing without. What `apply` has as a word is a
/// saved plan, which no file of a cluster is.
std::vector<std::string> completed(Verb verb, std::vector<std::string> words) {
  const TypedLine typed(words);
  if (verb == Verb::kApply && !typed.arguments.empty() && !has_option(typed, "--file") &&
      is_name_of_yaml(typed.arguments.front().text)) {
    const auto& file = typed.arguments.front();
    words = words_with(std::move(words), file.at, {"-f", file.text});
  }
  if (!typed.options.empty() && typed.options.back().waits()) {
    words.push_back(sample_for(*typed.options.back().row));
  }
  const TypedLine line(words);
  for (const auto& row : options_of(verb)) {
    if (row.required && !has_option(line, long_name(row))) {
      std::ranges::copy(with_sample(row), std::back_inserter(words));
    }
  }
  if (verb == Verb::kMute && !line.arguments.empty() && !has_option(line, "--end")) {
    for (const auto* name : {"--for", "--why"}) {
      if (has_option(line, name)) continue;
      std::ranges::copy(with_sample(*option_named(verb, name)), std::back_inserter(words));
    }
  }
  if (verb == Verb::kInit && shapes_in(line).empty()) {
    std::ranges::copy(shape_for(line), std::back_inserter(words));
  }
  const bool is_of_cluster = has_option(line, "--nodes") || has_option(line, "--digest");
  if (verb == Verb::kWait && is_of_cluster && !has_option(line, "--cluster")) {
    words.emplace_back("--cluster");
  }
  return words;
}

std::string line_of(std::string line, const std::vector<std::string>& words) {
  for (const auto& word : words) line += " " + shell_word(word);
  return "`" + printable(line, kLongestLine) + "`";
}

}  // namespace

std::string line_to_type(std::optional<Verb> verb, const std::vector<std::string>& typed) {
  const auto words = verb ? completed(*verb, typed) : typed;
  const bool hears_others = std::ranges::find(words, kShapes.front()) != words.end();
  return line_of(
      verb && (needs_root(*verb) || hears_others) ? "sudo spark-reconcile" : "spark-reconcile",
      words);
}

std::string line_for_root(const std::vector<std::string>& typed) {
  return line_of("sudo spark-reconcile", typed);
}

std::string line_with(const TypedLine& line, std::size_t at,
                      const std::vector<std::string>& instead) {
  return line_to_type(line.verb, words_with(line.words, at, instead));
}

std::string line_with_value(const TypedLine& line, const TypedOption& option,
                            const std::string& value) {
  const bool is_next = option.at + 1 < line.words.size() && line.words[option.at] == option.name &&
                       line.words[option.at + 1] == option.value;
  return is_next ? line_with(line, option.at + 1, {value})
                 : line_with(line, option.at, {option.name, value});
}

std::string line_on(std::string_view node, Verb verb) {
  return fmt::format("`ssh -t {} {}", node,
                     line_for_root(completed(verb, verb_and(verb, {}))).substr(1));
}

std::vector<std::string> words_with(std::vector<std::string> words, std::size_t at,
                                    const std::vector<std::string>& others) {
  const auto place = words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  words.insert(place, others.begin(), others.end());
  return words;
}

std::vector<std::string> verb_and(Verb verb, const std::vector<std::string>& words) {
  std::vector<std::string> all{std::string(name_of(verb))};
  std::ranges::copy(words, std::back_inserter(all));
  return all;
}

const TypedOption* typed_option(const TypedLine& line, std::string_view name) {
  const auto found = std::ranges::find_if(line.options, [&](const TypedOption& option) {
    return option.row != nullptr && has_name(*option.row, name);
  });
  return found == line.options.end() ? nullptr : &*found;
}

std::vector<std::string> shapes_in(const TypedLine& line) {
  std::vector<std::string> shapes;
  for (const auto shape : kShapes) {
    if (typed_option(line, shape) != nullptr) shapes.emplace_back(shape);
  }
  return shapes;
}

bool is_name_of_yaml(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml");
}

std::string long_name(const OptionRow& row) { return std::string(names_in(row).back()); }

std::string sample_for(const OptionRow& row) {
  const auto* const found = std::ranges::find(
      kSamples, names_in(row).back(), &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == kSamples.end() ? sample_of(row.value) : found->second);
}

std::vector<std::string> with_sample(const OptionRow& row) {
  std::vector<std::string> words{long_name(row)};
  if (row.value != Value::kNone) words.push_back(sample_for(row));
  return words;
}

}  // namespace spark::cli
