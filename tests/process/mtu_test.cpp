// MTU: in the order that a stack of devices allows, on links that stay up.

#include <algorithm>
#include <string>
#include <vector>

#include "process/monitor.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The link events of the two devices, repetitions left out.
std::vector<std::string> steps_of(Monitor& monitor) {
  auto events = monitor.take();
  std::erase_if(events, [](const std::string& event) {
    return !event.starts_with("link enp1s0f0np0") && !event.starts_with("link stacked0");
  });
  events.erase(std::ranges::unique(events).begin(), events.end());
  return events;
}

TEST(Mtu, OfAStackIsRaisedFromTheBottomAndLoweredFromTheTop) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.ip(
      "link add link enp1s0f0np0 name stacked0 type macvlan\n"
      "link set stacked0 up");
  spark.settle();
  Monitor monitor(spark.network());
  spark.file_with_links("stacked0: { mtu: 9000 }\nenp1s0f0np0: { mtu: 9000 }");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(steps_of(monitor),
              ElementsAre("link enp1s0f0np0 up mtu 9000", "link stacked0 up mtu 9000"));
  spark.file_with_links("enp1s0f0np0: { mtu: 1500 }\nstacked0: { mtu: 1500 }");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(steps_of(monitor),
              ElementsAre("link stacked0 up mtu 1500", "link enp1s0f0np0 up mtu 1500"));
}

TEST(Mtu, AboveTheDevicesMaximumChangesNothingAtAll) {
  const Spark spark;
  spark.add_link("enp1s0f1np1");
  spark.ip("tuntap add enp1s0f0np0 mode tap");
  ASSERT_EQ(spark.link("enp1s0f0np0")["max_mtu"], 65521);
  spark.file_with_links("enp1s0f0np0: { mtu: 65535 }\nenp1s0f1np1: { mtu: 9000 }");
  const auto before = spark.dump();
  const auto outcome = spark.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("[SR-MTU-001]"));
  EXPECT_EQ(spark.dump(), before);
}

}  // namespace
}  // namespace spark::test
