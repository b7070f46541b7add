"""A program that has taken over spark-peers: with its user, all that this user can read, and its sockets."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import taken_over
from attacked import PEERS_USER, Attacked, Corrections, Size, Sizes, hold, pair, within
from node_in_namespace import QUIET
from readable_by_all import not_listed

DAEMON_MOST = Size(128 * 1024, 64, 5)  # of boards of 2 MiB, each value of them
WEB_MOST = Size(48 * 1024, 64, 5)
LOOKED_AT = 7  # seconds: the daemon looks at a report every five
HEALED_WITHIN = 30  # seconds
SECRET = "s3cret-of-root"
# What a terminal would obey, and how JSON has it.
OBEYED = re.compile(rb"[\0-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]")
OBEYED_OF_JSON = re.compile(rb"(?<!\\)(?:\\\\)*\\(?:[bfr]|u00[01][0-9a-f]|u00[89][0-9a-f]|u007f|u202[a-e])")
WRITTEN = ("status.json", "events.json", "metrics.prom", "node-state.json", "peers-order.json", "board.json")
VERBS = (("status",), ("status", "--json"), ("status", "--here"), ("doctor",), ("events",), ("gate",))
PAGES = ("", "status.json", "metrics")
# What that user can see of another process.
LOOK = r"""
import os, sys
for name in ("mem", "environ", "maps", "fd", "root", "cwd"):
    path = f"/proc/{sys.argv[1]}/{name}"
    try:
        os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
        print(path)
    except OSError:
        pass
try:
    os.kill(int(sys.argv[1]), 0)
    print("kill")
except PermissionError:
    pass
"""


def as_that_user(node: Attacked, *words: object) -> list[str]:
    return node.space.words("setpriv", f"--reuid={PEERS_USER}", f"--regid={PEERS_USER}", "--clear-groups", *words)


def exposure(node: Attacked, daemon: subprocess.Popen) -> bool:
    """What that user can read of the node, write to, and see of the daemon."""
    def find(*tests: str) -> list[str]:
        places = [path for top in ("etc", "run", "var/lib") for path in (node.root / top).glob("spark-reconcile*")]
        found = subprocess.run(as_that_user(node, "find", *places, *tests), capture_output=True, text=True, check=False).stdout
        return sorted(path.removeprefix(str(node.root)) for path in found.split())

    readable, writable = find("-readable"), find("-writable")
    look = as_that_user(node, sys.executable, "-c", LOOK, daemon.pid)
    seen = subprocess.run(look, capture_output=True, text=True, check=True).stdout.split()
    own = ("/run/spark-reconcile-peers", "/run/spark-reconcile/hello.socket")
    more = not_listed(readable) + [path for path in writable if not path.startswith(own)] + seen
    print(f"that user can read: {' '.join(readable)}")
    print(f"that user can write to: {' '.join(writable)}")
    if more:
        print(f"WRONG: more than everybody: {more}")
    return not more


def shown(node: Attacked) -> Iterator[tuple[str, bytes]]:
    for name in WRITTEN:
        with contextlib.suppress(FileNotFoundError):
            yield name, (node.root / "run/spark-reconcile" / name).read_bytes()
    for verb in VERBS:
        yield " ".join(verb), node.said(*verb)
    for page in PAGES:
        get = node.space.words("curl", "-s", "-m", 10, f"http://127.0.0.1:9842/{page}")
        got = subprocess.run(get, capture_output=True, check=False)
        yield f"the page /{page}", got.stdout or b"\0 no answer"
    yield "what the programs print", node.log.read_bytes()


def wrong_in(node: Attacked) -> list[str]:
    wrong = []
    for name, text in shown(node):
        hostile = [*OBEYED.finditer(text), *re.finditer(SECRET.encode(), text)]
        if "json" in name:
            hostile += OBEYED_OF_JSON.finditer(text)
        if name == "the page /":
            hostile += re.finditer(b"<script", text)
        for found in hostile[:1]:
            wrong.append(f"{name}: {text[max(0, found.start() - 80):found.end() + 40]!r}")
    return wrong


@contextlib.contextmanager
def taken(node: Attacked, *words: object) -> Iterator[None]:
    process = subprocess.Popen(as_that_user(node, sys.executable, taken_over.__file__, *words), **QUIET)
    try:
        yield
        assert process.poll() is None, f"{words[0]}: the attacker has ended"
    finally:
        process.kill()
        process.wait()


def heals(node: Attacked) -> bool:
    """Once the real helper is back, and its folder as systemd makes it. It goes on from what a report says of proofs of RDMA."""
    def is_healed() -> bool:
        return node.hears("spark2") and "Mallory" not in json.dumps(json.loads(node.report.read_text("utf-8")) | {"rdma": []})

    node.report.parent.chmod(0o755)
    with contextlib.ExitStack() as stack:
        node.start_peers(stack)
        return within(is_healed, HEALED_WITHIN)


def run(folder: pathlib.Path, options: argparse.Namespace) -> bool:
    with pair(folder) as (node, other), contextlib.ExitStack() as stack:
        (node.root / "etc/shadow").write_text(f"root:{SECRET}:\n", "utf-8")
        (node.root / "etc/shadow").chmod(0o600)
        stack.enter_context(other.services())
        daemon = node.start_daemon(stack)
        sizes = [Sizes("daemon", daemon, DAEMON_MOST), Sizes("spark-web", node.start_web(stack), WEB_MOST)]
        if not heals(node):
            sys.exit("tests/attack/run: the peer is not heard before the attack")
        good = exposure(node, daemon)
        real = shutil.copy(node.report, folder / "real.json")
        elsewhere = folder / "elsewhere/run/peers" / node.report.name
        elsewhere.parent.mkdir(parents=True)
        os.chown(elsewhere.parent, PEERS_USER, PEERS_USER)
        corrections = Corrections(node, stack)
        corrections.take(3)
        beside, without, count = [], [], max(1, options.corrections // len(taken_over.KINDS))
        for kind in taken_over.KINDS:
            seen = time.monotonic() + LOOKED_AT
            with taken(node, kind, node.report, real, node.root / "run/spark-reconcile/hello.socket"):
                time.sleep(1)
                for _ in range(count):
                    beside += corrections.take(1)
                    for one in sizes:
                        one.take()
                time.sleep(max(0.0, seen - time.monotonic()))
                wrong = wrong_in(node)
                if kind == "names_that_change" and b"Mallo" not in node.said("status"):
                    wrong.append("the forged report is not taken for one: this proves nothing")
            with taken(node, kind, elsewhere, real, folder / "no-door"):
                time.sleep(1)
                without += corrections.take(count)
            if not heals(node):
                wrong.append(f"the peer is not heard within {HEALED_WITHIN} s of the end: {node.log.read_bytes()[-300:]!r}")
                shutil.rmtree(node.report.parent)
                node.report.parent.mkdir()
                os.chown(node.report.parent, PEERS_USER, PEERS_USER)
            for one in wrong:
                print(f"WRONG: {kind}: {one}", flush=True)
            good &= not wrong
        assert daemon.poll() is None, "the daemon has ended"
        print(f"{len(taken_over.KINDS)} kinds of report")
        return all([good, node.is_unchanged(), hold(beside, without), *(one.hold() for one in sizes)])
