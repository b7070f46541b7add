#pragma once
// What has to be true before a verb changes this machine.

#include <string>

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

}  // namespace spark::cli
