#pragma once
// What has to be true before a verb changes this machine, and what the daemon has to know after.

#include <string>

#include "apply/report.hpp"
#include "cli/command.hpp"
#include "plan/plan.hpp"
#include "state/select.hpp"

namespace spark::cli {

/// Errors: kPermission for a process that may not change the network.
Result<> may_apply(host::System& system);

/// Errors: kInvalid where the file says that this machine is another node than the one that was
/// asked for.
Result<> is_not_another_node(const state::Selection& selection);

/// Errors: kBusy where the daemon follows another file than that at `path`, and would overwrite
/// this plan's changes at once.
Result<> daemon_agrees(const Command& command, const plan::Plan& plan, const std::string& path);

/// Notes an apply that went well for the daemon, where the daemon leaves something alone. False: it
/// could not be noted, which is reported.
bool tell_daemon(const Command& command, const apply::Report& report);

}  // namespace spark::cli
