// IPv6 duplicate address detection: an address holds when the kernel has found nobody else with it.

#include "process/monitor.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DuplicateDetection : public ::testing::Test {
 protected:
  DuplicateDetection() {
    wire(spark_, "enp1s0f0np0", peer_, "enp1s0f0np0");
    // One probe, at once, with a short wait for the answer.
    spark_.set_sysctl("net.ipv6.conf.enp1s0f0np0.accept_dad", "1");
    spark_.set_sysctl("net.ipv6.conf.enp1s0f0np0.router_solicitation_delay", "0");
    spark_.set_sysctl("net.ipv6.neigh.enp1s0f0np0.retrans_time_ms", "200");
    spark_.ip("link set enp1s0f0np0 up");
    peer_.ip("link set enp1s0f0np0 up");
    spark_.settle();
    spark_.file_with_links("enp1s0f0np0: { addresses: ['2001:db8::1/64'] }");
  }

  Spark spark_;
  Spark peer_{"spark2"};
};

TEST_F(DuplicateDetection, IsAwaited) {
  Monitor monitor(spark_.network());
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  const auto address = spark_.show({"address", "show", "enp1s0f0np0"});
  EXPECT_THAT(address, HasSubstr("2001:db8::1/64"));
  EXPECT_THAT(address, Not(HasSubstr("tentative")));
  // Nothing is said after the end of the apply that was not said before it.
  monitor.take();
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(monitor.take(), ::testing::IsEmpty());
}

TEST_F(DuplicateDetection, RollsBackAnAddressThatAnotherMachineAnswersFor) {
  peer_.ip("address add 2001:db8::1/64 dev enp1s0f0np0 nodad");
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(7));
  EXPECT_THAT(outcome.err, HasSubstr("another host answers for it"));
  EXPECT_EQ(spark_.dump(), before);
}

}  // namespace
}  // namespace spark::test
