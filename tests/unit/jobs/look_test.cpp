#include "jobs/look.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::jobs {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

auto of_link(const std::string& name) { return Field(&RailSnapshot::link, name); }

/// A Spark with both cages cabled, of which the file has cage 0.
class LookTest : public testing::Test {
 protected:
  LookTest() {
    test::add_spark(fake_);
    for (const int rail : {0, 1}) {
      config::WantedLink wanted{.name = config::dgx_name({0, rail})};
      wanted.role = config::LinkRole::kRail;
      wanted.rail = config::Rail{0, rail};
      wanted.rdma = true;
      node_.links.emplace(wanted.name, wanted);
    }
  }

  Snapshot look(const config::Node* node) {
    auto host = fake_.host();
    return look_now(host, node).value();
  }

  test::FakeHost fake_;
  config::Node node_;
};

TEST_F(LookTest, TakesTheRailsOfTheFile) {
  fake_.rdma().counted("enp1s0f0np0").rdma_words = host::BothWays{.received = 1, .sent = 2};
  const auto look = this->look(&node_);
  ASSERT_THAT(look.rails, ElementsAre(of_link("enp1s0f0np0"), of_link("enP2p1s0f0np0")));
  EXPECT_EQ(look.rails[0].device, "rocep1s0f0");
  EXPECT_TRUE(look.rails[0].in_file);
  EXPECT_EQ(look.rails[0].counters.rdma_words, (host::BothWays{.received = 1, .sent = 2}));
}

TEST_F(LookTest, TakesAnotherLinkWhereSomebodyHasQueuePairs) {
  fake_.rdma().set_queue_pairs("rocep1s0f1", {4711});
  const auto look = this->look(&node_);
  ASSERT_THAT(look.rails, ElementsAre(of_link("enp1s0f0np0"), of_link("enP2p1s0f0np0"),
                                      of_link("enp1s0f1np1")));
  EXPECT_FALSE(look.rails[2].in_file);
  EXPECT_THAT(look.rails[2].queue_pairs, ElementsAre(4711));
}

TEST_F(LookTest, WithoutAFileTakesAllThatHaveACarrier) {
  EXPECT_THAT(look(nullptr).rails, ElementsAre(of_link("enp1s0f0np0"), of_link("enP2p1s0f0np0"),
                                               of_link("enp1s0f1np1"), of_link("enP2p1s0f1np1")));
}

TEST_F(LookTest, ARailOfTheFileThatIsAbsentHasNoDevice) {
  config::WantedLink wanted{.name = "absent0"};
  wanted.role = config::LinkRole::kRail;
  wanted.rdma = true;
  node_.links.emplace(wanted.name, wanted);
  const auto look = this->look(&node_);
  EXPECT_EQ(look.rails.back().link, "absent0");
  EXPECT_EQ(look.rails.back().link_index, 0);
}

TEST_F(LookTest, WhereTheKernelDoesNotTellWhoUsesARailTheReasonIsKept) {
  fake_.rdma().hide_users();
  EXPECT_EQ(look(&node_).rails[0].unknown, "the kernel does not tell");
}

TEST_F(LookTest, WhereNoDeviceCanBeReadNoneIsNotSaidToBeThere) {
  fake_.make_unreadable("RDMA ports");
  EXPECT_NE(look(&node_).rails[0].unknown, "");
  auto host = fake_.host();
  EXPECT_FALSE(look_now(host, nullptr));
}

TEST_F(LookTest, SeesAProcessAndWhatItDescendsFrom) {
  fake_.rdma().set_queue_pairs("rocep1s0f0", {50, 50, 99});
  fake_.processes().begin({.pid = 50, .name = "python3"});
  fake_.processes().put_place(50, {.parent = 40});
  fake_.processes().begin({.pid = 40, .name = "torchrun"});
  fake_.processes().put_place(40, {.parent = 1});
  const auto seen = processes_of(look(&node_), fake_.processes());
  EXPECT_THAT(seen, UnorderedElementsAre(Key(40), Key(50))) << "99 has just ended";
}

}  // namespace
}  // namespace spark::jobs
