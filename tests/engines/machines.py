"""Machines of namespaces for the tests of engines: each has a network, a host name, processes and a file system of its own.

The file system is this machine's, with a layer above it that is gone afterwards: an engine, sshd and the program run there as
on a real machine, without --root, and what they write stays there. No systemd runs there, and no D-Bus.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import stat
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "doctor")]
sys.dont_write_bytecode = True
from machine import BUS, CARD, LOOPBACK, PROBE, gid_of  # noqa: E402
from node_in_namespace import BUILD, CHECKOUT, MTU, QUIET, RAILS, Space  # noqa: E402

LAN = "enP7s7"  # the link that one logs in through
HELPERS = ("spark-bus-call", "spark-git-fetch", "spark-git-judge", "spark-peers", "spark-storage", "spark-verbs-probe", "spark-web")
LIBEXEC = "/usr/libexec/spark-reconcile"
CARD_ADDRESSES = {RAILS[0]: "192.0.2.{}", RAILS[1]: "198.51.100.{}"}
WRITTEN = ("/srv", "/run", "/tmp", "/root")  # where a machine has what was written on it: its layer, and what is in memory
REMOTE = "/var/tmp/ansible"  # where Ansible puts its modules on a node
# What sshd notes of each login, and Ansible's own places.
NOT_OURS = (REMOTE, "/var/log/wtmp", "/var/log/lastlog", "/var/log/btmp", "/run/utmp", "/root/.ansible")
# Folders that appear in the layer once something in them is written: what is in them is seen by itself.
FOLDERS = ("/var", "/var/log", "/var/tmp")
# The daemon writes these again as time goes on.
RUNTIME = ("/run/spark-reconcile/", "/run/spark-reconcile-peers/", "/var/lib/spark-reconcile/alerts.json")
CLUSTER_FILE = "etc/spark-reconcile/cluster.yaml"
RUN = "/run/spark-reconcile"
PEERS_REPORT = "/run/spark-reconcile-peers/peers.json"

# The first process of a machine. Its root is a layer over this machine's, in memory; the old root is gone from its sight.
FIRST = """
exec 2>&1
set -e
hostname "$1"
mount -t tmpfs -o mode=755 layer "$2"
mkdir "$2/upper" "$2/work" "$2/root"
mount -t overlay -o "lowerdir=/,upperdir=$2/upper,workdir=$2/work" overlay "$2/root"
cd "$2/root"
for place in run tmp; do mount -t tmpfs -o mode=1777 "$place" "$place"; done
mount -t tmpfs -o mode=700 home root  # what root's shell here reads is none of theirs
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount --rbind /dev dev
mount --bind "$2/upper" srv
mkdir -p run/sshd run/before
chmod 755 run run/sshd
pivot_root . run/before
umount -l run/before
rmdir run/before
cd /
printf '%s\\n' "$1" >/etc/hostname
rm -rf /etc/spark-reconcile /var/lib/spark-reconcile
ip link set lo up
echo ready
exec sleep 7200 </dev/null
"""


# What a unit with Restart=on-failure and RestartSec=2 does.
RESTARTED = """
trap 'kill "$process"; wait "$process"; exit 0' TERM
until "$@" & process=$!; wait "$process"; do sleep 2; done
"""


class Machine:
    """A machine named `name`. What it runs and has mounted ends with `stack`."""

    def __init__(self, name: str, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        self.name, self.stack = name, stack
        self.services: dict[str, subprocess.Popen] = {}
        place = folder / name
        place.mkdir(parents=True)
        hold = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private",
                "bash", "-c", FIRST, "bash", name, str(place)]  # fmt: skip
        # unshare itself complains when its child is killed.
        self.process = subprocess.Popen(hold, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = self.process.stdout.readline()
        if said != "ready\n":
            self.process.kill()
            raise RuntimeError(f"{name}: it could not be made: {said}")
        self.pid = child_of(self.process)
        stack.callback(self.off)
        self.set("net/ipv6/conf/default/addr_gen_mode", 1)  # no link-local addresses
        self.set("net/ipv6/conf/default/accept_dad", 0)

    # What it is asked to do.

    def words(self, *words: object) -> list[str]:
        """A command line that runs on it."""
        return ["nsenter", "--net", "--uts", "--ipc", "--mount", "--pid", "--target", str(self.pid), "--root", "--wd=/",
                *(str(word) for word in words)]  # fmt: skip

    def run(self, *words: object, **options: object) -> subprocess.CompletedProcess:
        options = {"capture_output": True, "text": True, "timeout": 120, "check": True} | options
        return subprocess.run(self.words(*words), **options)

    def ip(self, *lines: str) -> None:
        self.run("ip", "-batch", "-", input="\n".join(lines) + "\n")

    def set(self, key: str, value: object) -> None:
        self.run("sh", "-c", f"echo {value} >/proc/sys/{key}")

    def path(self, name: str) -> pathlib.Path:
        """Where this process sees a file of the machine."""
        return pathlib.Path(f"/proc/{self.pid}/root") / name.lstrip("/")

    def write(self, name: str, text: str, mode: int = 0o644) -> None:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(mode)

    def read(self, name: str) -> str:
        return self.path(name).read_text("utf-8")

    # The program.

    def install(self) -> None:
        """The program of the build, at the places of the package."""
        self.path(LIBEXEC).mkdir(parents=True, exist_ok=True)
        for name in HELPERS:
            shutil.copy2(BUILD / name, self.path(f"{LIBEXEC}/{name}"))
        shutil.copy2(BUILD / "spark-reconcile", self.path("/usr/bin/spark-reconcile"))
        for folder in (RUN, "/run/spark-reconcile-peers", "/etc/spark-reconcile"):
            self.path(folder).mkdir(parents=True, exist_ok=True)

    def give_card(self, number: int) -> None:
        """What no namespace has, as tests/doctor makes it: RDMA devices that netlink and sysfs know, a loopback over them that
        moved all bytes, and a systemd that lets a service lock all memory. So the gate of the node can be ready."""
        self.path("/usr/lib/doctor_card.so").write_bytes(CARD.read_bytes())
        sys_tree = "/var/tmp/sys"
        for place, link in enumerate(RAILS):
            device = f"{sys_tree}/devices/pci000{2 * place}:01/000{2 * place}:01:00.1"
            net, rdma = f"{sys_tree}/class/net/{link}", f"{sys_tree}/class/infiniband/mlx5_{place}"
            address = CARD_ADDRESSES[link].format(number)
            index = json.loads(self.run("ip", "-json", "link", "show", link).stdout)[0]["ifindex"]
            for name, text in {f"{device}/power/runtime_status": "active", f"{net}/carrier_changes": 2, f"{net}/ifindex": index,
                               f"{net}/speed": 200000, f"{rdma}/ports/1/state": "4: ACTIVE",
                               f"{rdma}/ports/1/phys_state": "5: LinkUp", f"{rdma}/ports/1/link_layer": "Ethernet",
                               f"{rdma}/ports/1/gid_attrs/ndevs/0": link, f"{rdma}/ports/1/gid_attrs/types/0": "RoCE v2",
                               f"{rdma}/ports/1/gids/0": gid_of(address)}.items():  # fmt: skip
                self.write(name, f"{text}\n")
            self.path(f"{net}/device").symlink_to(device.removeprefix(sys_tree).join(("/sys", "")))
            self.write(f"/run/udev/data/n{index}", "I:4000000\n")
        self.path(f"{sys_tree}/module/mlx5_core").mkdir(parents=True)
        self.run("mount", "--bind", sys_tree, "/sys")
        answer = {"registered": True, "limit": 2**64 - 1, "failed": None, "error_number": 0, "why": ""}
        self.write(f"{LIBEXEC}/loopback.json", json.dumps(LOOPBACK))
        self.write(f"{LIBEXEC}/service.json", json.dumps({"output": json.dumps(answer)}))
        self.write(f"{LIBEXEC}/spark-verbs-probe", PROBE, 0o755)
        self.write(f"{LIBEXEC}/spark-bus-call", BUS, 0o755)
        self.write("/etc/ld.so.preload", "/usr/lib/doctor_card.so\n")

    def json(self, *arguments: object) -> tuple[int, dict]:
        """Exit code and document of a verb."""
        done = self.run("spark-reconcile", *arguments, "--json", check=False)
        return done.returncode, json.loads(done.stdout)

    def off(self) -> None:
        """With its first process all others end, and its file system goes."""
        os.kill(self.pid, signal.SIGKILL)
        for process in (self.process, *self.services.values()):
            process.wait(30)

    def start(self, name: str, *words: object) -> None:
        self.services[name] = subprocess.Popen(self.words(*words), **QUIET)

    def pid_of(self, name: str) -> int:
        """Of a service, as this process sees it: nsenter waits for it."""
        return child_of(self.services[name])

    def end(self, name: str, by: signal.Signals = signal.SIGTERM) -> None:
        os.kill(self.pid_of(name), by)
        self.services.pop(name).wait(30)

    def start_services(self) -> None:
        """The daemon, then spark-peers, as systemd does it."""
        self.start("daemon", "spark-reconcile", "daemon")
        order = self.path(f"{RUN}/peers-order.json")
        wait_for(order.exists, f"{self.name}: the first pass of the daemon has ended")
        self.start("peers", "sh", "-c", RESTARTED, "sh", f"{LIBEXEC}/spark-peers", f"{RUN}/peers-order.json", f"{RUN}/hello.socket",
                   PEERS_REPORT)  # fmt: skip

    # ssh.

    def start_sshd(self, host_key: pathlib.Path, authorized: str) -> None:
        self.write("etc/ssh/test_host_key", host_key.read_text("utf-8"), 0o600)
        self.write("etc/ssh/test_keys", authorized)
        self.write("etc/ssh/test_config", "Port 22\nHostKey /etc/ssh/test_host_key\nAuthorizedKeysFile /etc/ssh/test_keys\n"
                   "UsePAM no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\nPidFile none\nUseDNS no\n"
                   "MaxStartups 100\nSubsystem sftp internal-sftp\n")  # fmt: skip
        self.start("sshd", "/usr/sbin/sshd", "-D", "-e", "-f", "/etc/ssh/test_config")


def child_of(process: subprocess.Popen) -> int:
    """The process that unshare or nsenter has made."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_for(lambda: children.read_text("utf-8"), f"{process.args[0]} has begun", 10)
    return int(children.read_text("utf-8").split()[0])


