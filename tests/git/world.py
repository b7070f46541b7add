"""A machine that follows a repository: settings, signers, the two programs, and what they may do.

Everything is below one directory. Each run of the programs is measured, and nothing may change but what is theirs.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import select
import subprocess
import time
from dataclasses import dataclass, field

import writes
from repository import Repository, Tree

INHERITED = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS") if name in os.environ}
SHORT, LONG = 45, 130  # seconds; only servers that hang take more than a few
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024
MOST_KIB = 600 * 1024
MOST_DISK = 1100 * 1024 * 1024
SMALL_DISK = 2 * 1024 * 1024
FILE = "version: 1\n"


class Wrong(Exception):
    pass


def expect(good: object, what: str) -> None:
    if not good:
        raise Wrong(what)


@dataclass
class Done:
    code: int
    text: str
    seconds: float
    cpu: float
    kib: int  # of the largest process


def largest_of(session: int) -> int:
    """KiB of the largest process of a session now: the usage of one that nobody waits for is never told."""
    largest = 0
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((path / "stat").read_text().rpartition(")")[2].split()[3]) == session:
                largest = max(largest, int((path / "statm").read_text().split()[1]) * PAGE_KIB)
    return largest


def run(words: list[str], deadline: float, environment: dict[str, str] | None = None,
        log: pathlib.Path | None = None) -> Done:
    """Runs a program to its end, and says what it and all that it waited for cost."""
    assert log is not None
    start = time.monotonic()
    with log.open("w") as out:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                                   env={**INHERITED, **(environment or {})})
    waiter = os.pidfd_open(process.pid)
    sampled, ready = 0, []
    try:
        while not ready and time.monotonic() < start + deadline:
            ready, _, _ = select.select([waiter], [], [], 0.1)
            sampled = max(sampled, largest_of(process.pid)) if not ready else sampled
        if not ready:
            os.killpg(process.pid, 9)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        os.close(waiter)
    expect(ready, f"not done within {deadline} s: {words}")
    return Done(process.returncode, log.read_text(errors="replace"), time.monotonic() - start,
                usage.ru_utime + usage.ru_stime, max(usage.ru_maxrss, sampled))


def make_key(path: pathlib.Path) -> pathlib.Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", path.name, "-f", str(path)], check=True,
                   stdin=subprocess.DEVNULL, timeout=10)
    return path


def public(key: pathlib.Path) -> str:
    return " ".join(pathlib.Path(f"{key}.pub").read_text().split()[:2])


def size_of(folder: pathlib.Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def listing(folder: pathlib.Path, without: tuple[pathlib.Path, ...] = ()) -> dict[str, tuple[int, int, int]]:
    """Every file with its inode, size and time of change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if any(path == one or one in path.parents for one in without):
            continue
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found


def document_at(path: pathlib.Path) -> dict:
    return json.loads(path.read_text()) if path.is_file() else {}


@dataclass
class Programs:
    fetch: pathlib.Path
    judge: pathlib.Path
    # Made once a run.
    keys: dict[str, pathlib.Path] = field(default_factory=dict)
    certificates: pathlib.Path = pathlib.Path()


@dataclass(frozen=True)
class Places:
    """Where the programs read and write."""

    settings_file: pathlib.Path
    fetched: pathlib.Path
    judged: pathlib.Path
    scratch: tuple[pathlib.Path, pathlib.Path]  # of the one and the other


