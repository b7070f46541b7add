"""What a program beside the daemon may know of this node, and how it asks a server for the node and lets it go.

For examples/fleetlock and examples/kubernetes, which are installed in one folder with this file. Runs as root on the node.
"""

import contextlib
import dataclasses
import fcntl
import http.client
import json
import os
import pathlib
import re
import signal
import ssl
import stat
import sys
import syslog
import time
import urllib.parse
from collections.abc import Callable, Iterator

STATUS = pathlib.Path("/run/spark-reconcile/status.json")
LOCK = pathlib.Path("/run/spark-reconcile/daemon.lock")
ALIVE = pathlib.Path("/run/spark-reconcile/alive")  # until when what the daemon says counts
SCHEMA = "spark-reconcile/daemon-status/v1"
MOST_STATUS = 4 << 20  # bytes
MOST_ANSWER = 1 << 20
SOCKET_S = 8
ALL_S = 20  # for all that one run asks: the daemon ends a program of ask.d after 30 s
SETTLE_S = 10  # the gate looks two seconds after a change
EXIT_YES, EXIT_ERROR, EXIT_USAGE, EXIT_NOT_NOW = 0, 1, 64, 75


class Wrong(Exception):
    """Only a person can fix it, as a file of settings that has a mistake."""


class NoAnswer(Exception):
    """A server that is away, or does not do what it should: later it may."""


def plain(text: object, most: int = 120) -> str:
    """Text of somebody else, in one line that is safe to print."""
    return re.sub(r"[^ -~]", "?", str(text))[:most]


# The daemon ----------------------------------------------------------------------------------------

@dataclasses.dataclass
class State:
    """What the daemon says; `unknown` where it does not run or says nothing."""

    verdict: str = "unknown"
    digest: str = ""  # of the file in force
    cause: str = ""  # id and name of the fact that keeps the gate closed
    waits: bool = False
    refused: bool = False
    released: bool = False


def daemon_runs() -> bool:
    """It holds its lock as long as it lives; looked at without taking it."""
    try:
        lock = LOCK.stat()
        locks = pathlib.Path("/proc/locks").read_text("utf-8")
    except OSError:
        return False
    place = f" {os.major(lock.st_dev):02x}:{os.minor(lock.st_dev):02x}:{lock.st_ino} "
    return any(": FLOCK " in line and place in line for line in locks.splitlines())


def daemon_hangs() -> bool:
    """It says again and again that it lives. One that hangs holds its lock too."""
    try:
        return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000 > int(ALIVE.read_text("ascii"))
    except FileNotFoundError:  # of an earlier version
        return False
    except (OSError, ValueError):
        return True


def read_status() -> dict:
    """Empty where there is none that root alone wrote."""
    try:
        fd = os.open(STATUS, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            about = os.fstat(fd)
            if not stat.S_ISREG(about.st_mode) or about.st_uid != 0 or about.st_mode & 0o022:
                return {}
            text = file.read(MOST_STATUS + 1)
        document = json.loads(text) if len(text) <= MOST_STATUS else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) and document.get("schema") == SCHEMA else {}


def cause_of(gate: dict) -> str:
    """Of the first fact that keeps the gate closed. Nothing that was measured: that may be another node's text."""
    for fact in [fact for rail in gate["rails"] or [] for fact in rail["facts"]] + (gate["facts"] or []):
        if fact["counts"] and fact["verdict"] == gate["verdict"] and re.fullmatch(r"SR-GATE-\d{3}", fact["id"]):
            return f"{fact['id']} {fact['name']}" if re.fullmatch(r"[A-Za-z0-9 -]{1,32}", fact["name"]) else fact["id"]
    return ""


def read_state() -> State:
    document = read_status()
    if not document or not daemon_runs() or daemon_hangs():
        return State()
    try:
        digest, verdict = document["digest"] or "", document["verdict"]
        if not re.fullmatch(r"|[0-9a-f]{64}", digest):
            return State()
        state = State(digest=digest, waits=bool(document["disturb_waits"]), refused=bool(document["file"]["refused"]),
                      released=bool(document["released"]))  # fmt: skip
        # A node that was released is nobody's to judge.
        if not state.released and verdict in ("ready", "not ready", "waiting"):
            state.verdict = verdict
            state.cause = cause_of(document["gate"]) if verdict != "ready" and document["gate"] else ""
    except (KeyError, TypeError, AttributeError):
        return State()
    return state


def uptime() -> float:
    """Of the machine; no clock that somebody sets."""
    return float(pathlib.Path("/proc/uptime").read_text("utf-8").split()[0])


def write(path: pathlib.Path, text: str, mode: int = 0o644) -> None:
    """Whole or not at all. Its first name begins with a dot."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    with open(new, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, mode)) as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)


# A server ------------------------------------------------------------------------------------------

@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """All that is asked inside ends in time, also where a server sends a byte every few seconds."""

    def late(*_: object) -> None:
        raise NoAnswer(f"no whole answer within {ALL_S} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(ALL_S)
    try:
        yield
    finally:
        signal.alarm(0)


def settings(path: pathlib.Path, wanted: dict[str, str], optional: dict[str, str]) -> dict[str, str]:
    """A file of settings: a JSON object of texts. Each value has to match its pattern as a whole."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Wrong(f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise Wrong(f"{path}: not a JSON object")
    if unknown := found.keys() - wanted.keys() - optional.keys():
        raise Wrong(f"{path}: unknown key {plain(min(unknown))!r}")
    for key, pattern in (wanted | optional).items():
        if key not in found and key in wanted:
            raise Wrong(f"{path}: {key!r} is missing")
        if key in found and (not isinstance(found[key], str) or not re.fullmatch(pattern, found[key])):
            raise Wrong(f"{path}: {key!r} is not of the form {pattern}")
    return found


