#include "kinds/memlock/memlock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "kinds/memlock/memlock_lines.hpp"

namespace spark::kinds {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr std::uint64_t kMebi = std::uint64_t{1024} * 1024;

/// A Spark whose file says how much may be locked, and nothing else.
class MemlockTest : public test::PassTest {
 protected:
  MemlockTest() { want("unlimited"); }

  void want(const std::string& memlock) {
    want_nothing();
    text_ += "host: { memlock: " + memlock + " }\n";
  }
  void want_nothing() { text_ = "version: 1\ncluster: one\nnodes: { spark1: {} }\n"; }
  void put(const std::string& path, const std::string& text) { host_.files().put(path, text); }
  void install_docker() {
    put("/usr/lib/systemd/system/containerd.service", "[Service]\nLimitNOFILE=infinity\n");
    put("/usr/lib/systemd/system/docker.service", "[Service]\nLimitNOFILE=1048576\n");
  }

  std::string text(const std::string& path) { return host_.files().read(path)->value_or(""); }
  /// Why, id and reason of what is skipped of that scope, as this node names it; empty: nothing.
  std::string skipped(const std::string& scope) {
    for (const auto& item : plan().skipped) {
      if (item.key == scope) {
        return item.skipped.id + " " + item.skipped.reason_here();
      }
    }
    return {};
  }
  std::vector<std::string> steps() {
    std::vector<std::string> texts;
    for (const auto& step : plan().steps) {
      texts.push_back(step.key + ": " + step.before.value_or("-") + " to " +
                      step.after.value_or("-"));
    }
    return texts;
  }
};

TEST_F(MemlockTest, IsSetForNewLoginsAndServices) {
  EXPECT_THAT(steps(),
              ElementsAre("logins: 16 GiB to unlimited", "services: not set to unlimited"));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(text(kLimitsFile), HasSubstr("root hard memlock unlimited"));
  EXPECT_THAT(text(kManagerFile), HasSubstr("DefaultLimitMEMLOCK=infinity"));
  EXPECT_THAT(host_.written(), Contains("reload units"));
  EXPECT_THAT(steps(), IsEmpty());
}

TEST_F(MemlockTest, IsSetForContainersWhereSomethingStartsThem) {
  install_docker();
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(text("/etc/systemd/system/containerd.service.d/90-spark-reconcile.conf"),
              HasSubstr("LimitMEMLOCK=infinity"));
  EXPECT_EQ(text("/etc/systemd/system/docker.service.d/90-spark-reconcile.conf"), "");
}

TEST_F(MemlockTest, IsSetForDockerWhereItStartsItsOwnContainerd) {
  put("/usr/lib/systemd/system/docker.service", "[Service]\n");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(text("/etc/systemd/system/docker.service.d/90-spark-reconcile.conf"),
              HasSubstr("LimitMEMLOCK=infinity"));
}

TEST_F(MemlockTest, NamesTheLimitOfEachOtherUnitThatStartsContainers) {
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  for (const std::string unit :
       {"crio", "k3s", "k3s-agent", "rke2-server", "rke2-agent", "snap.microk8s.daemon-containerd",
        "snap.microk8s.daemon-kubelite", "snap.docker.dockerd"}) {
    const auto path = "/etc/systemd/system/" + unit + ".service";
    put(path, "[Service]\nLimitMEMLOCK=8M\n");
    EXPECT_EQ(skipped("containers"), "") << "it does not run";
    host_.processes().run("/system.slice/" + unit + ".service", 8U << 20U);
    EXPECT_THAT(skipped("containers"),
                AllOf(HasSubstr("SR-MEMLOCK-002 " + path + ":2 says 8 MiB"),
                      HasSubstr("`sudo systemctl edit " + unit + ".service`")));
    put(path, "[Service]\nLimitMEMLOCK=infinity\n");
    EXPECT_EQ(skipped("containers"), "");
  }
  for (const std::string unit : {"k3s", "crio"}) {
    put("/etc/systemd/system/" + unit + ".service", "[Service]\nLimitMEMLOCK=8M\n");
  }
  EXPECT_THAT(skipped("containers"),
              AllOf(HasSubstr("k3s.service:2"), HasSubstr("crio.service:2")));
}

TEST_F(MemlockTest, WritesNothingWhereOtherFilesSayTheSame) {
  put("/etc/security/limits.d/99-nv-spark-limits.conf",
      "* - memlock unlimited\nroot - memlock unlimited\n");
  put("/etc/systemd/system.conf", "[Manager]\nDefaultLimitMEMLOCK=infinity\n");
  EXPECT_THAT(steps(), IsEmpty());
  EXPECT_EQ(plan().status(), ExitCode::kDone);
}

TEST_F(MemlockTest, CountsRootThatTheWildcardLeavesOut) {
  put("/etc/security/limits.d/50-site.conf", "* - memlock unlimited\n");
  EXPECT_THAT(steps(), Contains("logins: 16 GiB to unlimited"));
}

TEST_F(MemlockTest, RoundsLoginsUpToWholeKibibytes) {
  want("100000");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(text(kLimitsFile), HasSubstr("* soft memlock 98\n"));
  EXPECT_THAT(text(kManagerFile), HasSubstr("DefaultLimitMEMLOCK=100000\n"));
  EXPECT_THAT(steps(), IsEmpty());
}

TEST_F(MemlockTest, NamesALaterFileThatWins) {
  put("/etc/security/limits.d/99-site.conf", "\n* hard memlock 64\n");
  put("/run/systemd/system.conf.d/95-site.conf", "[Manager]\nDefaultLimitMEMLOCK=1G\n");
  EXPECT_THAT(skipped("logins"),
              AllOf(HasSubstr("SR-MEMLOCK-002"),
                    HasSubstr("/etc/security/limits.d/99-site.conf:2 says 64 KiB")));
  EXPECT_THAT(skipped("services"),
              HasSubstr("/run/systemd/system.conf.d/95-site.conf:2 says 1 GiB"));
  EXPECT_EQ(apply().exit_code(), ExitCode::kUnknown) << "not enforced";
  EXPECT_EQ(apply().outcome, apply::Report::Outcome::kNothingToDo);
}

TEST_F(MemlockTest, NamesTheSettingsOfDockerThatWin) {
  install_docker();
  put("/etc/docker/daemon.json",
      R"({"default-ulimits": {"memlock": {"Name": "memlock", "Soft": 65536, "Hard": 65536}}})");
  EXPECT_THAT(skipped("containers"),
              HasSubstr("/etc/docker/daemon.json gives each container 64 KiB"));
  put("/etc/docker/daemon.json",
      R"({"default-ulimits": {"memlock": {"Name": "memlock", "Soft": -1, "Hard": -1}}})");
  EXPECT_EQ(skipped("containers"), "");
}

TEST_F(MemlockTest, ShowsALineForSomeUsersAndLeavesIt) {
  put("/etc/security/limits.conf", "@students - memlock 64\n");
  const auto planned = plan();
  ASSERT_EQ(planned.left_unchanged.size(), 1U);
  EXPECT_EQ(planned.left_unchanged[0].what, "memlock of logins of '@students': 64 KiB");
}

TEST_F(MemlockTest, AServiceThatRunsSinceBeforeIsPendingByItsName) {
  host_.processes().run("/system.slice/job.service", 8 * kMebi);
  host_.processes().run("/system.slice/systemd-udevd.service/udev", 8 * kMebi);
  host_.processes().run("/system.slice/new.service", host::kUnlimited);
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone) << "pending is no difference";
  EXPECT_THAT(skipped("services"),
              AllOf(HasSubstr("SR-MEMLOCK-003 job.service, systemd-udevd.service may lock less"),
                    HasSubstr("`systemctl restart NAME`"), Not(HasSubstr("new.service"))));
  EXPECT_EQ(plan().status(), ExitCode::kDone);
  EXPECT_EQ(plan().in_sync, 3U);
  host_.processes().run("/system.slice/job.service", host::kUnlimited);
  EXPECT_THAT(skipped("services"), Not(HasSubstr("job.service")));
}

