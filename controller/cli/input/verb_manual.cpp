#include "cli/input/verb_manual.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

using enum ExitCode;

/// For verbs that change no more than one file of their own.
constexpr VerbExit kFailed{kError, "an error, which is printed"};

constexpr UsedFile kLock{protocol::kLockFile, "the lock of all who change this machine"};
constexpr UsedFile kStatus{protocol::kStatusFile, "what the daemon reports, after each pass"};
constexpr UsedFile kLedger{"/var/lib/spark-reconcile/NODE/ledger.json",
                           "the ownership ledger: what the program set, and what was there before"};
constexpr UsedFile kJournalFile{
    "/var/lib/spark-reconcile/NODE/journal.json",
    "the journal of an apply: on disk before the first change, gone after the last"};
constexpr UsedFile kHistory{"/var/lib/spark-reconcile/NODE/history.json",
                            "the last hundred applies of a file; the files are beside it"};
constexpr UsedFile kPause{protocol::kPauseFile, "the pause"};

VerbManual init() {
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
          "address alone. What the file cannot hold stands in a comment, with the reason.\n"
          "\n"
          "`init` changes nothing on the machine and replaces no file. Run `--from-host` as root: "
          "other users cannot read netplan's files.",
      .exits = {{kDone, "written"}, {kError, "an error, or the file of `-o` is there already"}},
      .examples = {{"Two nodes, one cable:",
                    "spark-reconcile init --pair --names spark1,spark2 -o cluster.yaml"},
                   {"What does this machine run, as a cluster file?",
                    "sudo spark-reconcile init --from-host -o cluster.yaml\n"
                    "sudo spark-reconcile plan -f cluster.yaml"}},
      .files = {},
      .see_also = {"validate", "plan", "cluster.yaml(5)"}};
}

VerbManual validate() {
  return {.text =
              "Reads the cluster file, and reports every error and warning at once: each with its "
              "line and column, its reason, what to write instead, and an id.\n"
              "\n"
              "`validate` reads that file and nothing else. So it runs on any machine, without "
              "rights, and fits into a check of a git repository.",
          .exits = {{kDone, "the file is valid; warnings do not count"},
                    {kError, "the file could not be read"},
                    {kInvalidFile, "the file is invalid"}},
          .examples = {{"Check a file before it is committed:",
                        "spark-reconcile validate -f cluster.yaml"},
                       {"Check what comes from elsewhere:",
                        "git show main:cluster.yaml | spark-reconcile validate -f -"}},
          .files = {},
          .see_also = {"plan", "cluster.yaml(5)"}};
}

VerbManual plan() {
  return {
      .text =
          "Compares the cluster file with the actual state of this machine, and lists the steps "
          "that `apply` would make, in that order: `+` is added, `~` is changed, `-` is removed. "
          "Each line ends with the line of the file that asks for it, and with what it disturbs. "
          "An empty last column means that nothing is disturbed.\n"
          "\n"
          "Below the steps stand: what is skipped, with the reason (waiting, unknown, not "
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
      .files = {kLedger},
      .see_also = {"apply", "facts", "release", "status", "cluster.yaml(5)"}};
}

VerbManual apply() {
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
          "plans again after your yes. It never asks with `--yes`, `--confirm`, `--json` or a "
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
      .files = {kLock, kLedger, kJournalFile, kHistory},
      .see_also = {"plan", "confirm", "rollback", "history", "release", "cluster.yaml(5)"}};
}

VerbManual confirm() {
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
      .files = {kLock, kJournalFile},
      .see_also = {"apply", "rollback", "spark-reconcile.service(8)"}};
}

