#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "fake/temporary_folder.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

/// Two links of which the MTU is asked for; of the second there is no device.
constexpr const char* kFile = R"(version: 1
cluster: lab
nodes:
  spark1:
    links:
      enp1s0f0np0: { mtu: 9000 }
      usb0: { mtu: 1500 }
)";

/// `plan` and `apply` on a machine that has this file.
class PlanOutput : public testing::Test {
 protected:
  PlanOutput() { test::add_spark(machine_); }

  Printed printed(std::string_view verb, const std::string& file, const Arguments& arguments = {}) {
    machine_.files().put(protocol::kDefaultFile, file);
    auto result = run_verb(verb, machine_, arguments);
    mask_times(result.out);
    mask_times(result.err);
    return result;
  }

  test::FakeHost machine_;

 private:
  /// "12.34 ms" becomes "N ms".
  static void mask_times(std::string& text) {
    for (auto end = text.find(" ms"); end != std::string::npos; end = text.find(" ms", end)) {
      const auto begin = text.find_last_not_of("0123456789.", end - 1) + 1;
      text.replace(begin, end - begin, "N");
      end = begin + 4;
    }
  }
};

TEST_F(PlanOutput, OfWhatDiffersEndsWithTheNextStep) {
  const auto shown = printed("plan", kFile);
  EXPECT_EQ(shown.code, ExitCode::kDone);
  EXPECT_EQ(shown.out,
            R"(spark1 of cluster 'lab' (/etc/spark-reconcile/cluster.yaml, digest 8723836647f2)

  ~ mtu  enp1s0f0np0  1500 → 9000  /etc/spark-reconcile/cluster.yaml:6  pauses traffic on enp1s0f0np0

skipped (everything else continues):
  waiting: mtu usb0 (/etc/spark-reconcile/cluster.yaml:7)
    no device 'usb0': it is set up by the next apply after the device appears [SR-LINK-001]

0 to add, 1 to change, 0 to remove; 0 in sync; 1 waiting. Next: spark-reconcile apply
)");
  EXPECT_EQ(shown.err, "");
}

TEST_F(PlanOutput, AsAnnotationsIsOneNotice) {
  const auto shown = printed("plan", kFile, {.report_format = ReportFormat::kGithub});
  EXPECT_TRUE(
      shown.out.starts_with("::notice title=spark1%3A 0 to add%2C 1 to change%2C 0 to "
                            "remove; 0 in sync; 1 waiting::  ~ mtu  enp1s0f0np0"))
      << shown.out;
  EXPECT_EQ(shown.out.find('\n'), shown.out.size() - 1);
}

TEST_F(PlanOutput, AsAnnotationsHasEachRefusalAtItsLine) {
  const auto shown = printed("plan",
                             "version: 1\ncluster: lab\nnodes:\n  spark1:\n    links:\n"
                             "      enp1s0f0np0: { mtu: 65535 }\n",
                             {.report_format = ReportFormat::kGithub});
  EXPECT_EQ(shown.code, ExitCode::kError);
  EXPECT_TRUE(
      shown.out.starts_with("::error file=/etc/spark-reconcile/cluster.yaml,line=6,col=27,"
                            "title=spark1 SR-MTU-001::mtu 65535 of"))
      << shown.out;
}

TEST_F(PlanOutput, ThatIsQuietHasTheClosingLine) {
  EXPECT_EQ(
      printed("plan", kFile, {.quiet = true}).out,
      "0 to add, 1 to change, 0 to remove; 0 in sync; 1 waiting. Next: spark-reconcile apply\n");
}

TEST_F(PlanOutput, OfANodeThatThisMachineIsNotIsNotAppliedHere) {
  const std::string file =
      "version: 1\ncluster: lab\nnodes: { rack7: { links: { enp1s0f0np0: { mtu: 9000 } } } }\n";
  const auto shown = printed("plan", file, {.node = "rack7"});
  EXPECT_TRUE(
      shown.out.ends_with("This machine is no node of the file: apply belongs on 'rack7'. "
                          "If this is to be 'rack7': `spark-reconcile apply -n rack7`\n"))
      << shown.out;
}

TEST_F(PlanOutput, OfANodeThatIsNotInTheFileOffersOneThatIs) {
  const auto shown = printed("plan", kFile, {.typed = {"plan", "-n", "spark9"}, .node = "spark9"});
  EXPECT_EQ(shown.err,
            "spark-reconcile: the file has no node 'spark9'; it has: spark1: `spark-reconcile plan "
            "-n spark1`\n");
}

TEST_F(PlanOutput, OfFactsThatAreNoneHasNoWordsOfAParser) {
  const test::TemporaryFolder folder;
  const auto path = (folder.path() / "facts.json").string();
  std::ofstream(path) << "version: 1\n";
  const auto shown = printed("plan", kFile, {.facts = path});
  EXPECT_EQ(shown.err, "spark-reconcile: '" + path +
                           "' is not what `spark-reconcile facts` prints: `ssh spark1 "
                           "spark-reconcile facts > facts.json` takes those of another machine\n");
}

TEST_F(PlanOutput, OfANodeInSyncSaysSo) {
  EXPECT_EQ(printed("plan", "version: 1\ncluster: lab\nnodes: { spark1: {} }\n").out,
            R"(spark1 of cluster 'lab' (/etc/spark-reconcile/cluster.yaml, digest 55a1306438c1)

0 in sync. In sync: nothing to do.
)");
}

