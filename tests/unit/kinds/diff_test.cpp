// How each kind orders its changes: pure functions from two states to a list.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <linux/if_addr.h>

#include "kinds/all.hpp"

namespace spark::kinds {
namespace {

Address::Key key(const std::string& link, const std::string& ip) {
  return {link, *IpAddress::parse(ip)};
}

Stated<Address> there(const std::string& prefix, std::uint32_t flags = IFA_F_PERMANENT) {
  return Address::stated({host::AddressInfo{.address = *IpPrefix::parse(prefix), .flags = flags}});
}

Stated<Address> wanted(const std::string& prefix) { return there(prefix, 0); }

std::vector<std::string> names(const std::vector<Change<Address>>& changes) {
  std::vector<std::string> names;
  for (const auto& change : changes) {
    names.push_back((change.before ? (change.after ? "~" : "-") : "+") + change.key.ip.text());
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(AddressDiff, IsEmptyForEqualStates) {
  const State<Address> state{{key("rail0", "192.0.2.11"), there("192.0.2.11/24")}};
  EXPECT_TRUE(Address::diff(state, state).empty());
}

TEST(AddressDiff, AddsTheNewAddressBeforeItRemovesTheOld) {
  const State<Address> want{{key("rail0", "192.0.2.12"), wanted("192.0.2.12/24")}};
  const State<Address> have{{key("rail0", "192.0.2.11"), there("192.0.2.11/24")}};
  EXPECT_EQ(names(Address::diff(want, have)), (Names{"+192.0.2.12", "-192.0.2.11"}));
}

TEST(AddressDiff, FreesAnAddressBeforeItsNewLinkGetsIt) {
  const State<Address> want{{key("rail0", "192.0.2.11"), wanted("192.0.2.11/24")}};
  const State<Address> have{{key("rail1", "192.0.2.11"), there("192.0.2.11/24")}};
  const auto changes = Address::diff(want, have);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].key.link, "rail1");
  EXPECT_FALSE(changes[0].after);
  EXPECT_EQ(changes[1].key.link, "rail0");
}

TEST(AddressDiff, ReplacesAnotherPrefixLengthInOneStep) {
  const State<Address> want{{key("rail0", "192.0.2.11"), wanted("192.0.2.11/25")}};
  const State<Address> have{{key("rail0", "192.0.2.11"), there("192.0.2.11/24")}};
  EXPECT_EQ(names(Address::diff(want, have)), Names{"~192.0.2.11"});
}

TEST(AddressDiff, RemovesSecondariesBeforeTheirPrimary) {
  const State<Address> have{
      {key("rail0", "192.0.2.11"), there("192.0.2.11/24")},
      {key("rail0", "192.0.2.12"), there("192.0.2.12/24", IFA_F_PERMANENT | IFA_F_SECONDARY)}};
  EXPECT_EQ(names(Address::diff({}, have)), (Names{"-192.0.2.12", "-192.0.2.11"}));
}

TEST(AddressDiff, LetsTheRollbackOfAnAdditionSpareTheOldPrimary) {
  auto primary = there("192.0.2.11/24");
  primary.details.takes_others_along = true;
  const auto changes = Address::diff({{key("rail0", "192.0.2.12"), wanted("192.0.2.12/24")}},
                                     {{key("rail0", "192.0.2.11"), primary}});
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_TRUE(changes[0].reversed().before->details.takes_others_along);
}

TEST(AddressDiff, LetsTheRollbackOfAnotherLengthSpareTheOldPrimary) {
  auto primary = there("192.0.2.11/24");
  primary.details.takes_others_along = true;
  const auto changes = Address::diff({{key("rail0", "192.0.2.12"), wanted("192.0.2.12/24")}},
                                     {{key("rail0", "192.0.2.11"), primary},
                                      {key("rail0", "192.0.2.12"), there("192.0.2.12/25")}});
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_TRUE(changes[0].reversed().before->details.takes_others_along);
}

TEST(AddressDiff, DoesNotComparePassingFlags) {
  const State<Address> want{{key("rail0", "192.0.2.11"), wanted("192.0.2.11/24")}};
  const State<Address> have{
      {key("rail0", "192.0.2.11"), there("192.0.2.11/24", IFA_F_NOPREFIXROUTE | IFA_F_SECONDARY)}};
  EXPECT_TRUE(Address::diff(want, have).empty());
}

TEST(MtuDiff, RaisesALinkThatIsTooSmall) {
  const State<Mtu> want{{{"eth0"}, {{9000}}}};
  const State<Mtu> have{{{"eth0"}, {{1500}}}};
  EXPECT_EQ(Mtu::diff(want, have), (std::vector<Change<Mtu>>{{{"eth0"}, {{{1500}}}, {{{9000}}}}}));
}

std::vector<std::string> links(const std::vector<Change<Mtu>>& changes) {
  std::vector<std::string> links;
  std::ranges::transform(changes, std::back_inserter(links),
                         [](const auto& change) { return change.key.link; });
  return links;
}

TEST(MtuDiff, RaisesFromTheBottomOfAStack) {
  const State<Mtu> want{{{"a-vlan"}, {{9000}}}, {{"b-device"}, {{9000}}}};
  const State<Mtu> have{{{"a-vlan"}, {{1500}, {.layer = 1}}},
                        {{"b-device"}, {{1500}, {.layer = 0}}}};
  EXPECT_EQ(links(Mtu::diff(want, have)), (Names{"b-device", "a-vlan"}));
}

TEST(MtuDiff, LowersFromTheTopOfAStack) {
  const State<Mtu> want{{{"a-device"}, {{1500}}}, {{"b-vlan"}, {{1500}}}};
  const State<Mtu> have{{{"a-device"}, {{9000}, {.layer = 0}}},
                        {{"b-vlan"}, {{9000}, {.layer = 1}}}};
  EXPECT_EQ(links(Mtu::diff(want, have)), (Names{"b-vlan", "a-device"}));
}

TEST(LinkDiff, TakesLinksDownLast) {
  const State<Link> want{{{"a"}, {{.up = false}}}, {{"b"}, {{.up = true}}}};
  const State<Link> have{{{"a"}, {{.up = true}}}, {{"b"}, {{.up = false}}}};
  const auto changes = Link::diff(want, have);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].key.link, "b");
  EXPECT_EQ(changes[1].key.link, "a");
}