@dataclasses.dataclass
class Server:
    url: str
    headers: dict[str, str]
    ca_file: str = ""

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, object]:
        """Status and document of the answer; the document is None where it is no JSON. Redirections are not followed."""
        base = urllib.parse.urlsplit(self.url)
        try:
            if base.scheme == "https":
                context = ssl.create_default_context(cafile=self.ca_file or None)
                connection = http.client.HTTPSConnection(base.hostname, base.port, timeout=SOCKET_S, context=context)
            else:
                connection = http.client.HTTPConnection(base.hostname, base.port, timeout=SOCKET_S)
            with contextlib.closing(connection):
                text = None if body is None else json.dumps(body)
                headers = self.headers | ({} if body is None else {"Content-Type": "application/json"})
                connection.request(method, base.path.rstrip("/") + path, text, headers)
                answer = connection.getresponse()
                said = answer.read(MOST_ANSWER)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"{base.hostname} does not answer: {plain(error)}") from error
        try:
            return answer.status, json.loads(said)
        except (ValueError, RecursionError):
            return answer.status, None


# Asked, and let go ---------------------------------------------------------------------------------

@dataclasses.dataclass
class Asked:
    """What is remembered from the first question until the node is let go."""

    digest: str  # of the file whose change was asked for
    before: str  # of the file that was in force then
    granted: bool = False
    done_at: float = 0.0  # when the change was first seen to be done; 0: not yet


@dataclasses.dataclass
class Memory:
    """A file that one program at a time reads and writes."""

    path: pathlib.Path

    @contextlib.contextmanager
    def turn(self, *, wait: bool) -> Iterator[bool]:
        """Whether it is this program's turn."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            yield True
        except BlockingIOError:
            yield False
        finally:
            os.close(fd)

    def read(self) -> Asked | None:
        try:
            return Asked(**json.loads(self.path.read_text("utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError):
            return Asked("", "")  # damaged: something was asked for

    def keep(self, asked: Asked) -> None:
        write(self.path, json.dumps(dataclasses.asdict(asked)) + "\n", 0o600)

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def ask(memory: Memory, take: Callable[[], str]) -> int:
    """For ask.d. `take` asks for the node, and says why it is not to be had now; empty: it is."""
    digest = os.environ.get("SPARK_DIGEST", "")
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise Wrong("SPARK_DIGEST is no digest: this runs from ask.d")
    with bounded(), memory.turn(wait=True):
        asked, in_force = memory.read(), read_state().digest
        if asked is None or asked.digest != digest:
            before = asked.before if asked and in_force == digest else in_force
            asked = Asked(digest, before if before != digest else "", granted=bool(asked and asked.granted))
        asked.done_at = 0.0
        # Before the question: who is killed after it still lets go.
        memory.keep(asked)
        if why := take():
            print(plain(why))
            return EXIT_NOT_NOW
        asked.granted = True
        memory.keep(asked)
    return EXIT_YES


def is_done(asked: Asked, state: State) -> bool:
    """The node has what was asked for, or another file since, and is ready. One that is back at the file of before has failed:
    that holds what others wait for, until a person has looked."""
    is_whole = state.verdict == "ready" and not state.waits and not state.refused
    return is_whole and (state.digest != asked.before or not asked.granted)


def done(memory: Memory, let_go: Callable[[], None]) -> int:
    """Lets the node go, once that has been so for a while. By a timer."""
    with bounded(), memory.turn(wait=False) as is_mine:
        asked = memory.read() if is_mine else None
        if asked is None:
            return 0
        now, before = uptime(), asked.done_at
        if not is_done(asked, read_state()):
            asked.done_at = 0.0
        elif not 0 < before <= now:
            asked.done_at = now
        elif now - before >= SETTLE_S:
            let_go()
            memory.forget()
            syslog.syslog(f"let go, with file {asked.digest[:12]}")
            return 0
        if asked.done_at != before:
            memory.keep(asked)
    return 0


def let_go_now(memory: Memory, let_go: Callable[[], None]) -> int:
    """By hand, whatever the state of the node is."""
    with bounded(), memory.turn(wait=True):
        let_go()
        memory.forget()
    return 0


def run(name: str, verbs: dict[str, Callable[[], int]]) -> int:
    syslog.openlog(name)
    if len(sys.argv) != 2 or sys.argv[1] not in verbs:
        print(f"usage: {name} {'|'.join(verbs)}", file=sys.stderr)
        return EXIT_USAGE
    verb = sys.argv[1]
    try:
        return verbs[verb]()
    except NoAnswer as error:
        print(error if verb == "ask" else f"{name}: {error}", file=sys.stdout if verb == "ask" else sys.stderr)
        return EXIT_NOT_NOW
    except (Wrong, OSError) as error:
        print(f"{name}: {plain(error)}", file=sys.stdout if verb == "ask" else sys.stderr)
        return EXIT_ERROR
