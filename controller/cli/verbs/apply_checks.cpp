#include "cli/verbs/apply_checks.hpp"

#include <fmt/format.h>

#include "cli/input/typed_line.hpp"
#include "cli/state_here/node_here.hpp"
#include "protocol/paths.hpp"
#include "protocol/source.hpp"
#include "state/by_hand.hpp"
#include "state/pause.hpp"

namespace spark::cli {

Result<> may_apply(host::System& system) {
  const auto can = system.can_change_network();
  if (!can) return std::unexpected(can.error());
  if (!*can) {
    return fail(ErrorCode::kPermission,
                "changing links needs CAP_NET_ADMIN, which this process does not have: in a "
                "container root lacks it, so run it on the machine itself; nothing was touched");
  }
  return {};
}

Result<> is_not_another_node(const state::Selection& selection) {
  if (selection.matched.empty() || selection.matched == selection.node.name) return {};
  return fail(
      ErrorCode::kInvalid,
      selection.remembered
          ? fmt::format(
                "this machine was last '{0}'; refusing to apply the configuration of '{1}': "
                "leave out -n, or `spark-reconcile release` it first, or give '{1}' a "
                "`match:` in the file. Nothing was touched",
                selection.matched, selection.node.name)
          : fmt::format(
                "the file identifies this machine as '{}'; refusing to apply the configuration of "
                "'{}': leave out -n, or correct `match:`; on that node: {}. Nothing was touched",
                selection.matched, selection.node.name, line_on(selection.node.name, "apply")));
}

Result<> daemon_agrees(const Command& command, const plan::Plan& plan, const std::string& path) {
  auto& files = command.host.files;
  const auto here = node_here(command.host);
  if (!here || !*here) return {};
  const auto& kept = (*here)->state.file;
  if (kept.digest.empty() || kept.digest == plan.digest || kept.path == path ||
      state::read_pause(command.host, now())) {
    return {};
  }
  // The lock is tried last: an apply that changes nothing opens nothing to write.
  if (files.lock(protocol::kDaemonLockFile)) return {};
  return fail(
      ErrorCode::kBusy,
      kept.path == protocol::kFollowedFile
          ? std::string("the daemon follows a git repository, and would overwrite this at once: "
                        "commit it there, or `spark-reconcile follow --stop` or `spark-reconcile "
                        "pause --for 10m` first; nothing was touched")
          : fmt::format("the daemon enforces '{}', and would overwrite this at once: put your file "
                        "there, or `spark-reconcile pause --for 10m` first; nothing was touched",
                        kept.path));
}

bool tell_daemon(const Command& command, const apply::Report& report) {
  const bool good = report.outcome == apply::Report::Outcome::kApplied ||
                    report.outcome == apply::Report::Outcome::kNothingToDo;
  if (!good) return true;
  // Only where it leaves something alone: an apply that changes nothing writes nothing.
  const auto here = node_here(command.host);
  if (!here || !*here || node_state::count_left_alone((*here)->state) == 0) {
    return true;
  }
  const auto noted = state::note_by_hand(command.host.files, command.arguments.change_id);
  if (!noted) command.terminal.complain(fmt::format("spark-reconcile: {}\n", noted.error().what));
  return noted.has_value();
}

}  // namespace spark::cli
