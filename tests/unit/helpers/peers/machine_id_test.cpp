#include "helpers/peers/machine_id.hpp"

#include <gtest/gtest.h>

namespace spark::helpers {
namespace {

TEST(MachineId, IsTheOneThatSystemdMakes) {
  // systemd-id128 machine-id --app-specific=2b9f5c0d8e714ac6a3f1d4470b6c9e58, on such a machine
  EXPECT_EQ(machine_of("0123456789abcdef0123456789abcdef\n"), "cc036117aa1944289cb9b23eeb10f0c1");
}

TEST(MachineId, WhatIsNoneHasNone) {
  for (const auto* text : {"", "\n", "uninitialized\n", "0123456789abcdef0123456789abcde",
                           "0123456789abcdefg123456789abcdef"}) {
    EXPECT_EQ(machine_of(text), "") << text;
  }
}

}  // namespace
}  // namespace spark::helpers
