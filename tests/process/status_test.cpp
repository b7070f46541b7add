#include <chrono>
#include <string>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// One number over one rail of a ConnectX.
std::string result(const std::string& at, const std::string& bits) {
  return R"({"at":")" + at +
         R"(","version":"0.2.0","node":"spark1","peer":"spark2","seconds":2,"queue_pairs":4,)"
         R"("jobs":[],"rails":[{"link":"enp1s0f0np0","cage":0,"rail":0,"driver":"mlx5_core",)"
         R"("speed_mbps":200000}],"figures":[{"operation":"write","direction":"to",)"
         R"("links":["enp1s0f0np0"],"bits_per_second":)" +
         bits + "}]}";
}

TEST(Status, SaysWhatBenchMeasuredLastAndWhatItWasBefore) {
  const Spark spark("spark1");
  spark.file(
      "version: 1\ncluster: pair\nnodes: { spark1: { number: 11 }, spark2: { number: 12 } }\n"
      "fabric:\n  cables: [{ ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, "
      "198.51.100.0/24] }]\n");
  EXPECT_THAT(spark.reconcile({"status"}).out, Not(HasSubstr("measured: ")));
  const auto keep = [&](const std::string& results) {
    spark.write("/var/lib/spark-reconcile/bench.json",
                R"({"schema":"spark-reconcile/bench-results/v1","results":[)" + results + "]}");
  };
  const auto good = result("2026-01-31T09:30:00Z", "98000000000.0");
  keep(good);
  EXPECT_THAT(spark.reconcile({"status"}).out,
              HasSubstr("measured: 98 Gb/s with spark2 at 2026-01-31T09:30:00Z\n"));
  keep(good + "," + result("2026-02-03T09:30:00Z", "12000000000.0"));
  EXPECT_THAT(spark.reconcile({"status"}).out,
              HasSubstr("measured: 98 → 12 Gb/s with spark2 since 2026-01-31T09:30:00Z\n"));
  const auto measured = spark.json({"status"})["measured"];
  ASSERT_EQ(measured.size(), 1U) << measured;
  EXPECT_EQ(measured[0]["peer"], "spark2");
  EXPECT_EQ(measured[0]["before"]["at"], "2026-01-31T09:30:00Z");
  keep("{");
  EXPECT_THAT(spark.reconcile({"status"}).out, Not(HasSubstr("measured: ")))
      << "doctor says that it cannot be read";
}

/// On a terminal of its own, as script(1) starts it.
Command on_terminal(Command command) {
  std::string line = "exec";
  for (const auto& word : command.argv) line += " '" + word + "'";
  command.argv = {"script", "--quiet", "--return", "--command", line, "/dev/null"};
  return command;
}

TEST(Status, IsDrawnAgainWhenItChanges) {
  const Spark spark("spark1");
  spark.add_link("enp1s0f0np0");
  spark.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  ASSERT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  Running watch(on_terminal(spark.command({"status", "--watch"})));
  const auto shows = [&](const std::string& text) {
    return wait_until([&] { return watch.output().contains(text); }, std::chrono::seconds(20));
  };
  ASSERT_TRUE(shows("in sync")) << watch.output();
  spark.ip("link set enp1s0f0np0 mtu 1400");
  EXPECT_TRUE(shows("1400")) << watch.output();
  const auto drawn = watch.output();
  EXPECT_EQ(drawn.find("cluster.yaml"), drawn.rfind("cluster.yaml"))
      << "a line that did not change is sent again: " << drawn;
  watch.signal(SIGTERM);
  static_cast<void>(watch.wait());
}

TEST(Status, OfANodeThatTheFileDoesNotHaveIsNotWatched) {
  const Spark spark("spark1");
  spark.file("version: 1\ncluster: lab\nnodes: { spark1: {} }\n");
  const auto outcome = run(on_terminal(spark.command({"status", "--watch", "-n", "spark9"})));
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.out, HasSubstr("the file has no node 'spark9'"));
}

TEST(Status, IsWatchedOnATerminalAlone) {
  const Spark spark("spark1");
  const auto outcome = spark.reconcile({"status", "--watch"});
  EXPECT_THAT(outcome, ExitsWith(64));
  EXPECT_THAT(outcome.err, HasSubstr("`spark-reconcile events --follow`"));
  EXPECT_THAT(spark.reconcile({"status", "--watch", "--json"}), ExitsWith(64));
}

}  // namespace
}  // namespace spark::test
