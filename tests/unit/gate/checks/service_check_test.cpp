#include <cerrno>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Ne;
using testing::Not;

TEST_F(GateTest, RegistersInANewServiceAsMuchAsTheFileSays) {
  const auto report = look();
  ASSERT_FALSE(report.node.empty());
  EXPECT_EQ(report.node[0].id, "SR-GATE-015");
  EXPECT_EQ(report.node[0].measured,
            "64 MiB registered in a new service, which may lock without limit");
  ASSERT_EQ(host_.probe().registrations().size(), 1U);
  EXPECT_EQ(host_.probe().registrations()[0].bytes, std::uint64_t{64} * 1024 * 1024);
}

TEST_F(GateTest, IsClosedByAServiceThatMayLockLessThanTheFileSays) {
  host_.probe().register_with(
      protocol::RegistrationReport{.registered = true,
                                   .limit = std::uint64_t{512} * 1024 * 1024,
                                   .failed = std::nullopt,
                                   .error_number = 0,
                                   .why = ""});
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-015"));
  EXPECT_THAT(report.node[0].measured,
              HasSubstr("which may lock 512 MiB; the file says unlimited"));
}

TEST_F(GateTest, IsClosedByAServiceThatCannotRegister) {
  host_.probe().register_with(protocol::RegistrationReport{.registered = false,
                                                           .limit = 8388608,
                                                           .failed = "ibv_reg_mr",
                                                           .error_number = ENOMEM,
                                                           .why = "Cannot allocate memory"});
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-015"));
  EXPECT_EQ(report.node[0].measured,
            "ibv_reg_mr of 64 MiB in a new service, which may lock 8 MiB: Cannot allocate memory");
}

TEST_F(GateTest, DoesNotBlameTheLimitWhereItWouldDo) {
  host_.probe().register_with(protocol::RegistrationReport{.registered = false,
                                                           .limit = UINT64_MAX,
                                                           .failed = "ibv_reg_mr",
                                                           .error_number = ENOMEM,
                                                           .why = "Cannot allocate memory"});
  EXPECT_THAT(look().node[0].remedy, HasSubstr("the limit is not why"));
}

TEST_F(GateTest, GoesWithoutANewServiceWhereThereIsNoSystemd) {
  host_.probe().register_with(fail(ErrorCode::kUnsupported, "no bus"));
  EXPECT_THAT(look().node, Each(Field(&Fact::id, Ne("SR-GATE-015"))));
  EXPECT_EQ(look().verdict(), Verdict::kReady);
}

TEST_F(GateTest, IsUnknownWhereTheNewServiceSaidNothing) {
  host_.probe().register_with(fail(ErrorCode::kInvalid, "'spark-verbs-probe' gave no report"));
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-015"));
  EXPECT_EQ(look().verdict(), Verdict::kUnknown);
}

TEST_F(GateTest, NamesKhoWhereTheKernelRunsWithIt) {
  host_.probe().register_with(protocol::RegistrationReport{.registered = false,
                                                           .limit = UINT64_MAX,
                                                           .failed = "ibv_reg_mr",
                                                           .error_number = ENOMEM,
                                                           .why = "Cannot allocate memory"});
  EXPECT_THAT(look().node[0].remedy, HasSubstr("this one runs without"));
  host_.hardware().facts().command_line = "root=/dev/sda1 kho=off quiet";
  EXPECT_THAT(look().node[0].remedy, Not(HasSubstr("kho")));
}

TEST_F(GateTest, KeepsWhatANewServiceMayLock) {
  auto report = look();
  EXPECT_EQ(report.service_memlock, host::kUnlimited);
  GateReport light;
  keep_measured(report, light);
  EXPECT_EQ(light.service_memlock, host::kUnlimited);
}

}  // namespace
}  // namespace spark::gate
