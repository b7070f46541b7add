"""Nodes that follow git under Slurm: the four of order.py, whose file comes from a repository, and the `ask` of the example.

What the timer of systemd runs on a real node, spark-git-fetch and spark-git-judge, the script runs once for each merge.
"""

import contextlib
import datetime
import json
import pathlib
import shutil
import subprocess
import time

from asked import READY_WITHIN
from cluster import PACKAGE
from machines import LIBEXEC, RAILS, RUN, Machine, wait_for
from order import COUNT, Sparks, digest, expect, show
from signed_repository import Repository

SETTINGS = "/etc/spark-reconcile/agent.yaml"
SOURCE = "source:\n  url: file:///srv/lab.git\n  verify: head\n  signers: /etc/spark-reconcile/signers\n  settle: 2s\n"
FETCHED, JUDGED = "/var/lib/spark-reconcile-fetch", "/var/lib/spark-reconcile-judge"
SCRATCH = "/run/spark-reconcile-git"
SYSCTL = "host:\n  sysctl: {{ net.ipv4.tcp_ecn: {ecn} }}\n"
HELD_FOR = 12  # seconds in which nothing may happen
# The daemon asks again after 30 s, then after 60 and after 120: the last of four nodes, two at a time, has waited that long.
PATIENCE, ALL_WITHIN = "280s", 420


class Followers(Sparks):
    def __init__(self, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        super().__init__(folder, stack)
        place = folder / "git"
        place.mkdir()
        self.repository = Repository(place, self.machines.values())
        for machine in self.machines.values():
            machine.write("/etc/spark-reconcile/signers", self.repository.signers.read_text("utf-8"))
            machine.write(SETTINGS, SOURCE)
            machine.path("/etc/spark-reconcile/ask.d").mkdir()
            shutil.copy2(PACKAGE / "ask", machine.path("/etc/spark-reconcile/ask.d/slurm"))
            for name in (FETCHED, JUDGED, f"{SCRATCH}/fetch", f"{SCRATCH}/judge"):
                machine.path(name).mkdir(parents=True)

    def text(self, mtu: int, ecn: int) -> str:
        """Another MTU disturbs the rails; another sysctl disturbs nobody."""
        return self.cluster.text(SYSCTL.format(ecn=ecn)).replace("  mtu: 9000\n", f"  mtu: {mtu}\n")

    def merge(self, text: str) -> None:
        """The nodes have fetched and judged it afterwards."""
        self.repository.merge(text)
        for machine in self.machines.values():
            # git needs a working directory with a name, and that of nsenter lies outside of the machine's root.
            machine.run("env", "--chdir=/", f"{LIBEXEC}/spark-git-fetch", SETTINGS, FETCHED, f"{SCRATCH}/fetch")
            machine.run("env", "--chdir=/", f"{LIBEXEC}/spark-git-judge", SETTINGS, FETCHED, JUDGED, f"{SCRATCH}/judge")
            expect(digest(machine.read(f"{JUDGED}/cluster.yaml")) == digest(text), machine.read(f"{JUDGED}/judgement.json"))

    def apply(self) -> None:
        """By hand, which asks nobody: what disturbs the rails would wait for a job already with the first file."""
        for machine in self.machines.values():
            done = machine.run("spark-reconcile", "apply", "--yes", check=False)
            expect(done.returncode in (0, 3), done)

    def status_of(self, name: str) -> dict:
        return json.loads(self.machines[name].read(f"{RUN}/status.json"))

    def ecn(self, name: str) -> str:
        return self.machines[name].run("cat", "/proc/sys/net/ipv4/tcp_ecn").stdout.strip()

    def mtus(self) -> dict[str, int]:
        return {name: mtu_of(machine) for name, machine in self.machines.items()}

    def start_roll_out(self, text: str, *words: str) -> subprocess.Popen:
        command = ("spark-reconcile-slurm", "rollout", "--digest", digest(text), "--wait", "--settle", "2s", "--patience", PATIENCE, *words)
        process = subprocess.Popen(self.ctl.words(*command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ctl.stack.callback(process.kill)
        return process


def mtu_of(machine: Machine) -> int:
    return json.loads(machine.run("ip", "-json", "link", "show", RAILS[0]).stdout)[0]["mtu"]


def moment(text: str) -> float:
    """As scontrol has it: local time, whole seconds."""
    return datetime.datetime.fromisoformat(text).timestamp()


def a_merge_waits_for_the_roll_out(sparks: Followers) -> None:
    """Only what disturbs the rails waits; the rest of the file is in force on every node."""
    text = sparks.text(8000, 0)
    sparks.merge(text)
    wait_for(lambda: all(sparks.ecn(name) == "0" and sparks.status_of(name)["disturb_waits"] for name in sparks.machines),
             "the file is in force, but for what disturbs the rails", READY_WITHIN)  # fmt: skip
    time.sleep(HELD_FOR)
    expect(set(sparks.mtus().values()) == {9000}, sparks.mtus())
    waits = [wait for name in sparks.machines for wait in sparks.status_of(name)["disturb_waits"]]
    expect(all("slurm" in str(wait.get("asked")) for wait in waits), waits)


def each_node_takes_it_in_its_job(sparks: Followers) -> None:
    """The MTU of a node changes after the start of its job and before its end; all have it then."""
    text = sparks.text(8000, 0)
    process = sparks.start_roll_out(text, "--max-unavailable", "2")
    changed: dict[str, float] = {}
    end = time.monotonic() + ALL_WITHIN
    while process.poll() is None and time.monotonic() < end:
        for name, mtu in sparks.mtus().items():
            if mtu == 8000:
                changed.setdefault(name, time.time())
        time.sleep(0.2)
    if process.poll() is None:
        process.kill()
    said = process.communicate(timeout=20)[0]
    expect(process.returncode == 0 and f"all {COUNT} nodes have {digest(text)[:12]} and are ready" in said, (process.returncode, said))
    times = sparks.times(said)
    expect(sorted(times) == sorted(changed) == sorted(sparks.machines), (times, changed))
    for name, (began, ended) in times.items():
        # The look at the MTU comes up to a second after the change, and scontrol leaves parts of a second out.
        expect(moment(began) <= changed[name] <= moment(ended) + 2, (name, began, ended, changed[name]))
        print(f"     {name}: its job began, {changed[name] - moment(began):.0f} s later it had the MTU of the file, "
              f"after {moment(ended) - moment(began):.0f} s the job ended", flush=True)  # fmt: skip
    expect(all(not sparks.status_of(name)["disturb_waits"] and sparks.status_of(name)["verdict"] == "ready" for name in sparks.machines))
    canary = min(times, key=lambda name: moment(times[name][0]))
    expect(all(moment(times[canary][1]) <= moment(began) for name, (began, _) in times.items() if name != canary), times)


def a_file_is_refused_where_the_node_follows_git(sparks: Followers) -> None:
    """It would never come into force there."""
    said = sparks.rollout(sparks.text(8000, 2), "--nodes", "spark1", "--wait", "--patience", "15s", expected=3)
    expect("spark1: failed" in said, said)
    expect(sparks.file_of("spark1") == digest(sparks.text(8000, 0)))


CASES = (a_merge_waits_for_the_roll_out, each_node_takes_it_in_its_job, a_file_is_refused_where_the_node_follows_git)

__all__ = ["CASES", "Followers", "show"]
