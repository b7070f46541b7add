// Modules and locked memory where there is no systemd: in a network namespace.

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHead = "version: 1\ncluster: lab\nnodes: { spark1: {} }\n";

TEST(Limits, AreUnknownWithoutSystemdAndNothingIsWritten) {
  const Spark spark;
  spark.file(std::string(kHead) + "host: { memlock: unlimited, modules: [no-such-module] }\n");
  const auto outcome = spark.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("memlock logins"), HasSubstr("SR-MEMLOCK-001"),
                                 HasSubstr("module no_such_module"), HasSubstr("SR-MODULE-003")));
  EXPECT_FALSE(std::filesystem::exists(spark.host_path("/etc/security")));
  EXPECT_FALSE(std::filesystem::exists(spark.host_path("/etc/modules-load.d")));
}

TEST(Limits, TakeOurModuleLineAwayWhenItsOwnIsGone) {
  const Spark spark;
  constexpr const char* kModulesFile = "/etc/modules-load.d/spark-reconcile.conf";
  spark.write(kModulesFile, "# ours\nno_such_module\n");
  spark.file(kHead);
  EXPECT_THAT(spark.reconcile({"plan"}).out, HasSubstr("module  no_such_module"));
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  EXPECT_FALSE(std::filesystem::exists(spark.host_path(kModulesFile)));
  EXPECT_THAT(spark.reconcile({"apply"}).out, HasSubstr("nothing to do"));
}

TEST(Limits, StandInTheFacts) {
  const Spark spark;
  spark.file(std::string(kHead) + "host: { memlock: unlimited, modules: [no-such-module] }\n");
  EXPECT_THAT(spark.reconcile({"facts"}).out,
              AllOf(HasSubstr("\"/run/systemd\": []"), Not(HasSubstr("\"process_groups\""))));
}

}  // namespace
}  // namespace spark::test
