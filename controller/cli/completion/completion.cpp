#include "cli/completion/completion.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/options.hpp"

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

/// What the words before the last one say about it.
class Position {
 public:
  explicit Position(const std::vector<std::string>& words) {
    const auto before = words.empty() ? std::size_t{0} : words.size() - 1;
    for (std::size_t i = 0; i < before; ++i) {
      take(unquoted(words[i]));
    }
    prefix_ = words.empty() ? std::string() : unquoted(words.back());
  }

  [[nodiscard]] Completion candidates(const LiveValues& live) const {
    if (waiting_) {
      return values_of(waiting_->value, prefix_, live);
    }
    const bool is_option = prefix_.starts_with('-') && !only_arguments_;
    if (const auto equals = prefix_.find('='); is_option && equals != std::string::npos) {
      const auto* option = option_named(prefix_.substr(0, equals));
      return option == nullptr ? Completion{}
                               : values_of(option->value, prefix_.substr(equals + 1), live);
    }
    if (is_option) {
      return {.candidates = option_names()};
    }
    return argument(live);
  }

  [[nodiscard]] const Arguments& typed() const { return typed_; }

 private:
  void take(const std::string& word) {
    if (const auto* option = std::exchange(waiting_, nullptr)) {
      store(*option, word);
    } else if (only_arguments_ || !word.starts_with('-') || word == "-") {
      take_plain(word);
    } else if (word == "--") {
      only_arguments_ = true;
    } else if (word.starts_with("--")) {
      take_long(word);
    } else {
      take_short(word);
    }
  }

  void take_plain(const std::string& word) {
    if (verb_ || is_help_) {
      ++arguments_;
    } else if (word == kHelpVerb) {
      is_help_ = true;
    } else if (const auto verb = verb_named(word)) {
      verb_ = verb;
      own_ = options_of(*verb);
      common_ = common_options(*verb);
    }
  }

  void take_long(const std::string& word) {
    const auto equals = std::min(word.find('='), word.size());
    const auto* option = option_named(word.substr(0, equals));
    if (option == nullptr) {
      return;
    }
    given_.push_back(option->names);
    if (equals < word.size()) {
      store(*option, word.substr(equals + 1));
    } else if (option->value != Value::kNone) {
      waiting_ = option;
    }
  }

  /// "-qv", "-fFILE".
  void take_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto* option = option_named({'-', word[i]});
      if (option == nullptr) {
        return;
      }
      given_.push_back(option->names);
      if (option->value == Value::kNone) {
        continue;
      }
      if (i + 1 < word.size()) {
        store(*option, word.substr(i + 1));
      } else {
        waiting_ = option;
      }
      return;
    }
  }

  void store(const OptionRow& option, const std::string& value) {
    if (const auto* text = std::get_if<std::string Arguments::*>(&option.member)) {
      typed_.** text = value;
    }
  }

  [[nodiscard]] const OptionRow* option_named(const std::string& name) const {
    for (const auto* rows : {&own_, &common_}) {
      const auto found =
          std::ranges::find_if(*rows, [&](const OptionRow& row) { return has_name(row, name); });
      if (found != rows->end()) {
        return &*found;
      }
    }
    return nullptr;
  }

  /// -v can be given again.
  [[nodiscard]] bool is_over(const OptionRow& option) const {
    return !std::holds_alternative<int Arguments::*>(option.member) &&
           std::ranges::find(given_, option.names) != given_.end();
  }

  [[nodiscard]] std::vector<Candidate> option_names() const {
    std::vector<Candidate> found;
    for (const auto* rows : {&own_, &common_}) {
      for (const auto& row : *rows) {
        if (row.is_argument() || is_over(row)) {
          continue;
        }
        for (const auto name : names_in(row)) {
          add(found, name, row.about);
        }
      }
    }
    return found;
  }

  /// A verb, or what the verb does not name by an option.
  [[nodiscard]] Completion argument(const LiveValues& live) const {
    if (!verb_ && !is_help_) {
      return {.candidates = verb_names()};
    }
    if (is_help_) {
      return arguments_ == 0 ? values_of(Value::kVerb, prefix_, live) : Completion{};
    }
    std::vector<Value> values;
    for (const auto& row : own_) {
      if (row.is_argument()) values.push_back(row.value);
    }
    if (arguments_ < values.size()) {
      return values_of(values[arguments_], prefix_, live);
    }
    // Nothing but an option can follow.
    return prefix_.empty() && !only_arguments_ ? Completion{.candidates = option_names()}
                                               : Completion{};
  }

  [[nodiscard]] std::vector<Candidate> verb_names() const {
    std::vector<Candidate> found;
    for (const auto& row : verbs()) {
      add(found, row.name, row.about);
      if (!row.alias.empty()) {
        add(found, row.alias, row.about);
      }
    }
    add(found, kHelpVerb, kHelpAbout);
    return found;
  }

  void add(std::vector<Candidate>& found, std::string_view text, std::string_view about) const {
    if (text.starts_with(prefix_)) {
      found.push_back({std::string(text), std::string(about)});
    }
  }

  [[nodiscard]] Completion values_of(Value value, std::string_view prefix,
                                     const LiveValues& live) const {
    Completion completion;
    switch (value) {
      case Value::kFile:
        completion.paths = Paths::kFiles;
        break;
      case Value::kDirectory:
        completion.paths = Paths::kDirectories;
        break;
      case Value::kNode:
        completion.candidates = live.nodes(typed_);
        break;
      case Value::kGeneration:
        completion.candidates = live.generations(typed_);
        break;
      case Value::kWord:
        completion.candidates = live.words(typed_);
        break;
      case Value::kAlert:
        completion.candidates = live.alerts(typed_);
        break;
      case Value::kVerb:
        for (const auto& row : verbs()) {
          completion.candidates.push_back({std::string(row.name), std::string(row.about)});
        }
        break;
      default:
        for (const auto& word : words_of(value)) {
          completion.candidates.push_back({std::string(word.text), std::string(word.about)});
        }
    }
    std::erase_if(completion.candidates,
                  [&](const Candidate& candidate) { return !candidate.text.starts_with(prefix); });
    return completion;
  }

  Arguments typed_;
  std::optional<Verb> verb_;
  bool is_help_ = false;
  bool only_arguments_ = false;  ///< after "--"
  std::size_t arguments_ = 0;    ///< how many stand before, beside the verb
  std::vector<OptionRow> own_;
  std::vector<OptionRow> common_ = common_options();
  std::vector<std::string_view> given_;
  const OptionRow* waiting_ = nullptr;  ///< whose value the last word is
  std::string prefix_;
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
    if (is_plain(text)) {
      lines += fmt::format("{}\t{}\n", text, printable(about));
    }
  }
  return lines;
}

}  // namespace spark::cli