def wait_for(holds, what: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError, ValueError, KeyError):
            if holds():
                return
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.1)


class Monitor:
    """The events of link, address, route and rule that the kernel of each machine sends while the block runs."""

    def __init__(self, machines):
        self.machines = machines

    def __enter__(self):
        self.processes = {machine.name: subprocess.Popen(machine.words("stdbuf", "-oL", "ip", "monitor", "link", "address", "route", "rule"),
                                                         stdout=subprocess.PIPE, text=True) for machine in self.machines}  # fmt: skip
        # It listens once it tells of a route that is made for that; what it tells of that route is left out.
        for machine in self.machines:
            def hears(machine=machine):
                machine.ip("route add blackhole 192.0.2.255/32 metric 77", "route del blackhole 192.0.2.255/32 metric 77")
                return select.select([self.processes[machine.name].stdout], [], [], 0.3)[0]
            wait_for(hears, f"{machine.name}: ip monitor listens", 20)
        self.events = {}
        return self

    def __exit__(self, *_):
        time.sleep(0.5)
        for name, process in self.processes.items():
            os.kill(child_of(process), signal.SIGTERM)  # nsenter waits for it
            said = process.communicate(timeout=20)[0].splitlines()
            self.events[name] = [line for line in said if "blackhole 192.0.2.255" not in line]


