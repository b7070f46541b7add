// Manuals of the daemon and the verbs that go with it.

#include "cli/input/manuals.hpp"
#include "protocol/source.hpp"

namespace spark::cli {

using enum ExitCode;

VerbManual manual_of_daemon() {
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
          "It listens on no port. `spark-reconcile-web.service`, which systemd starts beside it, "
          "serves the page and the metrics on 127.0.0.1:9842 unless `agent.yaml(5)` says "
          "otherwise: "
          "a daemon that is started by hand has no page.",
      .exits = {{kDone, "ended by a signal"}, kFailed, {kBusy, "another daemon is running"}},
      .examples = {{"Start it now and at every boot:",
                    "sudo systemctl enable --now spark-reconcile"},
                   {"Follow its log:", "journalctl -f -u spark-reconcile"}},
      .files = {{"/etc/spark-reconcile/agent.yaml", "settings of the daemon; see `agent.yaml(5)`"},
                {protocol::kStatusFile, "what the daemon reports, after each pass"},
                {protocol::kMetricsFile, "the same for node_exporter's textfile collector"},
                {protocol::kInForceRecord, "which file is in force, and its text"},
                {protocol::kDaemonLockFile, "held by the daemon as long as it lives"}},
      .see_also = {"wait", "events", "pause", "agent.yaml(5)", "spark-reconcile.service(8)"}};
}

VerbManual manual_of_wait() {
  return {
      .text =
          "Waits until the daemon reports this node ready: its readiness gate is open. Without "
          "`--timeout` it waits forever. It waits for a daemon that does not run yet, as at "
          "boot.\n"
          "\n"
          "With `--cluster` it waits until each node of the file tells that it is ready and has "
          "the "
          "file of this node, or that of `--digest`; until then it says which node is missing, and "
          "why. It goes by what the others told this node, and asks nobody. A silent node is not "
          "ready. A node with `away: true` in the file is left out and named, unless `--nodes` "
          "has it.\n"
          "\n"
          "`wait` changes nothing, and needs no root. For a unit of systemd, order it after "
          "`spark-ready.target` instead: see `spark-reconcile.service(8)`.",
      .exits = {{kDone, "ready"},
                {kError, "the report of the daemon could not be read"},
                {kWaiting, "not ready within the time; the reason is printed"},
                {kInvalidFile, "`--cluster`: the file that says which nodes there are is invalid"}},
      .examples = {{"In a script:", "spark-reconcile wait --ready --timeout 5m && start-the-job"},
                   {"After a new file was put on all nodes:",
                    "spark-reconcile wait --cluster --timeout 10m"}},
      .files = {kUsesNodeState},
      .see_also = {"gate", "status", "spark-reconcile.service(8)"}};
}

VerbManual manual_of_pause() {
  return {.text =
              "Stops the daemon from correcting drift and from putting a new file into force, for "
              "as long as `--for` says. It keeps monitoring: differences are seen and reported.\n"
              "\n"
              "A pause survives a reboot, ends by itself, and is shown wherever the state is. An "
              "`apply` by hand works during a pause. `resume` ends it early.",
          .exits = {{kDone, "paused"}, kFailed},
          .examples = {{"Before work at the rack:",
                        "sudo spark-reconcile pause --for 2h --reason 'cabling rack 3'"}},
          .files = {kUsesPause},
          .see_also = {"resume", "status", "daemon"}};
}

VerbManual manual_of_resume() {
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
      .files = {kUsesPause, {"/run/spark-reconcile/by-hand", "tells the daemon of it"}},
      .see_also = {"pause", "release", "daemon"}};
}

VerbManual manual_of_mute() {
  return {
      .text =
          "Has the daemon of this node tell nobody of an alert, for as long as `--for` says: no "
          "webhook, no hook, no Alertmanager, no entry of the alert in the journal. The alert is "
          "still raised: `events` notes it, and `status`, the page and the metrics show it as "
          "muted. `NODE` mutes the alerts about that node alone. A mute needs `--for` and "
          "`--why`: who meets it has to see until when, and why.\n"
          "\n"
          "A mute survives a restart and a reboot. It ends by itself: at its time, or as soon as "
          "more of its alerts are raised, or a more severe one, than when it began. A mute of an "
          "alert that is not raised, as before work at the rack, ends by its time alone. When it "
          "ends, what is still raised is told. What has ended meanwhile is told to nobody.\n"
          "\n"
          "Without words, `mute` lists what is muted with what is left and why, and needs no "
          "root. A mute is of this node's daemon: other nodes and Prometheus tell what they see, "
          "and `status`, `doctor` and the page of other nodes do not show the mute.",
      .exits = {{kDone, "muted, ended or listed"}, kFailed},
      .examples =
          {{"Before a cable is changed:",
            "sudo spark-reconcile mute SparkNodeNotReady --for 2h --why 'new cable, rack 3'"},
           {"What is muted?", "spark-reconcile mute"},
           {"End it early:", "sudo spark-reconcile mute --end SparkNodeNotReady"}},
      .files = {kUsesMutes, kUsesNodeState},
      .see_also = {"events", "status", "pause", "explain", "daemon"}};
}

