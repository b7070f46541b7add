"""Nodes as network namespaces of this machine, each with a directory for its files, for the scripts that measure."""

from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import time
from collections.abc import Iterator

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("SPARK_BUILD", CHECKOUT / "build" / "release"))
PROGRAM = pathlib.Path(os.environ.get("SPARK_RECONCILE", BUILD / "spark-reconcile"))
# Where the program itself looks for them: beside it, or as they are installed.
HELPERS = next((folder for folder in (PROGRAM.parent, PROGRAM.parents[1] / "libexec/spark-reconcile")
                if (folder / "spark-peers").exists()), PROGRAM.parent)  # fmt: skip
RAILS = ("enp1s0f1np1", "enP2p1s0f1np1")  # of cage 1
MTU = 9000
NOBODY = 65534
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Space:
    """Network and host name of its own, held by a process until `stack` ends."""

    def __init__(self, name: str, stack: contextlib.ExitStack) -> None:
        hold = ["unshare", "--net", "--uts", "sh", "-c", f"hostname {name}; ip link set lo up; echo; exec sleep 7200"]
        self.process = subprocess.Popen(hold, stdout=subprocess.PIPE)
        stack.callback(stop, self.process)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def words(self, *words: object) -> list[str]:
        """A command line that runs in it."""
        return ["nsenter", "--net", "--uts", "--target", str(self.pid), *(str(word) for word in words)]

    def ip(self, *lines: str) -> None:
        subprocess.run(self.words("ip", "-batch", "-"), input="\n".join(lines) + "\n", text=True, check=True)


class Node:
    """A node of a cluster.yaml: its namespace, its files below a directory, its two services."""

    def __init__(self, name: str, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        self.name = name
        self.root = folder / name
        for place in ("etc/spark-reconcile", "run/spark-reconcile", "run/spark-reconcile-peers"):
            (self.root / place).mkdir(parents=True)
        (self.root / "etc/hostname").write_text(f"{name}\n", "utf-8")
        self.space = Space(name, stack)
        self.report = self.root / "run/spark-reconcile-peers/peers.json"

    def put(self, text: str) -> None:
        (self.root / "etc/spark-reconcile/cluster.yaml").write_text(text, "utf-8")

    def reconcile(self, *arguments: object) -> list[str]:
        """A command line of the program on this node."""
        return self.space.words(PROGRAM, *arguments, "--root", self.root)

    def program(self, stack: contextlib.ExitStack, words: list[object], user: int = 0) -> subprocess.Popen:
        """One of its programs, until `stack` ends."""
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        process = subprocess.Popen(self.space.words(*as_user, *words), **QUIET)
        stack.callback(stop, process)
        return process

    def start_daemon(self, stack: contextlib.ExitStack) -> subprocess.Popen:
        return self.program(stack, [PROGRAM, "daemon", "--root", self.root])

    def start_peers(self, stack: contextlib.ExitStack, user: int = 0) -> subprocess.Popen:
        """As systemd, which starts it once the daemon is ready."""
        run = self.root / "run/spark-reconcile"
        order = run / "peers-order.json"
        end = time.monotonic() + 120
        while not order.exists():
            if time.monotonic() > end:
                raise TimeoutError(f"{self.name}: the daemon's first pass has not ended")
            time.sleep(0.05)
        return self.program(stack, [HELPERS / "spark-peers", order, run / "hello.socket", self.report], user)

    def start_web(self, stack: contextlib.ExitStack) -> subprocess.Popen:
        """As nobody, which has to reach `root`."""
        run = self.root / "run"
        (run / "spark-reconcile-web").mkdir(exist_ok=True)
        os.chown(run / "spark-reconcile-web", NOBODY, NOBODY)
        places = [run / place for place in ("spark-reconcile/node-state.json", "spark-reconcile/daemon.lock",
                                            "spark-reconcile-web/web.json", "spark-reconcile-peers/peers.json")]  # fmt: skip
        return self.program(stack, [HELPERS / "spark-web", "serve", *places], NOBODY)

    @contextlib.contextmanager
    def services(self) -> Iterator[tuple[subprocess.Popen, subprocess.Popen]]:
        """The daemon and its spark-peers, for as long as the block runs."""
        with contextlib.ExitStack() as stack:
            yield self.start_daemon(stack), self.start_peers(stack)


def wire(first: Node, second: Node) -> None:
    """A cable between the cages 1 of two nodes: a veth for each rail."""
    first.space.ip(*(f"link add {link} mtu {MTU} type veth peer name {link} mtu {MTU} netns {second.space.pid}"
                     for link in RAILS))  # fmt: skip
