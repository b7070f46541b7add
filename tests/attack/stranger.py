"""A stranger at the peer's address: connections to spark-peers, garbage, hellos and boards that are forged and replayed."""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator

from attacked import HERE, PEER, Attacked, Corrections, Size, Sizes, hold, pair, wait_for
from node_in_namespace import RAILS

PEERS_MOST = Size(64 * 1024, 128, 40)  # with one board of 768 KiB, each value of it
DAEMON_MOST = Size(64 * 1024, 64, 5)  # the same
BOARDS_MOST = 2 * 1024 * 1024  # bytes
HOUR, RATE = 3600, 12  # seconds; of the node's clock to ours

# Until it is killed: as many connections as asked for, again and again, and frames beside them.
ATTACK = r"""
import base64, json, os, random, socket, sys, threading, time
there, own, link, count, port, kind = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6])
made = 0
def connect():
    global made
    held = []
    while made < count:
        made += 1
        try:
            one = socket.create_connection((there, port), 2, (own, 0))
            if len(held) < 500:
                held.append(one)
                if made % 2:
                    one.sendall(random.choice([b'{"ask":"details","node":"spark2","version":1}\n',
                        b'{"ask":"record","node":"spark2","version":1,"window":{"from_ms":0,"to_ms":9000000000000}}\n']))
                continue
            one.sendall(random.choice([b"\n", b"{" * 5000, os.urandom(2000), b'{"ask":"rdma"}\n']))
            one.close()
        except OSError:
            pass
        if made % 1000 == 0:
            held.clear()
    print("done", flush=True)
def frames():
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    raw.bind((link, 0))
    head = b"\xff" * 6 + b"\x02\x00\x00\x00\x66\x66" + kind.to_bytes(2, "big")
    n = 0
    while True:
        n += 1
        hello = {"cluster": "pair", "node": random.choice(["spark2", "spark%d" % (n % 5000)]), "cage": 1, "rail": 0,
                 "boot": "%016x" % random.choice([1, n]), "seq": random.choice([1, n]), "verdict": "\x1b[2J" * 5}
        body = random.choice([b"SPARKHI1" + json.dumps(hello).encode(), os.urandom(random.randint(0, 400)),
                              b"SPARKHI1" + os.urandom(300)])
        try:
            raw.send(head + body)
        except OSError:
            pass
        time.sleep(0.0005)
def boards():
    replayed = b"[]"
    offer = {"schema": "spark-reconcile/offer/v1", "id": "0" * 32, "origin": "spark2", "by": "mallory", "cluster": "pair",
             "digest": "", "text": "version: 1", "nonces": {}, "within_ms": 60000}
    while True:
        forged = {"node": "spark2", "body": json.dumps(offer), "signature": base64.b64encode(os.urandom(64)).decode()}
        board = random.choice([replayed, json.dumps([forged]).encode(), json.dumps([forged] * 1000).encode(),
                               b"x" * 262144, b"y" * 1048576, b"[" * 262144, os.urandom(262144),
                               b"[" + b"{}," * 262000 + b"{}]",
                               b"[" + b'{"node":"","body":"","signature":""},' * 20000 + json.dumps(forged).encode() + b"]"])
        try:
            with socket.create_connection((there, port), 2, (own, 0)) as one:
                one.sendall(b'{"ask":"board","node":"spark2","version":1}\n' + board + b"\n")
                with one.makefile("rb") as answer:
                    answer.readline()
                    said = answer.readline().rstrip()
                    replayed = said if said.startswith(b"[") else replayed
        except OSError:
            pass
        time.sleep(0.05)
threading.Thread(target=frames, daemon=True).start()
threading.Thread(target=boards, daemon=True).start()
connect()
time.sleep(3600)
"""


@contextlib.contextmanager
def attack(attacker: Attacked, connections: int, port: int = 9843, kind: int = 0x88B5) -> Iterator[subprocess.Popen]:
    words = attacker.space.words(sys.executable, "-c", ATTACK, HERE, PEER, RAILS[0], connections, port, kind)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def run(folder: pathlib.Path, options: argparse.Namespace) -> bool:
    with pair(folder, RATE if options.hour else 1) as (node, attacker), contextlib.ExitStack() as stack:
        daemon, peers = stack.enter_context(node.services())
        sizes = [Sizes("daemon", daemon, DAEMON_MOST), Sizes("spark-peers", peers, PEERS_MOST)]
        corrections = Corrections(node, stack)
        corrections.take(3)
        measure = flood_for_an_hour if options.hour else beside_and_without
        good = measure(attacker, corrections, sizes, options)
        wait_for(node.boards.exists, 10, "boards are exchanged: else this proves nothing")
        report_bytes, boards_bytes = node.report.stat().st_size, node.boards.stat().st_size
        with attacker.services():
            wait_for(lambda: node.hears("spark2"), 60, "the real peer is heard, and tells its details")
        assert daemon.poll() is None and peers.poll() is None, "a service has ended"
        print(f"peers.json: {report_bytes} bytes, boards.json: {boards_bytes} bytes")
        return all([good, node.is_unchanged(), boards_bytes <= BOARDS_MOST, *(one.hold() for one in sizes)])


def beside_and_without(attacker: Attacked, corrections: Corrections, sizes: list[Sizes], options: argparse.Namespace) -> bool:
    beside, without = [], []
    for _ in range(4):
        with attack(attacker, options.connections // 4) as attacking:
            time.sleep(1)
            for _ in range(options.corrections // 4):
                beside += corrections.take(1)
                for one in sizes:
                    one.take()
            wait_for(lambda one=attacking: one.stdout.readline() == "done\n", 120, "all connections")
        with attack(attacker, options.connections // 4, port=9, kind=0x88B6):
            time.sleep(1)
            without += corrections.take(options.corrections // 4)
    return hold(beside, without)


def flood_for_an_hour(attacker: Attacked, corrections: Corrections, sizes: list[Sizes], _options: argparse.Namespace) -> bool:
    """By the node's clock. Its own corrections go on: late ones take no longer than early ones."""
    took, end = [], time.monotonic() + HOUR / RATE
    with attack(attacker, sys.maxsize):
        while time.monotonic() < end:
            took += corrections.take(1, rest=0.2)
            for one in sizes:
                one.take()
    half = len(took) // 2
    print(f"{HOUR} s of the node's clock, in {HOUR // RATE} s")
    return hold(took[half:], took[:half])
