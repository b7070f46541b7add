#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "plan/refusals.hpp"

namespace spark::plan {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A Spark as it comes, on which the whole of a cluster file is to be set up.
class HelperNeedsTest : public test::PassTest {
 protected:
  HelperNeedsTest() { test::add_network_managers(host_); }

  /// The plan's steps of some kinds.
  Plan plan_of(std::initializer_list<std::string_view> kinds) {
    auto some = plan();
    std::erase_if(some.steps, [&](const Step& step) {
      return std::ranges::find(kinds, step.kind) == kinds.end();
    });
    return some;
  }

  std::vector<kinds::Refusal> missing(const Plan& plan) {
    return find_missing_helpers(plan, [&](host::Helper helper) -> Result<> {
      asked_.push_back(helper);
      return fail(ErrorCode::kInvalid, fmt::format("'{}' does not start", host::name_of(helper)));
    });
  }

  std::vector<host::Helper> asked_;
};

TEST_F(HelperNeedsTest, AsksOnceForEachHelperOfAPlan) {
  const auto found = missing(plan());
  EXPECT_THAT(asked_, ElementsAre(host::Helper::kBusCall, host::Helper::kStorage));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].why, kinds::Refusal::Why::kImpossible);
  EXPECT_THAT(found[0].what,
              AllOf(HasSubstr("other_managers enP2p1s0f0np0 and "), HasSubstr(" more "),
                    HasSubstr("'spark-bus-call' does not start")));
  EXPECT_GT(found[0].where.line, 0);
  EXPECT_THAT(found[1].what, HasSubstr("'spark-storage' does not start"));
}

TEST_F(HelperNeedsTest, AsksNobodyWhereTheKernelDoesAll) {
  const auto kernel = plan_of({"mtu", "link", "address", "sysctl", "roce", "hosts", "environment"});
  ASSERT_FALSE(kernel.steps.empty());
  EXPECT_THAT(missing(kernel), IsEmpty());
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(HelperNeedsTest, AsksForTheBusWhereAManagerRunsOrSystemdHasToReadOrLoad) {
  EXPECT_THAT(missing(plan_of({"module"})), IsEmpty()) << "it is loaded, and a file is to say so";
  host_.modules().unload("rdma_ucm");
  for (const auto* kind : {"other_managers", "module", "memlock", "nvme", "mount"}) {
    const auto some = plan_of({kind});
    ASSERT_FALSE(some.steps.empty()) << kind;
    EXPECT_FALSE(missing(some).empty()) << kind;
  }
  host_.files().erase("/sys/fs/cgroup/system.slice/NetworkManager.service/cgroup.procs");
  EXPECT_THAT(missing(plan_of({"other_managers"})), IsEmpty())
      << "it reads its file when it starts";
}

}  // namespace
}  // namespace spark::plan
