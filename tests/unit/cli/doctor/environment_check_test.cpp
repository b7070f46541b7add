#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/checks.hpp"
#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kGuide = "/etc/profile.d/nccl-env.sh";
constexpr const char* kOurs = "/etc/profile.d/spark-reconcile-nccl.sh";

class EnvironmentCheck : public ::testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) { machine_.files().put(path, text); }

  [[nodiscard]] Findings found() {
    const TextFile out;
    const TextFile err;
    const Arguments arguments;
    const Terminal terminal(out.stream(), err.stream(), arguments.color, arguments.quiet);
    const Log log(err.stream(), {.verbosity = arguments.verbosity});
    auto host = machine_.host();
    return check_environment({arguments, terminal, log, host});
  }

  /// Of one finding, which is not good: what it says, and what to do.
  static auto fault(const char* what, const char* force, const std::string& remedy) {
    return AllOf(Field(&Finding::severity, Severity::kLook),
                 Field(&Finding::what, AllOf(HasSubstr(what), HasSubstr(force))),
                 Field(&Finding::remedy, remedy));
  }

  test::FakeHost machine_;
};

TEST_F(EnvironmentCheck, SaysNothingWhereNobodySetsAnything) {
  EXPECT_THAT(found(), IsEmpty());
  put("/etc/environment", "PATH=\"/usr/bin\"\n");
  put("/etc/profile.d/nvm.sh", "export NVM_DIR=/opt/nvm\n");
  put("/etc/nccl.conf", "NCCL_DEBUG=WARN\n");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(EnvironmentCheck, NamesAFixedGidIndexOfALogin) {
  put(kGuide, "#!/bin/sh\n# export NCCL_IB_GID_INDEX=5\nexport NCCL_IB_GID_INDEX=3\n");
  EXPECT_THAT(found(),
              ElementsAre(fault("'/etc/profile.d/nccl-env.sh' fixes the index of the GIDs, which "
                                "move: a job then hangs: line 3 NCCL_IB_GID_INDEX=3",
                                "; in force in login shells and what they start [SR-ENV-009]",
                                "`sudo sed -i '3s/^/# /' /etc/profile.d/nccl-env.sh`, then log in "
                                "again")));
  put(kGuide, "export NCCL_IB_GID_INDEX=-1\n");
  EXPECT_THAT(found(), IsEmpty()) << "NCCL's own value";
}

TEST_F(EnvironmentCheck, TakesAPinnedIndexForOurs) {
  put(protocol::kNcclEnvironment, "NCCL_IB_GID_INDEX=3\n");
  put(kGuide, "export NCCL_IB_GID_INDEX=3\n");
  EXPECT_THAT(found(), IsEmpty());
  put(kGuide, "export NCCL_IB_GID_INDEX=4\n");
  EXPECT_THAT(found(), ElementsAre(fault("line 1 NCCL_IB_GID_INDEX=4", "[SR-ENV-009]",
                                         "`sudo sed -i '1s/^/# /' /etc/profile.d/nccl-env.sh`, "
                                         "then log in again")));
}

TEST_F(EnvironmentCheck, SaysWhatOverridesIt) {
  put(kGuide, "export NCCL_IB_GID_INDEX=3\n");
  put("/etc/profile.d/zz.sh", "unset NCCL_IB_GID_INDEX\n");
  EXPECT_THAT(found(), ElementsAre(AllOf(
                           Field(&Finding::severity, Severity::kGood), Field(&Finding::remedy, ""),
                           Field(&Finding::what, HasSubstr("not in force: line 1 of "
                                                           "'/etc/profile.d/zz.sh' unsets it")))));
  put("/etc/profile.d/zz.sh", "export NCCL_IB_GID_INDEX=5\n");
  EXPECT_THAT(found(), ElementsAre(Field(&Finding::what,
                                         HasSubstr("not in force: line 1 of '/etc/profile.d/zz.sh' "
                                                   "sets it after that")),
                                   Field(&Finding::what, HasSubstr("in force in login shells"))));
}

TEST_F(EnvironmentCheck, TellsSessionsFromLogins) {
  put("/etc/environment", "NCCL_IB_GID_INDEX=3\n");
  EXPECT_THAT(found(), ElementsAre(fault("'/etc/environment' fixes", "in force in all sessions [",
                                         "`sudo sed -i '1s/^/# /' /etc/environment`, then log in "
                                         "again")));
  put(kGuide, "NCCL_IB_GID_INDEX=-1; export NCCL_IB_GID_INDEX\n");
  EXPECT_THAT(found(),
              ElementsAre(Field(&Finding::what,
                                HasSubstr("in force in all sessions but login shells, where line 1 "
                                          "of '/etc/profile.d/nccl-env.sh' sets it"))));
}

TEST_F(EnvironmentCheck, KnowsThatNcclReadsItsFileLast) {
  put("/etc/nccl.conf", "NCCL_IB_GID_INDEX=3\nNCCL_IB_GID_INDEX=4\n");
  EXPECT_THAT(
      found(),
      ElementsAre(fault("line 1 NCCL_IB_GID_INDEX=3",
                        "in force in each process of NCCL whose environment does not set it",
                        "`sudo sed -i '1s/^/# /' /etc/nccl.conf`"),
                  Field(&Finding::what,
                        HasSubstr("not in force: line 1 of '/etc/nccl.conf' comes first"))));
  put("/etc/nccl.conf", "NCCL_IB_GID_INDEX=3\n");
  put(kGuide, "export NCCL_IB_GID_INDEX=-1\n");
  EXPECT_THAT(found(),
              ElementsAre(Field(&Finding::what,
                                HasSubstr("in force wherever the environment does not set it, as "
                                          "line 1 of '/etc/profile.d/nccl-env.sh' does"))));
}

TEST_F(EnvironmentCheck, NamesWhatRootSetsAtHome) {
  put("/etc/passwd",
      "root:x:0:0:root:/root:/bin/bash\nmail:x:8:8:mail:/var/mail:/usr/sbin/nologin\n"
      "alice:x:0:0:Alice:/home/alice:/bin/bash\nbob:x:1000:1000:Bob:/home/bob:/bin/bash\n");
  put("/home/alice/.bashrc", "export NCCL_IB_GID_INDEX=3\n");
  put("/root/.nccl.conf", "NCCL_IB_GID_INDEX=5\n");
  put("/home/bob/.bashrc", "export NCCL_IB_GID_INDEX=4\n");
  put("/var/mail/.bashrc", "export NCCL_IB_GID_INDEX=3\n");
  EXPECT_THAT(found(),
              UnorderedElementsAre(
                  fault("line 1 NCCL_IB_GID_INDEX=3", "in force in shells of alice",
                        "`sudo -u alice sed -i '1s/^/# /' /home/alice/.bashrc`, then log in again"),
                  fault("line 1 NCCL_IB_GID_INDEX=5", "in force in each process of NCCL of root",
                        "`sudo -u root sed -i '1s/^/# /' /root/.nccl.conf`")));
}

TEST_F(EnvironmentCheck, NamesWhatContradictsTheRenderedFile) {
  put(kGuide,
      "export NCCL_IB_HCA=mlx5_0\nexport NCCL_SOCKET_IFNAME=enp1s0f1np1\n"
      "export UCX_NET_DEVICES=enp1s0f1np1\nexport NCCL_IB_DISABLE=1\nexport NCCL_DEBUG=INFO\n");
  EXPECT_THAT(found(), IsEmpty()) << "nothing is rendered";
  put(protocol::kNcclEnvironment,
      "NCCL_IB_HCA==rocep1s0f1,roceP2p1s0f1\nNCCL_NET=IB\nNCCL_SOCKET_IFNAME==enp1s0f1np1\n"
      "UCX_NET_DEVICES=rocep1s0f1:1,roceP2p1s0f1:1\n");
  EXPECT_THAT(found(),
              ElementsAre(fault("'/etc/profile.d/nccl-env.sh' contradicts "
                                "/run/spark-reconcile/nccl.env: line 1 NCCL_IB_HCA=mlx5_0, line 3 "
                                "UCX_NET_DEVICES=enp1s0f1np1, line 4 NCCL_IB_DISABLE=1",
                                "in force in login shells and what they start [SR-ENV-010]",
                                "`sudo sed -i '1s/^/# /;3s/^/# /;4s/^/# /' "
                                "/etc/profile.d/nccl-env.sh`, then log in again")));
  put(kGuide, "export NCCL_IB_HCA=roceP2p1s0f1,rocep1s0f1\nexport NCCL_NET=ib NCCL_IB_DISABLE=0\n");
  EXPECT_THAT(found(), IsEmpty()) << "other words for the same";
}

TEST_F(EnvironmentCheck, TakesOurOwnScriptForOurs) {
  put(protocol::kNcclEnvironment, "NCCL_NET=IB\n");
  put(kOurs, "# Written by spark-reconcile from cluster.yaml; …\nexport NCCL_NET='Socket'\n");
  EXPECT_THAT(found(), IsEmpty()) << "the plan restores it";
  put(kGuide, "export NCCL_NET=Socket\n");
  EXPECT_THAT(found(),
              ElementsAre(AllOf(
                  Field(&Finding::severity, Severity::kGood),
                  Field(&Finding::what, HasSubstr("not in force: line 2 of "
                                                  "'/etc/profile.d/spark-reconcile-nccl.sh'")))));
}

TEST_F(EnvironmentCheck, GivesNoCommandForALineThatHasMore) {
  put(kGuide, "if true; then\n  export NCCL_IB_GID_INDEX=3\nfi\n");
  EXPECT_THAT(found(), ElementsAre(fault("line 2", "[SR-ENV-009]",
                                         "take NCCL_IB_GID_INDEX out of "
                                         "'/etc/profile.d/nccl-env.sh', then log in again")));
}

}  // namespace
}  // namespace spark::cli
