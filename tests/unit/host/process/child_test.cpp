#include "host/process/child.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/linux/helper_probe.hpp"

namespace spark::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

TEST(RunChild, GivesWhatItPrintedAndItsStatus) {
  const auto ran = run_child({"/bin/sh", "-c", "printf hello; exit 3"}, seconds(20));
  ASSERT_TRUE(ran) << ran.error().what;
  EXPECT_EQ(ran->out, "hello");
  EXPECT_EQ(ran->status, 3);
}

TEST(RunChild, KeepsWhatItSaidOnStderrApart) {
  const auto ran = run_child({"/bin/sh", "-c", "echo no >&2; printf yes"}, seconds(20));
  ASSERT_TRUE(ran) << ran.error().what;
  EXPECT_EQ(ran->out, "yes");
  EXPECT_EQ(ran->err, "no\n");
}

TEST(RunChild, ReadsOnWhicheverOfBothItFills) {
  const auto ran =
      run_child({"/bin/sh", "-c", "yes | head -c 200000 >&2; yes | head -c 200000; echo end >&2"},
                seconds(20));
  ASSERT_TRUE(ran) << ran.error().what;
  EXPECT_EQ(ran->out.size(), 65536U);
  EXPECT_EQ(ran->err.size(), 65536U);
}

TEST(RunChild, TellsTheSignalThatEndedIt) {
  EXPECT_EQ(run_child({"/bin/sh", "-c", "kill -ABRT $$"}, seconds(20))->status, 128 + SIGABRT);
}

TEST(RunChild, GivesItNoEnvironmentAndNoInput) {
  const auto ran = run_child({"/bin/sh", "-c", "cat; printf '%s' \"$HOME\""}, seconds(20));
  EXPECT_EQ(ran->out, "");
}

// qemu's user mode says that it set a limit of memory and sets none, since the limit would be its
// own.
bool limits_of_memory_hold() {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{.rlim_cur = rlim_t{64} << 20, .rlim_max = rlim_t{64} << 20};
    const bool holds = setrlimit(RLIMIT_DATA, &limit) == 0 && getrlimit(RLIMIT_DATA, &limit) == 0 &&
                       limit.rlim_max == rlim_t{64} << 20;
    _exit(holds ? 0 : 1);
  }
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(RunChild, StartsItBelowALimitOfMemory) {
  if (!limits_of_memory_hold()) {
    GTEST_SKIP() << "setrlimit(2) of RLIMIT_DATA does not work here";
  }
  const ChildSetup setup{.most_memory = std::uint64_t{64} << 20};
  const auto ran = run_child({"/bin/bash", "-c", "ulimit -Hd; ulimit -Sd"}, seconds(20), setup);
  ASSERT_TRUE(ran) << ran.error().what;
  EXPECT_EQ(ran->out, "65536\n65536\n");
}

TEST(RunChild, GivesOneThatItSetsUpTheSameBounds) {
  const ChildSetup setup{.environment = {"NAME=value"}, .most_memory = std::uint64_t{64} << 20};
  const auto ran = run_child({"/bin/bash", "-c", "cat; printf \"$NAME\"; ls /proc/self/fd | wc -l"},
                             seconds(20), setup);
  ASSERT_TRUE(ran) << ran.error().what;
  EXPECT_EQ(ran->out, "value4\n") << "stdin, stdout, stderr and what ls opens";
  EXPECT_EQ(run_child({"/bin/sh", "-c", "kill -PIPE $$"}, seconds(20), setup)->status,
            128 + SIGPIPE);
  const auto late = run_child({"/bin/sh", "-c", "sleep 100 & sleep 100"}, milliseconds(50), setup);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().what, HasSubstr("it was killed"));
}

TEST(RunChild, KillsItAtTheDeadlineWithAllThatItStarted) {
  const auto start = std::chrono::steady_clock::now();
  const auto ran = run_child({"/bin/sh", "-c", "sleep 100 & sleep 100"}, milliseconds(50));
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(ran.error().what, HasSubstr("it was killed"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(50));
}

TEST(RunChild, KillsOneThatIsStopped) {
  const auto ran = run_child({"/bin/sh", "-c", "kill -STOP $$"}, milliseconds(50));
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().what, HasSubstr("it was killed"));
}

TEST(RunChild, KeepsNoMoreThanItsBound) {
  const auto ran = run_child({"/bin/sh", "-c", "yes | head -c 200000"}, seconds(20));
  ASSERT_TRUE(ran) << ran.error().what;
  EXPECT_EQ(ran->out.size(), 65536U);
  EXPECT_EQ(ran->status, 0);
}

TEST(RunChild, IsNotFoundWhereThereIsNone) {
  const auto ran = run_child({"/nonexistent/program"}, seconds(20));
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, ErrorCode::kNotFound);
}

TEST(ParseLoopbackReport, ReadsWhatTheProbePrints) {
  const auto report = parse_loopback_report(
      R"({"active_mtu":4096,"bits_per_second":4e8,"bytes_moved":true,"error_number":0,"failed":null,)"
      R"("gid_index":2,"latency_p50_us":20.8,"latency_p99_us":256.9,"registered":true,)"
      R"("state":"active","why":""})");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->active_mtu, 4096U);
  EXPECT_TRUE(report->bytes_moved);
  EXPECT_FALSE(report->failed);
}

TEST(ParseLoopbackReport, RefusesWhatIsNoReport) {
  for (const auto* text : {"", "no", "[]", "{}", R"({"state": 1})", R"({"active_mtu": -1})"}) {
    EXPECT_FALSE(parse_loopback_report(text)) << text;
  }
}

}  // namespace
}  // namespace spark::host
