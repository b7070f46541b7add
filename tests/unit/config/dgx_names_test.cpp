#include "config/dgx_names.hpp"

#include <gtest/gtest.h>

namespace spark::config {
namespace {

TEST(DgxNames, NameEachRailOfEachCage) {
  for (int cage = 0; cage < 2; ++cage) {
    for (int rail = 0; rail < 2; ++rail) {
      EXPECT_EQ(rail_of_dgx_name(dgx_name({cage, rail})), (Rail{cage, rail}));
    }
  }
  EXPECT_EQ(dgx_name({0, 1}), "enP2p1s0f0np0");
  EXPECT_EQ(dgx_name({1, 0}), "enp1s0f1np1");
}

TEST(DgxNames, KnowNoOtherInterface) {
  for (const char* name : {"", "enP7s7", "enp1s0f0", "enp1s0f0np1", "ENP1S0F0NP0"}) {
    EXPECT_FALSE(rail_of_dgx_name(name)) << name;
  }
}

}  // namespace
}  // namespace spark::config
