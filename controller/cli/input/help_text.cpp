#include "cli/input/help_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

constexpr std::array kExitCodes{
    ExitCodeRow{ExitCode::kDone, "done, in sync",
                "done; with `apply`, `--detailed-exitcode` and `--exit-code`: in sync"},
    ExitCodeRow{ExitCode::kError, "error",
                "an error, or the file asks for something this machine cannot do; nothing was left "
                "half-applied. Also: everything is applied, but printing the result, or recording "
                "it in the history, failed"},
    ExitCodeRow{ExitCode::kDifferences,
                "differences (plan --detailed-exitcode, status --exit-code)",
                "the machine differs from the file"},
    ExitCodeRow{ExitCode::kWaiting, "waiting for a device, not ready",
                "waiting for a device that is absent; `gate`: not ready"},
    ExitCodeRow{ExitCode::kUnknown, "unknown or not enforced",
                "something could not be read, or differs and is not this program's to fix"},
    ExitCodeRow{ExitCode::kInvalidFile, "invalid file", "the file is invalid"},
    ExitCodeRow{
        ExitCode::kRefused, "refused",
        "refused: the change would do harm, the plan is stale, this machine is another node, or "
        "you did not say yes; nothing was changed"},
    ExitCodeRow{ExitCode::kRolledBack, "failed and rolled back",
                "a step failed; everything was rolled back and reads as before"},
    ExitCodeRow{ExitCode::kRollbackIncomplete, "failed, rollback incomplete",
                "a rollback is incomplete: the output lists what differs, or what was lost along "
                "with it"},
    ExitCodeRow{ExitCode::kUsage, "usage", "usage: the command line is wrong"},
    ExitCodeRow{ExitCode::kBusy, "busy", "another apply is running"},
    ExitCodeRow{ExitCode::kInterrupted, "interrupted",
                "ended by Ctrl-C or another signal; what was begun was rolled back"},
};

}  // namespace

std::span<const ExitCodeRow> exit_codes() { return kExitCodes; }

std::string_view meaning_of(ExitCode code) {
  return std::ranges::find(kExitCodes, code, &ExitCodeRow::code)->meaning;
}

namespace {

/// A line a paragraph.
std::string description_in(std::string_view manual) {
  std::string text;
  for (const auto line : lines_of(manual.substr(0, manual.find("\n\nEXIT STATUS\n")))) {
    if (line.empty()) {
      text += "\n\n";
      continue;
    }
    if (!text.empty() && !text.ends_with('\n')) text += ' ';
    text += line;
  }
  return text;
}

/// Its lines; none: the manual has no such section.
std::vector<std::string_view> section(std::string_view manual, std::string_view heading) {
  const auto line = fmt::format("\n\n{}\n", heading);
  const auto at = manual.find(line);
  if (at == std::string_view::npos) return {};
  manual.remove_prefix(at + line.size());
  return lines_of(manual.substr(0, manual.find("\n\n")));
}

/// A line, and those that stand below it, each ended by `separator`.
std::vector<std::pair<std::string, std::string>> items(const std::vector<std::string_view>& lines,
                                                       char separator) {
  constexpr std::string_view kBelow = "    ";
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto line : lines) {
    if (!line.starts_with(kBelow)) {
      found.emplace_back(line, "");
    } else {
      auto& below = found.back().second;
      if (!below.empty()) below += separator;
      below += line.substr(kBelow.size());
    }
  }
  return found;
}

}  // namespace

VerbManual manual_of(const VerbSpec& verb) {
  const auto text = manual_text(verb.name);
  VerbManual manual{.text = description_in(text)};
  for (auto& [word, meaning] : items(section(text, "EXIT STATUS"), ' ')) {
    const auto code = static_cast<ExitCode>(number_in<int>(word).value_or(0));
    manual.exits.push_back({code, std::move(meaning)});
  }
  for (auto& [about, commands] : items(section(text, "EXAMPLES"), '\n')) {
    manual.examples.push_back({std::move(about), std::move(commands)});
  }
  for (auto& [path, about] : items(section(text, "FILES"), ' ')) {
    manual.files.push_back({std::move(path), std::move(about)});
  }
  for (const auto line : section(text, "SEE ALSO")) {
    for (const auto name : split(line, ',')) manual.see_also.push_back(fold_blanks(name));
  }
  return manual;
}

UsedFile cluster_file_used() { return {protocol::kDefaultFile, "the cluster file"}; }

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
