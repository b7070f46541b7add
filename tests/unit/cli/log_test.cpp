#include "cli/log.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <syslog.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "unit/cli/terminal_device.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

/// As systemd sets JOURNAL_STREAM for a service whose stderr is this stream.
std::string journal_stream_of(std::FILE* stream) {
  struct stat status{};
  EXPECT_EQ(fstat(fileno(stream), &status), 0);
  return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

/// The text with each digit of the times at its lines' beginnings as 0.
std::string without_times(const std::string& text, std::string_view time) {
  std::string masked;
  for (const auto line : lines_of(text)) {
    std::string begin(line.substr(0, time.size()));
    std::ranges::replace_if(begin, is_ascii_digit, '0');
    masked += begin + std::string(line.substr(begin.size())) + '\n';
  }
  return masked;
}

constexpr std::string_view kDateAndTime = "0000-00-00T00:00:00.000Z";
constexpr std::string_view kTimeOfDay = "00:00:00.000";

void write_each_level(const Log& log) {
  log.write(LOG_CRIT, "SparkNotReady fires");
  log.write(LOG_ERR, "no file names this node");
  log.write(LOG_WARNING, "refused: line 3");
  log.write(LOG_NOTICE, "started");
  log.info("mtu enp1s0f0np0: 1500 → 9000");
  log.debug("waiting: no such device");
}

TEST(Log, OfAFileBeginsEachLineWithTimeAndLevel) {
  const TextFile file;
  write_each_level(Log(file.stream(), {.verbosity = 2}));
  EXPECT_EQ(without_times(file.text(), kDateAndTime),
            "0000-00-00T00:00:00.000Z critical: SparkNotReady fires\n"
            "0000-00-00T00:00:00.000Z error: no file names this node\n"
            "0000-00-00T00:00:00.000Z warning: refused: line 3\n"
            "0000-00-00T00:00:00.000Z notice: started\n"
            "0000-00-00T00:00:00.000Z info: mtu enp1s0f0np0: 1500 → 9000\n"
            "0000-00-00T00:00:00.000Z debug: waiting: no such device\n");
}

TEST(Log, OfATerminalHasTheTimeOfDayAndTheLevelInColour) {
  TerminalDevice terminal;
  write_each_level(Log(terminal.stream(), {.verbosity = 2}));
  EXPECT_EQ(without_times(terminal.shown(), kTimeOfDay),
            "00:00:00.000 \x1b[31mcritical\x1b[m: SparkNotReady fires\n"
            "00:00:00.000 \x1b[31merror\x1b[m: no file names this node\n"
            "00:00:00.000 \x1b[33mwarning\x1b[m: refused: line 3\n"
            "00:00:00.000 \x1b[1mnotice\x1b[m: started\n"
            "00:00:00.000 \x1b[2minfo\x1b[m: mtu enp1s0f0np0: 1500 → 9000\n"
            "00:00:00.000 \x1b[2mdebug\x1b[m: waiting: no such device\n");
}

TEST(Log, OfTheJournalHasThePriorityAndNoTime) {
  const TextFile file;
  write_each_level(Log(file.stream(), {.color = Color::kAlways,
                                       .verbosity = 2,
                                       .journal_stream = journal_stream_of(file.stream())}));
  EXPECT_EQ(file.text(),
            "<2>SparkNotReady fires\n"
            "<3>no file names this node\n"
            "<4>refused: line 3\n"
            "<5>started\n"
            "<6>mtu enp1s0f0np0: 1500 → 9000\n"
            "<7>waiting: no such device\n");
}

TEST(Log, HasNoPrioritiesWhereTheStreamIsTheJournalsNoLonger) {
  const TextFile journal;
  const TextFile redirected;
  const auto right = journal_stream_of(redirected.stream());
  for (const auto& stream :
       {journal_stream_of(journal.stream()), std::string("8"), ":" + right, right + ":"}) {
    Log(redirected.stream(), {.journal_stream = stream}).write(LOG_NOTICE, "started");
  }
  EXPECT_EQ(without_times(redirected.text(), kDateAndTime),
            "0000-00-00T00:00:00.000Z notice: started\n"
            "0000-00-00T00:00:00.000Z notice: started\n"
            "0000-00-00T00:00:00.000Z notice: started\n"
            "0000-00-00T00:00:00.000Z notice: started\n");
}

TEST(Log, OfAFileIsInUtcWhateverTheTimeZone) {
  setenv("TZ", "Elsewhere-7", 1);
  tzset();
  const TextFile file;
  const auto before = utc_text(now().wall);
  Log(file.stream(), {}).write(LOG_NOTICE, "started");
  const auto after = utc_text(now().wall);
  const auto at = file.text().substr(0, before.size() - 1) + "Z";
  EXPECT_LE(before, at);
  EXPECT_LE(at, after);
  unsetenv("TZ");
  tzset();
}

/// Which levels that verbosity shows.
std::string shown_at(int verbosity) {
  const TextFile file;
  write_each_level(Log(
      file.stream(), {.verbosity = verbosity, .journal_stream = journal_stream_of(file.stream())}));
  std::string priorities;
  const auto text = file.text();
  for (const auto line : lines_of(text)) priorities += line.substr(0, 3);
  return priorities;
}

TEST(Log, ShowsMoreTheMoreOftenVWasGiven) {
  EXPECT_EQ(shown_at(0), "<2><3><4><5>");
  EXPECT_EQ(shown_at(1), "<2><3><4><5><6>");
  EXPECT_EQ(shown_at(2), "<2><3><4><5><6><7>");
  EXPECT_EQ(shown_at(9), "<2><3><4><5><6><7>");
}

TEST(Log, TakesEachPriorityOfSyslog) {
  const TextFile file;
  const Log log(file.stream(),
                {.verbosity = 2, .journal_stream = journal_stream_of(file.stream())});
  log.write(LOG_EMERG, "a");
  log.write(LOG_ALERT, "b");
  log.write(LOG_DEBUG + 1, "c");
  EXPECT_EQ(file.text(), "<2>a\n<2>b\n<7>c\n");
}

TEST(Log, HasColourWhereItIsAskedForAndNoneWhereItIsNot) {
  const TextFile file;
  Log(file.stream(), {.color = Color::kAlways}).write(LOG_NOTICE, "started");
  EXPECT_EQ(without_times(file.text(), kDateAndTime),
            "0000-00-00T00:00:00.000Z \x1b[1mnotice\x1b[m: started\n");
  TerminalDevice terminal;
  Log(terminal.stream(), {.color = Color::kNever}).write(LOG_NOTICE, "started");
  EXPECT_EQ(without_times(terminal.shown(), kTimeOfDay), "00:00:00.000 notice: started\n");
}

TEST(Log, GivesTheTerminalNoOrdersOfOthers) {
  TerminalDevice terminal;
  Log(terminal.stream(), {.color = Color::kNever})
      .write(LOG_WARNING, "changed by '\x1b]0;owned\x07\x1b[2J' {} %v \xE2\x80\xAE \x9B\t");
  EXPECT_EQ(without_times(terminal.shown(), kTimeOfDay),
            "00:00:00.000 warning: changed by '\\x1b]0;owned\\x07\\x1b[2J' {} %v \\u202e "
            "\\x9b\\x09\n");
}

TEST(Log, LetsNoTextForgeALine) {
  const TextFile file;
  Log(file.stream(), {.journal_stream = journal_stream_of(file.stream())})
      .write(LOG_WARNING, "refused: 'a\n<0>the machine is on fire'");
  EXPECT_EQ(file.text(), "<4>refused: 'a\\x0a<0>the machine is on fire'\n");
}

}  // namespace
}  // namespace spark::cli
