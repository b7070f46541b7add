#pragma once
// When a fetch that ended with a fault is made again: what a server sends may be 256 MiB, each
// minute.

#include <chrono>
#include <optional>
#include <string>

#include "protocol/source.hpp"

namespace spark::helpers {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// Whether nothing is fetched yet. `references`: what the server shows now; `asked`: when somebody
/// asked by hand last.
bool is_put_off(const std::optional<protocol::FetchRetry>& retry, const std::string& references,
                WallTime asked, WallTime now);

/// After one more fault: from `every`, a time that doubles up to an hour while the server shows the
/// same.
protocol::FetchRetry retry_after(const std::optional<protocol::FetchRetry>& former,
                                 std::string references, std::chrono::milliseconds every,
                                 WallTime now);

}  // namespace spark::helpers
