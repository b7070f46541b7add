"""A healthy Spark, of which one thing after the other can be broken: a network and a file system of its own.

The program runs on it as on a real machine, without --root: in the mount namespace stand directories of this run in place
of /etc, /run, /var/lib, /sys, /dev and /home, and three files in place of files of /proc. So a file there is broken by writing it
here. The program gets what a machine without a ConnectX lacks from card.cpp and from two programs that stand for helpers.
"""

import contextlib
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from node_in_namespace import BUILD, MTU, QUIET, Space, stop  # noqa: E402

CARD = BUILD / "tests" / "libdoctor_card.so"
PROGRAMS = ("spark-reconcile", "spark-storage", "spark-web", "spark-peers")
NOBODY, PEERS = 65534, 64123
LAN = "enP7s7"
RAIL, SECOND = "enp1s0f1np1", "enP2p1s0f1np1"  # cage 1, which the cable is in
EMPTY, SECOND_EMPTY = "enp1s0f0np0", "enP2p1s0f0np0"  # cage 0
# By their RDMA devices mlx5_0 to mlx5_3.
FUNCTIONS = {EMPTY: "0000:01:00.0", RAIL: "0000:01:00.1", SECOND_EMPTY: "0002:01:00.0", SECOND: "0002:01:00.1"}
ADDRESSES = {RAIL: "192.0.2.11", SECOND: "198.51.100.11"}
PEER_ADDRESSES = {RAIL: "192.0.2.12", SECOND: "198.51.100.12"}
KEY = "etc/spark-reconcile/peers.key"
FILE = "etc/spark-reconcile/cluster.yaml"
TEXT = f"""version: 1
cluster: pair
nodes:
  spark1: {{ number: 11, management: {LAN} }}
  spark2: {{ number: 12 }}
fabric:
  mtu: {MTU}
  cables:
    - {{ ends: [spark1:1, spark2:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }}
host:
  sysctl: {{ net.ipv4.tcp_ecn: 1 }}
  hosts: {{ suffix: -fabric }}
environment: {{ profile: true }}
ready: {{ key_file: /{KEY} }}
"""
# The daemon sees drift and corrects none: else what is broken is right again before doctor looks.
REPORT = "drift: { default: report }\n"
READY_WITHIN = 40  # seconds
# Of virtual links nobody moves bytes by RDMA: this one says that all came.
PROBE = """#!/bin/sh
[ $# -gt 0 ] || exit 64
[ "$1" = register ] && exit 1
cat "${0%/*}/loopback.json"
"""
LOOPBACK = {"state": "active", "active_mtu": 4096, "gid_index": 0, "registered": True, "bytes_moved": True,
            "latency_p50_us": 1.5, "latency_p99_us": 2.5, "bits_per_second": 0, "failed": None, "error_number": 0,
            "why": ""}  # fmt: skip
# No bus is there: systemd says what a new service may lock, and takes the timer of an apply that waits.
BUS = """#!/bin/sh
case "$1" in
  run-service) cat "${0%/*}/service.json" ;;
  start-timer | stop) echo '{}' ;;
  *) exit 64 ;;
esac
"""

# In the mount namespace, before anything runs there.
MOUNTS = """
hostname "$1"
ip link set lo up
for place in etc run var/lib sys dev home; do mount --bind "$2/$place" "/$place" || exit 1; done
for place in cmdline meminfo sys/kernel/osrelease; do mount --bind "$2/proc/$place" "/proc/$place" || exit 1; done
echo
exec sleep 7200
"""


class MountedSpace(Space):
    """A Space whose file system is a directory, as far as the program looks."""

    def __init__(self, name: str, root: pathlib.Path, stack: contextlib.ExitStack) -> None:
        hold = ["unshare", "--net", "--uts", "--mount", "--propagation", "private", "sh", "-c", MOUNTS, "sh", name, str(root)]
        self.process = subprocess.Popen(hold, stdout=subprocess.PIPE, text=True)
        stack.callback(stop, self.process)
        if not self.process.stdout.readline():
            raise RuntimeError(f"{name}: its mounts failed")
        self.pid = self.process.pid

    def inside(self, *words: object) -> list[str]:
        return ["nsenter", "--mount", *self.words(*words)[1:]]


