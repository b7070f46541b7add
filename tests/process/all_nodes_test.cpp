// One file for both nodes of a pair, by one command: two daemons in two namespaces, each with its
// spark-peers.

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "process/pair_node.hpp"
#include "process/spark.hpp"
#include "protocol/paths.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kRail0 = "enp1s0f0np0";
constexpr const char* kRail1 = "enP2p1s0f0np0";
constexpr std::chrono::seconds kTogether{70};

class AllNodes : public ::testing::Test {
 protected:
  AllNodes() {
    wire(one_.spark, kRail0, two_.spark, kRail0);
    wire(one_.spark, kRail1, two_.spark, kRail1);
    const auto key_of = [](const PairNode& node) {
      const auto key = node.spark.reconcile({"export", "node-key"});
      EXPECT_THAT(key, ExitsWith(0)) << key.err;
      return key.out;
    };
    for (auto* node : {&one_, &two_}) node->spark.file(file(9000));
    one_.spark.write("/etc/spark-reconcile/trusted", key_of(two_));
    two_.spark.write("/etc/spark-reconcile/trusted", key_of(one_));
    for (auto* node : {&one_, &two_}) node->start(file(9000));
    for (auto* node : {&one_, &two_}) {
      // As systemd, which makes it for the user of spark-peers.
      EXPECT_TRUE(wait_until([&] { return !node->spark.read(kReport).empty(); }, kLongest));
    }
    one_.says("here and on spark2");
    two_.says("here and on spark1");
  }

  [[nodiscard]] static std::string file(int mtu) { return fmt::format(kPairWithMtu, mtu); }
  [[nodiscard]] static int mtu(const PairNode& node) {
    return node.spark.link(kRail0).at("mtu").get<int>();
  }
  /// Of both, together with what their daemons say.
  [[nodiscard]] bool both_have(int mtu) const {
    return this->mtu(one_) == mtu && this->mtu(two_) == mtu &&
           one_.spark.read(protocol::kDefaultFile) == two_.spark.read(protocol::kDefaultFile);
  }
  /// The end of one that prints JSON, which a machine that does much else may take a minute for.
  static Outcome end_of(Running& command) {
    EXPECT_TRUE(wait_until([&] { return !command.output().empty(); }, kTogether));
    return command.wait();
  }
  [[nodiscard]] Outcome on_both(const std::string& verb) const {
    Running command(one_.spark.command({verb, "--all", "--yes", "--within", "60s", "--json"}));
    return end_of(command);
  }

  PairNode one_{"spark1"};
  PairNode two_{"spark2"};
};

TEST_F(AllNodes, HaveAFileTogether) {
  one_.spark.file(file(4000));
  const auto waits = [&] { return one_.spark.reconcile({"status"}).out.contains("apply --all"); };
  EXPECT_TRUE(wait_until(waits, kLongest)) << one_.spark.reconcile({"status"}).out;
  EXPECT_EQ(mtu(one_), 9000) << "nobody takes it alone";

  const auto planned = one_.spark.reconcile({"plan", "--all"});
  EXPECT_THAT(planned.out, AllOf(HasSubstr("spark1"), HasSubstr("spark2"))) << planned.err;
  EXPECT_EQ(mtu(two_), 9000);

  const auto applied = on_both("apply");
  EXPECT_THAT(applied, ExitsWith(0)) << applied.out << applied.err;
  EXPECT_THAT(applied.out, HasSubstr("\"kept\""));
  EXPECT_TRUE(wait_until([&] { return both_have(4000); }, kLongest)) << mtu(one_) << mtu(two_);
  EXPECT_EQ(two_.spark.read(protocol::kDefaultFile), file(4000));

  const auto back = on_both("rollback");
  EXPECT_THAT(back, ExitsWith(0)) << back.out << back.err;
  EXPECT_TRUE(wait_until([&] { return both_have(9000); }, kLongest)) << mtu(one_) << mtu(two_);
}

TEST_F(AllNodes, ChangeNothingWhereOneRefuses) {
  EXPECT_THAT(two_.spark.reconcile({"pause", "--for", "10m"}), ExitsWith(0));
  one_.spark.file(file(4000));
  const auto applied = on_both("apply");
  EXPECT_EQ(applied.code, 6) << applied.out << applied.err;
  EXPECT_THAT(applied.out + applied.err, AllOf(HasSubstr("spark2"), HasSubstr("pause")));
  EXPECT_EQ(mtu(one_), 9000);
  EXPECT_EQ(mtu(two_), 9000);
  EXPECT_EQ(two_.spark.read(protocol::kDefaultFile), file(9000));
}

TEST_F(AllNodes, GoBackTogetherWhereTheyHearNothingOfEachOther) {
  one_.spark.file(file(4000));
  Running apply(one_.spark.command({"apply", "--all", "--yes", "--within", "20s", "--json"}));
  EXPECT_TRUE(wait_until([&] { return mtu(two_) == 4000; }, kLongest));
  two_.peers->signal(SIGSTOP);
  EXPECT_TRUE(wait_until([&] { return mtu(one_) == 9000 && mtu(two_) == 9000; }, kTogether));
  two_.peers->signal(SIGCONT);
  const auto outcome = end_of(apply);
  EXPECT_EQ(outcome.code, 7) << outcome.out << outcome.err;
  EXPECT_EQ(two_.spark.read(protocol::kDefaultFile), file(9000));
}

TEST_F(AllNodes, KeepWhatADaemonThatWasKilledHadApplied) {
  one_.spark.file(file(4000));
  Running apply(one_.spark.command({"apply", "--all", "--yes", "--within", "40s", "--json"}));
  EXPECT_TRUE(wait_until([&] { return mtu(two_) == 4000; }, kLongest));
  two_.daemon->signal(SIGKILL);
  EXPECT_EQ(two_.daemon->wait().code, -1);
  two_.daemon = std::make_unique<Running>(two_.spark.command({"daemon"}));
  const auto outcome = end_of(apply);
  const int kept = outcome.code == 0 ? 4000 : 9000;
  EXPECT_THAT(outcome.code, ::testing::AnyOf(0, 7)) << outcome.out << outcome.err;
  EXPECT_TRUE(wait_until([&] { return mtu(one_) == kept && mtu(two_) == kept; }, kLongest))
      << outcome.code;
}

}  // namespace
}  // namespace spark::test
