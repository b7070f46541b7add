"""In place of spark-peers, as its user: writes what hurts to where its report goes, as fast as it can, until it is killed.

    taken_over.py KIND REPORT REAL DOOR      KIND: a method of Writer; REAL: a report of spark-peers, to forge others from

The folder of REPORT is its own. Beside that it connects to the daemon's DOOR again and again, keeps what it is handed, and
sends frames by it in the names of others.
"""

import base64
import contextlib
import itertools
import json
import os
import pathlib
import random
import shutil
import socket
import sys
import threading
import time

MOST = 1024 * 1024  # bytes of a report
MOST_BOARDS = 2 * MOST  # of boards.json
HOSTILE = "\x1b]0;Mallory\x07\x1b[2J\u202eMallory<script>alert(1)</script>\r\n'\"\\\x00"
KEPT = 200  # of the daemon's sockets
LIVES = 30_000  # milliseconds, as spark-peers says it


def forged(report, n, count=4, text=HOSTILE):
    """A report as the real one was, in which each word is this one, of nodes that nobody has heard of and of spark2."""
    made = json.loads(report)
    names = ["spark2"] + [f"m{n}-{i}-{text}" for i in range(count)]
    few = names[:40]
    link = "enp1s0f1np1"
    hello = {"cluster": "pair", "cage": 1, "rail": 0, "boot": text, "seq": n, "mtu": n % 9000}
    hello |= dict.fromkeys(("file", "candidate", "verdict", "details"), text)
    made["heard"] = [{"link": link, "mac": text, "hello": hello | {"node": name}, "heard_boot_ms": n, "silent": False}
                     for name in names]  # fmt: skip
    words = ("version", "boot_id", "machine", "kernel", "file", "candidate", "verdict", "firmware", "driver", "dgx_os", "gpu_driver",
             "memlock", "host_nqn")  # fmt: skip
    rail = {"link": text, "cage": 1, "rail": 0, "mac": text, "mtu": n % 9000, "ip": "192.0.2.12", "device": text, "fault": text}
    details = dict.fromkeys(words, text) | {
        "cluster": "pair", "reasons": [text] * 4, "rails": [rail], "heard": [{"node": f"{text}{n}", "verdict": text}],
        "verdicts": [{"verdict": text, "since": text}], "reach": [{"node": text, "cage": 1, "rail": 0, "reach": "none"}]}  # fmt: skip
    made["told"] = [{"told_boot_ms": n, "details": details | {"node": name}} for name in few]
    numbers = ("active_mtu", "path_mtu", "gid_index", "latency_p50_us", "latency_p99_us", "queue_pairs", "bytes", "seconds",
               "bits_per_second", "error_number")  # fmt: skip
    end = dict.fromkeys(numbers, n) | dict.fromkeys(("registered", "verified", "received"), True) | {
        "operation": "verify", "state": text, "failed": text, "why": text, "other_why": text}  # fmt: skip
    made["rdma"] = [{"node": name, "link": link, "ip": "192.0.2.12", "tried_boot_ms": n, "boot_id": text, "hindrance": "none",
                     "why": text if n % 2 else "", "ours": end, "theirs": end} for name in few]  # fmt: skip
    made["refused"] = [{"link": link, "node": name, "mac": text, "fault": "another", "count": n, "heard_boot_ms": n}
                       for name in few]  # fmt: skip
    return made | {"failed": text if n % 3 == 0 else "", "key_failed": text if n % 5 == 0 else ""}


