#include "cli/doctor/checks.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WifiCheck : public ::testing::Test {
 protected:
  WifiCheck() {
    test::add_spark(machine_);
    host::LinkInfo link;
    link.name = "wlP9s9";
    link.up = true;
    index_ = machine_.netlink().plug(std::move(link));
    machine_.files().put("/sys/class/net/wlP9s9/phy80211/name", "phy0\n");
    machine_.netlink().set_wifi_power_save(index_, true);
  }

  void add_default_route() {
    machine_.netlink().add_route({.destination = *IpPrefix::parse("0.0.0.0/0"),
                                  .table = 254,
                                  .link_index = index_,
                                  .gateway = IpAddress::parse("203.0.113.1")});
  }
  [[nodiscard]] Findings found() { return asked(check_wifi, machine_); }

  test::FakeHost machine_;
  int index_ = 0;
};

TEST_F(WifiCheck, NamesPowerSaveOfTheLinkThatLeadsOut) {
  add_default_route();
  const auto findings = found();
  ASSERT_THAT(findings, ElementsAre(says("wifi", Severity::kLook, "power save of wlP9s9 is on")));
  EXPECT_THAT(findings.front().remedy, HasSubstr("iw dev wlP9s9 set power_save off"));
}

TEST_F(WifiCheck, SaysNothingOfALinkThatNothingLeadsOver) { EXPECT_THAT(found(), IsEmpty()); }

TEST_F(WifiCheck, SaysNothingWhereItIsOffOrUnknown) {
  add_default_route();
  machine_.netlink().set_wifi_power_save(index_, false);
  EXPECT_THAT(found(), IsEmpty());
  machine_.files().erase("/sys/class/net/wlP9s9/phy80211/name");
  machine_.netlink().set_wifi_power_save(index_, true);
  EXPECT_THAT(found(), IsEmpty()) << "it is not asked of a link that is no Wi-Fi";
}

TEST_F(WifiCheck, SaysNothingWithoutACarrier) {
  add_default_route();
  machine_.netlink().set_cable("wlP9s9", false);
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace spark::cli
