// Manuals of verbs that bring a node to what its file says.

#include "cli/input/manuals.hpp"

namespace spark::cli {

using enum ExitCode;

VerbManual manual_of_init() {
  return {
      .text =
          "Writes a first cluster file to stdout, or into a new file with `-o`. Edit it, check it "
          "with `validate`, and put it on every node.\n"
          "\n"
          "`--pair`, `--ring` and `--switch` write the cables of so many nodes, with subnets that "
          "no address or route of this machine uses, and the cage that has a carrier here. They "
          "run on any machine.\n"
          "\n"
          "`--from-host` writes what this machine runs: the addresses and MTU of its rails, each "
          "with a comment that says where it comes from. The comment at the top says what `plan` "
          "makes of the file here: mostly nothing, or to have each rail answer ARP for its own "
          "address alone and take no address from a router. What the file cannot hold stands in a "
          "comment, with the reason.\n"
          "\n"
          "`--discover` runs on one node of a cluster that has no file yet, and `join` on each "
          "other. "
          "They hear each other by frames on the cages (QSFP ports), without an address. `init` "
          "shows which cage is joined to which, and asks before it offers the file of all of them: "
          "cables as they are plugged, "
          "names, and subnets that no address or route of any node uses. Then it prints four words "
          "to compare with those of each `join`, and asks again. Once all have said yes, the file "
          "is at /etc/spark-reconcile/cluster.yaml on all nodes, here at that of `-o`, and the "
          "keys "
          "of the others are in /etc/spark-reconcile/trusted. `--yes` answers both questions: "
          "nobody compares here then, and this node takes the key of any that answers. At most 8 "
          "nodes, ten minutes; "
          "nothing listens afterwards. A link that is down is not set up: its cable is not seen, "
          "and that is said. Needs root.\n"
          "\n"
          "`init` changes nothing else on the machine and replaces no file. Run `--from-host` as "
          "root: "
          "other users cannot read netplan's files.",
      .exits = {{kDone, "written; with `--discover`: on all nodes"},
                {kError, "an error, or another file is there already"},
                {kWaiting, "`--discover`: ten minutes have passed"},
                {kRefused, "`--discover`: the question was answered with no, here or by `join`"}},
      .examples = {{"The cables as they are plugged; `join` runs on the other nodes:",
                    "sudo spark-reconcile init --discover"},
                   {"Two nodes, one cable:",
                    "spark-reconcile init --pair --names spark1,spark2 -o cluster.yaml"},
                   {"What does this machine run, as a cluster file?",
                    "sudo spark-reconcile init --from-host -o cluster.yaml\n"
                    "sudo spark-reconcile plan -f cluster.yaml"}},
      .files = {kUsesNodeKey, kUsesTrusted},
      .see_also = {"join", "validate", "plan", "cluster.yaml(5)"}};
}

VerbManual manual_of_join() {
  return {
      .text =
          "Takes the cluster file of the node that runs `init --discover`, over the cable. Both "
          "verbs hear each other by frames on the cages (QSFP ports): no address, no ssh and no "
          "name service is needed.\n"
          "\n"
          "`join` shows who is there and which cage leads where, then the file, and four words. "
          "Compare them with those on the other node's screen: they are the same where the file "
          "and "
          "the keys of all nodes are the same. Once all have said yes, it puts the file at "
          "/etc/spark-reconcile/cluster.yaml, and the keys of the others into "
          "/etc/spark-reconcile/trusted. It replaces no file and no key, and configures nothing: "
          "that is for `apply`, or the daemon, to do.\n"
          "\n"
          "It runs for ten minutes at most, and nothing listens afterwards. Until all nodes have "
          "answered it passes on what it hears, for those that hear the other node over this one "
          "alone. Without a terminal it needs `--words`. Needs root.",
      .exits = {{kDone, "the file is there"},
                {kError, "an error, or another file is there already"},
                {kWaiting, "ten minutes have passed"},
                {kRefused, "the question was answered with no, or the words differ"}},
      .examples = {{"On each node but the one that runs `init --discover`:",
                    "sudo spark-reconcile join"}},
      .files = {kUsesNodeKey, kUsesTrusted},
      .see_also = {"init", "apply", "cluster.yaml(5)"}};
}

VerbManual manual_of_validate() {
  return {
      .text =
          "Reads the cluster file, and reports every error and warning at once: each with its "
          "line and column, its reason, what to write instead, and an id.\n"
          "\n"
          "With `--against` it compares the file with another one, such as that of the branch "
          "it is to be merged into: which resources it adds, changes and removes on each node, "
          "and whom that disturbs. It takes the nodes for DGX Sparks that are as the other file "
          "says; what only the machine can tell is listed as unknown. `plan --facts` has that "
          "too.\n"
          "\n"
          "`--format github` prints errors and warnings as annotations at their lines, and the "
          "changes as one notice.\n"
          "\n"
          "`validate` reads these files and nothing else. So it runs on any machine, without "
          "rights, and fits into a check of a git repository.",
      .exits = {{kDone, "the file is valid; warnings do not count, nor do changes"},
                {kError, "a file could not be read"},
                {kDifferences, "`--detailed-exitcode`: something changes on some node"},
                {kUnknown,
                 "`--detailed-exitcode`: the other file is invalid, so nothing is "
                 "compared"},
                {kInvalidFile, "the file is invalid"}},
      .examples = {{"Check a file before it is committed:",
                    "spark-reconcile validate -f cluster.yaml"},
                   {"Check what comes from elsewhere:",
                    "git show main:cluster.yaml | spark-reconcile validate -f -"},
                   {"What does this branch change, on which node?",
                    "git show main:cluster.yaml | spark-reconcile validate -f cluster.yaml "
                    "--all-nodes --against -"}},
      .files = {},
      .see_also = {"plan", "facts", "cluster.yaml(5)"}};
}

VerbManual manual_of_plan() {
  return {
      .text =
          "Compares the cluster file with the actual state of this machine, and shows what `apply` "
          "would change: `+` is added, `~` is changed, `-` is removed. A terminal has the changes "
          "by cage and rail, in lines of its width, and below them whom they disturb. Elsewhere, "
          "and with `-v`, each step has a line, in the order of `apply`: it ends with the line of "
          "the file that asks for the step, and with what the step disturbs.\n"
          "\n"
          "Below stand: what is skipped, with the reason (waiting, unknown, not "
          "enforced, pending); what is not managed and left unchanged; and why `apply` would "
          "refuse the plan.\n"
          "\n"
          "`plan` changes nothing, and needs no root. Without root it cannot read the ownership "
          "ledger (what the program set, and what was there before), so a removal may be missing; "
          "a note says so.\n"
          "\n"
          "The exit code is 0 also where there is something to do, unless you ask for "
          "`--detailed-exitcode`. A plan that `apply` would refuse exits with 6 or 1 either way.",
      .exits = {{kDone, "the plan is shown; with `--detailed-exitcode`: in sync"},
                {kError, "an error, or the file asks for something this machine cannot do"},
                {kDifferences, "`--detailed-exitcode`: the machine differs from the file"},
                {kWaiting, "`--detailed-exitcode`: waiting for a device that is absent"},
                {kUnknown,
                 "`--detailed-exitcode`: something could not be read, or differs and is not this "
                 "program's to fix"},
                {kInvalidFile, ""},
                {kRefused, "`apply` would refuse this plan"}},
      .examples = {{"What would change here?", "spark-reconcile plan"},
                   {"Review now, apply later exactly this:",
                    "sudo spark-reconcile plan --out change.plan\n"
                    "sudo spark-reconcile apply change.plan"},
                   {"Show in a pull request what a file would do to a node:",
                    "spark-reconcile plan --facts facts/spark1.json -f cluster.yaml "
                    "--detailed-exitcode"}},
      .files = {kUsesLedger},
      .see_also = {"apply", "facts", "release", "status", "cluster.yaml(5)"}};
}

VerbManual manual_of_apply() {
  return {
      .text =
          "Plans, shows the plan, records on disk what was there before, makes the changes one by "
          "one, and reads everything back from the machine. If a step fails or does not read back, "
          "or a link loses its carrier or an ssh session its address, `apply` rolls back what it "
          "did, and reads that back too.\n"
          "\n"
          "A converged `apply` touches nothing: it sends the kernel no change, writes no file but "
          "its lock, and causes no event. You can run it beside a training job.\n"
          "\n"
          "`apply` never flushes addresses, and leaves an address that is right alone, but for one "
          "whose RoCE v2 GID is missing; the plan says so. It restarts no service and asks no "
          "other "
          "node. It refuses a plan that would cut you off from the machine, unless you give "
          "`--confirm`. Then everything is rolled back unless you type `spark-reconcile confirm` "
          "in "
          "time; a timer of systemd sees to it, also after a closed terminal.\n"
          "\n"
          "On a terminal, `apply` asks before it carries out a plan that disturbs what runs; "
          "without "
          "your yes it changes nothing, and exits with 6. Nothing is locked while it asks, and it "
          "plans again after your yes. The plan names the processes "
          "that use what it disturbs by RDMA, and the question says that there are some. What of a "
          "new file waits for the end of such a process in the daemon, `apply` makes at once. It "
          "never asks with `--yes`, `--confirm`, "
          "`--json` or a "
          "saved "
          "plan, nor without a terminal: in a script, over ssh without `-t`, from cron.\n"
          "\n"
          "An interrupted `apply` leaves its journal. The next `apply` resumes it, `rollback` "
          "rolls it back.\n"
          "\n"
          "With FILE, a plan saved by `plan --out`, it applies exactly that plan, or nothing where "
          "the machine has changed since. `-f` and `-n` do not go with it.",
      .exits = {{kDone, "in sync, or everything was changed and read back"},
                {kError, ""},
                {kWaiting, "the rest is applied; waiting for a device that is absent"},
                {kUnknown,
                 "the rest is applied; something could not be read, or differs and is not this "
                 "program's to fix"},
                {kInvalidFile, "the file is invalid; nothing was touched"},
                {kRefused, ""},
                {kRolledBack, ""},
                {kRollbackIncomplete, ""},
                {kBusy, ""},
                {kInterrupted, ""}},
      .examples = {{"Look, then apply:",
                    "spark-reconcile plan\n"
                    "sudo spark-reconcile apply"},
                   {"Change what you are connected through:",
                    "sudo spark-reconcile apply --confirm 60s\n"
                    "sudo spark-reconcile confirm"}},
      .files = {kUsesLock, kUsesLedger, kUsesJournal, kUsesHistory},
      .see_also = {"plan", "confirm", "rollback", "history", "release", "cluster.yaml(5)"}};
}

VerbManual manual_of_confirm() {
  return {
      .text =
          "Keeps what `apply --confirm` changed, and calls its timer off. Being able to type it "
          "is the proof that the change did not cut you off.\n"
          "\n"
          "`confirm` changes nothing on the machine but its own records.",
      .exits = {{kDone, "confirmed: the changes stay"},
                {kError, "nothing waits for a confirmation, or an error"},
                {kRefused, "too late: the deadline has passed, or it is rolled back already"},
                {kBusy, ""}},
      .examples = {{"Change what you are connected through:",
                    "sudo spark-reconcile apply --confirm 60s\n"
                    "sudo spark-reconcile confirm"}},
      .files = {kUsesLock, kUsesJournal},
      .see_also = {"apply", "rollback", "spark-reconcile.service(8)"}};
}

}  // namespace spark::cli
