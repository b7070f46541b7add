#include "kinds/network/roce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "plan/plan.hpp"
#include "plan/refusals.hpp"

namespace spark::kinds {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const IpAddress kOurs = *IpAddress::parse("198.51.100.11");

/// A Spark that has been applied to, in sync.
class RoceTest : public test::PassTest {
 protected:
  RoceTest() {
    text_.erase(text_.find("storage:"));  // over it nobody may take an address away
    EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
    host_.forget_writes();
  }
};

TEST_F(RoceTest, AGidThatMovesToAnotherIndexIsNoDrift) {
  const auto before = host_.rdma().gids("rocep1s0f0", 1)->back().index;
  host_.netlink().add_foreign("enp1s0f0np0", {.address = *IpPrefix::parse("2001:db8::7/64")});
  host_.netlink().remove_foreign("enp1s0f0np0", *IpPrefix::parse("198.51.100.11/24"));
  host_.netlink().add_foreign("enp1s0f0np0", {.address = *IpPrefix::parse("198.51.100.11/24")});
  ASSERT_NE(host_.rdma().gids("rocep1s0f0", 1)->back().index, before);
  EXPECT_THAT(plan().steps, IsEmpty());
}

TEST_F(RoceTest, AddsAnAddressAgainWhoseGidIsMissing) {
  host_.rdma().lose_gid(kOurs);
  const auto planned = plan();
  ASSERT_EQ(planned.steps.size(), 1U);
  EXPECT_EQ(planned.steps[0].name(), "roce enp1s0f0np0 198.51.100.11");
  EXPECT_THAT(planned.steps[0].effect.ips, ElementsAre(kOurs));
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(plan().steps, IsEmpty());
}

TEST_F(RoceTest, FailsWhereTheGidDoesNotComeWithItsAddressEither) {
  host_.rdma().refuse_gid(kOurs);
  const auto report = apply();
  EXPECT_EQ(report.outcome, apply::Report::Outcome::kRolledBack);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->what,
            "roce enp1s0f0np0 198.51.100.11: '198.51.100.11' has no RoCE v2 GID on 'rocep1s0f0', "
            "though 'enp1s0f0np0' has the address, which was added again for it");
  ASSERT_EQ(report.steps.size(), 1U);
  EXPECT_FALSE(report.steps[0].waits()) << "its GID is no other machine's business";
  EXPECT_THAT(host_.written(), Contains("add address '198.51.100.11/24' to 'enp1s0f0np0'"));
}

TEST_F(RoceTest, DoesNotTakeALifelineForIt) {
  host_.rdma().lose_gid(kOurs);
  host_.system().add_ssh_session(kOurs);
  const auto planned = plan();
  host::View view(ports_);
  EXPECT_EQ(plan::guard(planned, node(), view, {}).size(), 1U);
}

TEST_F(RoceTest, WaitsForTheRdmaDeviceOfALinkThatHasNone) {
  host_.rdma().detach("rocep1s0f0");
  const auto planned = plan();
  EXPECT_THAT(planned.steps, IsEmpty());
  EXPECT_EQ(planned.status(), ExitCode::kWaiting);
  EXPECT_THAT(planned.skipped.front().skipped.reason, HasSubstr("no RDMA device on 'enp1s0f0np0'"));
}

TEST_F(RoceTest, WaitsForRdmaCm) {
  host_.rdma().unload_cm();
  EXPECT_EQ(plan().status(), ExitCode::kWaiting);
  EXPECT_EQ(plan().skipped.front().skipped.id, "SR-ROCE-003");
}

TEST_F(RoceTest, SetsTheModeOfAModuleThatTheSamePlanLoads) {
  host_.modules().unload("rdma_ucm");
  host_.rdma().unload_cm();
  EXPECT_THAT(plan().skipped, IsEmpty());
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_THAT(plan().steps, IsEmpty());
}

TEST_F(RoceTest, WaitsForRdmaCmWhereItsModuleIsKeptOut) {
  host_.modules().unload("rdma_ucm");
  host_.files().put("/etc/modprobe.d/a.conf", "blacklist rdma_ucm\n");
  host_.rdma().unload_cm();
  EXPECT_EQ(plan().skipped.back().skipped.id, "SR-ROCE-003");
}

TEST_F(RoceTest, WritesNoModeThatIsRight) {
  EXPECT_EQ(apply().outcome, apply::Report::Outcome::kNothingToDo);
  EXPECT_EQ(host_.writes(), 0U);
}

TEST_F(RoceTest, IsWantedOfANamedLinkOnlyWhereItHasAnRdmaDevice) {
  const std::string text = R"(
version: 1
cluster: named
nodes:
  spark1:
    links:
      enp1s0f0np0: { addresses: [198.51.100.11/24] }
      enP7s7: { addresses: [192.0.2.10/24] }
)";
  const auto wanted = Roce::desired(test::node_on(host_, text));
  ASSERT_EQ(wanted.state.size(), 1U);
  EXPECT_EQ(wanted.state.begin()->first.link, "enp1s0f0np0");
}

}  // namespace
}  // namespace spark::kinds
