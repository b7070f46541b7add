// Manuals of verbs that look.

#include "cli/input/manuals.hpp"

namespace spark::cli {

using enum ExitCode;

VerbManual manual_of_status() {
  return {
      .text =
          "Shows the whole cluster on one screen, as far as this node was told: nobody is asked. "
          "The heading says how many nodes are ready, and where the file comes from. Each node "
          "has a line, this one first: since when it stands so, its file (a sign of inequality: "
          "another than here), over how many of its rails echo and RDMA to its peers pass, what "
          "`bench` measured to it, how long ago it was heard (by a neighbour that tells of it, "
          "where no cable leads there), and what is wrong. Below stand the ways between the "
          "nodes, and the command to type next.\n"
          "\n"
          "A cause comes first, and says how much follows from it; a node whose trouble follows "
          "from another says only from which. A node that is silent or was not heard is unknown "
          "since then: what it said before is no news. `doctor -n NODE` says more of it.\n"
          "\n"
          "`--here` shows this node alone: each cage, cable and rail with what is there, and "
          "beside it what the file asks for where that differs; what is skipped; and what the "
          "daemon reports. That is also what `status` shows where the file has no other node, "
          "`ready.peers` is off, the node is released, or the daemon does not run.\n"
          "\n"
          "`-n NODE` shows another node as this one knows it: how it stands and since when, what "
          "is wrong, how old that news is, its file and version, and its ways to each peer. Nobody "
          "is asked; of a node that was never heard it says so. Where the host name matches no "
          "node, `--here -n NODE` says which one this machine is.\n"
          "\n"
          "`--watch` draws the same again whenever it changes. `--brief` is one line of the whole "
          "cluster, for a prompt, tmux or a probe: how many nodes are ready, and the first cause. "
          "It takes the word of the daemons, so it needs one here.\n"
          "\n"
          "In sync means that this node is configured as the file says. It says nothing about the "
          "cable or the other end: `gate` does.\n"
          "\n"
          "`--engine slurm` shows instead what Slurm knows of the nodes; `spark-reconcile-slurm "
          "status` runs in place of this program.\n"
          "\n"
          "`status` changes nothing, and needs no root. Only root sees what `bench` measured.",
      .exits =
          {{kDone,
            "shown; with `--exit-code`: in sync, or with `--brief` all nodes are ready, or with "
            "`-n` that node is"},
           {kError, "an error, or the file asks for something this machine cannot do"},
           {kDifferences, "`--exit-code`: the machine differs from the file"},
           {kWaiting,
            "`--exit-code`: waiting for a device that is absent, or with `--brief` not all "
            "nodes are ready, or with `-n` that node is not"},
           {kUnknown,
            "`--exit-code`: something could not be read, or differs and is not this program's "
            "to fix"},
           {kInvalidFile, ""},
           {kRefused, "`--exit-code`: `apply` would be refused"}},
      .examples = {{"How does the cluster stand?", "spark-reconcile status"},
                   {"And this node alone?", "spark-reconcile status --here"},
                   {"And another one, as this one knows it?", "spark-reconcile status -n spark2"},
                   {"And meanwhile?", "spark-reconcile status --watch"},
                   {"The cluster in one line:", "spark-reconcile status --brief"},
                   {"In a script:", "spark-reconcile status -q --exit-code || echo 'not in sync'"}},
      .files = {kUsesNodeState},
      .see_also = {"plan", "gate", "events", "doctor"}};
}

VerbManual manual_of_gate() {
  return {
      .text =
          "The readiness gate: is this node ready for RDMA? It checks link, MTU, address, RDMA "
          "port, GID and path MTU of each rail, moves bytes over it by verbs, registers memory "
          "in a new service, and sends the peers an echo of the file's whole MTU. Each fact "
          "that fails has an id, what was measured, and what to do.\n"
          "\n"
          "A loopback proves the node, not the cable: a cable is proven when a peer answers "
          "over it. `gate` moves no RDMA to a peer.\n"
          "\n"
          "`gate` changes nothing. The bandwidth is measured only where the file names a floor, "
          "and not beside a job that uses the device, unless you give `--full`.\n"
          "\n"
          "With `--checklist` it asks instead what only a real ConnectX-7 can tell: each "
          "question with what this machine shows now, what is expected, and what to do by hand. "
          "It moves no bytes then, and an answer that differs is no failure. With `-o` the list "
          "goes "
          "into a new file that others may read: the releases of this program, the kernel and the "
          "system stand first, and neither a name of the machine nor an address.",
      .exits = {{kDone, "ready: every fact holds; with --checklist: shown"},
                kFailed,
                {kWaiting, "not ready, or waiting for the card"},
                {kUnknown, "unknown: something could not be observed"},
                {kInvalidFile, ""}},
      .examples = {{"Is this node ready, and if not, why?", "sudo spark-reconcile gate"},
                   {"Start a job only on a ready node:",
                    "spark-reconcile gate -q && start-the-job"},
                   {"What does a real Spark say to what the tests cannot know?",
                    "sudo spark-reconcile gate --checklist"},
                   {"The same as one file to post:",
                    "sudo spark-reconcile gate --checklist -o checklist.txt"}},
      .files = {},
      .see_also = {"wait", "status", "export", "spark-reconcile.service(8)"}};
}

VerbManual manual_of_bench() {
  return {
      .text =
          "Measures how many bits a second RDMA moves between this node and a peer: over each rail "
          "alone, then over all of them, WRITE and READ in both directions, WRITE in both "
          "directions at once, and the latency of a small WRITE. The table stands beside what this "
          "hardware can carry, and each verdict says what a number means and what to do.\n"
          "\n"
          "The daemon has to run on the peer, whose spark-peers takes part. One run goes on at a "
          "time, and none beside a job, unless you give `--beside-jobs`. On virtual machines the "
          "numbers say something about the code, and nothing about a ConnectX.\n"
          "\n"
          "`bench` configures nothing. Run as root it keeps its results, so that the next one can "
          "say what changed.",
      .exits = {{kDone, "measured"},
                {kError, "an error, or a peer or a rail was not measured"},
                {kDifferences, "less than --minimum"},
                {kInvalidFile, ""},
                {kBusy, "a job or another measurement is in the way"}},
      .examples = {{"How fast is the link?", "sudo spark-reconcile bench spark2"},
                   {"In a script, every peer, at least 180 Gb/s:",
                    "sudo spark-reconcile bench --all --minimum 180 --json"}},
      .files = {{"/var/lib/spark-reconcile/bench.json", "the results of before, 64 at most"}},
      .see_also = {"gate", "status", "doctor"}};
}

VerbManual manual_of_doctor() {
  return {
      .text =
          "Checks what prevents this node from being managed, and prints the fix of each, by "
          "section: this program and its daemon, the file and what differs from it, the card, "
          "RDMA, the network of the rails, a firewall, what else sets up rails, the environment of "
          "jobs, "
          "and the cluster as peers told of themselves.\n"
          "\n"
          "A check mark is good, an exclamation mark is to look at, and a cross prevents the "
          "node that you ask about (this one, or that of `-n`) from being ready or managed. What "
          "follows from another finding is counted below that one, and shown with `-v`. The last "
          "line counts what is to fix. A check that has not answered within 5 seconds is named.\n"
          "\n"
          "It also names what is wrong with other nodes of the cluster, as `status` does. `doctor "
          "-n NODE` says of another node what that one told this one, how long ago, and what this "
          "node finds of it.\n"
          "\n"
          "`doctor` changes nothing. Run it as root: others are told what they cannot see, and "
          "get the rest.\n"
          "\n"
          "`--bundle` writes one file (0600) for somebody else who is to judge this machine: what "
          "`doctor`, `status`, `plan`, `history` and `events` say, the facts of the gate as the "
          "daemon saw them last, and the versions of program, kernel, drivers and firmware. No "
          "file of this machine is in it, and no sentence: ids, verdicts, numbers, times, and "
          "names of "
          "hosts and users, MAC and IP addresses, replaced the same by the same, and differently "
          "in each bundle. `--keep-names` replaces and leaves out nothing. What is in it "
          "and what was replaced is listed on stderr; a terminal asks before it is written.",
      .exits = {{kDone, "nothing is in need of a fix, or the bundle is written"},
                {kError, "something needs a fix, which is printed; or an error"},
                {kRefused, "--bundle was not agreed to"}},
      .examples = {{"What is wrong here?", "sudo spark-reconcile doctor"},
                   {"Let somebody else judge it:",
                    "sudo spark-reconcile doctor --bundle spark.json"}},
      .files = {kUsesLock, kUsesJournal, kUsesNodeState},
      .see_also = {"status", "gate", "plan", "facts"}};
}

VerbManual manual_of_explain() {
  return {
      .text =
          "Explains one word: the id at the end of a message, an alert, a key of `cluster.yaml` or "
          "`agent.yaml`, a metric, or a resource of this node. Without a word it lists these "
          "kinds, "
          "with an example and how many there are.\n"
          "\n"
          "An id may be written in small letters. A key is written with dots: `nodes.management`, "
          "`fabric.cables.ends`. A resource is its kind and its key with a slash between them, as "
          "in "
          "`mtu/enp1s0f0np0` or `address/enp1s0f0np0/192.168.177.11`: what the file wants and in "
          "which line, what is there, who set it last as far as the records tell, and its state, "
          "by "
          "the same plan as that of `plan`. What this user may not read is named.\n"
          "\n"
          "`explain` changes nothing, and needs no root. Only a resource needs the cluster file.",
      .exits = {{kDone, "explained"}, kFailed, {kInvalidFile, "a resource: the file is invalid"}},
      .examples = {{"What does the id of this message mean?",
                    "spark-reconcile explain SR-GATE-016"},
                   {"What does this key take?", "spark-reconcile explain ready.key_file"},
                   {"Why is the MTU of this link as it is?",
                    "sudo spark-reconcile explain mtu/enp1s0f0np0"}},
      .files = {kUsesNodeState, kUsesLedger, kUsesHistory},
      .see_also = {"status", "plan", "doctor", "cluster.yaml(5)", "agent.yaml(5)"}};
}

VerbManual manual_of_topology() {
  return {
      .text =
          "Draws the whole cluster by the file: the nodes with their cages, which cable or switch "
          "each cage is for, and the subnets, addresses and MTU of each rail. On a terminal it is "
          "a "
          "picture with the addresses of each cable below. Into a file or a pipe go lines that are "
          "sorted by name, one for each node and each rail, so that two of them can be "
          "compared.\n"
          "\n"
          "With `--format svg` it is one picture for a page, a wiki or a ticket: it is readable on "
          "a light and on a dark page, it runs no script, and it loads nothing.\n"
          "\n"
          "With `--diff OLD` it marks what differs from an older file: + added, - removed, ~ "
          "changed. What each change means for a machine is what `validate --against` says.\n"
          "\n"
          "With `--live` it marks what this node knows now, as `status` does: which nodes are "
          "ready, and over which cables RDMA is proven, not proven, or fails. It asks nobody: "
          "the daemon and the other nodes have told it. Only the file in force can be drawn so.\n"
          "\n"
          "Without `--live` it goes by the file alone: it reads no machine, and runs anywhere. A "
          "cable that it draws may then be in another cage, or in none. It never needs root.",
      .exits = {{kDone, "drawn, also where the two files differ"},
                {ExitCode::kError,
                 "an error, which is printed; also: with `--live` nobody has told this node "
                 "anything, or "
                 "the file is not the one in force"},
                {kInvalidFile, "one of the files is invalid"}},
      .examples = {{"How is this cluster to be wired?", "spark-reconcile topology"},
                   {"A picture for a wiki:",
                    "spark-reconcile topology -f cluster.yaml --format svg -o cluster.svg"},
                   {"Which cable is not proven?", "spark-reconcile topology --live"},
                   {"What does a branch change in the wiring?",
                    "git show main:cluster.yaml | spark-reconcile topology -f cluster.yaml --diff "
                    "-"}},
      .files = {},
      .see_also = {"validate", "status", "init", "cluster.yaml(5)"}};
}

VerbManual manual_of_history() {
  return {
      .text =
          "Shows which files were applied to this node, the latest first: the number of the "
          "generation, when, the digest of the file, the outcome, how many changes, by whom, "
          "and the path of the file. Of a file that came from a followed repository the "
          "commit stands in place of the path: its id, its subject, who signed it, and its age. "
          "The last hundred are kept.\n"
          "\n"
          "A line that says `released` is of a release, which has no file: `rollback N` and "
          "`history diff N` of it end with 1. While the node is released, "
          "`rollback` alone returns to the file before it.\n"
          "\n"
          "`history diff` shows what differs between the files of two generations, as `diff -u` "
          "does: from the file before to the one in force, from N to the one in force, or from N "
          "to M. What is removed has `-`, what is added has `+`.\n"
          "\n"
          "`history` changes nothing. Only root can read the records.",
      .exits = {{kDone, "also where nothing was applied yet"},
                kFailed,
                {kRefused, "`-n` names another node than this machine is"}},
      .examples = {{"What was applied here?", "sudo spark-reconcile history"},
                   {"What did the last file change?", "sudo spark-reconcile history diff"},
                   {"What would `rollback 7` change in the file?",
                    "sudo spark-reconcile history diff 7"}},
      .files = {kUsesHistory},
      .see_also = {"apply", "rollback", "events"}};
}

VerbManual manual_of_events() {
  return {
      .text =
          "Shows what happened on this node, the newest last: corrections, files that came into "
          "force or were refused, contests, pauses, mutes, releases, moved GIDs, each change of "
          "the "
          "verdict with its reason, and what was applied by hand.\n"
          "\n"
          "The daemon keeps its last 500 events across restarts and reboots. What was applied by "
          "hand comes from the history, also where no daemon runs. `--follow` goes on until you "
          "press Ctrl-C; with `--json`, each event is one object on a line.\n"
          "\n"
          "`events` changes nothing. Who is not root sees the events of a running daemon.",
      .exits = {{kDone, "shown"}, kFailed},
      .examples = {{"What happened last night?", "sudo spark-reconcile events --since 12h"},
                   {"Follow it:", "spark-reconcile events -f"}},
      .files = {kUsesNodeState,
                {"/run/spark-reconcile/events.json", "the events, while a daemon runs"},
                {"/var/lib/spark-reconcile/events.json", "the same, kept across reboots"}},
      .see_also = {"status", "history", "daemon"}};
}

}  // namespace spark::cli