def files_of(machine):
    """Each file that was written on the machine: kind, owner, size and time."""
    found = {}
    for place in WRITTEN:
        top = str(machine.path(place))
        for folder, folders, names in os.walk(top):
            for name in (*folders, *names):
                path = os.path.join(folder, name)
                inside = path.removeprefix(top) if place == "/srv" else place + path.removeprefix(top)
                if inside.startswith(NOT_OURS) or inside in FOLDERS:
                    continue
                with contextlib.suppress(FileNotFoundError):
                    info = os.lstat(path)
                    # Of a folder only that it is there: what changes in it is seen by itself.
                    times = None if stat.S_ISDIR(info.st_mode) else (info.st_size, info.st_mtime_ns, info.st_ino)
                    found[inside] = (info.st_mode, info.st_uid, times)
    return found


def differ(before, after, runtime=True):
    names = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    return sorted(name for name in names if runtime or not name.startswith(RUNTIME))


def lan_address(number: int) -> str:
    return f"203.0.113.{number}"


class Cluster:
    """`count` machines with a management network, and two rails each to one switch. `control` is where one works from."""

    def __init__(self, count: int, folder: pathlib.Path, stack: contextlib.ExitStack, names: str = "spark") -> None:
        self.control = Space("control", stack)
        self.control.ip("link add lan type bridge mcast_snooping 0", "link set lan up", f"address add {lan_address(254)}/24 dev lan",
                        f"link add rails mtu {MTU} type bridge mcast_snooping 0", "link set rails up")  # fmt: skip
        self.folder, self.stack = folder, stack
        self.machines = [Machine(f"{names}{number}", folder, stack) for number in range(1, count + 1)]
        for number, machine in enumerate(self.machines, 1):
            self.plug(number, machine)

    def add(self, name: str) -> Machine:
        """One more, which is no node of the file."""
        machine = Machine(name, self.folder, self.stack)
        self.plug(len(self.machines) + 1, machine)
        return machine

    def plug(self, number: int, machine: Machine) -> None:
        ends = {LAN: ("lan", 1500), RAILS[0]: ("rails", MTU), RAILS[1]: ("rails", MTU)}
        for place, (link, (bridge, mtu)) in enumerate(ends.items()):
            port = f"p{number}e{place}"
            self.control.ip(f"link add {port} mtu {mtu} type veth peer name {link} netns {machine.pid}",
                            f"link set {port} master {bridge} up")  # fmt: skip
        machine.ip(f"link set {LAN} up", f"address add {lan_address(number)}/24 dev {LAN}")

    def text(self, extra: str = "") -> str:
        """Its cluster.yaml. No key of it needs systemd: storage and memlock are left out."""
        nodes = "".join(f"  {machine.name}: {{ number: {number}, management: {LAN} }}\n"
                        for number, machine in enumerate(self.machines, 1))  # fmt: skip
        ports = ", ".join(f"{machine.name}:1" for machine in self.machines)
        return (f"version: 1\ncluster: lab\nnodes:\n{nodes}fabric:\n  mtu: {MTU}\n  switches:\n"
                f"    - {{ name: rack, ports: [{ports}], subnets: [192.0.2.0/24, 198.51.100.0/24] }}\n{extra}")  # fmt: skip
