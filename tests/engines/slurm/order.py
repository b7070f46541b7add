"""A file with `rollout` under Slurm: four nodes that tell each other what they have, each with slurmd, and slurmctld beside them.

Each is a machine of tests/engines/machines.py, with what the packages put there at their places. What is not as on a real node:
the card, and that nothing starts the services but this script.
"""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil

from cluster import PACKAGE, SLURM_CONF, call
from machines import CLUSTER_FILE, Cluster, Machine, lan_address, wait_for

COUNT = 4
NODES = "NodeName={name} NodeHostname={name} NodeAddr={address} CPUs=2 State=UNKNOWN\n"
ORDER = "rollout: {{ order: {groups} }}\n"
SYSCTL = "host:\n  sysctl: {{ net.ipv4.tcp_ecn: {value} }}\n"


def expect(what: bool, why: object = "") -> None:
    if not what:
        raise AssertionError(why)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Sparks:
    def __init__(self, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        self.cluster = Cluster(COUNT, folder, stack)
        self.machines = {machine.name: machine for machine in self.cluster.machines}
        self.ctl = self.cluster.add("ctl")
        key = os.urandom(1024)
        conf = (SLURM_CONF.format(folder="/var/tmp/slurm", health="/usr/libexec/spark-reconcile/slurm-health")
                .replace("ctl(127.0.0.1)", f"ctl({lan_address(COUNT + 1)})").replace("SlurmUser=slurm", "SlurmUser=root"))  # fmt: skip
        nodes = "".join(NODES.format(name=name, address=lan_address(number)) for number, name in enumerate(self.machines, 1))
        for machine in (*self.machines.values(), self.ctl):
            machine.install()
            for name, place in (("spark-reconcile-slurm", "/usr/bin"), ("slurm-health", "/usr/libexec/spark-reconcile")):
                shutil.copy2(PACKAGE / name, machine.path(f"{place}/{name}"))
            machine.write("/etc/hosts", "127.0.0.1 localhost\n" + "".join(
                f"{lan_address(number)} {name}\n" for number, name in enumerate((*self.machines, "ctl"), 1)))  # fmt: skip
            machine.write("/etc/slurm/slurm.conf", conf)
            machine.write("/etc/slurm/nodes.conf", nodes)
            for place in ("state", "spool"):
                machine.path(f"/var/tmp/slurm/{place}").mkdir(parents=True)
            machine.path("/var/tmp/slurm/munge.key").write_bytes(key)
            machine.path("/var/tmp/slurm/munge.key").chmod(0o600)
            machine.path("/var/tmp/slurm").chmod(0o755)
            self.start(machine, "munged", "--foreground", "--force", *(f"--{what}=/var/tmp/slurm/munge.{end}" for what, end in (
                ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))))  # fmt: skip
            wait_for(machine.path("/var/tmp/slurm/munge.socket").exists, f"{machine.name}: munged listens")
        self.start(self.ctl, "slurmctld", "-D", "-f", "/etc/slurm/slurm.conf")
        wait_for(lambda: "UP" in self.ctl.run("scontrol", "ping", check=False).stdout, "slurmctld answers")
        for number, machine in enumerate(self.machines.values(), 1):
            machine.give_card(number)
            # slurmd looks which version of cgroups is there, though it uses none: here version 1, as systemd has it.
            machine.path("/sys/fs/cgroup").mkdir(parents=True)
            machine.run("mount", "-t", "tmpfs", "cgroup", "/sys/fs/cgroup")
            machine.path("/sys/fs/cgroup/systemd").mkdir()
            machine.run("mount", "-t", "cgroup", "-o", "none,name=systemd", "cgroup", "/sys/fs/cgroup/systemd")

    @staticmethod
    def start(machine: Machine, *words: str) -> None:
        machine.start(words[0], "sh", "-c", 'exec "$@" >"/var/tmp/slurm/$1.out" 2>&1', "sh", *words)

    def begin(self, text: str) -> None:
        """All have this file, and are ready by Slurm, too."""
        for name, machine in self.machines.items():
            machine.write(CLUSTER_FILE, text)
            machine.start_services()
            self.start(machine, "slurmd", "-D", "-N", name, "-f", "/etc/slurm/slurm.conf")
        wait_for(lambda: self.status().startswith(f"{COUNT} of {COUNT} ready"), "Slurm knows that all are ready", 120)

    def status(self) -> str:
        """By the program, which runs the adapter."""
        return self.ctl.run("spark-reconcile", "status", "--engine", "slurm", check=False).stdout

    def rollout(self, text: str, *words: str, expected: int = 0) -> str:
        self.ctl.write("/root/new.yaml", text)
        done = self.ctl.run("spark-reconcile", "rollout", "--engine", "slurm", "/root/new.yaml", "--settle", "2s", *words, check=False, timeout=300)
        expect(done.returncode == expected, done)
        return done.stdout + done.stderr

    def file_of(self, name: str) -> str:
        return self.machines[name].json("status", "--here")[1]["digest"]

    def times(self, said: str) -> dict[str, tuple[str, str]]:
        """Start and end of each job that was submitted."""
        found = {}
        for name, job in re.findall(r"^(\w+): job (\d+),", said, re.MULTILINE):
            shown = self.ctl.run("scontrol", "-o", "show", "job", job).stdout
            found[name] = (re.search(r" StartTime=(\S+)", shown)[1], re.search(r" EndTime=(\S+)", shown)[1])
        return found


