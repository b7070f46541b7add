#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::ElementsAre;

TEST_F(GateTest, IsClosedByAnAddressWithoutItsGid) {
  host_.rdma().lose_gid(kAddress.ip);
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-005"));
}

}  // namespace
}  // namespace spark::gate