VerbManual rollback() {
  return {
      .text =
          "Rolls back an apply that waits for its confirmation or was interrupted. Where there is "
          "none, it returns to the last good file of this node: the one that was applied before "
          "the file in force. `/etc/spark-reconcile/cluster.yaml` is then again as it was, and "
          "the rejected text is beside it, with the suffix `.rejected`. The daemon does not retry "
          "a file that was rolled back until the file changes.\n"
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
      .files = {kLock,
                kJournalFile,
                kHistory,
                {"/etc/spark-reconcile/cluster.yaml.rejected", "the file that was rolled back"}},
      .see_also = {"apply", "confirm", "history", "spark-reconcile.service(8)"}};
}

VerbManual history() {
  return {
      .text =
          "Shows which files were applied to this node, the latest first: the number of the "
          "generation, when, the digest of the file, the outcome, how many changes, by whom, "
          "and the path of the file. The last hundred are kept.\n"
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
      .files = {kHistory},
      .see_also = {"apply", "rollback", "events"}};
}

VerbManual release() {
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
          "when the file changes, until `apply` or `resume` on that node.",
      .exits = {{kDone, "the node is as it was before"},
                {kError, ""},
                {kWaiting, "a device is absent: the next `release` restores it once it is there"},
                {kUnknown, ""},
                {kRefused, ""},
                {kRolledBack, ""},
                {kRollbackIncomplete, ""},
                {kBusy, ""},
                {kInterrupted, ""}},
      .examples = {{"Look, then hand the node back:",
                    "sudo spark-reconcile plan --release\n"
                    "sudo spark-reconcile release"}},
      .files = {kLock, kLedger, kJournalFile, kHistory},
      .see_also = {"plan", "apply", "resume"}};
}

VerbManual doctor() {
  return {.text =
              "Checks what prevents this node from being managed, and prints the fix of each: the "
              "file, which node this machine is, an open journal, the locks, the helper programs, "
              "what differs or is skipped, cages without a carrier, and the daemon.\n"
              "\n"
              "`doctor` changes nothing. Run it as root: other users cannot see all of it.",
          .exits = {{kDone, "nothing is in need of a fix"},
                    {kError, "something needs a fix, which is printed; or an error"}},
          .examples = {{"What is wrong here?", "sudo spark-reconcile doctor"}},
          .files = {kLock, kJournalFile, kStatus},
          .see_also = {"status", "gate", "plan"}};
}

VerbManual status() {
  return {
      .text =
          "Shows this node on one screen: each cage, cable and rail with what is there, and beside "
          "it what the file asks for where that differs; what is skipped; and what the daemon "
          "reports.\n"
          "\n"
          "In sync means that this node is configured as the file says. It says nothing about the "
          "cable or the other end: `gate` does.\n"
          "\n"
          "`status` changes nothing, and needs no root.",
      .exits = {{kDone, "shown; with `--exit-code`: in sync"},
                {kError, "an error, or the file asks for something this machine cannot do"},
                {kDifferences, "`--exit-code`: the machine differs from the file"},
                {kWaiting, "`--exit-code`: waiting for a device that is absent"},
                {kUnknown,
                 "`--exit-code`: something could not be read, or differs and is not this program's "
                 "to fix"},
                {kInvalidFile, ""},
                {kRefused, "`--exit-code`: `apply` would be refused"}},
      .examples = {{"How does this node stand?", "spark-reconcile status"},
                   {"In a script:", "spark-reconcile status -q --exit-code || echo 'not in sync'"}},
      .files = {kStatus},
      .see_also = {"plan", "gate", "events", "doctor"}};
}

VerbManual gate() {
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
          "and not beside a job that uses the device, unless you give `--full`.",
      .exits = {{kDone, "ready: every fact holds"},
                kFailed,
                {kWaiting, "not ready, or waiting for the card"},
                {kUnknown, "unknown: something could not be observed"},
                {kInvalidFile, ""}},
      .examples = {{"Is this node ready, and if not, why?", "sudo spark-reconcile gate"},
                   {"Start a job only on a ready node:",
                    "spark-reconcile gate -q && start-the-job"}},
      .files = {},
      .see_also = {"wait", "status", "export", "spark-reconcile.service(8)"}};
}