TEST_F(PlanOutput, ThatIsRefusedSaysWhy) {
  const auto shown = printed("plan", R"(version: 1
cluster: lab
nodes: { spark1: { links: { enp1s0f0np0: { mtu: 60000 } } } }
)");
  EXPECT_EQ(shown.code, ExitCode::kError);
  EXPECT_EQ(shown.out,
            R"(spark1 of cluster 'lab' (/etc/spark-reconcile/cluster.yaml, digest 5e5f64263644)

  ~ mtu  enp1s0f0np0  1500 → 60000  /etc/spark-reconcile/cluster.yaml:3  pauses traffic on enp1s0f0np0

refused; nothing is changed:
  ! mtu 60000 of 'enp1s0f0np0' is above the device's maximum of 9978 [SR-MTU-001]  /etc/spark-reconcile/cluster.yaml:3

0 to add, 1 to change, 0 to remove; 0 in sync. Refused: apply would change nothing.
)");
}

TEST_F(PlanOutput, OfVAndVvIsOnStderr) {
  const auto shown = printed("plan", kFile, {.quiet = true, .verbosity = 2});
  std::string lines;
  for (const auto line : lines_of(shown.err)) {
    lines += std::string(line.substr(std::string_view("2026-11-23T11:33:47.015Z ").size())) + "\n";
  }
  EXPECT_EQ(
      lines,
      R"(info: node spark1 of cluster lab: '/etc/spark-reconcile/cluster.yaml', digest 8723836647f2
debug: differs: mtu enp1s0f0np0: 1500 → 9000
debug: waiting: mtu usb0: no device 'usb0': it is set up by the next apply after the device appears [SR-LINK-001]
info: 1 step, 0 in sync, 1 skipped, 0 refused
)");
}

TEST_F(PlanOutput, OfAnApplyHasALineForEachStep) {
  const auto shown = printed("apply", kFile);
  EXPECT_EQ(shown.code, ExitCode::kWaiting);
  EXPECT_EQ(
      shown.out,
      R"(  ~ mtu  enp1s0f0np0  1500 → 9000  /etc/spark-reconcile/cluster.yaml:6  pauses traffic on enp1s0f0np0

skipped (everything else continues):
  waiting: mtu usb0 (/etc/spark-reconcile/cluster.yaml:7)
    no device 'usb0': it is set up by the next apply after the device appears [SR-LINK-001]

  ✓ mtu enp1s0f0np0  N ms
spark1: 1 change made and read back in N ms; now 1 in sync; 1 waiting
)");
  EXPECT_EQ(shown.err, "");
  EXPECT_EQ(printed("apply", kFile).out, R"(spark1: nothing to do; 1 in sync; 1 waiting
  waiting: mtu usb0 (/etc/spark-reconcile/cluster.yaml:7)
    no device 'usb0': it is set up by the next apply after the device appears [SR-LINK-001]
)");
}

TEST_F(PlanOutput, OfAnApplyThatFailsSaysThatAllIsRolledBack) {
  machine_.refuse_if("set mtu of 'enp1s0f0np0' to 9000");
  const auto shown = printed("apply", kFile);
  EXPECT_EQ(shown.code, ExitCode::kRolledBack);
  EXPECT_EQ(
      shown.out,
      R"(  ~ mtu  enp1s0f0np0  1500 → 9000  /etc/spark-reconcile/cluster.yaml:6  pauses traffic on enp1s0f0np0

skipped (everything else continues):
  waiting: mtu usb0 (/etc/spark-reconcile/cluster.yaml:7)
    no device 'usb0': it is set up by the next apply after the device appears [SR-LINK-001]

  ✗ mtu enp1s0f0np0  N ms
      set mtu of 'enp1s0f0np0' to 9000: refused by the test
  ↩ mtu enp1s0f0np0  N ms
)");
  EXPECT_EQ(shown.err,
            "spark1: mtu enp1s0f0np0: set mtu of 'enp1s0f0np0' to 9000: refused by the test. "
            "Rolled back and read back: nothing is left changed\n");
}

TEST_F(PlanOutput, OfAnApplyWithoutRightsSaysWhatIsMissing) {
  machine_.system().set_privileged(false);
  const auto shown = printed("apply", kFile);
  EXPECT_EQ(shown.code, ExitCode::kError);
  EXPECT_EQ(shown.out, "");
  EXPECT_EQ(
      shown.err,
      "spark-reconcile: changing links needs CAP_NET_ADMIN, which this process does not have: "
      "in a container root lacks it, so run it on the machine itself; nothing was touched\n");
}

TEST_F(PlanOutput, OfAnApplyPaintsTheSigns) {
  EXPECT_EQ(
      printed("apply", kFile, {.color = Color::kAlways}).out,
      "  \x1b[33m~\x1b[0m mtu  enp1s0f0np0  1500 → 9000  "
      "\x1b[2m/etc/spark-reconcile/cluster.yaml:6\x1b[0m  \x1b[33mpauses traffic on "
      "enp1s0f0np0\x1b[0m\n"
      "\n"
      "skipped (everything else continues):\n"
      "  \x1b[33mwaiting:\x1b[0m mtu usb0\x1b[2m (/etc/spark-reconcile/cluster.yaml:7)\x1b[0m\n"
      "    no device 'usb0': it is set up by the next apply after the device appears "
      "[SR-LINK-001]\n"
      "\n"
      "  \x1b[32m✓\x1b[0m mtu enp1s0f0np0  \x1b[2mN ms\x1b[0m\n"
      "spark1: 1 change made and read back in N ms; now 1 in sync; 1 waiting\n");
}

}  // namespace
}  // namespace spark::cli
