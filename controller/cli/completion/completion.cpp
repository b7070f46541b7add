#include "cli/completion/completion.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {
namespace {

/// A word as the shell will pass it on. A quote that is still open ends with the word.
std::string unquoted(std::string_view typed) {
  std::string word;
  char quote = '\0';
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < typed.size();
    if (escapes) {
      word += typed[++i];
    } else if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
      quote = quote == '\0' ? c : '\0';
    } else {
      word += c;
    }
  }
  return word;
}

std::vector<std::string> unquoted_before(const std::vector<std::string>& words) {
  std::vector<std::string> before;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) before.push_back(unquoted(words[i]));
  return before;
}

/// What the words before the last one say about it.
class Position {
 public:
  explicit Position(const std::vector<std::string>& words)
      : line_(unquoted_before(words)), prefix_(words.empty() ? "" : unquoted(words.back())) {
    if (line_.verb != nullptr && line_.verb->options.make != nullptr) {
      typed_.own = line_.verb->options.make();
    }
    for (const auto& option : line_.options) {
      if (option.row != nullptr && option.value) store(*option.row, *option.value);
    }
  }

  [[nodiscard]] Completion candidates(const LiveValues& live) const {
    if (!line_.options.empty() && line_.options.back().waits()) {
      return values_of(*line_.options.back().row->value, prefix_, live);
    }
    const bool is_option = prefix_.starts_with('-') && !line_.only_arguments;
    if (const auto equals = prefix_.find('='); is_option && equals != std::string::npos) {
      const auto* option = option_named(line_.verb, prefix_.substr(0, equals));
      return option == nullptr ? Completion{}
                               : values_of(*option->value, prefix_.substr(equals + 1), live);
    }
    if (is_option) return {.candidates = option_names()};
    return argument(live);
  }

  [[nodiscard]] const Arguments& typed() const { return typed_; }

 private:
  void store(const OptionRow& option, const std::string& value) {
    const auto* text = std::get_if<std::string& (*)(const Filled&)>(&option.member);
    if (text != nullptr) (*text)({typed_, typed_.own}) = value;
  }

  /// -v can be given again.
  [[nodiscard]] bool is_over(const OptionRow& option) const {
    const auto name = names_in(option).back();
    return !std::holds_alternative<int& (*)(const Filled&)>(option.member) &&
           std::ranges::any_of(line_.options, [&](const TypedOption& typed) {
             return typed.row != nullptr && names_in(*typed.row).back() == name;
           });
  }

  [[nodiscard]] std::vector<Candidate> option_names() const {
    const auto common = common_options();
    std::vector<OptionRow> rows(common.begin(), common.end());
    if (line_.verb != nullptr) {
      rows.assign(line_.verb->options.rows.begin(), line_.verb->options.rows.end());
      std::ranges::copy(common_options(*line_.verb), std::back_inserter(rows));
    }
    std::vector<Candidate> found;
    for (const auto& row : rows) {
      if (row.is_argument() || is_over(row)) continue;
      for (const auto name : names_in(row)) add(found, name, row.about);
    }
    return found;
  }

  /// A verb, or what the verb does not name by an option.
  [[nodiscard]] Completion argument(const LiveValues& live) const {
    const auto stand_before = line_.arguments.size();
    if (line_.is_help) {
      return stand_before == 0 ? values_of(Value::kVerb, prefix_, live) : Completion{};
    }
    if (line_.verb == nullptr) {
      return {.candidates = verb_names()};
    }
    const auto rows = arguments_of(*line_.verb);
    if (stand_before < rows.size()) {
      return values_of(*rows[stand_before].value, prefix_, live);
    }
    // Nothing but an option can follow.
    return prefix_.empty() && !line_.only_arguments ? Completion{.candidates = option_names()}
                                                    : Completion{};
  }

  [[nodiscard]] std::vector<Candidate> verb_names() const {
    std::vector<Candidate> found;
    for (const auto* verb : verbs()) {
      add(found, verb->name, verb->about);
      if (!verb->alias.empty()) {
        add(found, verb->alias, verb->about);
      }
    }
    add(found, kHelpVerb, kHelpAbout);
    return found;
  }

  void add(std::vector<Candidate>& found, std::string_view text, std::string_view about) const {
    if (text.starts_with(prefix_)) found.push_back({std::string(text), std::string(about)});
  }

  [[nodiscard]] Completion values_of(const Value& value, std::string_view prefix,
                                     const LiveValues& live) const {
    Completion completion;
    if (&value == &Value::kFile) {
      completion.paths = Paths::kFiles;
    } else if (&value == &Value::kDirectory) {
      completion.paths = Paths::kDirectories;
    } else if (&value == &Value::kNode) {
      completion.candidates = live.nodes(typed_);
    } else if (&value == &Value::kNames) {
      const auto before = prefix.substr(0, prefix.rfind(',') + 1);
      for (const auto& node : live.nodes(typed_)) {
        if (has_item(before, ',', node.text)) continue;
        completion.candidates.push_back({std::string(before) + node.text, node.about});
      }
    } else if (&value == &Value::kGeneration) {
      completion.candidates = live.generations(typed_);
    } else if (&value == &Value::kWord) {
      completion.candidates = live.words(typed_);
    } else if (&value == &Value::kAlert) {
      completion.candidates = live.alerts(typed_);
    } else if (&value == &Value::kVerb) {
      for (const auto* verb : verbs()) {
        completion.candidates.push_back({std::string(verb->name), std::string(verb->about)});
      }
    } else {
      for (const auto& word : value.words) {
        completion.candidates.push_back({std::string(word.text), std::string(word.about)});
      }
    }
    std::erase_if(completion.candidates,
                  [&](const Candidate& candidate) { return !candidate.text.starts_with(prefix); });
    return completion;
  }

  TypedLine line_;
  std::string prefix_;
  Arguments typed_;
};

/// What no shell takes apart, and no terminal shows as something else.
bool is_plain(std::string_view text) {
  constexpr std::string_view kPlain = "@%+=:,./_-";
  return !text.empty() &&
         std::ranges::all_of(text, [&](char c) { return is_ascii_alnum(c) || kPlain.contains(c); });
}

}  // namespace

std::optional<std::vector<std::string>> words_to_complete(int argc, const char* const* argv) {
  constexpr int kWords = 3;
  if (argc < kWords || std::string_view(argv[1]) != "complete" ||
      std::string_view(argv[2]) != "--") {
    return std::nullopt;
  }
  return std::vector<std::string>(argv + kWords, argv + argc);
}

Arguments typed_arguments(const std::vector<std::string>& words) { return Position(words).typed(); }

Completion complete(const std::vector<std::string>& words, const LiveValues& live) {
  return Position(words).candidates(live);
}

std::string lines_for_shell(const Completion& completion) {
  std::string lines = completion.paths == Paths::kFiles         ? ":files\n"
                      : completion.paths == Paths::kDirectories ? ":directories\n"
                                                                : "";
  for (const auto& [text, about] : completion.candidates) {
    if (is_plain(text)) lines += fmt::format("{}\t{}\n", text, printable(about));
  }
  return lines;
}

}  // namespace spark::cli