VerbManual export_environment() {
  return {.text =
              "Prints the environment for NCCL, Gloo, UCX and Open MPI on this node: which devices "
              "and interfaces they use, by the topology of the file. Each line of `env` and "
              "`shell` has its reason as a comment.\n"
              "\n"
              "`export` changes nothing, and prints no variable while a rail is missing. With "
              "`environment: {}` in the file, `apply` and the daemon keep the same in "
              "`/run/spark-reconcile/nccl.env`.",
          .exits = {{kDone, "printed"},
                    kFailed,
                    {kWaiting, "waiting for a device that is absent; nothing is printed"},
                    {kUnknown, "something could not be read; nothing is printed"},
                    {kInvalidFile, ""}},
          .examples = {{"In a shell:", "eval \"$(spark-reconcile export --format shell)\""},
                       {"For a container:",
                        "spark-reconcile export > nccl.env\n"
                        "docker run --env-file nccl.env IMAGE"}},
          .files = {{"/run/spark-reconcile/nccl.env", "the same, kept by `apply` and the daemon"}},
          .see_also = {"gate", "facts", "cluster.yaml(5)"}};
}

VerbManual facts() {
  return {
      .text =
          "Prints everything that a plan reads on this machine, as one JSON object. "
          "`plan --facts` and `export --facts` work from it on another machine.\n"
          "\n"
          "`facts` changes nothing. Run it as root and with the file, or what the file asks "
          "about is missing. The facts hold names, addresses, routes and the texts of "
          "configuration files: read them before you publish them.",
      .exits = {{kDone, "printed"}, kFailed, {kInvalidFile, ""}},
      .examples = {{"Record this node for plans in a pull request:",
                    "sudo spark-reconcile facts > facts/spark1.json"},
                   {"What do the NVMe targets offer?", "sudo spark-reconcile facts --discover"}},
      .files = {kLedger},
      .see_also = {"plan", "export"}};
}

VerbManual daemon() {
  return {
      .text =
          "Keeps one node as the cluster file says, from boot to shutdown, by the same plans and "
          "the same apply as you make by hand. Mostly systemd runs it: see "
          "`spark-reconcile.service(8)`.\n"
          "\n"
          "It follows the file, keeps the last good one in force where the file is refused, "
          "corrects drift one resource at a time by the policy of `drift:`, leaves alone what "
          "somebody else keeps changing, judges the readiness gate, and sends alerts. SIGHUP has "
          "it read the file again. Ending it takes nothing down.\n"
          "\n"
          "It listens on 127.0.0.1:9842 unless `agent.yaml(5)` says otherwise.",
      .exits = {{kDone, "ended by a signal"}, kFailed, {kBusy, "another daemon is running"}},
      .examples = {{"Start it now and at every boot:",
                    "sudo systemctl enable --now spark-reconcile"},
                   {"Follow its log:", "journalctl -f -u spark-reconcile"}},
      .files = {{"/etc/spark-reconcile/agent.yaml", "settings of the daemon; see `agent.yaml(5)`"},
                kStatus,
                {protocol::kMetricsFile, "the same for node_exporter's textfile collector"},
                {protocol::kLastGoodFile, "the file in force"},
                {protocol::kDaemonLockFile, "held by the daemon as long as it lives"}},
      .see_also = {"wait", "events", "pause", "agent.yaml(5)", "spark-reconcile.service(8)"}};
}

VerbManual wait() {
  return {
      .text =
          "Waits until the daemon reports this node ready: its readiness gate is open. Without "
          "`--timeout` it waits forever. It waits for a daemon that does not run yet, as at "
          "boot.\n"
          "\n"
          "`wait` changes nothing, and needs no root. For a unit of systemd, order it after "
          "`spark-ready.target` instead: see `spark-reconcile.service(8)`.",
      .exits = {{kDone, "ready"},
                {kError, "the report of the daemon could not be read"},
                {kWaiting, "not ready within the time; the reason is printed"}},
      .examples = {{"In a script:", "spark-reconcile wait --ready --timeout 5m && start-the-job"}},
      .files = {kStatus},
      .see_also = {"gate", "status", "spark-reconcile.service(8)"}};
}

