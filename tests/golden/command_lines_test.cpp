// command_lines.txt has command lines that people type and that are wrong, each with what is said
// of it: which word is not understood, why, and the line to type. SPARK_UPDATE_GOLDEN=1 rewrites
// the answers. Each line that an answer has is typed: it is accepted, and changes no more than what
// was typed.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cli/input/parse_arguments.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/verb.hpp"
#include "golden/golden_files.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPrompt = "$ ";

/// The words of a line, of which those in single quotes have blanks.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool is_quoted = false;
  bool is_word = false;
  for (const char c : line) {
    const bool ends = c == ' ' && !is_quoted;
    if (!ends && !is_word) words.emplace_back();
    if (c == '\'') {
      is_quoted = !is_quoted;
    } else if (!ends) {
      words.back() += c;
    }
    is_word = !ends;
  }
  return words;
}

/// What is said of that command line; empty: nothing is wrong with it.
std::string answer_to(const std::vector<std::string>& words) {
  std::vector<const char*> line{"spark-reconcile"};
  for (const auto& word : words) line.push_back(word.c_str());
  const auto parsed = cli::parse_arguments(static_cast<int>(line.size()), line.data());
  const auto* const answer = std::get_if<cli::Answer>(&parsed);
  return answer == nullptr ? std::string() : answer->error;
}

/// The words behind the program's name in each command that an answer gives.
std::vector<std::string> lines_to_type(std::string_view answer) {
  std::vector<std::string> lines;
  for (auto at = answer.find('`'); at != std::string_view::npos; at = answer.find('`')) {
    answer.remove_prefix(at + 1);
    const auto end = answer.find('`');
    const auto command = answer.substr(0, end);
    constexpr std::string_view kProgram = "spark-reconcile ";
    const auto program = command.find(kProgram);
    const bool is_ours = command.starts_with(kProgram) || command.contains("sudo spark-reconcile ");
    if (is_ours) lines.emplace_back(command.substr(program + kProgram.size()));
    answer.remove_prefix(end + 1);
  }
  return lines;
}

/// How much a command changes.
enum class Changes : std::uint8_t { kNothing, kFile, kMachine };

Changes changes_of(const std::vector<std::string>& words) {
  const cli::TypedLine line(words);
  if (line.verb == nullptr || line.verb->name == "history") return Changes::kNothing;
  if (line.verb->needs_root || line.verb->name == "rollout") return Changes::kMachine;
  return line.verb->name == "init" ? Changes::kFile : Changes::kNothing;
}

/// No line that is offered changes more than the one that was typed, unless that asks for it by
/// another word.
void expect_no_more_change(const std::string& typed, const std::string& offered) {
  const auto words = shell_words(typed);
  const cli::TypedLine line(words);
  const auto asks_for_it = [](const std::string& word) {
    return word == "apply" || word == "--fix";
  };
  const bool is_asked = std::ranges::any_of(words, asks_for_it);
  if ((line.verb == nullptr && !line.is_help) || is_asked) return;
  EXPECT_LE(changes_of(shell_words(offered)), changes_of(words))
      << "said of " << typed << ": " << offered;
}

void expect_help_for(const std::string& line, const std::string& answer) {
  EXPECT_NE(answer, "") << line << " is no mistake";
  for (const auto* raw : {"not expected", "required", "Could not convert", "At Most"}) {
    EXPECT_THAT(answer, Not(HasSubstr(raw))) << line;
  }
  for (const auto& better : lines_to_type(answer)) {
    expect_no_more_change(line, better);
    if (better.contains("--engine")) continue;  // it runs another program
    EXPECT_EQ(answer_to(shell_words(better)), "") << "said of " << line << ": " << better;
  }
}

TEST(CommandLinesGolden, AreAnsweredAsRecorded) {
  const auto path = golden_folder() / "command_lines.txt";
  const auto recorded = read_golden(path);
  std::string text;
  std::size_t count = 0;
  for (const auto line : lines_of(recorded)) {
    if (!line.starts_with(kPrompt)) continue;
    ++count;
    const std::string typed(line.substr(kPrompt.size()));
    const auto answer = answer_to(shell_words(typed));
    expect_help_for(typed, answer);
    const bool has_remedy = !lines_to_type(answer).empty() || answer.contains("systemctl") ||
                            answer.contains("`sudo mv ") || answer.contains(" takes ") ||
                            answer.contains("did you mean ") || answer.contains("leave out ");
    EXPECT_TRUE(has_remedy) << typed << ": " << answer;
    text += text.empty() ? "" : "\n";
    text += std::string(line) + "\n" + answer + "\n";
  }
  EXPECT_GE(count, 68U);
  if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(text, recorded);
}

TEST(CommandLinesGolden, OfEachVerbAreAnsweredByTheTables) {
  for (const auto* verb : cli::verbs()) {
    const std::string name(verb->name);
    for (const auto* word : {"--zz9", "--json=x", "--node", "spark7 x y z", "- -"}) {
      // What apply takes there is a saved plan, which has its file and its node; topology has none.
      const bool is_twice = (name == "apply" && word[0] == '-' && word[1] == ' ') ||
                            (name == "topology" && word[2] == 'n');
      if (is_twice) continue;
      const auto line = name + " " + word;
      expect_help_for(line, answer_to(shell_words(line)));
    }
  }
}

TEST(CommandLinesGolden, OfAnOptionWithoutItsValueShowOne) {
  const auto expect_values = [](const std::string& verb, std::span<const cli::OptionRow> rows) {
    for (const auto& row : rows) {
      if (row.is_argument() || row.value == &cli::Value::kNone) continue;
      const std::string option(cli::names_in(row).back());
      const auto answer = answer_to({verb, option});
      EXPECT_THAT(answer, HasSubstr(option + " needs "));
      EXPECT_THAT(answer, HasSubstr("spark-reconcile " + verb + " " + option + " "));
      for (const auto* raw : {"required", "missing"}) EXPECT_THAT(answer, Not(HasSubstr(raw)));
    }
  };
  for (const auto* verb : cli::verbs()) expect_values(std::string(verb->name), verb->options.rows);
  expect_values("plan", cli::common_options());
}

}  // namespace
}  // namespace spark::test
