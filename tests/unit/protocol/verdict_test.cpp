#include "protocol/verdict.hpp"

#include <gtest/gtest.h>

#include "base/fields.hpp"

namespace spark::protocol {
namespace {

TEST(VerdictWords, AreReadBack) {
  for (const auto verdict :
       {Verdict::kReady, Verdict::kUnknown, Verdict::kWaiting, Verdict::kNotReady}) {
    EXPECT_EQ(enum_named<Verdict>(name_of(verdict)), verdict) << name_of(verdict);
  }
  EXPECT_EQ(name_of(Verdict::kNotReady), "not ready");
}

TEST(VerdictWords, OfANewerVersionAreNoneOfThem) {
  for (const auto* const word : {"", "Ready", "not_ready", "ready ", "degraded"}) {
    EXPECT_EQ(enum_named<Verdict>(word), std::nullopt) << word;
  }
}

}  // namespace
}  // namespace spark::protocol