VerbManual pause() {
  return {.text =
              "Stops the daemon from correcting drift and from putting a new file into force, for "
              "as long as `--for` says. It keeps monitoring: differences are seen and reported.\n"
              "\n"
              "A pause survives a reboot, ends by itself, and is shown wherever the state is. An "
              "`apply` by hand works during a pause. `resume` ends it early.",
          .exits = {{kDone, "paused"}, kFailed},
          .examples = {{"Before work at the rack:",
                        "sudo spark-reconcile pause --for 2h --reason 'cabling rack 3'"}},
          .files = {kPause},
          .see_also = {"resume", "status", "daemon"}};
}

VerbManual resume() {
  return {
      .text =
          "Lets the daemon correct drift again. It ends a pause and a release of this node, and "
          "every contest: what the daemon leaves alone, since somebody else kept changing it, "
          "it corrects again at once.\n"
          "\n"
          "`resume` changes only records; the changes are the daemon's.",
      .exits = {{kDone, "the daemon may correct drift"},
                kFailed,
                {kRefused, "an apply is open, or `-n` names another node; nothing was changed"},
                {kBusy, ""}},
      .examples = {{"The work at the rack is done:", "sudo spark-reconcile resume"}},
      .files = {kPause, {"/run/spark-reconcile/by-hand", "tells the daemon of it"}},
      .see_also = {"pause", "release", "daemon"}};
}

VerbManual events() {
  return {
      .text =
          "Shows what happened on this node, the newest last: corrections, files that came into "
          "force or were refused, contests, pauses, releases, moved GIDs, each change of the "
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
      .files = {kStatus,
                {"/run/spark-reconcile/events.json", "the events, while a daemon runs"},
                {"/var/lib/spark-reconcile/events.json", "the same, kept across reboots"}},
      .see_also = {"status", "history", "daemon"}};
}

VerbManual version() {
  return {.text =
              "Prints the version, and the commit that it was built from. The option "
              "`--version` does the same.",
          .exits = {{kDone, "printed"}, kFailed},
          .examples = {{"Which version is this?", "spark-reconcile version"}},
          .files = {},
          .see_also = {"doctor"}};
}

struct ManualRow {
  Verb verb{};
  VerbManual (*manual)() = nullptr;
};

constexpr std::array kManuals{
    ManualRow{Verb::kInit, init},       ManualRow{Verb::kValidate, validate},
    ManualRow{Verb::kPlan, plan},       ManualRow{Verb::kApply, apply},
    ManualRow{Verb::kConfirm, confirm}, ManualRow{Verb::kRollback, rollback},
    ManualRow{Verb::kHistory, history}, ManualRow{Verb::kRelease, release},
    ManualRow{Verb::kDoctor, doctor},   ManualRow{Verb::kStatus, status},
    ManualRow{Verb::kGate, gate},       ManualRow{Verb::kExport, export_environment},
    ManualRow{Verb::kFacts, facts},     ManualRow{Verb::kDaemon, daemon},
    ManualRow{Verb::kWait, wait},       ManualRow{Verb::kPause, pause},
    ManualRow{Verb::kResume, resume},   ManualRow{Verb::kEvents, events},
    ManualRow{Verb::kVersion, version},
};
static_assert(kManuals.size() == std::size_t{static_cast<std::uint8_t>(Verb::kVersion)} + 1,
              "each verb has a manual");

}  // namespace

VerbManual manual_of(Verb verb) {
  return std::ranges::find(kManuals, verb, &ManualRow::verb)->manual();
}

UsedFile cluster_file_used() { return {protocol::kDefaultFile, "the cluster file"}; }

}  // namespace spark::cli
