#include "cli/terminal.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "unit/cli/terminal_device.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

/// What reaches the other end of a terminal.
std::string printed(std::string_view text, Color color = Color::kNever) {
  const TextFile file;
  const Terminal terminal(file.stream(), file.stream(), color, false);
  terminal.print(text);
  EXPECT_TRUE(terminal.finish());
  return file.text();
}

TEST(Terminal, GetsNoOrdersFromTheNameOfAProcess) {
  EXPECT_EQ(printed("changed by \x1b]0;owned\x07\x1b[2J (process 7)\n"),
            "changed by \\u001b]0;owned\\u0007\\u001b[2J (process 7)\n");
  EXPECT_EQ(printed("\xC2\x9B"
                    "2J \xE2\x80\xAE \x7F \x9B\r"),
            "\\u009b2J \\u202e \\u007f \\x9b\\u000d");
}

TEST(Terminal, KeepsItsOwnColoursAndDrawings) {
  const Terminal terminal(stdout, stderr, Color::kAlways, false);
  const auto text = "└─ " + terminal.paint(Tone::kGood, "✓") + "\tµ\n";
  EXPECT_EQ(printed(text, Color::kAlways), text);
}

TEST(Terminal, PaintsNothingInAFileThatStderrIsSentTo) {
  TerminalDevice screen;
  const TextFile file;
  const Terminal terminal(screen.stream(), file.stream(), Color::kAuto, false);
  const auto text = terminal.paint(Tone::kBad, "refused") + " by '\x1b[2J'\n";
  terminal.print(text);
  EXPECT_TRUE(terminal.finish());
  terminal.complain(text);
  EXPECT_EQ(screen.shown(), "\x1b[31mrefused\x1b[0m by '\\u001b[2J'\n");
  EXPECT_EQ(file.text(), "refused by '\\u001b[2J'\n");
}

TEST(Width, IsThatOfTheTerminal) {
  const TerminalDevice screen;
  EXPECT_EQ(width_of(screen.stream(), ""), 80U) << "of one that does not say";
  screen.resize(60);
  EXPECT_EQ(width_of(screen.stream(), ""), 60U);
  EXPECT_EQ(width_of(screen.stream(), "100"), 100U) << "COLUMNS comes first";
  EXPECT_EQ(width_of(screen.stream(), "wide"), 60U);
  EXPECT_EQ(width_of(screen.stream(), "0"), 60U);
}

TEST(Width, IsOneThatCanBeRead) {
  const TerminalDevice screen;
  screen.resize(12);
  EXPECT_EQ(width_of(screen.stream(), ""), 40U);
  screen.resize(300);
  EXPECT_EQ(width_of(screen.stream(), ""), 120U);
}

TEST(Width, OfAFileIsNone) {
  const TextFile file;
  EXPECT_EQ(width_of(file.stream(), "100"), std::nullopt);
}

TEST(PassingLine, GoesWhenAnythingElseIsPrinted) {
  TerminalDevice screen;
  const Terminal terminal(screen.stream(), screen.stream(), Color::kNever, false, 40);
  const std::string blanks(39, ' ');
  terminal.show_passing("1 of 2: by '\x1b[2J'");
  terminal.print("done\n");
  EXPECT_TRUE(terminal.finish());
  EXPECT_EQ(screen.shown(),
            "\r1 of 2: by '\\x1b[2J'" + std::string(19, ' ') + "\r" + "\r" + blanks + "\rdone\n");
}

TEST(PassingLine, IsNeverWiderThanTheTerminal) {
  TerminalDevice screen;
  const Terminal terminal(screen.stream(), screen.stream(), Color::kNever, false, 40);
  terminal.show_passing(std::string(50, 'x'));
  EXPECT_TRUE(terminal.finish());
  EXPECT_EQ(screen.shown(),
            "\r" + std::string(38, 'x') + "…\r" + "\r" + std::string(39, ' ') + "\r");
}

TEST(PassingLine, IsForATerminalAlone) {
  const TextFile file;
  const Terminal terminal(file.stream(), file.stream(), Color::kNever, false);
  terminal.show_passing("1 of 2");
  const Terminal quiet(file.stream(), file.stream(), Color::kNever, true, 40);
  quiet.show_passing("1 of 2");
  EXPECT_TRUE(terminal.finish());
  EXPECT_TRUE(quiet.finish());
  EXPECT_EQ(file.text(), "");
}

TEST(Terminal, KeepsTheMeaningOfJson) {
  // The escapes are those of JSON (RFC 8259, section 7).
  EXPECT_EQ(printed("{\"name\": \"a\x7F\"}"), "{\"name\": \"a\\u007f\"}");
}

}  // namespace
}  // namespace spark::cli
