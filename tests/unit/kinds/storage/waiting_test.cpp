#include <gtest/gtest.h>

#include "kinds/storage/storage_units.hpp"

namespace spark::kinds {
namespace {

TEST(WaitsOrFails, WaitsForWhatDoesNotAnswerAndForWhatIsBusy) {
  for (const auto code : {ErrorCode::kTimeout, ErrorCode::kBusy}) {
    const auto outcome = waits_or_fails(Error{code, "start 'a': no answer"});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(*outcome, Waits{"start 'a': no answer"});
    EXPECT_FALSE(is_done(outcome));
  }
}

TEST(WaitsOrFails, FailsByEveryOtherError) {
  for (const auto code : {ErrorCode::kSystem, ErrorCode::kInvalid, ErrorCode::kNotFound,
                          ErrorCode::kPermission, ErrorCode::kUnsupported}) {
    const auto outcome = waits_or_fails(fail(code, "no"));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error(), (Error{code, "no"}));
    EXPECT_FALSE(is_done(outcome));
  }
}

TEST(WaitsOrFails, IsDoneWithoutAnError) { EXPECT_TRUE(is_done(waits_or_fails(Result<>{}))); }

TEST(WaitsFor, NamesTheReasonAndItsId) {
  EXPECT_EQ(waits_for({Skipped::Why::kNotEnforced, "SR-MOUNT-004", "it is in use"}).why,
            "it is in use [SR-MOUNT-004]");
}

}  // namespace
}  // namespace spark::kinds
