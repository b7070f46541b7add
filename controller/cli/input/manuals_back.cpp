// Manuals of verbs that go back.

#include "cli/input/manuals.hpp"

namespace spark::cli {

using enum ExitCode;

VerbManual manual_of_rollback() {
  return {
      .text =
          "Rolls back an apply that waits for its confirmation or was interrupted. Where there is "
          "none, it returns to the last good file of this node: the one that was applied before "
          "the file in force. `/etc/spark-reconcile/cluster.yaml` is then again as it was, and "
          "the rejected text is beside it, with the suffix `.rejected`. The daemon does not retry "
          "a file that was rolled back until the file changes. Where that file cannot be written, "
          "as where it is a symbolic link, nothing is changed.\n"
          "\n"
          "A `cluster.yaml` that was edited and not applied is its author's: `rollback` goes from "
          "the file in force to the one before it, leaves the edited text where it is, and says "
          "so. The next `apply` applies that text. While a daemon runs that is not paused, such a "
          "rollback is refused.\n"
          "\n"
          "On a terminal it asks, as `apply` does, before it returns to a file whose plan disturbs "
          "what "
          "runs.\n"
          "\n"
          "With N it returns to the file of that generation, as `history` numbers them. An apply "
          "that "
          "is open has to go first.\n"
          "\n"
          "When a link goes down or an address goes, the kernel also removes routes and addresses "
          "that others have put there. No rollback restores these: `rollback` names them, and ends "
          "with 8.",
      .exits = {{kDone,
                 "rolled back, and everything reads as before; or there was nothing overdue"},
                {kError, ""},
                {kWaiting, "returned to the last good file; waiting for a device that is absent"},
                {kUnknown,
                 "returned to the last good file; something could not be read, or differs and is "
                 "not this program's to fix"},
                {kInvalidFile, "the file to return to is invalid; nothing was touched"},
                {kRefused, ""},
                {kRolledBack, ""},
                {kRollbackIncomplete, ""},
                {kBusy, ""},
                {kInterrupted, ""}},
      .examples = {{"Look what was applied, then return to the file before:",
                    "sudo spark-reconcile history\n"
                    "sudo spark-reconcile rollback"},
                   {"Return to the file of generation 7:",
                    "sudo spark-reconcile history diff 7\n"
                    "sudo spark-reconcile rollback 7"}},
      .files = {kUsesLock,
                kUsesJournal,
                kUsesHistory,
                {"/etc/spark-reconcile/cluster.yaml.rejected", "the file that was rolled back"}},
      .see_also = {"apply", "confirm", "history", "spark-reconcile.service(8)"}};
}

VerbManual manual_of_release() {
  return {
      .text =
          "Hands the node back as it was before the first `apply`. Addresses that the program "
          "added go, and so does its block of `/etc/hosts`. Sysctls, MTUs, the state and the IPv6 "
          "link-local mode of links become what they were, also where somebody has changed them "
          "since. Addresses that were there before stay or come back. NetworkManager and "
          "systemd-networkd may manage the links again.\n"
          "\n"
          "`release` is one transaction, with the same guard and the same question as `apply`. It "
          "needs no cluster file: "
          "it works from the records of the node. It unloads no module and ends no process.\n"
          "\n"
          "A released node stays released: the daemon sets nothing on it, also after a reboot or "
          "when the file changes, until `apply` or `resume` on that node.\n"
          "\n"
          "While an apply waits for its confirmation, `release` is refused: `confirm` or "
          "`rollback` "
          "it first.",
      .exits = {{kDone, "the node is as it was before"},
                {kError, ""},
                {kWaiting, "a device is absent: the next `release` restores it once it is there"},
                {kUnknown, ""},
                {kRefused,
                 "refused: the change would do harm, an apply waits for its confirmation, or you "
                 "did not say yes; nothing was changed"},
                {kRolledBack, ""},
                {kRollbackIncomplete, ""},
                {kBusy, ""},
                {kInterrupted, ""}},
      .examples = {{"Look, then hand the node back:",
                    "sudo spark-reconcile plan --release\n"
                    "sudo spark-reconcile release"}},
      .files = {kUsesLock, kUsesLedger, kUsesJournal, kUsesHistory},
      .see_also = {"plan", "apply", "resume"}};
}

}  // namespace spark::cli
