#include "plan/current.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "kinds/all.hpp"
#include "plan/make_step.hpp"

namespace spark::plan {
namespace {

class ReadCurrent : public test::PassTest {
 protected:
  CurrentOfSteps read(const std::vector<Step>& steps, const kinds::Ledger& ledger = {}) {
    host::View view(ports_);
    return read_current(steps, false, view, ledger);
  }
  template <class K>
  std::optional<std::string> value_of(const kinds::Change<K>& change) {
    const std::vector<Step> steps{make_step<K>(change, {})};
    return read(steps).at(steps.data()).value;
  }

  const std::string rail_ = test::dgx_rail_names().front();
};

TEST_F(ReadCurrent, KnowsAnAddressOfOthersThatExclusiveTakes) {
  const host::AddressInfo foreign{.address = *IpPrefix::parse("203.0.113.7/24")};
  const kinds::Change<kinds::Address> taken{
      {rail_, foreign.address.ip}, kinds::Address::stated({foreign}), std::nullopt};
  EXPECT_EQ(value_of(taken), std::nullopt);
  host_.netlink().add_foreign(rail_, foreign);
  EXPECT_EQ(value_of(taken), "/24");
  host_.netlink().add_foreign(rail_, {.address = *IpPrefix::parse("203.0.113.7/32")});
  EXPECT_EQ(value_of(taken), "/24") << "the other length is no part of the step";
}

TEST_F(ReadCurrent, KnowsAnAddressWithAPeerThatExclusiveTakes) {
  const host::AddressInfo foreign{.address = *IpPrefix::parse("203.0.113.7/32"),
                                  .peer = IpAddress::parse("203.0.113.8")};
  host_.netlink().add_foreign(rail_, foreign);
  const kinds::Change<kinds::Address> taken{
      {rail_, foreign.address.ip}, kinds::Address::stated({foreign}), std::nullopt};
  const std::vector<Step> steps{make_step<kinds::Address>(taken, {})};
  const auto current = read(steps).at(steps.data());
  EXPECT_FALSE(current.is_skipped);
  EXPECT_EQ(current.value, "/32");
}

TEST_F(ReadCurrent, KnowsEachLengthThatAnAddressHadBefore) {
  const host::AddressInfo one{.address = *IpPrefix::parse("203.0.113.7/24")};
  const host::AddressInfo other{.address = *IpPrefix::parse("203.0.113.7/32")};
  const kinds::Change<kinds::Address> narrowed{
      {rail_, one.address.ip}, kinds::Address::stated({one, other}), kinds::Address::stated({one})};
  host_.netlink().add_foreign(rail_, one);
  EXPECT_EQ(value_of(narrowed), "/24");
  host_.netlink().add_foreign(rail_, other);
  EXPECT_EQ(value_of(narrowed), "/24, /32");
}

TEST_F(ReadCurrent, KnowsAFileOfOthersByItsPlace) {
  using File = kinds::OtherManagers::Value::File;
  const std::string path = "/etc/netplan/50-rails.yaml";
  const auto aside = path + ".spark-reconcile~";
  const auto file = [](File where, const char* text) {
    return kinds::Stated<kinds::OtherManagers>{{.file = where}, {.text = text}};
  };
  const kinds::Change<kinds::OtherManagers> moved{
      {.file = path, .link = {}}, file(File::kClaims, "claims a rail (line 4)"), std::nullopt};
  const kinds::Change<kinds::OtherManagers> restored{
      {.file = path, .link = {}}, file(File::kAside, "claims a rail"), std::nullopt};
  host_.files().put(path, "network: {}\n");
  EXPECT_EQ(value_of(moved), "claims a rail (line 4)");
  EXPECT_EQ(value_of(restored), std::nullopt);
  ASSERT_TRUE(host_.files().rename(path, aside));
  EXPECT_EQ(value_of(moved), std::nullopt);
  EXPECT_EQ(value_of(restored), "moved aside");
  // One that somebody wrote since is not the one that was moved.
  host_.files().put(path, "network: {}\n");
  EXPECT_EQ(value_of(moved), std::nullopt);
}

// Between the two renames of a restore nothing stands in its place.
TEST_F(ReadCurrent, AFileThatWasWrittenAgainIsAsBeforeWithBoth) {
  const std::string path = "/etc/netplan/50-rails.yaml";
  kinds::Stated<kinds::OtherManagers> aside;
  aside.file = kinds::OtherManagers::Value::File::kAside;
  aside.details.written_again = true;
  const kinds::Change<kinds::OtherManagers> restored{
      {.file = path, .link = {}}, aside, std::nullopt};
  host_.files().put(path + ".spark-reconcile~", "network: {}\n");
  EXPECT_EQ(value_of(restored), std::nullopt);
  host_.files().put(path, "network: {}\n");
  EXPECT_EQ(value_of(restored), "moved aside");
}

TEST_F(ReadCurrent, AnUnusedCageIsReadAlsoWhereSomebodyUsesIt) {
  kinds::Stated<kinds::Link> up;
  up.up = true;
  kinds::Stated<kinds::Link> down;
  down.up = false;
  down.details.unused = true;
  EXPECT_EQ(value_of<kinds::Link>({{rail_}, up, down}), "up") << "it has a cable and a carrier";
  ASSERT_TRUE(host_.netlink().set_up(rail_, false));
  EXPECT_EQ(value_of<kinds::Link>({{rail_}, up, down}), "down");
}

TEST_F(ReadCurrent, KnowsThatTheSameStepsBringIpv6) {
  ASSERT_TRUE(host_.netlink().set_mtu(rail_, 1000));
  const auto journal = state::begin_journal(ports_, plan(), {}, {});
  for (const auto& [step, current] : read(journal.steps, journal.known())) {
    EXPECT_EQ(current.value, step->before) << step->name();
  }
}

TEST_F(ReadCurrent, SaysOfWhichNothingCanBeSaid) {
  const auto steps = plan().steps;
  host_.netlink().unplug(rail_);
  bool is_any_skipped = false;
  for (const auto& [step, current] : read(steps)) {
    if (!current.is_skipped) continue;
    is_any_skipped = true;
    EXPECT_EQ(current.value, step->after) << step->name();
  }
  EXPECT_TRUE(is_any_skipped);
}

}  // namespace
}  // namespace spark::plan
