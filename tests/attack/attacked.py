"""A node that is attacked, what is measured on it, and the clock of its programs."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from node_in_namespace import PROGRAM, QUIET, Node, stop, wire  # noqa: E402

PEERS_USER = 64123  # the user spark-peers of these nodes
OTHER = "x0"
# What is corrected three times within ten minutes is contested: no part deletes an address so often.
ADDRESSES = [f"203.0.113.{number}/32" for number in range(1, 251)]
FILE = f"""version: 1
cluster: pair
nodes:
  spark1: {{ number: 11, links: {{ {OTHER}: {{ addresses: [{", ".join(ADDRESSES)}] }} }} }}
  spark2: {{ number: 12 }}
fabric:
  mtu: 9000
  cables:
    - {{ ends: [spark1:1, spark2:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }}
"""
HERE, PEER = "192.0.2.11", "192.0.2.12"
# RFC 8032, 7.1, test 1: some key of the other node, so that boards are exchanged. No attacker has its secret half.
PUBLIC_HALF = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
MOST_OF_VERB = 128 * 1024  # KiB
MOST_OF_REPORT = 2 * 1024 * 1024  # bytes that are read of what an attacker may have left, as a file without an end
MOST_RATIO = 1.5  # of a correction beside the attack to one beside the same load elsewhere


class Clock:
    """The words before a program for which time passes `rate` times as fast, the same for all of them (faketime(1))."""

    def __init__(self, rate: int, stack: contextlib.ExitStack) -> None:
        self.rate = rate
        self.words: list[str] = []
        if rate == 1:
            return
        hold = ["faketime", "-m", "-f", f"+0 x{rate}", "sh", "-c", 'echo "$LD_PRELOAD"; echo "$FAKETIME_SHARED"; exec cat']
        process = stack.enter_context(subprocess.Popen(hold, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        library, shared = (process.stdout.readline().strip() for _ in range(2))
        for name in shared.split():  # faketime makes both for its own user alone
            for file in pathlib.Path("/dev/shm").glob(f"*{name.removeprefix('/')}"):
                file.chmod(0o666)
        self.words = ["env", f"LD_PRELOAD={library}", f"FAKETIME=+0 x{rate}", f"FAKETIME_SHARED={shared}", "NO_FAKE_STAT=1"]


class Attacked(Node):
    """spark-peers has a user of its own, as in its unit. All that its programs print is in `log`."""

    def __init__(self, name: str, folder: pathlib.Path, stack: contextlib.ExitStack, clock: Clock) -> None:
        super().__init__(name, folder, stack)
        self._clock = clock
        self.log = folder / f"{name}.log"
        self._passwd = self.root / "etc/passwd"
        self._passwd.write_text(pathlib.Path("/etc/passwd").read_text("utf-8") +
                                f"spark-peers:x:{PEERS_USER}:{PEERS_USER}::/:/bin/false\n", "utf-8")  # fmt: skip
        os.chown(self.report.parent, PEERS_USER, PEERS_USER)
        self.put(FILE)
        other = "spark2" if name == "spark1" else "spark1"
        (self.root / "etc/spark-reconcile/trusted").write_text(f"{other} ed25519 {PUBLIC_HALF}\n", "utf-8")
        self.boards = self.report.with_name("boards.json")

    def is_unchanged(self) -> bool:
        """Nobody gave it another file."""
        return (self.root / "etc/spark-reconcile/cluster.yaml").read_text("utf-8") == FILE

    def program(self, stack: contextlib.ExitStack, words: list[object], user: int = 0) -> subprocess.Popen:
        """The daemon looks in /etc/passwd whom it lets connect."""
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        users = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/passwd && exec "$@"', self._passwd]
        with self.log.open("ab") as log:
            process = subprocess.Popen(self.space.words(*users, *as_user, *self._clock.words, *words),
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # fmt: skip
        stack.callback(stop, process)
        return process

    def start_peers(self, stack: contextlib.ExitStack, user: int = PEERS_USER) -> subprocess.Popen:
        return super().start_peers(stack, user)

    def said(self, *arguments: object) -> bytes:
        """What a verb prints, or why it ended too late or with too much memory."""
        words = self.space.words("timeout", 30, *self._clock.words, PROGRAM, *arguments, "--root", self.root)
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with process.stdout as out:
            text = out.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in range(64) or used.ru_maxrss > MOST_OF_VERB:
            return f"\0 it ended with {process.returncode}, and took {used.ru_maxrss} KiB".encode()
        return text

    def hears(self, peer: str) -> bool:
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RecursionError):  # an attacker may have written it
            with self.report.open("rb") as file:
                report = json.loads(file.read(MOST_OF_REPORT))
            mine = [one for one in report["heard"] if one["hello"]["node"] == peer and not one["silent"]]
            told = [one for one in report["told"] if one["details"]["version"] and not one.get("failed")]
            return bool(mine and told)
        return False


@contextlib.contextmanager
def pair(folder: pathlib.Path, rate: int = 1) -> Iterator[tuple[Attacked, Attacked]]:
    """A node, and who is at the other end of its cable."""
    with contextlib.ExitStack() as stack:
        clock = Clock(rate, stack)
        folder.mkdir()
        node, other = Attacked("spark1", folder, stack, clock), Attacked("spark2", folder, stack, clock)
        wire(node, other)
        node.space.ip(f"link add {OTHER} type veth peer name {OTHER}p", f"link set {OTHER}p up", f"link set {OTHER} up")
        subprocess.run(other.reconcile("apply", "--quiet"), check=False, **QUIET)
        yield node, other


class Corrections:
    """Deletes addresses of the node and takes the time until each is back."""

    def __init__(self, node: Node, stack: contextlib.ExitStack) -> None:
        self._ip = subprocess.Popen(node.space.words("ip", "-batch", "-"), stdin=subprocess.PIPE, text=True, **QUIET)
        stack.callback(stop, self._ip)
        monitor = node.space.words("ip", "-o", "monitor", "address")
        self._monitor = subprocess.Popen(monitor, stdout=subprocess.PIPE, bufsize=0)
        stack.callback(stop, self._monitor)
        self._next = 0

    def take(self, count: int, rest: float = 0.7) -> list[float]:
        """Milliseconds, one after the other, with rests: the daemon rests between two passes."""
        took = []
        for _ in range(count):
            address = ADDRESSES[self._next % len(ADDRESSES)]
            self._next += 1
            time.sleep(rest)
            began = time.monotonic()
            self._ip.stdin.write(f"address del {address} dev {OTHER}\n")
            self._ip.stdin.flush()
            wanted = re.compile(rf"^\d+: {OTHER}\s+inet {re.escape(address.split('/')[0])}/".encode())
            while not wanted.match(self._line(address)):
                pass
            took.append(1000 * (time.monotonic() - began))
        return took

    def _line(self, address: str) -> bytes:
        if not select.select([self._monitor.stdout], [], [], 60)[0]:
            sys.exit(f"tests/attack/run: {address} is not back after a minute")
        return self._monitor.stdout.readline()


class Size(NamedTuple):
    """What a process has at a moment, or may have."""

    kib: int
    descriptors: int
    threads: int

    def __str__(self) -> str:
        return f"{self.kib} KiB, {self.descriptors} descriptors, {self.threads} threads"


class Sizes:
    """Of a process, for as long as it is attacked."""

    # Of what is late and what is early: the allocator's pages come and go.
    MOST_GROWTH = 1.1

    def __init__(self, name: str, process: subprocess.Popen, most: Size) -> None:
        self.name, self._process, self._most = name, process, most
        self._taken: list[Size] = []

    def take(self) -> None:
        folder = pathlib.Path(f"/proc/{self._process.pid}")
        kib = int(re.search(r"^VmRSS:\s+(\d+)", (folder / "status").read_text(), re.MULTILINE)[1])
        self._taken.append(Size(kib, len(list((folder / "fd").iterdir())), len(list((folder / "task").iterdir()))))

    def _quarter(self, number: int) -> float:
        """Median of the KiB."""
        size = len(self._taken) // 4
        return statistics.median(one.kib for one in self._taken[number * size:(number + 1) * size])  # fmt: skip

    def growth(self) -> float:
        """The last quarter to the second: the first fills what is bounded (events, the allocator's arenas)."""
        return self._quarter(3) / self._quarter(1)

    def most(self) -> Size:
        return Size(*(max(values) for values in zip(*self._taken, strict=True)))

    def hold(self) -> bool:
        most = self.most()
        print(f"{self.name}: at most {most}; late to early {self.growth():.2f}")
        return self.growth() <= self.MOST_GROWTH and all(a <= b for a, b in zip(most, self._most, strict=True))


def hold(beside: list[float], without: list[float]) -> bool:
    """Corrections beside the attack take about as long as beside the same load elsewhere."""
    ratios = (statistics.median(beside) / statistics.median(without), p99(beside) / p99(without))
    print(f"until an address is back, {len(beside)} and {len(without)} times: "
          f"p50 {statistics.median(beside):.2f} ms ({ratios[0]:.2f} of the others), "
          f"p99 {p99(beside):.2f} ms ({ratios[1]:.2f})")  # fmt: skip
    return max(ratios) <= MOST_RATIO


def p99(values: list[float]) -> float:
    return sorted(values)[int(0.99 * (len(values) - 1) + 0.5)]


def within(condition: Callable[[], object], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def wait_for(condition: Callable[[], object], seconds: float, what: str) -> None:
    if not within(condition, seconds):
        sys.exit(f"tests/attack/run: not within {seconds} s: {what}")
