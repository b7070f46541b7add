"""A machine to run spark-reconcile on, made again for every case.

Its links, addresses, routes and net.* settings are the network namespace of this process, its
/etc, /var and /run a directory in memory. Device names and hardware addresses are always the same,
so two machines that were treated alike read alike, byte for byte.
"""

import ctypes
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWNET = 0x00020000, 0x04000000, 0x40000000
HOSTNAME = "spark1"
STATE = "var/lib/spark-reconcile"
LOCK = "run/spark-reconcile/apply/lock"
EARLIER_BOOT = "00000000-0000-4000-8000-000000000000"
LOCKS = (LOCK, "run/spark-reconcile/daemon.lock")
OWN_FILES = "etc/spark-reconcile"
CLUSTER_FILE = f"{OWN_FILES}/cluster.yaml"
PAUSE = f"{STATE}/pause.json"
# For all to read while the daemon lives. After a kill the next one, which systemd starts at once, replaces what is left.
DAEMON_TELLS = ("run/spark-reconcile/status.json", "run/spark-reconcile/metrics.prom", "run/spark-reconcile/events.json",
                "run/spark-reconcile/peers-order.json", "run/spark-reconcile/node-state.json", "run/spark-reconcile/published.json",
                "run/spark-reconcile/rails.json", "run/spark-reconcile/alive")  # fmt: skip
DAEMON_TELLS_NEXT = ("run/spark-reconcile/.status.json", "run/spark-reconcile/.metrics.prom", "run/spark-reconcile/.events.json",
                     "run/spark-reconcile/.peers-order.json", "run/spark-reconcile/.node-state.json",
                     "run/spark-reconcile/.published.json", "run/spark-reconcile/.rails.json", "run/spark-reconcile/.record.json")  # fmt: skip
# Peers may ask for it while no daemon runs.
RECORD = "run/spark-reconcile/record.json"
# What is done by hand is noted there for the daemon.
BY_HAND = "run/spark-reconcile/by-hand"
# Written before a journal is there; the next one takes the place of what is left.
BEFORE_JOURNAL = ("/.journal", "/.machine")
LINKS = ("lan0", "enp1s0f0np0", "enP2p1s0f0np0")
DEADLINE_S = 30

LINES = """\
link set lo up
link add lan0 address 02:00:00:00:01:01 type veth peer name x-lan0 address 02:00:00:00:02:01
link add enp1s0f0np0 address 02:00:00:00:01:02 type veth peer name x-cage0 address 02:00:00:00:02:02
link add enP2p1s0f0np0 address 02:00:00:00:01:03 type veth peer name x-cage1 address 02:00:00:00:02:03
link set x-lan0 up
link set x-cage0 up
link set x-cage1 up
link set lan0 up
link set enp1s0f0np0 up
link set enP2p1s0f0np0 up
address add 192.0.2.11/24 dev enp1s0f0np0
route add 10.78.0.0/16 via 192.0.2.99 dev enp1s0f0np0 proto static
address add 203.0.113.9/24 broadcast 203.0.113.255 dev lan0
"""
# It was up once: that gives a device its queueing discipline, which it then keeps.
DOWN = "link set enP2p1s0f0np0 down"
HOSTS = "127.0.0.1 localhost\n203.0.113.1 gateway # by hand\n"

State = Mapping[str, str]


@dataclass(frozen=True)
class Outcome:
    code: int  # minus the signal that ended it
    text: str  # both streams
    hung: bool = False


def unshare(flags: int) -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare: the fault matrix needs root")


def run(words: list[str], text: str = "", deadline: float = DEADLINE_S) -> Outcome:
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        try:
            out, _ = process.communicate(text, timeout=deadline)
        except subprocess.TimeoutExpired:
            process.kill()
            return Outcome(-9, process.communicate()[0], hung=True)
        return Outcome(process.returncode, out)


def must_run(*words: str) -> None:
    done = run(list(words))
    assert done.code == 0, f"{words}: {done.text}"


def show(*words: str) -> list[str]:
    return run(["ip", "-oneline", "-details", *words]).text.splitlines()


