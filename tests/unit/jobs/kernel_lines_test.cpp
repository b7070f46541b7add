#include "jobs/kernel_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "jobs/sign_log.hpp"

namespace spark::jobs {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr Time kMorning = Time(std::chrono::days(20'000)) + std::chrono::hours(3);

/// As `journalctl -o json` prints it, with the members that it always adds.
std::string entry(const std::string& message, Time at = kMorning) {
  return nlohmann::json{
             {"__CURSOR", "s=1;i=2"},
             {"_BOOT_ID", "00000000000000000000000000000001"},
             {"__REALTIME_TIMESTAMP", std::to_string(at.time_since_epoch().count()) + "123"},
             {"MESSAGE", message}}
             .dump() +
         "\n";
}

TEST(KernelSigns, OfOneOutOfMemoryAreOneWithoutTheProcess) {
  const auto signs = kernel_signs(
      entry("python3 invoked oom-killer: gfp_mask=0x140cca, order=0, oom_score_adj=0") +
      entry("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,global_oom,"
            "task_memcg=/user.slice/user-1000.slice,task=python3,pid=4711,uid=1000") +
      entry("Out of memory: Killed process 4711 (python3) total-vm:131072kB, UID:1000",
            kMorning + milliseconds(300)));
  ASSERT_THAT(signs, SizeIs(1));
  EXPECT_EQ(signs[0], (Recorded{.at = kMorning,
                                .sign = Sign::kOutOfMemory,
                                .link = "",
                                .peer = "",
                                .lasted = {},
                                .text = "the kernel ended a process"}));
}

TEST(KernelSigns, TellTheLimitOfAControlGroupFromTheWholeMemory) {
  const auto signs =
      kernel_signs(entry("Memory cgroup out of memory: Killed process 12 (vllm) total-vm:1kB"));
  ASSERT_THAT(signs, SizeIs(1));
  EXPECT_EQ(signs[0].text, "the kernel ended a process of a control group at its limit");
}

TEST(KernelSigns, OfAnotherTimeAreAnotherSign) {
  const auto line = "Out of memory: Killed process 4711 (python3)";
  EXPECT_THAT(kernel_signs(entry(line) + entry(line, kMorning + seconds(5))), SizeIs(2));
}

TEST(KernelSigns, HaveTheNumberOfAnXidAlone) {
  const auto signs = kernel_signs(
      entry("NVRM: Xid (PCI:000f:01:00): 79, pid=4711, name=python3, GPU has fallen off the bus.") +
      entry("NVRM: Xid (PCI:000f:01:00): 31, pid='<unknown>', name=<unknown>"));
  ASSERT_THAT(signs, SizeIs(2));
  EXPECT_EQ(signs[0].sign, Sign::kXid);
  EXPECT_EQ(signs[0].text, "Xid 79");
  EXPECT_EQ(signs[1].text, "Xid 31");
}

TEST(KernelSigns, SayWhichLinkTheCardSpeaksOf) {
  const auto signs = kernel_signs(entry("mlx5_core 0000:01:00.0 enp1s0f0np0: Link down"));
  ASSERT_THAT(signs, SizeIs(1));
  EXPECT_EQ(signs[0].sign, Sign::kKernelLine);
  EXPECT_EQ(signs[0].link, "enp1s0f0np0");
  EXPECT_EQ(signs[0].text, "Link down");
}

TEST(KernelSigns, HaveNoNumberOfAProcess) {
  const auto signs = kernel_signs(
      entry("mlx5_core 0000:01:00.0: mlx5_cmd_out_err:803:(pid 4711): ACCESS_REG(0x805) failed") +
      entry("mlx5_core 0000:01:00.0: some other error of pid=4711"));
  ASSERT_THAT(signs, SizeIs(2));
  EXPECT_EQ(signs[0].link, "");
  EXPECT_EQ(signs[0].text, "mlx5_core 0000:01:00.0: mlx5_cmd_out_err:803:ACCESS_REG(0x805) failed");
  EXPECT_EQ(signs[1].text, "");
}

TEST(KernelSigns, AreOfNothingElse) {
  EXPECT_THAT(kernel_signs(entry("mlx5_core 0000:01:00.0: firmware version: 28.45.4028") +
                           entry("r8127 0007:01:00.0 enP7s7: Link is Up") +
                           entry("NVRM: loading NVIDIA UNIX Open Kernel Module") +
                           entry("NVRM: Xid (PCI:000f:01:00): none")),
              IsEmpty());
}

TEST(KernelSigns, PassOverWhatIsNoEntry) {
  EXPECT_THAT(kernel_signs("{\"MESSAGE\":[1,2],\"__REALTIME_TIMESTAMP\":\"1\"}\n"
                           "{\"MESSAGE\":\"oom-kill:\",\"__REALTIME_TIMESTAMP\":\"soon\"}\n"
                           "{\"MESSAGE\":\"oom-kill:\"}\n{\"MESSA"),
              IsEmpty());
}

TEST(KernelSigns, HaveShortTextsThatNoTerminalObeys) {
  const auto signs =
      kernel_signs(entry("mlx5_core 0000:01:00.0: error \x1b[2J" + std::string(400, 'x')));
  ASSERT_THAT(signs, SizeIs(1));
  EXPECT_THAT(signs[0].text, Not(HasSubstr("\x1b")));
  EXPECT_LE(signs[0].text.size(), SignLog::kLongestText + 16);
}

TEST(KernelLines, AreOfThatTimeAlone) {
  const auto lines =
      kernel_lines(kMorning, kMorning + seconds(9), [](Time /*since*/, Time /*until*/) {
        return entry("NVRM: Xid (PCI:000f:01:00): 13", kMorning - seconds(1)) +
               entry("NVRM: Xid (PCI:000f:01:00): 31") +
               entry("NVRM: Xid (PCI:000f:01:00): 79", kMorning + seconds(10));
      });
  ASSERT_TRUE(lines);
  ASSERT_THAT(*lines, SizeIs(1));
  EXPECT_EQ(lines->front().text, "Xid 31");
}

TEST(KernelLines, SayWhyTheJournalCannotBeRead) {
  const auto lines =
      kernel_lines(kMorning, kMorning, [](Time /*since*/, Time /*until*/) -> Result<std::string> {
        return fail(ErrorCode::kNotFound, "run '/usr/bin/journalctl': No such file or directory");
      });
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace spark::jobs