def text_of(sparks: Sparks, value: int, groups: str = "") -> str:
    return sparks.cluster.text(SYSCTL.format(value=value) + (ORDER.format(groups=groups) if groups else ""))


def the_jobs_come_in_the_order_of_the_file(sparks: Sparks) -> None:
    """The last of the nodes comes first, and the first, by name, last."""
    text = text_of(sparks, 0, "[[spark4], [spark2, spark3]]")
    plan = sparks.rollout(text, "--dry-run")
    expect("spark1: rest: " in plan and "afterok:JOB_OF_spark2:JOB_OF_spark3" in plan and "spark4: canary: " in plan, plan)
    said = sparks.rollout(text, "--wait", "--patience", "60s")
    expect(f"all {COUNT} nodes have {digest(text)[:12]} and are ready" in said, said)
    times = sparks.times(said)
    middle = [times["spark2"], times["spark3"]]
    expect(all(times["spark4"][1] <= start for start, _ in middle), times)
    expect(all(end <= times["spark1"][0] for _, end in middle), times)
    expect(all(sparks.file_of(name) == digest(text) for name in sparks.machines))


def a_job_out_of_turn_fails_and_leaves_the_file_of_before(sparks: Sparks) -> None:
    """The order is kept by the daemons, whatever Slurm does; what is held does not come into force later, without a job."""
    before, text = sparks.file_of("spark1"), text_of(sparks, 1, "[[spark4], [spark2, spark3]]")
    said = sparks.rollout(text, "--nodes", "spark1", "--wait", "--patience", "15s", expected=3)
    expect("spark2, spark3, spark4: no job" in said and "spark1: failed" in said, said)
    log = sparks.ctl.run("scontrol", "show", "node", "spark1").stdout
    expect("DRAIN" not in log, log)
    expect(digest(sparks.machines["spark1"].read(CLUSTER_FILE)) == before == sparks.file_of("spark1"))
    said = sparks.rollout(text, "--wait", "--patience", "60s", "--max-unavailable", "2")
    expect(f"all {COUNT} nodes have {digest(text)[:12]}" in said, said)


def who_comes_first_is_said_once(sparks: Sparks) -> None:
    text = text_of(sparks, 0, "[[spark4]]")
    expect("leave --canary out" in sparks.rollout(text, "--canary", "1", expected=5))


def without_the_package_it_is_named(sparks: Sparks) -> None:
    adapter = sparks.ctl.path("/usr/bin/spark-reconcile-slurm")
    text = adapter.read_bytes()
    adapter.unlink()
    done = sparks.ctl.run("spark-reconcile", "rollout", "--engine", "slurm", "/root/new.yaml", check=False)
    expect(done.returncode == 1 and "it is of the package spark-reconcile-slurm" in done.stderr, done)
    adapter.write_bytes(text)
    adapter.chmod(0o755)


CASES = (the_jobs_come_in_the_order_of_the_file, a_job_out_of_turn_fails_and_leaves_the_file_of_before, who_comes_first_is_said_once,
         without_the_package_it_is_named)  # fmt: skip


def show(sparks: Sparks) -> None:
    """For who looks why a case failed."""
    for words in (("sinfo", "-N", "-o", "%N %T %E %f"), ("squeue", "--states=all", "-o", "%i %T %r %N%n %j %k"), ("scontrol", "show", "node")):
        print(sparks.ctl.run(*words, check=False).stdout[-4000:])
    for name, machine in sparks.machines.items():
        print(name, machine.run("spark-reconcile", "status", "--here", check=False).stdout[-2000:])
    print(call("tail", "-n", "40", sparks.ctl.path("/var/tmp/slurm/slurmctld.out")))


__all__ = ["CASES", "COUNT", "Sparks", "show", "text_of"]