class Machine:
    """spark1, its peer at the other end of the cable, and what runs on it."""

    def __init__(self, folder: pathlib.Path, stack: contextlib.ExitStack, programs: pathlib.Path) -> None:
        self.root, self.bin, self.stack = folder / "root", folder / "bin", stack
        self.clock = "set"
        self.services = {}
        self.make_programs(programs)
        self.make_files()
        self.space = MountedSpace("spark1", self.root, stack)
        self.peer = Space("spark2", stack)
        self.make_network()

    # What it is made of.

    def make_programs(self, programs: pathlib.Path) -> None:
        self.bin.mkdir(parents=True)
        for name in PROGRAMS:
            os.link(programs / name, self.bin / name)
        for name, text in (("spark-verbs-probe", PROBE), ("spark-bus-call", BUS)):
            (self.bin / name).write_text(text, "utf-8")
            (self.bin / name).chmod(0o755)
        self.set_loopback()
        answer = {"output": json.dumps({"registered": True, "limit": 2**64 - 1, "failed": None, "error_number": 0, "why": ""})}
        (self.bin / "service.json").write_text(json.dumps(answer), "utf-8")

    def set_loopback(self, **changed: object) -> None:
        (self.bin / "loopback.json").write_text(json.dumps(LOOPBACK | changed), "utf-8")

    def make_files(self) -> None:
        for place in ("run/spark-reconcile-web", "run/spark-reconcile-peers", "run/systemd/system", "var/lib", "home"):
            self.path(place).mkdir(parents=True)
        os.chown(self.path("run/spark-reconcile-web"), NOBODY, NOBODY)
        self.write("etc/hostname", "spark1\n")
        self.write("etc/machine-id", "0123456789abcdef0123456789abcdef\n")
        self.write("etc/passwd", f"root:x:0:0::/root:/bin/sh\nspark-peers:x:{PEERS}:{PEERS}::/:/bin/false\n"
                   f"spark-web:x:{NOBODY}:{NOBODY}::/:/bin/false\n")
        self.write("etc/group", f"root:x:0:\nspark-peers:x:{PEERS}:\n")
        self.write("etc/hosts", "127.0.0.1 localhost\n127.0.1.1 spark1\n")
        self.write("etc/NetworkManager/NetworkManager.conf", "[main]\nplugins=keyfile\n")
        self.write("etc/fstab", "UUID=1 / ext4 defaults 0 1\n")
        self.write("etc/security/limits.d/10-rdma.conf", "* - memlock unlimited\nroot - memlock unlimited\n")
        self.write("etc/systemd/system.conf.d/10-rdma.conf", "[Manager]\nDefaultLimitMEMLOCK=infinity\n")
        self.write("sys/fs/cgroup/cgroup.controllers", "memory\n")
        self.path("sys/module/mlx5_core").mkdir(parents=True)
        self.write("sys/fs/cgroup/init.scope/cgroup.procs", "1\n")
        self.write(FILE, TEXT)
        self.write(KEY, "e" * 64 + "\n", 0o640)
        os.chown(self.path(KEY), 0, PEERS)
        for name in ("cmdline", "meminfo", "sys/kernel/osrelease"):
            self.write(f"proc/{name}", pathlib.Path("/proc", name).read_text())
        for name, minor in (("null", 3), ("zero", 5), ("urandom", 9)):
            self.path("dev").mkdir(exist_ok=True)
            os.mknod(self.path(f"dev/{name}"), stat.S_IFCHR | 0o666, os.makedev(1, minor))
            self.path(f"dev/{name}").chmod(0o666)
        for number, link in enumerate(FUNCTIONS):
            self.make_function(number, link)

    def make_function(self, number: int, link: str) -> None:
        """What sysfs has of a function of the card, and the device that programs open."""
        device = self.function(link)
        for name, text in {"current_link_width": 4, "max_link_width": 4, "current_link_speed": "32.0 GT/s PCIe",
                           "max_link_speed": "32.0 GT/s PCIe", "power/runtime_status": "active",
                           "iommu_group/type": "identity", "hwmon/hwmon0/temp1_label": "asic",
                           "hwmon/hwmon0/temp1_input": 55000, "hwmon/hwmon0/temp2_label": "Module0",
                           "hwmon/hwmon0/temp2_input": 41000, "aer_dev_correctable": "TOTAL_ERR_COR 0",
                           "aer_dev_nonfatal": "TOTAL_ERR_NONFATAL 0", "aer_dev_fatal": "TOTAL_ERR_FATAL 0",
                           f"infiniband/mlx5_{number}/fw_ver": "28.45.1020"}.items():  # fmt: skip
            self.write(f"{device}/{name}", f"{text}\n")
        bus = self.path("sys/bus/pci/drivers/mlx5_core")
        bus.mkdir(parents=True, exist_ok=True)
        net = self.path(f"sys/class/net/{link}")
        net.mkdir(parents=True)
        (self.path(device) / "subsystem").symlink_to("/sys/bus/pci")
        (self.path(device) / "driver").symlink_to("/sys/bus/pci/drivers/mlx5_core")
        (net / "device").symlink_to(f"/{device}")
        (net / "carrier_changes").write_text("2\n")
        if link in ADDRESSES:
            (net / "speed").write_text("200000\n")
        port = f"{self.port(link)}"
        for name, text in {"state": "4: ACTIVE" if link in ADDRESSES else "1: DOWN",
                           "phys_state": "5: LinkUp" if link in ADDRESSES else "3: Disabled",
                           "link_layer": "Ethernet", "gid_attrs/ndevs/0": link, "gid_attrs/types/0": "RoCE v2",
                           "gids/0": gid_of(ADDRESSES.get(link)), "gids/1": gid_of(None)}.items():  # fmt: skip
            self.write(f"{port}/{name}", f"{text}\n")
        self.write(f"dev/infiniband/uverbs{number}", "", 0o666)

    def make_network(self) -> None:
        self.sysctl("net/ipv6/conf/default/addr_gen_mode", 1)  # no link-local addresses
        self.sysctl("net/ipv6/conf/default/accept_dad", 0)  # which takes seconds
        there = f"netns {self.peer.pid}"
        self.ip(*(f"link add {link} mtu {MTU if link in ADDRESSES else 1500} type veth peer name {link} {there}"
                  for link in FUNCTIONS), f"link add {LAN} type veth peer name {LAN} {there}",
                f"link set {LAN} up", f"address add 203.0.113.9/25 dev {LAN}")  # fmt: skip
        self.peer.ip(*(f"link set {link} mtu {MTU} up" for link in ADDRESSES), f"link set {LAN} up",
                     *(f"address add {ip}/24 dev {link}" for link, ip in PEER_ADDRESSES.items()))  # fmt: skip
        for link in (EMPTY, SECOND_EMPTY):
            self.sysctl(f"net/ipv6/conf/{link}/accept_ra", 0)  # as NetworkManager has it
        self.ip("route add default via 203.0.113.1", *(f"link set {link} up" for link in FUNCTIONS))
        for link in json.loads(subprocess.check_output(self.space.words("ip", "-json", "link"))):
            if link["ifname"] in FUNCTIONS:
                self.write(f"sys/class/net/{link['ifname']}/ifindex", f"{link['ifindex']}\n")
                self.write(f"run/udev/data/n{link['ifindex']}", "I:4000000\n")

    # How it is broken.

    def path(self, name: str) -> pathlib.Path:
        return self.root / name

    def write(self, name: str, text: str, mode: int = 0o644) -> None:
        """In place: some of these files are mounted over those of the machine."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(mode)

    def add(self, name: str, text: str) -> None:
        self.write(name, self.path(name).read_text("utf-8") + text, stat.S_IMODE(self.path(name).stat().st_mode))

    def ip(self, *lines: str) -> None:
        self.space.ip(*lines)

    def sysctl(self, key: str, value: object) -> None:
        subprocess.run(self.space.words("sh", "-c", f"echo {value} >/proc/sys/{key}"), check=True)

    def function(self, link: str) -> str:
        address = FUNCTIONS[link]
        return f"sys/devices/pci{address[:7]}/{address[:4]}:00:00.0/{address}"

    def port(self, link: str) -> str:
        return f"{self.rdma(link)}/ports/1"

    def rdma(self, link: str) -> str:
        return f"sys/class/infiniband/mlx5_{list(FUNCTIONS).index(link)}"

    def remove_rdma(self, link: str) -> None:
        shutil.rmtree(self.path(self.rdma(link)))

    # What runs on it.

    def words(self, *arguments: object) -> list[str]:
        """A command line of the program."""
        return self.space.inside("env", f"LD_PRELOAD={CARD}", f"SPARK_CLOCK={self.clock}",
                                 self.bin / "spark-reconcile", *arguments)  # fmt: skip

    def run(self, *arguments: object, expected: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(self.words(*arguments), capture_output=True, text=True, timeout=60, check=False)
        if done.returncode not in expected:
            raise RuntimeError(f"spark-reconcile {arguments[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self, name: str, words: list[str]) -> None:
        self.services[name] = process = subprocess.Popen(words, **QUIET)
        self.stack.callback(stop, process)

    def end(self, name: str) -> None:
        stop(self.services.pop(name))

    def start_daemon(self) -> None:
        self.start("daemon", self.words("daemon"))

    def start_web(self) -> None:
        run = "/run/spark-reconcile"
        self.start("web", self.space.inside("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
                                            self.bin / "spark-web", "serve", f"{run}/node-state.json", f"{run}/daemon.lock",
                                            "/run/spark-reconcile-web/web.json", "/run/spark-reconcile-peers/peers.json"))  # fmt: skip
        self.wait_for(lambda: json.loads(self.path("run/spark-reconcile-web/web.json").read_text()), "what spark-web says")

    def restart_daemon(self) -> None:
        self.end("daemon")
        self.start_daemon()

    def kill_apply_before(self, call: str, nth: int) -> None:
        """Before it makes this system call for the nth time."""
        words = self.words("apply", "--quiet")
        at = words.index("env")
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={nth}"]
        subprocess.run([*words[:at], *trace, "--", *words[at:]], timeout=60, check=False, **QUIET)

    def mtu(self, link: str) -> int:
        return json.loads(subprocess.check_output(self.space.words("ip", "-json", "link", "show", link)))[0]["mtu"]

    @staticmethod
    def sleep(seconds: float) -> None:
        time.sleep(seconds)

    def status(self) -> dict:
        return json.loads(self.path("run/spark-reconcile/status.json").read_text("utf-8"))

    def converge(self, text: str = TEXT) -> None:
        """As apply and the services leave it."""
        self.write(FILE, text)
        self.run("apply", "--quiet")
        self.start_daemon()
        self.wait_for(lambda: self.status()["verdict"] == "ready", "the daemon's gate is ready",
                      lambda: f"{self.status()['verdict']}: {self.status()['why']}")  # fmt: skip
        self.start_web()

    def wait_for(self, condition, what: str, why=lambda: "") -> None:
        end = time.monotonic() + READY_WITHIN
        while True:
            with contextlib.suppress(OSError, ValueError, KeyError):
                if condition():
                    return
            if time.monotonic() > end:
                with contextlib.suppress(OSError, ValueError, KeyError):
                    what += f" ({why()})"
                raise TimeoutError(f"not within {READY_WITHIN} s: {what}")
            time.sleep(0.1)

    def findings(self) -> list[dict]:
        """Those of doctor that are not good."""
        said = json.loads(self.run("doctor", "--json", expected=(0, 1)))
        return [finding for finding in said["findings"] if not finding["good"]]


def gid_of(address: str | None) -> str:
    """As sysfs writes that of an IPv4 address; of none, an unused entry."""
    if address is None:
        return ":".join(["0000"] * 8)
    a, b, c, d = (int(part) for part in address.split("."))
    return f"0000:0000:0000:0000:0000:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}"
