#include "state/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"

namespace spark::state {
namespace {

using testing::HasSubstr;

Event told(const std::string& text) {
  return {.at = "2026-01-31T09:30:00Z", .what = "corrected", .severity = "info", .text = text};
}

EventLog log_of(std::size_t count) {
  EventLog log;
  for (std::size_t i = 1; i <= count; ++i) log.add(told(std::to_string(i)));
  return log;
}

TEST(EventLog, NumbersItsEvents) {
  const auto log = log_of(2);
  EXPECT_EQ(log.events().front().number, 1U);
  EXPECT_EQ(log.events().back().number, 2U);
}

TEST(EventLog, KeepsTheNewestOnly) {
  const auto log = log_of(EventLog::kMost + 3);
  EXPECT_EQ(log.events().size(), EventLog::kMost);
  EXPECT_EQ(log.events().front().text, "4");
  EXPECT_EQ(log.events().back().number, EventLog::kMost + 3);
}

TEST(EventLog, HasNoLongTextAndNoneThatATerminalObeys) {
  EventLog log;
  log.add(told("\x1b[2J" + std::string(EventLog::kLongestText * 2, 'x')));
  const auto& text = log.events().back().text;
  EXPECT_LE(text.size(), EventLog::kLongestText + 20);
  EXPECT_THAT(text, HasSubstr("\\x1b"));
}

TEST(EventLog, ReadsWhatItWrote) {
  auto log = log_of(EventLog::kMost + 1);
  auto again = EventLog::from_text(log.to_text());
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->events(), log.events());
  log.add(told("next"));
  again->add(told("next"));
  EXPECT_EQ(again->events().back(), log.events().back());
}

TEST(EventLog, RefusesWhatIsNone) {
  EXPECT_FALSE(EventLog::from_text("{"));
  EXPECT_FALSE(EventLog::from_text(R"({"schema": "spark-reconcile/event-log/v2", "events": []})"));
}

TEST(ReadEvents, PrefersThoseOfTheDaemonThatRuns) {
  test::FakeHost host;
  auto& files = host.files();
  const auto none = read_events(files);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->events().empty());
  ASSERT_TRUE(files.write(protocol::kKeptEventsFile, log_of(1).to_text(), 0600));
  EXPECT_EQ(read_events(files)->events().size(), 1U);
  ASSERT_TRUE(files.write(protocol::kEventsFile, log_of(2).to_text(), 0644));
  EXPECT_EQ(read_events(files)->events().size(), 2U);
}

TEST(ReadEvents, NamesTheFileThatIsDamaged) {
  test::FakeHost host;
  auto& files = host.files();
  ASSERT_TRUE(files.write(protocol::kKeptEventsFile, "x", 0600));
  const auto damaged = read_events(files);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().what, HasSubstr("'/var/lib/spark-reconcile/events.json' is damaged"));
}

}  // namespace
}  // namespace spark::state