class Writer:
    def __init__(self, report, real):
        self.report = pathlib.Path(report)
        self.real = pathlib.Path(real).read_text("utf-8")
        self.n = 0

    def put(self, content):
        new = self.report.with_name(f"{self.n}.new")
        new.write_bytes(content)
        self.clear()
        new.rename(self.report)

    def put_boards(self, said, answered):
        """As of the peer."""
        board = {"node": "spark2", "answered": answered, "said": said}
        new = self.report.with_name("boards.new")
        new.write_text(json.dumps({"schema": "spark-reconcile/boards/v1", "peers": [board]}), "utf-8")
        new.rename(self.report.with_name("boards.json"))

    def clear(self):
        """A file needs no more than the rename."""
        if self.report.is_symlink() or self.report.is_file():
            return
        if self.report.is_dir():
            self.report.chmod(0o755)
            shutil.rmtree(self.report)
        else:
            self.report.unlink(missing_ok=True)

    def fresh(self):
        self.clear()
        self.report.unlink(missing_ok=True)
        return self.report

    def document(self, **changes):
        self.put(json.dumps(forged(self.real, self.n) | changes).encode())

    def filled(self, begin, middle, end=b""):
        self.put(begin + middle * ((MOST - len(begin) - len(end)) // len(middle)) + end)

    def deep(self, count):
        """A whole report, and in it a list in a list in a list."""
        made = json.dumps(forged(self.real, self.n, 0) | {"heard": "DEEP"})
        self.put(made.replace('"DEEP"', "[" * count + "]" * count).encode())

    def lives(self):
        """Else what it writes counts as old, and its forged report for none."""
        until = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 10**6 + LIVES
        self.report.with_name("alive").write_text(f"{until:016}\n", "utf-8")

    # What it writes. Each is called again and again, with another `n`.

    def boards_that_are_forged(self):
        offer = {"schema": "spark-reconcile/offer/v1", "id": f"{self.n:032x}", "origin": "spark2", "by": HOSTILE,
                 "cluster": "pair", "digest": "", "text": HOSTILE, "nonces": {"spark1": HOSTILE}, "within_ms": 60000}  # fmt: skip
        signature = base64.b64encode(os.urandom(64)).decode()
        self.put_boards([{"node": name, "body": json.dumps(offer), "signature": signature}
                         for name in ("spark1", "spark2", HOSTILE)], self.n)  # fmt: skip

    def boards_of_the_most_bytes(self):
        one = {"node": "spark2", "body": "", "signature": ""}
        self.put_boards([one] * (MOST_BOARDS // len(json.dumps(one) + ", ") - 10), self.n)

    def boards_that_look_signed(self):
        """Each scalar is in range, and so costs the daemon a whole verification."""
        self.put_boards([{"node": "spark2", "body": str(n), "signature": base64.b64encode(os.urandom(63) + b"\x01").decode()}
                         for n in range(10_000)], self.n)  # fmt: skip

    def boards_that_are_replayed(self):
        """What the daemon says itself, as if the peer had passed it on."""
        board = json.loads((self.report.parents[1] / "spark-reconcile/board.json").read_text("utf-8"))
        self.put_boards(board["said"] * 3, board.get("asks", 0))

    def names_that_change(self):
        self.document()

    def the_most_bytes(self):
        made = json.dumps(forged(self.real, self.n, 1500, HOSTILE[:20]))
        self.put(made.encode() + b" " * (MOST - len(made)))

    def many_that_told(self):
        """Of one machine, as short as they can be."""
        one = '{"told_boot_ms":1,"details":{"cluster":"pair","node":"m%d","machine":"m","reasons":[],"rails":[]}}'
        made = json.dumps(forged(self.real, self.n, 0) | {"told": "MANY"})
        self.put(made.replace('"MANY"', "[" + ",".join(one % (self.n + i) for i in range(9500)) + "]").encode())

    def one_byte_more(self):
        self.put(json.dumps(forged(self.real, self.n)).encode().ljust(MOST + 1))

    def one_long_name(self):
        self.document(key_failed="x" * (MOST // 2), machine=HOSTILE * 1000)

    def deep_lists(self):
        self.filled(b"", b"[")

    def deep_lists_that_end(self):
        self.deep(MOST // 2 - 4096)

    def deep_objects(self):
        self.filled(b"", b'{"a":')

    def wide_lists(self):
        self.filled(b"[", b"[],", b"0]")

    def no_utf8(self):
        made = json.dumps(forged(self.real, self.n, 4, "Mallory")).encode()
        self.put(made.replace(b"Mallory", b"\xff\xfe\xc0\xafMallory\x9b2J"))

    def numbers(self):
        odd = random.choice(["1e999", "-9223372036854775808", "18446744073709551616", "-0", "1e-400", "NaN", "9" * 5000])
        self.put(json.dumps(forged(self.real, 1 << 40)).encode().replace(b"1099511627776", odd.encode()))

    def cut(self):
        made = json.dumps(forged(self.real, self.n)).encode()
        self.put(made[:random.randrange(len(made))])

    def noise(self):
        self.put(os.urandom(4096))

    def another_boot(self):
        self.document(boot_id=HOSTILE)

    def link_to_a_secret(self):
        to = ["/etc/shadow", "../../etc/shadow", str(self.report.parents[2] / "etc/shadow"), "/dev/zero", self.report.name,
              "/proc/self/mem"]  # fmt: skip
        self.fresh().symlink_to(to[self.n % len(to)])

    def second_name_of_a_file(self):
        """The kernel refuses most (protected_hardlinks)."""
        root = self.report.parents[2]
        to = [root / "etc/shadow", root / "run/spark-reconcile/status.json", self.report.with_name("own")]
        to[-1].touch()
        self.fresh().hardlink_to(to[self.n % len(to)])

    def no_file(self):
        os.mkfifo(self.fresh())
        self.fresh()
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(self.report))

    def sparse(self):
        with self.fresh().open("wb") as file:
            file.truncate(1 << 40)

    def modes(self):
        self.document()
        self.report.chmod(random.choice([0, 0o200, 0o666, 0o4777]))

    def a_folder(self):
        (self.fresh() / "a" / "b").mkdir(parents=True)
        self.report.chmod(0)

    def many_names(self):
        for i in range(2000):
            self.report.with_name(f"name-{i}").write_bytes(b"")
        for i in range(2000):
            self.report.with_name(f"name-{i}").unlink()

    def nothing_and_a_folder_in_the_way(self):
        self.fresh()
        (self.report.with_name(self.report.name + ".new") / "a").mkdir(parents=True, exist_ok=True)

    def a_folder_that_nobody_enters(self):
        self.fresh()
        self.report.parent.chmod(0)
        self.report.parent.chmod(0o777)
        self.report.parent.chmod(0o755)


OWN = ("put", "put_boards", "clear", "fresh", "document", "filled", "deep", "lives")
KINDS = [name for name in vars(Writer) if not name.startswith("_") and name not in OWN]


def knock(door):
    """Where there is no door, it knocks as fast."""
    kept = []
    for n in itertools.count():
        with contextlib.suppress(OSError):
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(1)
            one.connect(door)
            if len(kept) < KEPT:
                kept.append((one, *socket.recv_fds(one, 1, 1)[1]))
            send_by(socket.socket(fileno=os.dup(kept[n % len(kept)][1])), n)
        time.sleep(0.0005)


def send_by(handed, n):
    hello = {"cluster": "pair", "node": f"spark{n % 5000}", "cage": 1, "rail": 0, "boot": f"{n:016x}", "seq": n,
             "verdict": HOSTILE}  # fmt: skip
    with handed:
        for index, name in socket.if_nameindex():
            if name != "lo":
                handed.sendto(b"SPARKHI1" + json.dumps(hello).encode()[:390], (name, 0x88B5, 0, 0, b"\xff" * 6))


def main():
    kind, report, real, door = sys.argv[1:]
    writer = Writer(report, real)
    threading.Thread(target=knock, args=(door,), daemon=True).start()
    while True:
        writer.n += 1
        with contextlib.suppress(OSError):
            getattr(writer, kind)()
            writer.lives()


if __name__ == "__main__":
    main()