class Machine:
    def __init__(self, program: str, folder: pathlib.Path) -> None:
        """`folder` is a file system in memory."""
        self.program = program
        self.root = folder / "root"
        self.reset()

    def reset(self) -> None:
        """A network and a root as no apply has ever seen them."""
        self.make_network()
        shutil.rmtree(self.root, ignore_errors=True)
        self.write("etc/hosts", HOSTS)
        for name in ("run", "var/lib"):
            self.path(name).mkdir(parents=True)
        self.settle()

    def make_network(self) -> None:
        unshare(CLONE_NEWNET | CLONE_NEWUTS)
        socket.sethostname(HOSTNAME)
        self.set_sysctl("net.ipv6.conf.default.addr_gen_mode", "1")  # no link-local addresses
        self.set_sysctl("net.ipv6.conf.default.accept_dad", "0")  # which takes seconds
        self.ip(LINES)
        self.settle()
        self.ip(DOWN)

    def reboot(self) -> None:
        """/run is empty, the kernel knows what systemd-sysctl tells it, and every note is of an earlier boot."""
        self.make_network()
        shutil.rmtree(self.path("run"))
        self.path("run").mkdir()
        for path in sorted(self.root.glob("etc/sysctl.d/*.conf")):
            for line in path.read_text().splitlines():
                if "=" in line and not line.startswith(("#", ";")):
                    key, value = line.split("=", 1)
                    self.set_sysctl(key.strip().lstrip("-"), value.strip())
        this_boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        for path in self.path(STATE).rglob("*"):
            if path.is_file() and this_boot in (text := path.read_text(errors="surrogateescape")):
                path.write_text(text.replace(this_boot, EARLIER_BOOT), errors="surrogateescape")
        self.settle()

    def ip(self, lines: str) -> None:
        done = run(["ip", "-batch", "-"], lines)
        assert done.code == 0, done.text

    def path(self, name: str) -> pathlib.Path:
        return self.root / name

    def write(self, name: str, text: str) -> None:
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(text)

    def set_sysctl(self, key: str, value: str) -> None:
        pathlib.Path("/proc/sys", *key.split(".")).write_text(value)

    def words(self, *verb: str) -> list[str]:
        return [self.program, *verb, "--root", str(self.root)]

    def spark(self, *verb: str) -> Outcome:
        return run(self.words(*verb))

    def settle(self) -> None:
        """Until the kernel has told of every carrier, and taken every address."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            links = json.loads(run(["ip", "-json", "address"]).text)
            if all((link["operstate"] in ("UP", "UNKNOWN")) == ("LOWER_UP" in link["flags"]) and
                   not any("tentative" in address for address in link["addr_info"]) for link in links):
                return
            time.sleep(0.01)
        raise AssertionError("the links never settle")

    def state(self) -> State:
        """All that apply may change, but its own notes: the network and the files."""
        self.settle()
        found: dict[str, str] = {}
        for index, line in enumerate(show("address")):
            found[f"link or address {index}"] = line
        for family in ("-4", "-6"):
            # In no order, since that of equal IPv6 prefixes is not always the same; and `linkdown`
            # comes when the kernel gets round to it.
            found |= {f"route {line.replace(' linkdown', '')}": ""
                      for line in show(family, "route", "show", "table", "all")}
        for family in ("ipv4", "ipv6"):
            for link in LINKS:
                folder = pathlib.Path("/proc/sys/net", family, "conf", link)
                for entry in folder.iterdir() if folder.is_dir() else ():
                    if entry.name != "stable_secret":
                        found[str(entry)] = entry.read_text()
        for key in ("tcp_keepalive_time", "tcp_keepalive_intvl"):
            found[key] = pathlib.Path("/proc/sys/net/ipv4", key).read_text()
        for entry in sorted(self.root.rglob("*")):
            name = str(entry.relative_to(self.root))
            if entry.is_file() and not name.startswith(("var/lib/", *LOCKS, *DAEMON_TELLS, *DAEMON_TELLS_NEXT, RECORD, BY_HAND, OWN_FILES)):
                found[name] = f"{stat.filemode(entry.stat().st_mode)} {entry.read_text()}"
        return found

    def journals(self) -> list[str]:
        return [str(path.relative_to(self.root))
                for pattern in (f"{STATE}/*/journal.json", "run/spark-reconcile/apply/journal-*.json")
                for path in self.root.glob(pattern)]

    def leftovers(self) -> list[str]:
        """Temporary files that nobody would remove. The next journal, and the next file that is put
        back, take the place of their own."""
        found = (str(path.relative_to(self.root)) for path in self.root.rglob(".*.spark-reconcile-new"))
        return [name for name in found if not name.startswith((OWN_FILES, *DAEMON_TELLS_NEXT)) and not any(early in name for early in BEFORE_JOURNAL)]


def differences(found: State, wanted: State) -> list[str]:
    return [f"{key}: {found.get(key, 'absent')!r} instead of {wanted.get(key, 'absent')!r}"
            for key in sorted(set(found) | set(wanted)) if found.get(key) != wanted.get(key)]


def enter_memory(folder: pathlib.Path) -> None:
    """Mounts a file system in memory there, for this process and what it starts alone."""
    unshare(CLONE_NEWNS)
    must_run("mount", "--make-rprivate", "/")
    must_run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", str(folder))
    os.chdir(folder)
