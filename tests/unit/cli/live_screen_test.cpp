#include "cli/live_screen.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cli/cluster/cluster_text.hpp"
#include "unit/cli/terminal_device.hpp"
#include "unit/cluster/clusters.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;

/// What is given behind a screen, so that a reader knows that there is no more.
constexpr const char* kMark = "\x07";

constexpr unsigned short kColumns = 80;

/// A screen on a terminal of 24 rows.
class OnATerminal : public ::testing::Test {
 protected:
  OnATerminal() { device_.resize(kColumns); }

  bool draws(const std::string& text) {
    return screen_.draw([&](const Terminal& terminal) { terminal.print(text); });
  }

  /// What the terminal was given since the last call.
  std::string given() {
    mark();
    auto text = device_.shown_until(kMark);
    text.pop_back();
    return text;
  }

  void mark() const {
    std::fputs(kMark, device_.stream());
    std::fflush(device_.stream());
  }

  TerminalDevice device_;
  Terminal terminal_{device_.stream(), device_.stream(), Color::kNever, false, kColumns};
  LiveScreen screen_{terminal_};
};

TEST_F(OnATerminal, SendsAllOfTheFirstScreen) {
  ASSERT_TRUE(draws("one\ntwo\n"));
  EXPECT_EQ(given(), "\x1b[H\x1b[2J\x1b[1;1Hone\x1b[K\x1b[2;1Htwo\x1b[K\x1b[3;1H\x1b[J");
}

TEST_F(OnATerminal, SendsOnlyTheLinesThatDiffer) {
  ASSERT_TRUE(draws("one\ntwo\nthree\n"));
  static_cast<void>(given());
  ASSERT_TRUE(draws("one\nTWO\nthree\n"));
  EXPECT_EQ(given(), "\x1b[2;1HTWO\x1b[K\x1b[4;1H\x1b[J");
  ASSERT_TRUE(draws("one\nTWO\nthree\n"));
  EXPECT_EQ(given(), "") << "nothing changed";
  ASSERT_TRUE(draws("one\nTWO\n"));
  EXPECT_EQ(given(), "\x1b[3;1H\x1b[J") << "a line is gone";
  ASSERT_TRUE(draws("one\nTWO\nthree\n"));
  EXPECT_EQ(given(), "\x1b[3;1Hthree\x1b[K\x1b[4;1H\x1b[J");
}

TEST_F(OnATerminal, DrawsAllAgainWhereTheTerminalIsAsWideNoMore) {
  ASSERT_TRUE(draws("one\n"));
  static_cast<void>(given());
  device_.resize(kColumns / 2);
  ASSERT_TRUE(draws("one\n"));
  EXPECT_THAT(given(), HasSubstr("\x1b[2J\x1b[1;1Hone"));
}

TEST_F(OnATerminal, CountsWhatHasNoPlace) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "line " + std::to_string(i) + "\n";
  ASSERT_TRUE(draws(text));
  EXPECT_THAT(given(), ::testing::AllOf(HasSubstr("line 21\x1b[K"), HasSubstr("… 18 more lines"),
                                        Not(HasSubstr("line 22"))));
}

TEST_F(OnATerminal, EndsWhereNobodyTakesIt) {
  ASSERT_TRUE(draws("one\n"));
  device_.hang_up();
  EXPECT_FALSE(draws("two\n"));
}

/// What stands on a terminal that was given these orders: those that a LiveScreen sends.
std::vector<std::string> rows_after(std::string_view orders) {
  std::vector<std::string> rows;
  std::size_t row = 0;
  const auto at = [&]() -> std::string& {
    if (rows.size() <= row) rows.resize(row + 1);
    return rows[row];
  };
  std::size_t written = 0;  // bytes of the row since it was gone to
  while (!orders.empty()) {
    if (!orders.starts_with("\x1b[")) {
      auto& text = at();
      text.resize(std::max(text.size(), written + 1));
      text[written++] = orders.front();
      orders.remove_prefix(1);
      continue;
    }
    orders.remove_prefix(2);
    const auto end = orders.find_first_of("HJK");
    const auto number = std::string(orders.substr(0, end));
    const auto order = orders.at(end);
    orders.remove_prefix(end + 1);
    if (order == 'H') {
      row = number.empty() ? 0 : std::stoul(number) - 1;
      written = 0;
    } else if (order == 'K') {
      at().resize(written);
    } else {
      rows.resize(number == "2" ? 0 : row);
    }
  }
  return rows;
}

// A reader over a slow line takes a few bytes at a time; meanwhile the screen changes 300 times.
TEST_F(OnATerminal, IsTrueInTheEndForASlowReader) {
  constexpr int kTimes = 300;
  constexpr std::size_t kBytesAtOnce = 7;
  auto orders =
      std::async(std::launch::async, [&] { return device_.shown_until(kMark, kBytesAtOnce); });
  auto all = test::known_switch(12);
  std::string last;
  std::size_t whole = 0;
  for (int i = 0; i < kTimes; ++i) {
    // Of every second node another age: more than a terminal takes before it is read.
    for (std::size_t j = 0; j < all.known.told.heard.size(); ++j) {
      all.known.told.heard[j].heard_ms = all.known.now.count() - (j % 4 < 2 ? i % 15 : 2) * 1000;
    }
    const auto view = all.view();
    const auto print = [&](const Terminal& terminal) {
      terminal.print(cluster_heading(view, terminal) + "\n");
      terminal.print(cluster_nodes_text(view, terminal) + "\n");
      terminal.print(cluster_closing(view, terminal));
    };
    EXPECT_TRUE(screen_.draw(print));
    last = cluster_heading(view, terminal_) + "\n" + cluster_nodes_text(view, terminal_) + "\n" +
           cluster_closing(view, terminal_);
    whole += last.size();
  }
  mark();
  auto given = orders.get();
  ASSERT_TRUE(given.ends_with(kMark));
  given.pop_back();
  EXPECT_THAT(rows_after(given), ElementsAreArray(lines_of(last)));
  EXPECT_GT(given.size(), std::size_t{70} * 1024) << "it was held up";
  EXPECT_LT(given.size(), whole) << "what is as before is not sent again";
}

}  // namespace
}  // namespace spark::cli
