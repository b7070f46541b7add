// A node that was given back stays so, beside the daemon and after a reboot, until somebody asks
// for it again; and what somebody asks for by hand ends a contest.

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include <poll.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Released : public ::testing::Test {
 protected:
  Released() {
    spark_.add_link("enp1s0f0np0");
    spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  }

  void start() {
    daemon_ = std::make_unique<Running>(spark_.command({"daemon"}));
    until([&] { return passes() > 0; });
  }
  void stop() {
    daemon_->signal(SIGTERM);
    EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  }

  void until(const std::function<bool()>& holds) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << status().dump(2);
      poll(nullptr, 0, 20);
    }
  }
  /// Until the daemon has looked after all that happened so far.
  void until_looked() const {
    const auto before = passes();
    spark_.ip("link set x-enp1s0f0np0 alias anything");
    // The first one may have begun before.
    until([&] { return passes() >= before + 1; });
    const auto between = passes();
    spark_.ip("link set x-enp1s0f0np0 alias another");
    until([&] { return passes() >= between + 1; });
  }

  void set_mtu(int bytes) const { spark_.ip("link set enp1s0f0np0 mtu " + std::to_string(bytes)); }
  [[nodiscard]] bool has_mtu(int bytes) const { return spark_.link("enp1s0f0np0")["mtu"] == bytes; }
  [[nodiscard]] nlohmann::json status() const {
    return nlohmann::json::parse(spark_.read("/run/spark-reconcile/status.json"), nullptr, false);
  }
  [[nodiscard]] std::uint64_t passes() const {
    const auto document = status();
    return document.is_object() ? document["counters"]["passes"].get<std::uint64_t>() : 0;
  }
  /// Somebody sets the MTU until the daemon gives up.
  void fight() const {
    for (int i = 0; i < 3; ++i) {
      set_mtu(1400);
      until([&] { return has_mtu(9000); });
    }
    until([&] { return status()["drift"].size() == 1; });
    set_mtu(1400);
    until_looked();
    ASSERT_TRUE(has_mtu(1400));
  }

  Spark spark_;
  std::unique_ptr<Running> daemon_;
};

TEST_F(Released, IsNotSetUpAgainByTheDaemonOrAReboot) {
  start();
  ASSERT_TRUE(has_mtu(9000));
  EXPECT_THAT(spark_.reconcile({"release"}).out, HasSubstr("spark1 is released"));
  until_looked();
  EXPECT_TRUE(has_mtu(1500));
  EXPECT_TRUE(status()["released"].is_object()) << status().dump(2);
  EXPECT_EQ(status()["verdict"], "not ready");
  EXPECT_TRUE(status()["drift"].empty());
  set_mtu(1400);
  until_looked();
  EXPECT_TRUE(has_mtu(1400));
  stop();
  spark_.write("/run/spark-reconcile/status.json", "");
  start();
  EXPECT_TRUE(has_mtu(1400));
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000 }");
  until([&] { return status()["file"]["waits"] == true; });
  EXPECT_TRUE(has_mtu(1400));
  EXPECT_THAT(spark_.reconcile({"status"}).out,
              HasSubstr("would be applied after `spark-reconcile resume`"));
  EXPECT_THAT(spark_.reconcile({"resume"}).out, HasSubstr("spark1 is no longer released"));
  until([&] { return has_mtu(4000); });
}

TEST_F(Released, IsSaidWhereverOneLooks) {
  start();
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  until_looked();
  EXPECT_THAT(spark_.reconcile({"status"}).out,
              AllOf(HasSubstr("daemon: not ready: released at "),
                    HasSubstr("this node is released"), HasSubstr("spark-reconcile resume")));
  EXPECT_THAT(spark_.reconcile({"plan"}).out, HasSubstr("This node is released"));
  EXPECT_THAT(spark_.reconcile({"doctor"}).out, HasSubstr("the node is released"));
  const auto waited = spark_.reconcile({"wait", "--timeout", "10ms"});
  EXPECT_THAT(waited, ExitsWith(3));
  EXPECT_THAT(waited.err, HasSubstr("this node is released"));
  EXPECT_EQ(spark_.json({"history"})["generations"][0]["outcome"], "released");
}

TEST_F(Released, EndsWithAnApply) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  start();
  EXPECT_TRUE(has_mtu(1500));
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_TRUE(has_mtu(9000));
  until([&] { return status()["released"].is_null(); });
  set_mtu(1400);
  until([&] { return has_mtu(9000); });
}

TEST_F(Released, IsSetUpAgainByARollback) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  ASSERT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_TRUE(has_mtu(9000));
  EXPECT_THAT(spark_.reconcile({"status"}).out, HasSubstr("in sync"));
}

TEST_F(Released, ThatIsCutOffIsNotSetUpAgainEither) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  start();
  // The first removals are those of its temporary files; one is that of the journal.
  for (int when = 1; has_mtu(9000); ++when) {
    auto killed = spark_.command({"release"});
    killed.argv.insert(killed.argv.begin(),
                       {"strace", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat", "-e",
                        "inject=unlinkat:signal=KILL:when=" + std::to_string(when)});
    ASSERT_THAT(run(killed), Not(ExitsWith(0)));
  }
  until_looked();
  EXPECT_TRUE(has_mtu(1500));
  EXPECT_THAT(spark_.reconcile({"resume"}).err, HasSubstr("is not over"));
  EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  until_looked();
  EXPECT_TRUE(has_mtu(1500));
  EXPECT_THAT(spark_.reconcile({"resume"}), ExitsWith(0));
  until([&] { return has_mtu(9000); });
}

TEST_F(Released, AContestSaysUntilWhenAndEndsWithResume) {
  start();
  fight();
  const auto text = spark_.reconcile({"status"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("contested, left alone until "),
                          HasSubstr("`spark-reconcile resume`")));
  EXPECT_THAT(spark_.reconcile({"events"}).out, HasSubstr("contested until "));
  EXPECT_THAT(spark_.reconcile({"resume"}).out, HasSubstr("1 resource"));
  until([&] { return has_mtu(9000); });
}

TEST_F(Released, AContestEndsWithAnApplyByHand) {
  start();
  fight();
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_TRUE(has_mtu(9000));
  until([&] { return status()["drift"].empty(); });
  set_mtu(1400);
  until([&] { return has_mtu(9000); });
}

TEST_F(Released, SettingUpADeviceThatComesBackIsNoContest) {
  start();
  for (int i = 0; i < 5; ++i) {
    spark_.ip("link del enp1s0f0np0");
    until([&] { return status()["links"][0]["present"] == false; });
    spark_.add_link("enp1s0f0np0");
    until([&] { return has_mtu(9000); });
  }
  until_looked();
  EXPECT_TRUE(status()["drift"].empty()) << status()["drift"].dump(2);
  EXPECT_EQ(status()["changes"][0]["cause"], "link");
}

TEST_F(Released, NoLastGoodFileIsClaimedWhereThereIsNone) {
  spark_.file("version: 1\ncluster: [\n");
  start();
  until([&] { return status()["file"]["refused"].is_object(); });
  EXPECT_THAT(spark_.reconcile({"status"}).out,
              AllOf(HasSubstr("no other file is in force"), Not(HasSubstr("last good"))));
}

}  // namespace
}  // namespace spark::test