TEST_F(MemlockTest, AServiceWithALimitOfItsOwnIsNotPending) {
  put("/usr/lib/systemd/system/polkit.service", "[Service]\nLimitMEMLOCK=0\n");
  host_.processes().run("/system.slice/polkit.service", 0);
  EXPECT_EQ(skipped("services"), "");
}

TEST_F(MemlockTest, CountsWhatItHasNoRoomToName) {
  for (const char c : {'a', 'b', 'c', 'd', 'e', 'f', 'g'}) {
    host_.processes().run(std::string("/system.slice/") + c + ".service", 8 * kMebi);
  }
  EXPECT_THAT(skipped("services"), HasSubstr("e.service and 2 more may lock less"));
}

TEST_F(MemlockTest, SessionsFromBeforeArePendingByUser) {
  host_.processes().run("/user.slice/user-1000.slice/session-3.scope", 8 * kMebi);
  host_.processes().run("/user.slice/user-1000.slice/user@1000.service/init.scope", 8 * kMebi);
  EXPECT_THAT(skipped("logins"), AllOf(HasSubstr("of user 1000:"), HasSubstr("log in again")));
}

TEST_F(MemlockTest, WhatRunsSinceBeforeIsNamedOnThisNodeAlone) {
  host_.processes().run("/user.slice/user-1000.slice/session-3.scope", 8 * kMebi);
  host_.processes().run("/system.slice/job.service", 8 * kMebi);
  std::vector<std::string> told;
  for (const auto& item : plan().skipped) told.push_back(item.skipped.reason);
  EXPECT_THAT(told, UnorderedElementsAre(HasSubstr("sessions from before may lock less: log in"),
                                         HasSubstr("1 service may lock less since before: ")));
}

