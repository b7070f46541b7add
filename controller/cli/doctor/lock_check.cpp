#include <fmt/format.h>

#include "cli/doctor/checks.hpp"
#include "host/file_lock.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {

Findings check_lock(const Command& command) {
  const auto holder = host::lock_holder(command.arguments.root, protocol::kLockFile);
  if (!holder) {
    return {{"lock", Severity::kLook, holder.error().what,
             "fix what is named: without its lock nothing is applied"}};
  }
  if (!*holder) {
    return {{"lock", Severity::kGood, "nobody changes this machine now", ""}};
  }
  return {{"lock", Severity::kLook, fmt::format("lock '{}': {}", protocol::kLockFile, **holder),
           "wait until it ends, or end that process: what it has done is then rolled back by "
           "`spark-reconcile rollback`"}};
}

}  // namespace spark::cli
