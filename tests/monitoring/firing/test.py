#!/usr/bin/python3
"""Every rule of docs/monitoring/ fires and resolves on its cause, at the programs themselves.

    unshare --net --uts --mount-proc --pid --fork --kill-child test.py SPARK_RECONCILE SHOW_STATE SOURCE_DIR

The daemon, Prometheus with the shipped rules (their times divided), Alertmanager, a receiver behind
it, and one that the daemon tells by itself; all in a network and a process namespace that end with
this. What is so of everything that they say: nothing twice, also when Alertmanager is killed or the
daemon starts again, and each end has its beginning.

A namespace has no RDMA device, so GIDs and bandwidths are of the node "contested" of the daemon's
unit tests, in the text that the daemon's code makes of it.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback

import yaml

from heard import Heard, Journal, NeverCame, Notified, Receiver
from rules import quick_rules
from world import ADDRESS, GOOD_FILE, MANAGEMENT, MTU, RAIL, Alertmanager, Node, Prometheus

DAEMON, PROMETHEUS, ALERTMANAGER, RECEIVER, LATE = 9842, 9090, 9093, 8080, 8081

# What is shown, since a namespace cannot cause it.
SHOWN = {"SparkGidMissing", "SparkGidMoved", "SparkLoopbackBelowFloor", "SparkDisturbWaits",
         "SparkSourceRefused", "SparkHardwareFault", "SparkErrorsGrow", "SparkPauseStorm", "SparkLinkSlower", "SparkRolloutHeld",
         "SparkJobOneRail"}
# What two nodes show of their cluster: "contested", and "neighbour" beside it.
CLUSTER = {"SparkMatrixIncomplete", "SparkFilesDiffer", "SparkOneSideProven", "SparkNodeSilent"}
SHOWN_JOB = "spark-reconcile-shown"
# What only Prometheus can see or asks for.
SEEN_FROM_OUTSIDE = {"SparkNodeUnknown", "SparkDaemonStale", "SparkDaemonDown"}
# What the test causes on the node and the daemon tells by itself.
CAUSED = {"SparkNodeNotReady", "SparkResourceFailed", "SparkDrift", "SparkRecurringDrift",
          "SparkContested", "SparkConfigRefused", "SparkChangesRefused", "SparkPassFailing",
          "SparkStateLost", "SparkSinkFailing"}
# What lasts while the daemon starts again, and is neither told again nor over by that.
LASTING = {"SparkNodeNotReady", "SparkResourceFailed", "SparkDrift"}
# What the daemon calls over only when it has seen so for a minute since it started.
SEEN_FOR_A_MINUTE = {"SparkNodeNotReady", "SparkSinkFailing"}

FIRING, RESOLVED = "firing", "resolved"
HOURS = 73  # all that the daemon times is over by then


def speaker_of(path, labels):
    """Who says an alert that came to this path of the receiver."""
    if path == "/alertmanager":
        # What is of a whole cluster has no instance, and what the daemon tells has no job.
        if "instance" in labels:
            return f"rules of {labels['instance']}"
        return f"rules of job {labels['job']}" if "job" in labels else "daemon"
    return path.strip("/")


class Test:
    def __init__(self, folder, program, show, source):
        self.show = show
        self.shown = self.text_of("contested")
        self.beside = self.text_of("neighbour")
        self.heard = Heard()
        Journal(self.heard, "/run/systemd/journal/socket")
        self.node = Node(folder, program, self.heard, Notified(self.heard, folder / "notify"))
        self.node.write_agent({"alerts": {
            "alertmanager": [f"http://127.0.0.1:{ALERTMANAGER}"],
            "webhook": [{"url": f"http://127.0.0.1:{RECEIVER}/webhook"},
                        {"url": f"http://127.0.0.1:{LATE}/late"}]}})
        Receiver(self.heard, RECEIVER, speaker_of, {
            "/shown": lambda: self.shown,
            "/beside": lambda: self.beside,
            "/textfile": self.node.metrics})
        self.alertmanager = Alertmanager(folder, ALERTMANAGER,
                                         f"http://127.0.0.1:{RECEIVER}/alertmanager")
        rules = (source / "docs/monitoring/spark-reconcile.rules.yaml").read_text("utf-8")
        rules, self.names = quick_rules(rules)
        self.prometheus = Prometheus(folder, PROMETHEUS, rules, ALERTMANAGER, [
            ("spark-reconcile", "node", DAEMON, "/metrics"),
            (SHOWN_JOB, "shown", RECEIVER, "/shown"),
            (SHOWN_JOB, "beside", RECEIVER, "/beside"),
            ("node", "textfile", RECEIVER, "/textfile")])

    def text_of(self, name):
        return subprocess.run([self.show, name, "/metrics"], check=True, capture_output=True,
                              encoding="utf-8").stdout

    def until(self, status, *names, speakers=("rules of node", "daemon", "webhook", "journal")):
        for speaker in speakers:
            self.heard.until_all(status, speaker, names)

    def rules_say(self, status, *names, of="node"):
        self.until(status, *names, speakers=[f"rules of {of}"])

    def pass_failing(self):
        """Its disk is a copy of another machine's."""
        self.node.be_machine("2" * 32)
        self.node.ip("address add 127.0.0.2/8 dev lo")  # an event: nobody tells of the id
        self.until(FIRING, "SparkPassFailing")
        self.node.be_machine("1" * 32)
        self.node.ip("address del 127.0.0.2/8 dev lo")

    def changes_refused(self):
        """A link that is to be down has the default route: taking it down cuts the node off."""
        self.node.reconcile("pause", "--for", "1h", "--reason", "test")
        self.node.ip("link set spare0 up", "address add 203.0.113.129/25 dev spare0",
                     "route add default via 203.0.113.130 dev spare0")
        self.node.reconcile("resume")
        self.until(FIRING, "SparkChangesRefused")
        self.node.ip("route del default", "address del 203.0.113.129/25 dev spare0",
                     "link set spare0 down")

    def state_lost(self):
        self.node.remove_last_good()
        self.until(FIRING, "SparkStateLost")

    def fight(self):
        for _ in range(3):
            self.node.ip(f"address del {ADDRESS} dev {MANAGEMENT}")
            self.heard.until(self.node.has_address, f"{ADDRESS} corrected")
        self.node.ip(f"address del {ADDRESS} dev {MANAGEMENT}")

    def others_begin(self):
        self.node.ip(f"link set x-{RAIL} down",  # the cable
                     "link set quiet0 mtu 1300")  # drift that is only reported
        # Nobody renames a file over a mountpoint.
        subprocess.run(["mount", "--bind", self.node.hosts, self.node.hosts], check=True)
        self.node.hosts.write_text("127.0.0.1 localhost\n")
        self.fight()
        self.until(FIRING, *LASTING, "SparkContested", "SparkRecurringDrift", "SparkSinkFailing")
        self.rules_say(RESOLVED, "SparkNodeUnknown", "SparkPassFailing", "SparkChangesRefused")

    def daemon_starts_again(self):
        """What it could not tell before, it tells now."""
        assert self.node.stop(signal.SIGTERM) == 0
        Receiver(self.heard, LATE, speaker_of)
        self.node.start()
        self.until(FIRING, *LASTING, speakers=["late"])
        self.heard.until(lambda: self.node.status().get("verdict") == "not ready", "the next gate")

    def alertmanager_is_killed(self):
        """What begins and what ends meanwhile is told afterwards."""
        # A second without an alert, and then Alertmanager has noted whom it has notified.
        begin = time.time()
        self.heard.until(lambda: self.alertmanager.noted_at() > max(begin, self.heard.last_at) + 1,
                         "notifications that Alertmanager has noted")
        self.alertmanager.kill()
        self.shown = self.beside = self.text_of("ready")
        self.node.ip(f"link set x-{RAIL} up")
        self.heard.until(lambda: not {("shown", name) for name in SHOWN} & self.prometheus.firing(),
                         f"the end of {SHOWN} in Prometheus")
        self.node.write_file("version: 1\ncluster: [\n")
        self.heard.until(lambda: ("node", "SparkConfigRefused") in self.prometheus.firing(),
                         "SparkConfigRefused in Prometheus")
        self.alertmanager.start()
        self.until(FIRING, "SparkConfigRefused")
        self.rules_say(RESOLVED, "SparkNodeNotReady")
        self.rules_say(RESOLVED, *SHOWN, of="shown")
        self.rules_say(RESOLVED, *CLUSTER, of=f"job {SHOWN_JOB}")

    def mend(self):
        subprocess.run(["umount", self.node.hosts], check=True)
        self.node.ip(f"link set quiet0 mtu {MTU}")
        self.node.write_file(yaml.safe_dump(GOOD_FILE) + "# mended\n")
        self.rules_say(RESOLVED, *CAUSED)

    def daemon_is_gone(self):
        """It knew what is over, and comes back when that has been so for long."""
        over = CAUSED - SEEN_FOR_A_MINUTE
        self.heard.until(lambda: self.are_noted_as_over(over), f"over as the daemon notes: {over}")
        for of in ("node", "textfile"):
            self.heard.until(lambda: self.heard.is_now(f"rules of {of}", "SparkDaemonStale") != FIRING,
                             "passes at any time")
        self.node.stop(signal.SIGKILL)
        self.rules_say(FIRING, "SparkDaemonDown")
        self.rules_say(FIRING, "SparkDaemonStale", of="textfile")
        self.node.start(hours_later=HOURS)
        self.rules_say(RESOLVED, "SparkDaemonDown")
        self.rules_say(RESOLVED, "SparkDaemonStale", of="textfile")
        self.until(RESOLVED, *over, speakers=["daemon", "webhook", "journal", "late"])

    def are_noted_as_over(self, names):
        return all(entry["quiet_since"] or entry["resolved"] or entry["alert"]["until"]
                   for entry in self.node.noted_alerts() if entry["alert"]["name"] in names)

    def run(self):
        without_cause = set(self.names) ^ (SHOWN | CLUSTER | SEEN_FROM_OUTSIDE | CAUSED)
        assert not without_cause, f"no cause here, or no rule, of {without_cause}"
        self.node.start()
        self.rules_say(FIRING, *SHOWN, of="shown")
        cluster = f"job {SHOWN_JOB}"
        self.rules_say(FIRING, *(CLUSTER - {"SparkFilesDiffer"}), of=cluster)
        # Two files are in force, as the roll-out asks; it ends, and they still are.
        assert self.heard.is_now(f"rules of {cluster}", "SparkFilesDiffer") != FIRING
        held = "\nspark_reconcile_rollout_held 1\n"
        assert held in self.shown
        self.shown = self.shown.replace(held, held.replace("1", "0"))
        self.rules_say(FIRING, "SparkFilesDiffer", of=cluster)
        # The real node asks a peer that does not answer.
        self.rules_say(FIRING, "SparkMatrixIncomplete", of="job spark-reconcile")
        self.rules_say(FIRING, "SparkNodeUnknown")
        for part in (self.pass_failing, self.changes_refused, self.state_lost, self.others_begin, self.daemon_starts_again,
                     self.alertmanager_is_killed, self.mend, self.daemon_is_gone):
            begin = time.monotonic()
            part()
            print(f"{part.__name__:24} {time.monotonic() - begin:5.1f} s", flush=True)
        wrong = self.heard.doubled()
        for (speaker, name), by_labels in self.heard.said.items():
            if name in LASTING:
                wrong += [f"{speaker} {name}: {said}, and not once" for said in by_labels.values()
                          if said not in ([FIRING, RESOLVED], [FIRING])]
        assert not wrong, "\n".join(wrong)


def main():
    program, show, source = sys.argv[1:]
    if os.getpid() != 1:
        sys.exit(f"it belongs into namespaces of its own:{__doc__.split(chr(10) * 2)[1]}")
    # Files and sockets that end with this too; and no journald of the machine hears of it.
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    pathlib.Path("/run/systemd/journal").mkdir(parents=True)
    folder = pathlib.Path("/run/firing")
    folder.mkdir()
    try:
        Test(folder, program, show, pathlib.Path(source)).run()
    except (NeverCame, AssertionError, subprocess.SubprocessError):
        for log in sorted(folder.glob("*.log")):
            print(f"--- {log.name}", *log.read_text("utf-8").splitlines()[-40:], sep="\n")
        traceback.print_exc(file=sys.stdout)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
