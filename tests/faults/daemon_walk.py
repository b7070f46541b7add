"""A walk of a daemon that follows git: it is killed and restarted at random moments of trials, roll-outs, rollbacks
and releases, and comes to the same end each time.

Judged by a model that was written from docs/howto/git.md and docs/explain/daemon.md; of the program it reads the
record of what is in force alone, to know when a step is over. Each file has an address of its own, so that the
kernel's events tell which one was applied, and how often.
"""

import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

sys.dont_write_bytecode = True

import followed
from followed import digest_of
from machine import STATE, Machine, enter_memory, run
from preparations import ONE
from service import hears, innermost, waits

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "walk"))

import netlink  # noqa: E402

RECORD = f"{STATE}/in_force.json"
RAIL, MARKED, MARK = "enp1s0f0np0", "lan0", "2001:db8::"
RTNLGRP_IPV6_IFADDR = 9
SETTLE = "300ms"
WITHIN_S = 45.0
AT_MOST_S = 2.5  # a step takes about so long: the disturbance comes somewhere in it
BUSY = 75
DISTURBANCES = ("kill", "restart")


def text_of(number: int, sort: str) -> str:
    text = ONE.replace("2001:db8::1/64", f"2001:db8::{number:x}/64").replace("mtu: 1400", f"mtu: {1300 + number % 100}")
    # What the hand does is then left to the gate.
    return text + {"good": "", "failing": "drift: { kinds: { mtu: report } }\n",
                   "waiting": "rollout: { order: [[spark2], [spark1]] }\n"}[sort]


@dataclass
class Model:
    """What has to be in force, by its number."""

    files: list[int] = field(default_factory=list)  # that were good, the one in force last
    accepted: int = 0
    waits: bool = False  # the accepted one: for another node
    bad: set[int] = field(default_factory=set)
    is_released: bool = False

    @property
    def good(self) -> int:
        return self.files[-1]

    def merge(self, number: int, sort: str) -> None:
        self.accepted, self.waits = number, sort == "waiting"
        if not self.is_released:
            self.take(sort)

    def take(self, sort: str) -> None:
        if sort == "good" and self.accepted not in self.bad and self.accepted != self.good:
            self.files.append(self.accepted)
        if sort == "failing":
            self.bad.add(self.accepted)


