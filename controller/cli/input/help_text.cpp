#include "cli/input/help_text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/exit_codes.hpp"
#include "cli/input/verb_manual.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kVerbatim = "    ";

constexpr std::string_view kFirstSteps =
    "First steps:  spark-reconcile init --pair -o cluster.yaml   write a first file\n"
    "              spark-reconcile plan -f cluster.yaml          what would change?\n"
    "              sudo spark-reconcile apply -f cluster.yaml    make it so";

/// Words of lines that are wrapped until a line ends the paragraph.
class Paragraphs {
 public:
  Paragraphs(std::size_t columns, std::string_view indent) : columns_(columns), indent_(indent) {}

  void take(std::string_view line) {
    if (line.starts_with(kVerbatim)) {
      end_line();
      out_ += fmt::format("{}{}\n", indent_, line);
    } else if (line.empty()) {
      end_line();
      out_ += "\n";
    } else {
      add_words(line);
    }
  }

  std::string end() {
    end_line();
    return std::move(out_);
  }

 private:
  void add_words(std::string_view line) {
    while (!line.empty()) {
      const auto size = std::min(line.find(' '), line.size());
      add(line.substr(0, size));
      line.remove_prefix(std::min(size + 1, line.size()));
    }
  }

  void add(std::string_view word) {
    if (!line_.empty() && indent_.size() + line_.size() + 1 + word.size() > columns_) {
      end_line();
    }
    line_ += fmt::format("{}{}", line_.empty() ? "" : " ", word);
  }

  void end_line() {
    if (!line_.empty()) {
      out_ += fmt::format("{}{}\n", indent_, std::exchange(line_, {}));
    }
  }

  std::size_t columns_;
  std::string_view indent_;
  std::string line_;
  std::string out_;
};

/// "   3  waiting for a device", the lines below under the first.
std::string exit_line(const VerbExit& row) {
  const auto meaning = row.meaning.empty() ? meaning_of(row.code) : row.meaning;
  constexpr std::string_view kBelow = "       ";
  auto text = wrapped(meaning, kHelpColumns, kBelow);
  return fmt::format("  {:>3}  {}", static_cast<int>(row.code), text.substr(kBelow.size()));
}

/// "  -f,--file FILE              the cluster file", as the library writes those of the verb.
std::string option_lines(const OptionRow& option) {
  const auto& value = option.value->name;
  return beside(fmt::format("  {}{}{}", option.names, value.empty() ? "" : " ", value),
                option.about);
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent) {
  Paragraphs paragraphs(columns, indent);
  for (const auto line : lines_of(text)) {
    paragraphs.take(line);
  }
  return paragraphs.end();
}

std::string beside(std::string_view head, std::string_view about) {
  const auto below = wrapped(about, kHelpColumns, std::string(kAboutColumn, ' '));
  const auto text = std::string_view(below).substr(std::min(kAboutColumn, below.size()));
  return head.size() < kAboutColumn ? fmt::format("{:<{}}{}", head, kAboutColumn, text)
                                    : fmt::format("{}\n{}", head, below);
}

std::string help_of_first_week(std::string_view about) {
  std::vector<const VerbSpec*> first;
  std::ranges::copy_if(verbs(), std::back_inserter(first),
                       [](const VerbSpec* verb) { return verb->first_week > 0; });
  std::ranges::sort(first, {}, &VerbSpec::first_week);
  auto text = wrapped(about, kHelpColumns) +
              "Usage: spark-reconcile VERB [OPTION]...\n\n"
              "Verbs of a first week:\n";
  for (const auto* verb : first) text += beside(fmt::format("  {}", verb->name), verb->about);
  return fmt::format(
      "{}\n{}\n\n"
      "More: spark-reconcile {} {}, spark-reconcile {} VERB, man spark-reconcile\n",
      text, kFirstSteps, kHelpVerb, kHelpAll, kHelpVerb);
}

std::string footer_of_program() {
  std::string codes = "Exit codes:";
  for (const auto& row : exit_codes()) {
    codes += fmt::format("{} {} {}", row.code == ExitCode::kDone ? "" : ";",
                         static_cast<int>(row.code), row.brief);
  }
  return fmt::format(
      "{}\n"
      "More: spark-reconcile help VERB, man spark-reconcile, man spark-reconcile-VERB,\n"
      "      man cluster.yaml",
      wrapped(codes + ".", kHelpColumns));
}

std::string footer_of(const VerbSpec& verb) {
  const auto manual = manual_of(verb);
  std::string text = "General options:\n";
  for (const auto& option : common_options(verb)) {
    if (option.names != kHelpOption.names && option.names != "--version") {
      text += option_lines(option);
    }
  }
  text += "\n" + wrapped(manual.text, kHelpColumns) + "\nExit codes:\n";
  for (const auto& row : manual.exits) {
    text += exit_line(row);
  }
  text += exit_line({ExitCode::kUsage, ""});
  const auto& example = manual.examples.front();
  text += fmt::format("\nExample: {}\n", example.about);
  for (const auto line : lines_of(example.commands)) {
    text += fmt::format("  {}\n", line);
  }
  return fmt::format("{}\nMore: man spark-reconcile-{}", text, verb.name);
}

}  // namespace spark::cli
