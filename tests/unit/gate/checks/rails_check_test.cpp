#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::ElementsAre;

TEST_F(GateTest, IsNotOpenForANodeWithoutRails) {
  text_ = "version: 1\ncluster: lab\nnodes: { spark1: {} }\n";
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-012"));
}

}  // namespace
}  // namespace spark::gate
