#include "cli/init/environment_lines.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kWordBlanks = " \t\r";
constexpr std::string_view kExportHead = "export ";

struct ShellWord {
  std::string text;
  int line = 0;
};

/// The simple commands of a script, each as its words without quotes. Keywords are words too.
class ShellReader {
 public:
  explicit ShellReader(std::string_view text) : text_(text) {}

  /// Empty: the end.
  std::vector<ShellWord> next_command() {
    std::vector<ShellWord> words;
    while (!at_end()) {
      if (is_at(kWordBlanks) || skipped_line_end()) {
        if (is_at(kWordBlanks)) take();
      } else if (peek() == '#') {
        while (!at_end() && peek() != '\n') take();
      } else if (is_at(kEnds)) {
        take();
        if (!words.empty()) break;
      } else {
        words.push_back(read_word());
      }
    }
    return words;
  }

 private:
  static constexpr std::string_view kEnds = "\n;&|()";

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return text_[at_]; }
  [[nodiscard]] bool is_at(std::string_view any) const {
    return !at_end() && any.contains(text_[at_]);
  }

  char take() {
    const char taken = text_[at_++];
    line_ += taken == '\n' ? 1 : 0;
    return taken;
  }

  /// A backslash at the end of a line: the command goes on.
  bool skipped_line_end() {
    if (!text_.substr(at_).starts_with("\\\n")) return false;
    take();
    take();
    return true;
  }

  ShellWord read_word() {
    ShellWord word{.line = line_};
    while (!at_end() && !is_at(kWordBlanks) && !is_at(kEnds)) {
      if (skipped_line_end()) continue;
      const char taken = take();
      if (taken == '\'' || taken == '"') {
        read_quoted(taken, word.text);
      } else if (taken == '\\') {
        if (!at_end()) word.text += take();
      } else {
        word.text += taken;
        if (taken == '`') copy_to('`', word.text);
        if (taken == '$' && is_at("({")) copy_nested(word.text);
      }
    }
    return word;
  }

  void read_quoted(char quote, std::string& word) {
    while (!at_end() && peek() != quote) {
      const char taken = take();
      if (quote == '"' && taken == '\\' && is_at("\"\\$`\n")) {
        const char escaped = take();
        if (escaped != '\n') word += escaped;
      } else {
        word += taken;
      }
    }
    if (!at_end()) take();
  }

  void copy_to(char end, std::string& word) {
    while (!at_end()) {
      word += take();
      if (word.back() == end) return;
    }
  }

  /// `$(…)` and `${…}`, to the bracket that closes it.
  void copy_nested(std::string& word) {
    const char opening = peek();
    const char closing = opening == '(' ? ')' : '}';
    for (int depth = 0; !at_end();) {
      const char taken = take();
      word += taken;
      depth += taken == opening ? 1 : 0;
      depth -= taken == closing ? 1 : 0;
      if (depth == 0) return;
      if (taken == '\'' || taken == '"') copy_to(taken, word);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

bool is_variable_name(std::string_view name) {
  return !name.empty() && !is_ascii_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_ascii_alnum(c) || c == '_'; });
}

/// Empty: no assignment.
std::optional<EnvironmentLine> assignment_of(std::string_view word, int line) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || !is_variable_name(word.substr(0, equals))) {
    return std::nullopt;
  }
  return EnvironmentLine{.name = std::string(word.substr(0, equals)),
                         .value = std::string(word.substr(equals + 1)),
                         .line = line,
                         .alone = false};
}

/// The line is this one assignment, from its first column on: a line of an `if` is indented, and is
/// perhaps all that is in it.
bool stands_alone(std::string_view raw, std::string_view name) {
  if (raw.starts_with(kExportHead)) raw.remove_prefix(kExportHead.size());
  const auto comment = raw.find(" #");
  raw = raw.substr(0, comment);
  while (!raw.empty() && kWordBlanks.contains(raw.back())) raw.remove_suffix(1);
  return raw.starts_with(name) && raw.substr(name.size()).starts_with('=') &&
         raw.find_first_of(" \t;&|\\`(") == std::string_view::npos;
}

/// What a script did so far.
class ShellScript {
 public:
  void run(const std::vector<ShellWord>& words) {
    const auto first = std::ranges::find_if_not(words, is_keyword, &ShellWord::text);
    if (first == words.end()) return;
    const std::vector<ShellWord> rest(first + 1, words.end());
    const auto is_assignment = [](const ShellWord& word) {
      return assignment_of(word.text, word.line).has_value();
    };
    if (first->text == "export") {
      export_all(rest);
    } else if (first->text == "declare" || first->text == "typeset") {
      declare_all(rest);
    } else if (first->text == "unset") {
      unset_all(rest);
    } else if (first->text == "set") {
      exports_all_ = exports_all_ || asks_for_all(rest);
    } else if (std::all_of(first, words.end(), is_assignment)) {
      std::for_each(first, words.end(), [&](const ShellWord& word) { set(word, false); });
    }
  }

