// Helper programs that cannot start: known before the first change, and named with what to install.

#include <filesystem>
#include <string>

#include "process/installed.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNmFile = "/etc/NetworkManager/conf.d/90-spark-reconcile.conf";

/// A machine on which NetworkManager runs, and has to be told over D-Bus to let go of a link.
class Helpers : public ::testing::Test {
 protected:
  Helpers() {
    spark_.add_link("enp1s0f0np0");
    spark_.write("/etc/NetworkManager/NetworkManager.conf", "[main]\n");
    spark_.write("/sys/fs/cgroup/system.slice/NetworkManager.service/cgroup.procs", "1\n");
    spark_.file_with_links("enp1s0f0np0: { exclusive: true, addresses: [192.0.2.1/24] }");
  }

  [[nodiscard]] Outcome reconcile(const std::vector<std::string>& arguments) const {
    return installed_.reconcile(spark_, arguments);
  }

  /// Apply ends with 1, says why, and has touched nothing.
  void expect_nothing_applied(const std::string& why) const {
    const auto before = spark_.dump();
    const auto outcome = reconcile({"apply"});
    EXPECT_THAT(outcome, ExitsWith(1));
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(why), HasSubstr("[SR-HELPER-001]"),
                                   HasSubstr("nothing was changed")));
    EXPECT_EQ(spark_.dump(), before);
    EXPECT_EQ(spark_.read(kNmFile), "");
    EXPECT_FALSE(std::filesystem::exists(spark_.host_path("/var/lib/spark-reconcile")));
    EXPECT_THAT(reconcile({"plan"}), ExitsWith(1));
  }

  Spark spark_;
  Installed installed_;
};

TEST_F(Helpers, AMissingLibraryIsNamedWithItsPackageBeforeAnyChange) {
  installed_.take_bus_library_away();
  expect_nothing_applied("libsdbus-c++.so.9: cannot open shared object file");
  EXPECT_THAT(reconcile({"plan"}).out,
              AllOf(HasSubstr("spark-bus-call' does not start"), HasSubstr("exit status 127"),
                    HasSubstr("`apt-get install libsdbus-c++9`")));
}

TEST_F(Helpers, OneThatIsNotInstalledIsNamedBeforeAnyChange) {
  std::filesystem::remove(installed_.path("spark-bus-call"));
  expect_nothing_applied("'spark-bus-call' is neither beside");
}

TEST_F(Helpers, OneThatIsNotExecutableIsNamedBeforeAnyChange) {
  installed_.take_bus_library_away();  // so that it is a file of its own
  std::filesystem::permissions(installed_.path("spark-bus-call"), std::filesystem::perms(0644));
  expect_nothing_applied("is not executable: `chmod 755");
}

TEST_F(Helpers, ConfirmIsRefusedWhereNobodyCouldTakeTheChangesBack) {
  installed_.take_bus_library_away();
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  const auto before = spark_.dump();
  const auto outcome = reconcile({"apply", "--confirm", "60s"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--confirm needs systemd"), HasSubstr("libsdbus-c++9")));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_THAT(reconcile({"apply"}), ExitsWith(0)) << "nothing else of it needs the bus";
}

TEST_F(Helpers, ReleaseChangesNothingWhereAManagerCannotBeTold) {
  EXPECT_THAT(reconcile({"apply"}), ExitsWith(0));
  const auto ours = spark_.read(kNmFile);
  ASSERT_THAT(ours, HasSubstr("enp1s0f0np0"));
  installed_.take_bus_library_away();
  const auto before = spark_.dump();
  const auto outcome = reconcile({"release"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("libsdbus-c++9"));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_EQ(spark_.read(kNmFile), ours);
}

TEST_F(Helpers, AConvergedApplyNeedsNone) {
  EXPECT_THAT(reconcile({"apply"}), ExitsWith(0));
  for (const auto* helper : {"spark-bus-call", "spark-verbs-probe", "spark-storage"}) {
    std::filesystem::remove(installed_.path(helper));
  }
  EXPECT_THAT(reconcile({"apply"}), ExitsWith(0));
}

TEST_F(Helpers, DoctorNamesThoseThatDoNotStart) {
  EXPECT_THAT(reconcile({"doctor", "-v"}).out, HasSubstr("all three start"));
  installed_.take_bus_library_away();
  std::filesystem::remove(installed_.path("spark-verbs-probe"));
  const auto outcome = reconcile({"doctor"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("libsdbus-c++9"), HasSubstr("'spark-verbs-probe' is"),
                                 Not(HasSubstr("'spark-storage'"))));
}

}  // namespace
}  // namespace spark::test