VerbManual manual_of_follow() {
  return {
      .text =
          "Has this machine follow a git repository: the daemon then applies what is merged, and "
          "takes only what somebody signed whose key is in the signers' file. Without an argument "
          "it shows what is followed.\n"
          "\n"
          "`follow URL` fetches the repository, shows the commit and who signed it, and asks. Then "
          "it writes the section `source` of `agent.yaml(5)`, with that commit as the beginning: "
          "what is taken later descends from it. Every other byte of that file stays, and so do "
          "comments in the section.\n"
          "\n"
          "Where the section is there already, options that are given replace what it says, and "
          "the rest of it stays. Another URL or branch begins without the `from` of the one "
          "before, "
          "and another server without its `host_keys`: what leaves the section is shown before the "
          "question.\n"
          "\n"
          "A cluster file that is at `/etc/spark-reconcile/cluster.yaml` gets the suffix "
          "`.before-follow`. `follow --stop` puts the file in force there. Only that ends it: "
          "where "
          "the section is gone without it, the file in force stays, and an alert says so.\n"
          "\n"
          "Two programs do the work, each in a unit and as a user of its own: "
          "`spark-reconcile-fetch.service` has the network, `spark-reconcile-judge.service` has "
          "none and believes only what a hash or a signature proves. This program runs no git.\n"
          "\n"
          "Of an ssh:// URL the server's key is pinned. Without `--host-key` the server is asked "
          "for "
          "it: `follow` shows its fingerprint and asks whether it is the server's. Where nobody "
          "can "
          "be asked, also with `--yes`, it ends with the option to add.\n"
          "\n"
          "A deploy key for ssh belongs into `/etc/spark-reconcile/deploy-key`, readable by root "
          "alone.",
      .exits = {{kDone, "followed, shown, accepted or stopped"},
                kFailed,
                {kInvalidFile, "a setting, or the file in the repository, is invalid"},
                {kRefused,
                 "what the repository has would not be taken, the server's key is not pinned, or "
                 "you did "
                 "not say yes; nothing was written"}},
      .examples = {{"Follow the branch main:",
                    "sudo spark-reconcile follow https://git.example.org/lab.git"},
                   {"By ssh, with a deploy key:",
                    "sudo spark-reconcile follow ssh://git@git.example.org/lab.git"},
                   {"No longer; the file in force stays:", "sudo spark-reconcile follow --stop"}},
      .files = {{"/etc/spark-reconcile/agent.yaml", "the section `source`; see `agent.yaml(5)`"},
                {"/etc/spark-reconcile/signers",
                 "keys whose signatures count: ssh-keygen(1), ALLOWED SIGNERS"},
                {"/etc/spark-reconcile/deploy-key", "private key for ssh"},
                {"/etc/spark-reconcile/cluster.yaml.before-follow",
                 "this machine's own file before it followed"},
                {protocol::kFollowedFile, "the accepted file"},
                {protocol::kJudgementFile, "what was accepted or refused, and why"}},
      .see_also = {"sync", "status", "agent.yaml(5)", "spark-reconcile.service(8)"}};
}

VerbManual manual_of_sync() {
  return {
      .text =
          "Fetches the followed repository now instead of at the next interval, has it judged, and "
          "says what is taken or why nothing newer is. The daemon applies it as it would have "
          "later. After fetches that ended with a fault it does not wait either.\n"
          "\n"
          "`--retry` forgets which files failed on this node, so that they are tried again.\n"
          "\n"
          "`--skip` fetches nothing. A changed file that waits here for other nodes (`rollout` in "
          "the cluster file) waits no longer for the node that it names. That holds on this node, "
          "until it has taken the file. It needs no repository.",
      .exits = {{kDone, "the newest commit is accepted"},
                {kError, "an error, or the repository could not be fetched"},
                {kWaiting, "it is judged again by itself, as when the clock is right"},
                {kInvalidFile, "the accepted file has errors, and is refused"},
                {kRefused, "what the repository has is not taken; the reason is printed"}},
      .examples = {{"After a merge:", "sudo spark-reconcile sync"},
                   {"A node is in repair, and the others are to go on:",
                    "sudo spark-reconcile sync --skip spark3 --why 'in repair until Monday'"}},
      .files = {{protocol::kJudgementFile, "what was accepted or refused, and why"},
                {protocol::kInForceRecord, "which file is in force, and those that failed"},
                {protocol::kRolloutSkips, "the nodes for which no roll-out waits here"}},
      .see_also = {"follow", "status", "events"}};
}

VerbManual manual_of_rollout() {
  return {
      .text =
          "Has an engine bring a file to all nodes, one after the other, between their jobs. The "
          "engine is Slurm: `rollout --engine slurm` is `spark-reconcile-slurm rollout`, of the "
          "package spark-reconcile-slurm. It runs in place of this program, as you, and without a "
          "shell; all that follows `--engine slurm` is a word of its command line. See "
          "spark-reconcile-slurm(1).\n"
          "\n"
          "Without an engine nobody needs this verb: what `follow` fetches, or what lies at "
          "`/etc/spark-reconcile/cluster.yaml`, is applied by the daemon of each node, in the "
          "order "
          "of `rollout` in the file. Ansible has a playbook of its own.",
      .exits = {{kDone, "submitted; with `--wait`: all nodes have the file and are ready"},
                {kError, "an error, or the adapter is not installed"},
                {kWaiting, "with `--wait`: no job is left, and not all nodes have the file"},
                {kInvalidFile, "the file or an option is invalid; nothing was submitted"},
                {kRefused, "refused: as where another roll-out is under way"}},
      .examples = {{"What would be submitted?",
                    "sudo spark-reconcile rollout --engine slurm cluster.yaml --dry-run"},
                   {"Roll it out, and wait:",
                    "sudo spark-reconcile rollout --engine slurm cluster.yaml --wait"},
                   {"What does Slurm know of the nodes?", "spark-reconcile status --engine slurm"}},
      .files = {{"/usr/bin/spark-reconcile-slurm", "the adapter"}},
      .see_also = {"status", "spark-reconcile-slurm(1)", "cluster.yaml(5)"}};
}

}  // namespace spark::cli