  std::vector<EnvironmentLine> finish() && {
    std::vector<EnvironmentLine> kept;
    for (auto& [line, exported] : lines_) {
      if (exported || exports_all_ || exported_.contains(line.name)) {
        kept.push_back(std::move(line));
      }
    }
    return kept;
  }

 private:
  static bool is_keyword(std::string_view word) {
    constexpr std::array<std::string_view, 7> kKeywords{"if", "then", "elif", "else",
                                                        "do", "{",    "!"};
    return std::ranges::find(kKeywords, word) != kKeywords.end();
  }

  static bool is_option(const ShellWord& word) { return word.text.starts_with('-'); }

  /// `set -a`, `set -ea`, `set -o allexport`.
  static bool asks_for_all(const std::vector<ShellWord>& words) {
    return std::ranges::any_of(words, [](const ShellWord& word) {
      return word.text == "allexport" ||
             (is_option(word) && !word.text.starts_with("--") && word.text.contains('a'));
    });
  }

  void set(const ShellWord& word, bool exported) {
    if (auto line = assignment_of(word.text, word.line)) {
      lines_.emplace_back(*std::move(line), exported);
    }
  }

  void export_all(const std::vector<ShellWord>& words) {
    if (std::ranges::any_of(words, is_option)) return;  // -n, -f, -p
    for (const auto& word : words) {
      if (is_variable_name(word.text)) exported_.insert(word.text);
      set(word, true);
    }
  }

  void declare_all(const std::vector<ShellWord>& words) {
    const bool exported = std::ranges::any_of(
        words, [](const ShellWord& word) { return is_option(word) && word.text.contains('x'); });
    for (const auto& word : words) {
      if (exported && is_variable_name(word.text)) exported_.insert(word.text);
      set(word, exported);
    }
  }

  void unset_all(const std::vector<ShellWord>& words) {
    if (std::ranges::find(words, "-f", &ShellWord::text) != words.end()) return;
    for (const auto& word : words) {
      if (is_variable_name(word.text)) {
        lines_.emplace_back(
            EnvironmentLine{
                .name = word.text, .value = std::nullopt, .line = word.line, .alone = false},
            true);
      }
    }
  }

  std::vector<std::pair<EnvironmentLine, bool>> lines_;  ///< and whether that exports it
  std::set<std::string> exported_;
  bool exports_all_ = false;
};

std::vector<EnvironmentLine> lines_of_script(std::string_view text) {
  ShellReader reader(text);
  ShellScript script;
  for (auto words = reader.next_command(); !words.empty(); words = reader.next_command()) {
    script.run(words);
  }
  return std::move(script).finish();
}

/// As _parse_env_file of pam_env: '#' ends the line anywhere, one pair of quotes is taken off.
std::optional<EnvironmentLine> pam_line(std::string_view raw, int number) {
  auto text = raw.substr(0, raw.find('#'));
  const auto trim = [&] {
    while (!text.empty() && kWordBlanks.contains(text.front())) text.remove_prefix(1);
    while (!text.empty() && kWordBlanks.contains(text.back())) text.remove_suffix(1);
  };
  trim();
  if (text.starts_with(kExportHead)) text.remove_prefix(kExportHead.size());
  trim();
  auto line = assignment_of(text, number);
  if (line) {
    auto& value = *line->value;
    if (value.starts_with('"') || value.starts_with('\'')) {
      const char quote = value.front();
      value.erase(0, 1);
      if (value.ends_with(quote)) value.pop_back();
    }
  }
  return line;
}

}  // namespace

std::vector<EnvironmentLine> environment_lines(std::string_view text, EnvironmentSyntax syntax) {
  const auto raw_lines = lines_of(text);
  std::vector<EnvironmentLine> lines;
  if (syntax == EnvironmentSyntax::kShell) {
    lines = lines_of_script(text);
  } else {
    int number = 0;
    for (const auto raw : raw_lines) {
      ++number;
      auto line =
          syntax == EnvironmentSyntax::kPam ? pam_line(raw, number) : assignment_of(raw, number);
      if (line) lines.push_back(*std::move(line));
    }
  }
  for (auto& line : lines) {
    const auto at = static_cast<std::size_t>(line.line) - 1;
    line.alone = line.value && at < raw_lines.size() &&
                 (syntax != EnvironmentSyntax::kShell || stands_alone(raw_lines[at], line.name));
  }
  return lines;
}

}  // namespace spark::cli
