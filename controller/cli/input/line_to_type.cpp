#include "cli/input/line_to_type.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

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
  return std::ranges::any_of(line.options, [&](const TypedOption& option) {
    return option.row != nullptr && has_name(*option.row, name);
  });
}

/// The words, and the options that the verb does nothing without.
std::vector<std::string> completed(Verb verb, std::vector<std::string> words) {
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
  const bool has_shape =
      std::ranges::any_of(kShapes, [&](auto shape) { return has_option(line, shape); });
  if (verb == Verb::kInit && !has_shape) words.emplace_back(kShapes.front());
  return words;
}

}  // namespace

std::string line_to_type(std::optional<Verb> verb, const std::vector<std::string>& typed) {
  const auto words = verb ? completed(*verb, typed) : typed;
  const bool hears_others = std::ranges::find(words, kShapes.front()) != words.end();
  std::string line =
      verb && (needs_root(*verb) || hears_others) ? "sudo spark-reconcile" : "spark-reconcile";
  for (const auto& word : words) line += " " + shell_word(word);
  return "`" + printable(line, kLongestLine) + "`";
}

std::string line_with(const TypedLine& line, std::size_t at,
                      const std::vector<std::string>& instead) {
  return line_to_type(line.verb, words_with(line.words, at, instead));
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