class Walk:
    def __init__(self, program: str, folder: pathlib.Path, seed: int) -> None:
        enter_memory(folder)
        self.on = Machine(program, folder)
        self.followed = followed.of(self.on)
        self.followed.settings["settle"] = SETTLE
        self.followed.clear()
        self.random = random.Random(seed)
        self.log = folder / "daemon.log"
        self.daemon: subprocess.Popen[bytes] | None = None
        self.model = Model()
        self.texts: dict[int, str] = {}
        self.now = ""
        self.said: list[str] = []
        self.disturbed: Counter[str] = Counter()

    # The daemon ----------------------------------------------------------------------------------

    def start(self) -> None:
        heard = self.on.root.parent / "notify"
        heard.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, self.log.open("a") as log:
            notify.bind(str(heard))
            self.daemon = subprocess.Popen(self.on.words("daemon"), env=os.environ | {"NOTIFY_SOCKET": str(heard)},
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            assert hears(notify, self.daemon.pid, time.monotonic() + WITHIN_S), "the daemon is never ready"

    def end(self, how: signal.Signals) -> None:
        assert self.daemon is not None
        os.kill(innermost(self.daemon.pid), how)
        code = self.daemon.wait(WITHIN_S)
        assert code in (0, -signal.SIGKILL), f"the daemon ends {code}"
        self.daemon = None

    def disturb(self, how: str, within: float = AT_MOST_S) -> None:
        time.sleep(self.random.uniform(0, within))
        self.end(signal.SIGKILL if how == "kill" else signal.SIGTERM)
        self.start()
        self.disturbed[how] += 1

    # What is there -------------------------------------------------------------------------------

    def record(self) -> dict:
        try:
            return json.loads(self.on.path(RECORD).read_text())
        except FileNotFoundError:
            return {}

    def marks(self) -> list[str]:
        """The addresses of files on the marked link."""
        index = self.link(MARKED).index
        return [one.ip for one in netlink.addresses() if one.index == index and number_of(one.ip) is not None]

    def link(self, name: str) -> netlink.Link:
        return next(link for link in netlink.links() if link.name == name)

    def problems(self) -> list[str]:
        """What is not yet, or not, as the model has it."""
        model, known = self.model, self.record()
        name = {digest_of(text): number for number, text in self.texts.items()}
        wrong = []
        if name.get(known.get("good", "")) != model.good:
            wrong.append(f"the good file is {name.get(known.get('good', ''))}, not {model.good}")
        bad = {name.get(one["digest"]) for one in known.get("bad", [])}
        if bad != model.bad:
            wrong.append(f"known to be bad are {bad}, not {model.bad}")
        wrong += [f"the record has {key}" for key in ("trial", "attempt", "unconfirmed") if known.get(key)]
        wrong += ["the return is not over"] if known.get("returns") else []
        wanted = [] if model.is_released else [f"{MARK}{model.good:x}"]
        if (marks := self.marks()) != wanted:
            wrong.append(f"{MARKED} has {marks}, not {wanted}")
        if not model.is_released and (mtu := self.link(RAIL).mtu) != 9000:
            wrong.append(f"the MTU of {RAIL} is {mtu}")
        if self.on.journals():
            wrong.append(f"open: {self.on.journals()}")
        return wrong

    def until(self, is_so: Callable[[], bool]) -> bool:
        assert self.daemon is not None
        return waits(self.daemon, is_so, time.monotonic() + WITHIN_S)

    # Steps ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def counted(self, name: str, most: dict[int, int]) -> Iterator[None]:
        """Until it is as the model has it; no file may have come more often than `most` says."""
        events = netlink.Events((RTNLGRP_IPV6_IFADDR,))
        before = self.disturbed["kill"]
        self.now = name
        yield
        if not self.until(lambda: not self.problems()):
            self.said += [f"{name}: {problem}" for problem in self.problems()]
        kills = self.disturbed["kill"] - before
        for number, count in came(events).items():
            # A kill in an apply rolls it back, and it is begun again.
            if count > most.get(number, 0) + kills * (1 if number in most else 0):
                self.said.append(f"{name}: the addresses of file {number} came {count} times, {kills} kills")

    def merge(self, sort: str, how: str) -> None:
        number = len(self.texts) + 1
        self.texts[number] = text_of(number, sort)
        before, commit = self.model.good, self.followed.commit(self.texts[number])
        most = {"good": {number: 1}, "failing": {number: 1, before: 1}, "waiting": {}}[sort]
        with self.counted(f"a {sort} merge, {how}", {} if self.model.is_released else most):
            if how.startswith("off"):
                self.end(signal.SIGKILL if how == "off kill" else signal.SIGTERM)
                self.disturbed["kill" if how == "off kill" else "restart"] += 1
            self.followed.accept(commit)
            self.model.merge(number, sort)
            if how.startswith("off"):
                self.start()
            fails = sort == "failing" and not self.model.is_released
            if how in DISTURBANCES and (not fails or self.random.random() < 0.5):
                self.disturb(how)
                how = ""
            if fails:
                digest = digest_of(self.texts[number])
                assert self.until(lambda: (self.record().get("trial") or {}).get("digest") == digest), self.record()
                self.on.ip(f"link set {RAIL} mtu 1500")  # which held before
            if how in DISTURBANCES:
                self.disturb(how)

    def verb(self, word: str, how: str) -> None:
        """Beside the daemon, which may end and start meanwhile."""
        with self.counted(f"{word}, {how}", self.comes_back(word)):
            if word == "rollback":  # beside a daemon that follows git it is refused otherwise
                assert self.on.spark("pause", "--for", "10m", "--reason", "walk").code == 0
            process = subprocess.Popen(self.on.words(word), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
            if how in DISTURBANCES:
                self.disturb(how, 1.0)
            told, _ = process.communicate(timeout=WITHIN_S)
            code = process.returncode
            while code == BUSY:  # the daemon has the lock just now
                again = self.on.spark(word)
                code, told = again.code, again.text
            if code not in (0, 3, 4):
                self.said.append(f"{word} ends {code}: {told}")
            if word == "rollback":
                assert self.on.spark("resume").code == 0

    def comes_back(self, word: str) -> dict[int, int]:
        model = self.model
        if word == "rollback":
            model.bad.add(model.files.pop())
            return {model.good: 1}
        model.is_released = word == "release"
        if word == "resume":
            before = model.good
            if not model.waits:
                model.take("good")
            # Where nobody has looked with the file from before in force, it is set first.
            has_looked = bool(self.record().get("seen"))
            return {model.good: 1} | ({} if has_looked else {before: 1})
        return {}

    def idle(self, how: str) -> None:
        """A restart of a daemon that has nothing to do: no address, no link moves."""
        self.now = f"idle, {how}"
        events = netlink.Events()
        self.disturb(how, 0.3)
        if problems := self.problems():
            self.said += [f"idle, {how}: {problem}" for problem in problems]
        time.sleep(0.5)
        if count := events.take():
            self.said.append(f"idle, {how}: {count} events of the kernel")
        events.close()

    def begin(self) -> None:
        self.texts[1] = text_of(1, "good")
        self.model.files, self.model.accepted = [1], 1
        self.followed.accept(self.followed.commit(self.texts[1]))
        with self.counted("the first file", {1: 1}):
            self.start()

    def step(self) -> None:
        how = self.random.choice(DISTURBANCES)
        model = self.model
        if model.is_released:
            return self.verb("resume", how) if self.random.random() < 0.6 else self.merge("good", how)
        away = self.random.choice((how, f"off {how}"))
        choices: list[Callable[[], None]] = [
            lambda: self.merge("good", away), lambda: self.merge("failing", away), lambda: self.merge("waiting", how),
            lambda: self.verb("release", how), lambda: self.idle(how)]
        # Who rolls back wants the file before the accepted one.
        if len(model.files) > 1 and model.accepted == model.good:
            choices.append(lambda: self.verb("rollback", how))
        return self.random.choice(choices)()


def number_of(ip: str) -> int | None:
    """Of the file whose address that is; None: of none."""
    return int(ip.removeprefix(MARK), 16) if ip.startswith(MARK) else None


def came(events: netlink.Events) -> Counter[int]:
    """How often the address of each file came."""
    found: Counter[int] = Counter()
    here: set[int] = set()
    for kind, _, data in events.messages():
        number = number_of(netlink.read_address(data).ip)
        if number is None:
            continue
        if kind != netlink.RTM_NEWADDR:
            here.discard(number)
        elif number not in here:
            found[number] += 1
            here.add(number)
    events.close()
    return found


def main(program: str, seed: int, kills: int, restarts: int) -> int:
    print(f"tests/walk/run --daemon --seed {seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="spark-walk-") as above:
        walk = Walk(program, pathlib.Path(above), seed)
        steps, told = 0, ""
        try:
            walk.begin()
            while not walk.said and (walk.disturbed["kill"] < kills or walk.disturbed["restart"] < restarts):
                steps += 1
                walk.step()
                print(f"{steps:4d} {time.monotonic() - began:5.0f} s  {walk.now}", flush=True)
        finally:
            if walk.daemon is not None:
                told = walk.on.spark("status").text
                walk.end(signal.SIGTERM)
        if walk.said:
            print("\n".join(walk.said), walk.on.path(RECORD).read_text()[:3000], sep="\n")
            print(told, walk.log.read_text(errors="replace")[-4000:], sep="\n")
        os.chdir("/")
        run(["umount", above])
    print(f"{steps} steps, {walk.disturbed['kill']} kills and {walk.disturbed['restart']} restarts in "
          f"{time.monotonic() - began:.0f} s: {len(walk.said)} promises broken")
    return 1 if walk.said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[3])))
