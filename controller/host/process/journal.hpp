#pragma once
// read_kernel_journal: what the kernel logged, by journalctl, since /dev/kmsg needs CAP_SYSLOG.

#include <chrono>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace spark::host {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// The last 500 entries of that time, each a line of JSON with MESSAGE and __REALTIME_TIMESTAMP; at
/// most 1 MiB, whose last line may be cut. It may have some from before and after that time.
/// Errors: kNotFound, there is no journalctl; kTimeout, it took more than 3 s; kPermission, the
/// journal is closed to this user.
Result<std::string> read_kernel_journal(WallTime since, WallTime until);

/// read_kernel_journal, or what stands for it in tests.
using ReadJournal = std::function<Result<std::string>(WallTime since, WallTime until)>;

}  // namespace spark::host
