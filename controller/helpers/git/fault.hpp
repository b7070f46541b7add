#pragma once
// Fault: why nothing new is taken from a repository, with its id; and what a function gives that
// may find one.

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "protocol/source.hpp"
#include "protocol/source_ids.hpp"

namespace spark::helpers {

using protocol::GitId;

struct Fault {
  GitId id{};
  std::string what;  ///< one lower-case clause; names of others in quotes, printable
  bool operator==(const Fault&) const = default;
};

template <class T = void>
using OrFault = std::expected<T, Fault>;

inline std::unexpected<Fault> found(GitId id, std::string what) {
  return std::unexpected(Fault{id, std::move(what)});
}

/// An error of this machine, as a fault.
inline std::unexpected<Fault> found(GitId id, const Error& error) { return found(id, error.what); }

/// What git's own words about a failed fetch mean. `text`: what git and its helpers wrote to
/// stderr, in the C locale. `url`: of the repository.
Fault fault_of_fetch(std::string_view text, std::string_view url);

// When a fetch that ended with a fault is made again: what a server sends may be 256 MiB, each
// minute.

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
