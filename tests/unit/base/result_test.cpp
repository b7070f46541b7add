#include "base/result.hpp"

#include <cerrno>

#include <gtest/gtest.h>

#include "base/exit_code.hpp"

namespace spark {
namespace {

TEST(ErrorCodeOf, SaysWhatTheCallerCanDo) {
  EXPECT_EQ(error_code_of(EPERM), ErrorCode::kPermission);
  EXPECT_EQ(error_code_of(EROFS), ErrorCode::kPermission);
  EXPECT_EQ(error_code_of(ENODEV), ErrorCode::kNotFound);
  EXPECT_EQ(error_code_of(EADDRNOTAVAIL), ErrorCode::kNotFound);
  EXPECT_EQ(error_code_of(EINVAL), ErrorCode::kInvalid);
  EXPECT_EQ(error_code_of(EBUSY), ErrorCode::kBusy);
  EXPECT_EQ(error_code_of(ETIMEDOUT), ErrorCode::kTimeout);
  EXPECT_EQ(error_code_of(EOPNOTSUPP), ErrorCode::kUnsupported);
}

TEST(ErrorCodeOf, LeavesTheUnexpectedToTheKernelsOwnWords) {
  EXPECT_EQ(error_code_of(EIO), ErrorCode::kSystem);
  EXPECT_EQ(error_code_of(0), ErrorCode::kSystem);
}

TEST(FailErrno, PutsTheCauseLast) {
  const Result<> result = fail_errno(EINVAL, "set mtu of 'eth0'");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), (Error{ErrorCode::kInvalid, "set mtu of 'eth0': Invalid argument"}));
}

TEST(Worse, OrdersByTheLargerCode) {
  static_assert(worse(ExitCode::kDone, ExitCode::kDifferences) == ExitCode::kDifferences);
  static_assert(worse(ExitCode::kWaiting, ExitCode::kUnknown) == ExitCode::kUnknown);
  static_assert(worse(ExitCode::kRollbackIncomplete, ExitCode::kRolledBack) ==
                ExitCode::kRollbackIncomplete);
  static_assert(worse(ExitCode::kInterrupted, ExitCode::kUsage) == ExitCode::kInterrupted);
}

TEST(Worse, RanksAnErrorAboveWaitingAndUnknownButBelowAnInvalidFile) {
  static_assert(worse(ExitCode::kError, ExitCode::kUnknown) == ExitCode::kError);
  static_assert(worse(ExitCode::kDifferences, ExitCode::kError) == ExitCode::kError);
  static_assert(worse(ExitCode::kError, ExitCode::kInvalidFile) == ExitCode::kInvalidFile);
}

}  // namespace
}  // namespace spark
