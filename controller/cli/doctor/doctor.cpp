#include "cli/doctor/doctor.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <unistd.h>

#include "cli/doctor/bench_check.hpp"
#include "cli/doctor/daemon_check.hpp"
#include "cli/doctor/environment_check.hpp"
#include "cli/doctor/file_check.hpp"
#include "cli/doctor/hardware_check.hpp"
#include "cli/doctor/helper_check.hpp"
#include "cli/doctor/journal_check.hpp"
#include "cli/doctor/ledger_check.hpp"
#include "cli/doctor/lock_check.hpp"
#include "cli/doctor/node_check.hpp"
#include "cli/doctor/page_check.hpp"
#include "cli/doctor/versions_check.hpp"
#include "host/file_lock.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

constexpr std::array<Check, 13> kChecks{
    check_lock,     check_journal,  check_ledger, check_file,        check_last_good,
    check_helpers,  check_hardware, check_node,   check_environment, check_bench,
    check_versions, check_daemon,   check_page,
};

template <class T>
bool is_forbidden(const Result<T>& looked) {
  return !looked && looked.error().code == ErrorCode::kPermission;
}

/// With a root of their own others may see all of that too.
bool sees_all(const Command& command) {
  return (geteuid() == 0 || command.arguments.root != "/") &&
         !is_forbidden(command.host.files.list(protocol::kStateDirectory)) &&
         !is_forbidden(host::lock_holder(command.arguments.root, protocol::kLockFile));
}

/// Each remedy would be for a fault that is not there.
Finding not_root() {
  return {"rights", false,
          "not run as root: whether an apply is running or was interrupted, what is recorded of "
          "earlier ones, and whether the daemon runs cannot be seen",
          "run it as root: `sudo spark-reconcile doctor`"};
}

}  // namespace

Findings find_problems(const Command& command) {
  if (!sees_all(command)) {
    return {not_root()};
  }
  Findings findings;
  for (const auto check : kChecks) {
    std::ranges::move(check(command), std::back_inserter(findings));
  }
  return findings;
}

}  // namespace spark::cli
