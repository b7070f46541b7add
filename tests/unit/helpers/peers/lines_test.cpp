#include "helpers/peers/lines.hpp"

#include <array>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "unit/helpers/peers/connection.hpp"

namespace spark::helpers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kLimit = 100;

class LinesTest : public testing::Test {
 protected:
  void send(const std::string& text) const {
    ASSERT_EQ(write(connection_.peer.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  test::Connection connection_;
};

TEST_F(LinesTest, TakesLinesAsTheyAreWhole) {
  LineReader reader(connection_.own.get(), kLimit);
  EXPECT_TRUE(reader.fill()) << "nothing is there, and nobody has gone";
  EXPECT_EQ(reader.take(), std::nullopt);
  send("one\ntwo\n\nthr");
  EXPECT_TRUE(reader.fill());
  EXPECT_EQ(reader.take(), "one");
  EXPECT_EQ(reader.take(), "two");
  EXPECT_EQ(reader.take(), "");
  EXPECT_EQ(reader.take(), std::nullopt);
  send("ee\n");
  EXPECT_TRUE(reader.fill());
  EXPECT_EQ(reader.take(), "three");
}

TEST_F(LinesTest, ALineMayBeAsLongAsTheLimit) {
  LineReader reader(connection_.own.get(), kLimit);
  const std::string longest(kLimit, 'x');
  send(longest + "\n");
  EXPECT_EQ(reader.await(Steady::now() + seconds(5)), longest);
}

TEST_F(LinesTest, ALongerLineIsRefusedAtOnce) {
  LineReader reader(connection_.own.get(), kLimit);
  send(std::string(kLimit + 1, 'x'));
  const auto line = reader.await(Steady::now() + seconds(60));
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kSystem);
  EXPECT_EQ(line.error().what, "it sent a line of more than 100 bytes");
}

TEST_F(LinesTest, ALongerLineBehindAnotherIsRefusedAtOnce) {
  LineReader reader(connection_.own.get(), kLimit);
  send("one\n" + std::string(kLimit + 1, 'x') + "\n");
  EXPECT_EQ(reader.await(Steady::now() + seconds(60)), "one");
  const auto line = reader.await(Steady::now() + seconds(60));
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kSystem);
}

TEST_F(LinesTest, ManyLinesTogetherMayBeLongerThanTheLimit) {
  LineReader reader(connection_.own.get(), kLimit);
  for (int i = 0; i < 20; ++i) send(std::string(50, 'x') + "\n");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(reader.await(Steady::now() + seconds(5)));
  }
}

TEST_F(LinesTest, AnEndThatSaysNothingIsWaitedForNoLongerThanAsked) {
  LineReader reader(connection_.own.get(), kLimit);
  send("no end");
  const auto begin = Steady::now();
  const auto line = reader.await(begin + milliseconds(100));
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kTimeout);
  EXPECT_GE(Steady::now() - begin, milliseconds(100));
  EXPECT_LT(Steady::now() - begin, seconds(10));
}

TEST_F(LinesTest, ByteByByteIsNoWayAroundTheDeadline) {
  LineReader reader(connection_.own.get(), kLimit);
  std::jthread slow([this](const std::stop_token& stop) {
    while (!stop.stop_requested() && write(connection_.peer.get(), "x", 1) == 1) {
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  const auto begin = Steady::now();
  const auto line = reader.await(begin + milliseconds(200));
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kTimeout);
  EXPECT_LT(Steady::now() - begin, seconds(10));
}

TEST_F(LinesTest, WhatCameBeforeTheOtherEndClosedIsTaken) {
  LineReader reader(connection_.own.get(), kLimit);
  send("last\nhalf");
  connection_.peer.reset();
  EXPECT_EQ(reader.await(Steady::now() + seconds(5)), "last");
  const auto line = reader.await(Steady::now() + seconds(5));
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kSystem);
  EXPECT_EQ(line.error().what, "it closed the connection");
}

TEST_F(LinesTest, AWrittenLineHasOneEnd) {
  EXPECT_TRUE(write_line(connection_.own.get(), "hello", Steady::now() + seconds(5)));
  std::array<char, 16> bytes{};
  const auto got = read(connection_.peer.get(), bytes.data(), bytes.size());
  EXPECT_EQ(std::string(bytes.data(), static_cast<std::size_t>(got)), "hello\n");
}

TEST_F(LinesTest, AReaderThatReadsSlowlyGetsItAll) {
  const std::string text(std::size_t{1024} * 1024, 'x');
  std::string taken;
  std::jthread slow([&] {
    std::array<char, 65'536> bytes{};
    while (taken.size() <= text.size()) {
      const auto got = read(connection_.peer.get(), bytes.data(), bytes.size());
      if (got <= 0) return;
      taken.append(bytes.data(), static_cast<std::size_t>(got));
    }
  });
  EXPECT_TRUE(write_line(connection_.own.get(), text, Steady::now() + seconds(30)));
  slow.join();
  EXPECT_EQ(taken, text + "\n");
}

TEST_F(LinesTest, AReaderThatReadsNothingIsWaitedForNoLongerThanAsked) {
  const std::string text(std::size_t{8} * 1024 * 1024, 'x');
  const auto begin = Steady::now();
  const auto written = write_line(connection_.own.get(), text, begin + milliseconds(100));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kTimeout);
  EXPECT_LT(Steady::now() - begin, seconds(10));
}

TEST_F(LinesTest, AReaderThatIsGoneIsAnError) {
  connection_.peer.reset();
  const auto written = write_line(connection_.own.get(), "hello", Steady::now() + seconds(5));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kSystem);
}

TEST_F(LinesTest, WaitsForWhatCanBeReadAndWritten) {
  EXPECT_FALSE(wait_for(connection_.own.get(), POLLIN, Steady::now()));
  EXPECT_TRUE(wait_for(connection_.own.get(), POLLOUT, Steady::now()));
  send("x");
  EXPECT_TRUE(wait_for(connection_.own.get(), POLLIN, Steady::now() + seconds(5)));
}

}  // namespace
}  // namespace spark::helpers