TEST(Difference, ComparesNoDetails) {
  const State<Roce> want{{{"rail0", *IpAddress::parse("192.0.2.11")}, {{.version = "RoCE v2"}}}};
  const State<Roce> have{{{"rail0", *IpAddress::parse("192.0.2.11")},
                          {{.version = "RoCE v2"}, {.device = "rocep1s0f0"}}}};
  EXPECT_EQ(want, have);
  EXPECT_TRUE(Roce::diff(want, have).empty());
}

TEST(Difference, HandsOnTheDetailsOfBothSides) {
  const State<Mtu> want{{{"eth0"}, {{9000}}}};
  const State<Mtu> have{{{"eth0"}, {{1500}, {.layer = 1, .link_local_mode = 0}}}};
  const auto changes = Mtu::diff(want, have);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].before->details.layer, 1);
  EXPECT_EQ(changes[0].reversed().after->details.link_local_mode, 0);
}

TEST(SysctlDiff, ComparesTheLiveValueAndTheNextBoots) {
  const State<SysctlSetting> want{{{"net.core.rmem_max"}, {{"268435456", "268435456"}}}};
  const State<SysctlSetting> only_on_disk{{{"net.core.rmem_max"}, {{"212992", "268435456"}}}};
  const State<SysctlSetting> only_live{{{"net.core.rmem_max"}, {{"268435456", ""}}}};
  EXPECT_EQ(SysctlSetting::diff(want, only_on_disk).size(), 1U);
  EXPECT_EQ(SysctlSetting::diff(want, only_live).size(), 1U);
  EXPECT_TRUE(SysctlSetting::diff(want, want).empty());
}

}  // namespace
}  // namespace spark::kinds