TEST_F(MemlockTest, ContainerdFromBeforeIsPendingWithItsCommand) {
  install_docker();
  host_.processes().run("/system.slice/containerd.service", 8 * kMebi);
  host_.processes().run("/system.slice/docker.service", 8 * kMebi);
  host_.processes().run("/system.slice/docker-0123.scope", 8 * kMebi);
  EXPECT_THAT(skipped("containers"), HasSubstr("`systemctl restart containerd docker`"));
  host_.processes().run("/system.slice/containerd.service", host::kUnlimited);
  host_.processes().run("/system.slice/docker.service", host::kUnlimited);
  EXPECT_THAT(skipped("containers"), HasSubstr("1 of the containers that run"));
  EXPECT_EQ(skipped("services"), "");
}

TEST_F(MemlockTest, IsUnknownWithoutSystemd) {
  host_.files().put("/run/systemd/container", "lxc");
  const auto planned = plan();
  EXPECT_EQ(planned.skipped.size(), 3U);
  EXPECT_EQ(planned.status(), ExitCode::kUnknown);
  EXPECT_THAT(skipped("logins"), HasSubstr("SR-MEMLOCK-001"));
}

TEST_F(MemlockTest, TakesOurFilesAwayWhenItsLineIsGone) {
  install_docker();
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  want_nothing();
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(plan().steps, IsEmpty());
  EXPECT_EQ(text(kLimitsFile) + text(kManagerFile), "");
}

TEST_F(MemlockTest, GivesOurFormerTextBackWhenAnApplyIsRolledBack) {
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  const auto before = text(kLimitsFile);
  want("16GiB");
  host_.refuse_if("system.conf.d");
  const auto report = apply();
  EXPECT_EQ(report.exit_code(), ExitCode::kRolledBack);
  EXPECT_EQ(text(kLimitsFile), before);
}

}  // namespace
}  // namespace spark::kinds
