#include "plan/rail_use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_cluster.hpp"
#include "fake/names.hpp"

namespace spark::plan {
namespace {

using Disturbs = kinds::Effect::Disturbs;
using test::kRail;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class RailUseTest : public testing::Test {
 protected:
  RailUseTest() { test::add_spark(host_); }

  std::set<std::string> disturbed(kinds::Effect effect) {
    Step step;
    step.effect = std::move(effect);
    host::View view(ports_);
    return disturbed_rails(step, node_, view);
  }
  RailUse use() {
    host::View view(ports_);
    return use_of_rail(kRail, node_, view);
  }

  test::FakeHost host_;
  host::Host ports_ = host_.host();
  config::Node node_ = test::node_on(host_, test::pair_text());
};

TEST_F(RailUseTest, AStepDisturbsItsLinkWhereThatHasAnRdmaDevice) {
  EXPECT_THAT(disturbed({.disturbs = Disturbs::kTraffic, .link = kRail}), ElementsAre(kRail));
  EXPECT_THAT(disturbed({.disturbs = Disturbs::kTraffic, .link = "enP7s7"}), IsEmpty());
  EXPECT_THAT(disturbed({.link = kRail}), IsEmpty());
}

TEST_F(RailUseTest, AStepOnAVlanDisturbsTheRailBelow) {
  host::View view(ports_);
  host_.netlink().plug(
      {.name = "rail.5", .up = true, .kind = "vlan", .lower = view.link(kRail)->index});
  EXPECT_THAT(disturbed({.disturbs = Disturbs::kTraffic, .link = "rail.5"}), ElementsAre(kRail));
}

TEST_F(RailUseTest, TheEndOfIpv6OnAllLinksDisturbsAllRails) {
  EXPECT_THAT(disturbed({.disturbs = Disturbs::kTraffic, .ends_ipv6 = true}), SizeIs(4));
}

TEST_F(RailUseTest, ALinkThatIsHandedToAnotherManagerIsDisturbed) {
  EXPECT_THAT(disturbed({.link = kRail, .hands_back = true}), ElementsAre(kRail));
  EXPECT_THAT(disturbed({.hands_back = true}), IsEmpty()) << "a file, and no link";
}

TEST_F(RailUseTest, WhereNoDeviceCanBeReadTheRailsOfTheFileMayHaveOne) {
  host_.make_unreadable("RDMA ports");
  EXPECT_THAT(disturbed({.disturbs = Disturbs::kTraffic, .link = kRail}), ElementsAre(kRail));
  EXPECT_THAT(disturbed({.disturbs = Disturbs::kTraffic, .link = "enP7s7"}), IsEmpty());
  EXPECT_TRUE(use().is_used());
}

TEST_F(RailUseTest, NamesEachProcessOnce) {
  host_.processes().begin({.pid = 4711, .name = "python3", .user = "alice"});
  host_.rdma().set_users("rocep1s0f0", 8, 4711);
  EXPECT_THAT(texts_of(use()), ElementsAre("python3 (pid 4711) of alice uses rail 0 of cage 0 "
                                           "(enp1s0f0np0)"));
}

TEST_F(RailUseTest, AProcessThatCannotBeSeenCountsAllTheSame) {
  host_.rdma().set_users("rocep1s0f0", 1, 4711);
  EXPECT_THAT(texts_of(use()),
              ElementsAre("a process (pid 4711) uses rail 0 of cage 0 (enp1s0f0np0)"));
}

TEST_F(RailUseTest, WithoutNamesItSaysThatAJobUsesTheRail) {
  host_.processes().begin({.pid = 4711, .name = "python3", .user = "alice"});
  host_.processes().begin({.pid = 4712, .name = "python3", .user = "alice"});
  host_.rdma().set_queue_pairs("rocep1s0f0", {4711, 4712});
  const auto nameless = without_names(use());
  EXPECT_EQ(nameless, (NamelessUse{kRail, "rocep1s0f0", config::Rail{0, 0}, 2, ""}));
  EXPECT_EQ(text_of(nameless), "a job uses rail 0 of cage 0 (enp1s0f0np0)");
}

TEST_F(RailUseTest, WithoutNamesItSaysWhatCannotBeRead) {
  host_.rdma().hide_users();
  EXPECT_THAT(texts_of(use()), ElementsAre(text_of(without_names(use()))));
}

TEST_F(RailUseTest, ADeviceThatHasJustGoneHasNoUsers) {
  host_.rdma().detach("rocep1s0f0");
  EXPECT_FALSE(use().is_used());
}

}  // namespace
}  // namespace spark::plan