class World:
    def __init__(self, programs: Programs, root: pathlib.Path, places: Places | None = None) -> None:
        self.programs, self.root, self.keys = programs, root, programs.keys
        places = places or Places(root / "agent.yaml", root / "fetch", root / "judge",
                                  (root / "scratch-fetch", root / "scratch-judge"))
        self.settings_file, self.fetched, self.judged = places.settings_file, places.fetched, places.judged
        self.scratch = places.scratch
        self.marker = root / "marker" / "executed"
        for folder in (self.fetched, self.judged, *self.scratch, self.marker.parent):
            folder.mkdir(parents=True)
        self.marker.parent.chmod(0o777)
        self.up = Repository(root / "up.git")
        self.signers = root / "signers"
        self.trust('alice@lab namespaces="git" ' + public(self.keys["alice"]),
                   'bob@lab namespaces="git" ' + public(self.keys["bob"]))
        self.settings: dict[str, object] = {
            "url": f"file://{self.up.path}", "verify": "head", "signers": str(self.signers)}
        self.credentials = root / "credentials"
        self.patience = SHORT
        self.traced = False
        self.under: tuple[str, ...] = ()  # a program that runs the two
        self.head = ""
        self.text = ""
        self.files: Tree = {}
        self.largest_kib = 0
        self.times = 0
        self.servers: list = []  # ended with the case

    def close(self) -> None:
        for server in self.servers:
            server.close()

    # What the owner of the machine does.

    def trust(self, *lines: str) -> None:
        self.signers.write_text("".join(line + "\n" for line in lines))
        self.signers.chmod(0o644)

    def set(self, **settings: object) -> None:
        self.settings.update({name: value for name, value in settings.items() if value is not None})
        for name, value in settings.items():
            if value is None:
                self.settings.pop(name, None)

    # What people do in the repository.

    def commit(self, key: str | None = "alice", text: str | None = None, parents: list[str] | None = None,
               when: object = None, push: bool = True, files: Tree | None = None, **how: object) -> str:
        """A commit on top of the last, with a file that says something new."""
        self.times += 1
        text = f"{FILE}# {self.times}\n" if text is None else text
        entries = files if files is not None else {**self.files, "cluster.yaml": ("100644", self.up.blob(text))}
        above = ([self.head] if self.head else []) if parents is None else parents
        made = self.up.commit(self.up.tree(entries), above, self.keys[key] if key else None, when,
                              f"change {self.times}", **how)
        if push:
            self.push(made, text)
        return made

    def push(self, commit: str, text: str | None = None) -> None:
        self.up.set_ref("refs/heads/main", commit)
        self.head = commit
        if text is not None:
            self.text = text

    def tag(self, name: str, key: str | None = "alice", commit: str | None = None, **how: str) -> str:
        made = self.up.tag(commit or self.head, name, self.keys[key] if key else None, **how)
        self.up.set_ref(f"refs/tags/{name}", made)
        return made

    # What the machine does.

    def write_settings(self) -> pathlib.Path:
        self.settings_file.write_text(
            "source:\n" + "".join(f"  {key}: {json.dumps(value)}\n" for key, value in self.settings.items()))
        return self.settings_file

    def run(self, *words: object, **variables: str) -> Done:
        lures = {name: f"touch {self.marker}" for name in ("GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_EDITOR",
                                                           "GIT_ASKPASS", "GIT_PAGER", "GIT_PROXY_COMMAND")}
        lures |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": lures["GIT_PAGER"],
                  "HOME": str(self.root / "home"), "https_proxy": "http://127.0.0.1:9", "GIT_TRACE": str(self.marker)}
        log = self.root / "marker/calls"
        traced = (*writes.TRACE, str(log)) if self.traced else ()
        done = run([*traced, *self.under, *map(str, words)], self.patience, {**lures, **variables}, self.root / "marker/said")
        elsewhere = writes.outside(log, (self.fetched, self.judged, *self.scratch)) if self.traced else []
        expect(not elsewhere, "written elsewhere:\n" + "\n".join(elsewhere))
        self.largest_kib = max(self.largest_kib, done.kib)
        expect(done.kib <= MOST_KIB, f"a process had {done.kib // 1024} MiB: {words[0]}")
        return done

    def fetch(self) -> Done:
        credentials = {"CREDENTIALS_DIRECTORY": str(self.credentials)} if self.credentials.exists() else {}
        done = self.run(self.programs.fetch, self.write_settings(), self.fetched, self.scratch[0], **credentials)
        expect(size_of(self.fetched) < MOST_DISK, "the fetched repository is too large")
        return done

    def judge(self) -> Done:
        return self.run(self.programs.judge, self.write_settings(), self.fetched, self.judged, self.scratch[1])

    def record(self) -> dict:
        return document_at(self.judged / "judgement.json")

    def offer(self) -> dict:
        return document_at(self.fetched / "offer.json")

    def poll(self) -> tuple[Done, Done]:
        return self.fetch(), self.judge()

    # What has to be so afterwards.

    def watched(self) -> dict[str, tuple[int, int, int]]:
        self.write_settings()
        return listing(self.root, (self.fetched, self.judged, *self.scratch, self.root / "marker",
                                   self.settings_file, self.root / "servers"))

    def check_quiet(self, before: dict[str, tuple[int, int, int]]) -> None:
        expect(not self.marker.exists(), "something of the repository was executed")
        after = self.watched()
        changed = sorted({name for name in before.keys() | after.keys() if before.get(name) != after.get(name)})
        expect(not changed, f"written outside: {changed}")

    def in_force(self) -> str:
        """The accepted commit with its file, whose digest is that of the record."""
        accepted = self.record().get("accepted") or {}
        path = self.judged / "cluster.yaml"
        expect(bool(accepted) == path.exists(), "a record without a file, or the reverse")
        if accepted:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            expect(digest == accepted["digest"], "the file in force is not that of the record")
        return accepted.get("commit", "")
