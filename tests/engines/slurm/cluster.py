"""A cluster of Slurm on this machine: slurmctld, munged, and for each node a slurmd and a Spark with a daemon of its own.

Each Spark is a machine of tests/doctor, with its own network and file system; all of them are the spark1 of one file, so they
have one digest. Its slurmd is in the network of slurmctld, and sees the directories of that machine in place of
/run/spark-reconcile and /etc/spark-reconcile; its jobs run the program of that machine. What is different from a real node: the
card, which tests/doctor stands for.
"""

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(CHECKOUT / "tests"), str(CHECKOUT / "tests" / "doctor")]
sys.dont_write_bytecode = True
from machine import FILE, PROBE, PROGRAMS, RAIL, TEXT, Machine  # noqa: E402
from node_in_namespace import BUILD, stop  # noqa: E402

PACKAGE = CHECKOUT / "examples" / "slurm"
BROKEN_BY = "tcp_ecn: 2"  # in a file: then the bytes do not come on a node of `break_by_file`
SLURM_CONF = """ClusterName=lab
SlurmctldHost=ctl(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=slurm
SlurmdUser=root
SlurmctldPort=16817
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/state/slurmctld.pid
SlurmdPidFile={folder}/spool/%n.pid
SlurmctldLogFile={folder}/state/slurmctld.log
SlurmdLogFile={folder}/spool/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,batch_sched_delay=1,sched_interval=2
SwitchType=switch/none
MpiDefault=none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
ReturnToService=1
SlurmdTimeout=10
HealthCheckProgram={health}
HealthCheckInterval=2
HealthCheckNodeState=ANY
Licenses=spark_rollout:2
NodeName=DEFAULT CPUs=2 State=UNKNOWN
Include nodes.conf
PartitionName=jobs Nodes=ALL Default=YES State=UP
"""
# The directories and the program of the machine in place of those of this one, before slurmd starts.
SLURMD = """
for place in run etc; do mount --bind "$1/$place/spark-reconcile" "/$place/spark-reconcile" || exit 1; done
mount --bind "$3" /usr/local/bin/spark-reconcile || exit 1
exec slurmd -D -N "$2" -f /etc/slurm/slurm.conf
"""


