#include "cli/terminal.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "base/handle.hpp"

namespace spark::cli {
namespace {

/// What reaches the other end of a terminal.
std::string printed(std::string_view text, Color color = Color::kNever) {
  const Handle<std::FILE, std::fclose> file(std::tmpfile());
  const Terminal terminal(file.get(), file.get(), color, false);
  terminal.print(text);
  EXPECT_TRUE(terminal.finish());
  std::rewind(file.get());
  std::array<char, 256> read{};
  return {read.data(), std::fread(read.data(), 1, read.size(), file.get())};
}

TEST(Terminal, GetsNoOrdersFromTheNameOfAProcess) {
  EXPECT_EQ(printed("changed by \x1b]0;owned\x07\x1b[2J (process 7)\n"),
            "changed by \\u001b]0;owned\\u0007\\u001b[2J (process 7)\n");
  EXPECT_EQ(printed("\xC2\x9B"
                    "2J \xE2\x80\xAE \x7F \x9B\r"),
            "\\u009b2J \\u202e \\u007f \\x9b\\u000d");
}

TEST(Terminal, KeepsItsOwnColoursAndDrawings) {
  const Handle<std::FILE, std::fclose> file(std::tmpfile());
  const Terminal terminal(file.get(), file.get(), Color::kAlways, false);
  const auto text = "└─ " + terminal.paint(Tone::kGood, "✓") + "\tµ\n";
  EXPECT_EQ(printed(text, Color::kAlways), text);
}

TEST(Terminal, KeepsTheMeaningOfJson) {
  // The escapes are those of JSON (RFC 8259, section 7).
  EXPECT_EQ(printed("{\"name\": \"a\x7F\"}"), "{\"name\": \"a\\u007f\"}");
}

}  // namespace
}  // namespace spark::cli
