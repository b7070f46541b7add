#pragma once
// The exit codes of the program: a contract with scripts, additive only.

#include <cstdint>

namespace spark {

enum class ExitCode : std::uint8_t {
  kDone = 0,                ///< done, in sync
  kError = 1,               ///< an error; nothing is known to be half done
  kDifferences = 2,         ///< plan --detailed-exitcode, status --exit-code
  kWaiting = 3,             ///< a device is absent
  kUnknown = 4,             ///< something could not be read, or is not enforced by this version
  kInvalidFile = 5,         ///< the file is refused
  kRefused = 6,             ///< safety, stale plan, other node
  kRolledBack = 7,          ///< failed, and everything is as before
  kRollbackIncomplete = 8,  ///< failed, and what differs is listed
  kUsage = 64,              ///< EX_USAGE of sysexits.h
  kBusy = 75,               ///< EX_TEMPFAIL: another apply holds the lock
  kInterrupted = 130,       ///< SIGINT
};

/// What a main() returns.
constexpr int status_of(ExitCode code) { return static_cast<int>(code); }

/// The worse of two outcomes of one run. An error outranks waiting, unknown and differences; among
/// the others the larger number is the worse one.
constexpr ExitCode worse(ExitCode a, ExitCode b) {
  const auto rank = [](ExitCode code) {
    return code == ExitCode::kError ? 45 : static_cast<int>(code) * 10;
  };
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace spark