def cluster_file(count: int) -> str:
    """What the lines of slurm.conf are made of: two halves that no cable joins."""
    names = range(1, count + 1)
    nodes = "".join(f"  n{number}: {{ number: {number}, management: lan, links: {{ lan: {{ owner: host, "
                    f"addresses: [{address_of(number)}/16] }} }} }}\n" for number in names)  # fmt: skip
    halves = ((number for number in names if number <= count // 2), (number for number in names if number > count // 2))
    switches = "".join(f"    - {{ name: half{at}, ports: [{', '.join(f'n{number}:0' for number in half)}], "
                       f"subnets: [198.19.{128 * at}.0/18, 198.19.{128 * at + 64}.0/18] }}\n" for at, half in enumerate(halves))  # fmt: skip
    return f"version: 1\ncluster: lab\nnodes:\n{nodes}fabric:\n  mtu: 9000\n  switches:\n{switches}"


def address_of(number: int) -> str:
    return f"198.18.{number // 250}.{number % 250 + 1}"


def call(*words: object, expected: tuple[int, ...] = (0,), within: float = 120) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=within, check=False)
    if done.returncode not in expected:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def make_room(folder: pathlib.Path) -> None:
    """This process has a mount, network and host namespace of its own: nothing of the machine is changed."""
    call("hostname", "ctl")
    call("ip", "link", "set", "lo", "up")
    # A host with nothing but lo resolves no name, not even an address (AI_ADDRCONFIG).
    call("ip", "link", "add", "lan", "type", "bridge")
    call("ip", "address", "add", "203.0.113.1/24", "dev", "lan")
    call("ip", "link", "set", "lan", "up")
    call("cp", "-a", "/etc", folder / "etc")
    call("mount", "--bind", folder / "etc", "/etc")
    call("mount", "-t", "tmpfs", "run", "/run")
    programs, local = folder / "programs", folder / "local"
    programs.mkdir()
    local.mkdir()
    for name in PROGRAMS:
        shutil.copy(BUILD / name, programs / name)
    shutil.copy(BUILD / "spark-reconcile", local)
    shutil.copy(PACKAGE / "spark-reconcile-slurm", local)
    call("mount", "--bind", local, "/usr/local/bin")
    # As the package has it, but for the place of the program.
    text = (PACKAGE / "slurm-health").read_text("utf-8")
    assert "/usr/bin/spark-reconcile-slurm" in text
    health = local / "slurm-health"
    health.write_text(text.replace("/usr/bin/", "/usr/local/bin/"), "utf-8")
    health.chmod(0o755)
    for place in ("/run/spark-reconcile", "/etc/spark-reconcile", "/etc/slurm"):
        pathlib.Path(place).mkdir(exist_ok=True)


class Cluster:
    def __init__(self, folder: pathlib.Path, count: int, stack: contextlib.ExitStack, *, with_machines: bool = True) -> None:
        self.folder, self.stack = folder, stack
        self.names = [f"n{number}" for number in range(1, count + 1)]
        self.slurmd: dict[str, subprocess.Popen] = {}
        make_room(folder)
        for place in ("state", "spool"):
            (folder / place).mkdir()
        shutil.chown(folder / "state", "slurm", "slurm")
        for name in self.names:
            (folder / "spool" / name).mkdir()
        self.configure(count, on_this_host=with_machines)
        (folder / "munge.key").write_bytes(os.urandom(1024))
        (folder / "munge.key").chmod(0o600)
        self.start_munged()
        self.machines = {name: Machine(folder / name, stack, folder / "programs") for name in self.names if with_machines}
        self.start_slurmctld()

    def configure(self, count: int, *, on_this_host: bool) -> None:
        """slurm.conf, with the nodes as `export` has them; their slurmd are on this host, or nowhere."""
        pathlib.Path("/etc/slurm/slurm.conf").write_text(SLURM_CONF.format(folder=self.folder, health="/usr/local/bin/slurm-health"), "utf-8")
        nodes = call("/usr/local/bin/spark-reconcile", "export", "slurm-nodes", "--file", self.file("nodes", cluster_file(count)))
        for number in range(1, count + 1) if on_this_host else ():
            call("ip", "address", "add", f"{address_of(number)}/16", "dev", "lan")
            nodes = nodes.replace(f"NodeName=n{number} ", f"NodeName=n{number} NodeHostname=ctl Port={17000 + number} ")
        pathlib.Path("/etc/slurm/nodes.conf").write_text(nodes, "utf-8")

    def start(self, *words: object) -> subprocess.Popen:
        with open(self.folder / f"{words[0]}.out", "a", encoding="utf-8") as out:
            process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.stack.callback(stop, process)
        return process

    def start_munged(self) -> None:
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        self.munged = self.start("munged", "--foreground", "--force", *(f"--{what}={self.folder}/munge.{end}" for what, end in files.items()))
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged listens")

    def restart_munged(self, after: float) -> None:
        stop(self.munged)
        (self.folder / "munge.socket").unlink(missing_ok=True)
        time.sleep(after)
        self.start_munged()

    def start_slurmctld(self) -> None:
        self.slurmctld = self.start("slurmctld", "-D", "-f", "/etc/slurm/slurm.conf")
        self.wait(lambda: "UP" in call("scontrol", "ping", expected=(0, 1)), "slurmctld answers")

    def end_slurmctld(self) -> None:
        stop(self.slurmctld)

    def restart_slurmctld(self) -> None:
        self.end_slurmctld()
        self.start_slurmctld()

    def start_slurmd(self, name: str) -> None:
        machine = self.machines[name]
        program = machine.bin / "for-jobs"
        program.write_text(f'#!/bin/sh\nexec {shlex.join(machine.words())} "$@"\n', "utf-8")
        program.chmod(0o755)
        self.slurmd[name] = self.start("unshare", "--mount", "--propagation", "private", "sh", "-c", SLURMD, "sh", machine.root, name, program)

    def restart_slurmd(self, name: str, after: float) -> None:
        """As systemd does it: what its jobs run goes on."""
        stop(self.slurmd[name])
        time.sleep(after)
        self.start_slurmd(name)

    def lose(self, name: str) -> None:
        """As if its power went: slurmd, and the job that it runs there."""
        spot = self.mount_space(self.slurmd[name].pid)
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self.mount_space(int(process.name)) == spot:
                    os.kill(int(process.name), signal.SIGKILL)
        self.slurmd[name].wait()

    @staticmethod
    def mount_space(pid: int) -> str:
        return os.readlink(f"/proc/{pid}/ns/mnt")

    # What Slurm says.

    def node(self, name: str) -> dict[str, str]:
        said = call("scontrol", "show", "node", name)
        found = {key: (re.search(rf"^ +{key}=(.*)$", said, re.MULTILINE) or ["", ""])[1]
                 for key in ("State", "ActiveFeatures", "Reason", "Comment")}  # fmt: skip
        return found | {"State": found["State"].split(" ")[0]}

    def is_ready(self, name: str) -> bool:
        return "roce_ready" in self.node(name)["ActiveFeatures"].split(",")

    def mark(self, name: str) -> str:
        return (re.search(r"rollout=\S+:(\w+)", self.node(name)["Comment"]) or ["", ""])[1]

    def job(self, number: str) -> dict[str, str]:
        return dict(word.split("=", 1) for word in call("scontrol", "-o", "show", "job", number).split(" ") if "=" in word)

    def roll_outs(self, states: str = "PENDING,RUNNING,COMPLETING") -> list[str]:
        """The nodes that have a job of a roll-out in one of these states."""
        lines = call("squeue", "--noheader", f"--states={states}", "--format=%j|%n").splitlines()
        return sorted({line.split("|")[1] for line in lines if line.startswith("spark-rollout-")})

    # What is done to it.

    def tool(self, *words: object, expected: tuple[int, ...] = (0,)) -> str:
        return call("/usr/local/bin/spark-reconcile-slurm", *words, expected=expected)

    def file(self, name: str, text: str) -> pathlib.Path:
        path = self.folder / f"{name}.yaml"
        path.write_text(text, "utf-8")
        return path

    def rail(self, name: str, state: str) -> None:
        """The other end of the cable."""
        self.machines[name].peer.ip(f"link set {RAIL} {state}")

    def break_by_file(self, name: str) -> None:
        machine = self.machines[name]
        machine.set_loopback(bytes_moved=False, failed="WRITE", why="transport retry counter exceeded")
        shutil.copy(machine.bin / "loopback.json", machine.bin / "broken.json")
        machine.set_loopback()
        probe = machine.bin / "spark-verbs-probe"
        text = PROBE.replace('cat "', f'grep -q "{BROKEN_BY}" /{FILE} && exec cat "${{0%/*}}/broken.json"\ncat "')
        probe.write_text(text, "utf-8")

    @staticmethod
    def wait(condition, what: str, within: float = 60) -> None:
        end = time.monotonic() + within
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"not within {within} s: {what}")
            time.sleep(0.2)


__all__ = ["BROKEN_BY", "BUILD", "FILE", "PACKAGE", "RAIL", "SLURM_CONF", "TEXT", "Cluster", "call", "cluster_file"]
