#pragma once
// The lines of limits.conf, of systemd's own settings and of a unit that say how much memory a new
// login, service or container may lock, and which of them wins.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "host/processes.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// One line that sets the soft limit, the hard one or both, bytes.
struct MemlockLine {
  std::string domain;  ///< whose, as limits.conf(5) has it: "*", "root", "@group"; empty: systemd's
  bool sets_soft = true;
  bool sets_hard = true;
  std::optional<std::uint64_t> soft;  ///< empty where it is set: as if no line had said anything
  std::optional<std::uint64_t> hard;
  std::string file;
  int line = 0;
  bool after_ours = false;  ///< read after our file, and so overrides it
};

// In the order in which they are read.

/// /etc/security/limits.conf, then limits.d (limits.conf(5)).
Result<std::vector<MemlockLine>> login_memlock_lines(host::View& view);
/// DefaultLimitMEMLOCK in systemd's system.conf and its drop-ins (systemd-system.conf(5)).
Result<std::vector<MemlockLine>> manager_memlock_lines(host::View& view);
/// LimitMEMLOCK of a unit (systemd.exec(5)). Errors: kNotFound when there is no such unit.
Result<std::vector<MemlockLine>> unit_memlock_lines(host::View& view, const std::string& unit);

/// The last line that sets it for this domain; null: none.
const MemlockLine* soft_winner(const std::vector<MemlockLine>& lines, std::string_view domain);
const MemlockLine* hard_winner(const std::vector<MemlockLine>& lines, std::string_view domain);

/// "infinity", or a number with K, M, G, T, P or E; two of them with ':' between, soft first.
/// Empty: it is neither.
std::optional<host::MemlockLimit> parse_systemd_limit(std::string_view text);

// Our files, and their texts.

inline constexpr const char* kLimitsFile = "/etc/security/limits.d/90-spark-reconcile.conf";
inline constexpr const char* kManagerFile = "/etc/systemd/system.conf.d/90-spark-reconcile.conf";
std::string unit_memlock_file(std::string_view unit);

/// limits.conf(5) counts in KiB, and its wildcard leaves root out.
std::string limits_text(std::uint64_t bytes);
std::string manager_text(std::uint64_t bytes);
std::string unit_text(std::uint64_t bytes);

}  // namespace spark::kinds
