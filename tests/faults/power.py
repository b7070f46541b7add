"""Power cuts: what an apply writes is recorded, and every prefix of it is played onto an empty disk.

What was not synced may be missing: the text of a file whose fsync did not come (empty, or half of it, under
its final name), and names that were made since their directory was synced. Whatever of that is left, the
machine that boots from it can be applied to, and knows the last good file and every original.
"""

import os
import pathlib
import re
import shutil
from dataclasses import dataclass, field
from collections.abc import Iterator

from machine import CLUSTER_FILE, Machine
from preparations import ONE, OTHER
from scenarios import Scenario, begin, reference
from strace import calls
from table import Row
from ways import goes_on

RECORDED = frozenset("""
open openat openat2 read write pwrite64 lseek ftruncate fsync fdatasync syncfs rename renameat renameat2 link linkat unlink unlinkat mkdir
mkdirat rmdir
""".split())
# Names and what is written have no bare quote in them, and a descriptor has the file that it is of: strace -y.
NAME = re.compile(r'(?:(?:AT_FDCWD|-?\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
DESCRIPTOR = re.compile(r"(\d+)<([^>]*)>")
RESULT = re.compile(r"\) += (-?\d+)(?:<([^>]*)>)?$")
OFFSET = re.compile(r", (\d+)\) += ")


@dataclass
class File:
    text: bytes = b""  # as the program sees it
    synced: bytes | None = None  # as the disk has it for certain
    at: dict[int, int] = field(default_factory=dict)  # where the next write of a descriptor goes


@dataclass(frozen=True)
class Call:
    name: str
    fd: int  # the descriptor it is about, or that it made
    paths: tuple[str, ...]  # what it is about
    data: bytes
    result: int
    text: str


def parse(name: str, text: str, home: str = "") -> Call | None:
    """`home`: where a name that says no directory is."""
    result = RESULT.search(text)
    if name not in RECORDED or result is None or int(result[1]) < 0:
        return None
    data, fd = b"", -1
    if name.startswith("open"):
        paths, fd = [result[2]], int(result[1])
    elif of := DESCRIPTOR.match(text) if not name.endswith("at") and not name.endswith("at2") else None:
        paths, fd = [of[2]], int(of[1])
        written = NAME.search(text)
        data = bytes_of(written[2])[:int(result[1])] if written else b""
    else:
        paths = [os.path.join(directory or home, bytes_of(found).decode()) for directory, found in NAME.findall(text)]
    return Call(name, fd, tuple(map(os.path.normpath, paths)), data, int(result[1]), text)


def bytes_of(quoted: str) -> bytes:
    return quoted.encode().decode("unicode_escape").encode("latin-1")


@dataclass(frozen=True)
class Move:
    """A rename of a file, or of a directory with all that is below it."""

    source: str
    target: str
    is_exchange: bool

    def carry_out(self, files: dict[str, File]) -> dict[str, File]:
        ways = {self.source: self.target} | ({self.target: self.source} if self.is_exchange else {})

        def renamed(path: str) -> str:
            return next((new + path[len(old):] for old, new in ways.items() if f"{path}/".startswith(f"{old}/")), path)
        return {renamed(path): file for path, file in files.items() if self.is_exchange or path != self.target}


def is_directory(path: str, files: dict[str, File]) -> bool:
    return any(name.startswith(f"{path}/") for name in files)


@dataclass
class Disk:
    """The state directory and the other files below the root, by the calls that changed them.

    A directory that was made is a file without text whose name ends with '/'.
    """

    root: str
    files: dict[str, File] = field(default_factory=dict)  # by path, as the program sees them
    on_disk: dict[str, File] = field(default_factory=dict)  # names as their directories were last synced
    moves: list["Move"] = field(default_factory=list)  # of directories, since the one above was synced

    @classmethod
    def of(cls, root: pathlib.Path) -> "Disk":
        start = below(root)
        return cls(str(root), files=dict(start), on_disk=dict(start))

    def carry_out(self, call: Call) -> bool:
        """Whether it changes what a power cut may leave: nothing of /run."""
        path = call.paths[0]
        if path.startswith(f"{self.root}/run/"):
            return False
        file = self.files.get(path)
        match call.name:
            case "open" | "openat" | "openat2":
                return self.open(path, call)
            case "lseek" if file:
                file.at[call.fd] = call.result
            case "read" if file:
                file.at[call.fd] = file.at.get(call.fd, 0) + call.result
            case "write" | "pwrite64" if file:
                at = int(OFFSET.search(call.text)[1]) if call.name == "pwrite64" else file.at.get(call.fd, 0)  # type: ignore[index]
                file.text = file.text[:at] + call.data + file.text[at + len(call.data):]
                if call.name == "write":
                    file.at[call.fd] = at + len(call.data)
                return True
            case "ftruncate" if file:
                file.text = file.text[:int(OFFSET.search(call.text)[1])]  # type: ignore[index]
                return True
            case "fsync" | "fdatasync":
                if file:
                    file.synced = file.text
                else:
                    self.sync_names(path)
                return True
            case "syncfs":
                for each in self.files.values():
                    each.synced = each.text
                self.on_disk, self.moves = dict(self.files), []
                return True
            case "rename" | "renameat" | "renameat2" if file or is_directory(path, self.files):
                move = Move(path, call.paths[1], "RENAME_EXCHANGE" in call.text)
                self.files = move.carry_out(self.files)
                if not file:
                    self.moves.append(move)
                return True
            case "link" | "linkat" if file:
                self.files[call.paths[1]] = file
                return True
            case "unlink" | "unlinkat" | "rmdir":
                gone = [self.files.pop(name, None) for name in (path, f"{path}/")]
                return any(gone)
            case "mkdir" | "mkdirat" if path.startswith(f"{self.root}/"):
                self.files[f"{path}/"] = File(synced=b"")
                return True
        return False

    def open(self, path: str, call: Call) -> bool:
        if file := self.files.get(path):
            is_emptied = "O_TRUNC" in call.text
            file.text = b"" if is_emptied else file.text
            file.at[call.fd] = len(file.text) if "O_APPEND" in call.text else 0
            return is_emptied
        if "O_CREAT" not in call.text or not path.startswith(f"{self.root}/"):
            return False
        self.files[path] = File()
        return True

    def sync_names(self, directory: str) -> None:
        for move in [move for move in self.moves if directory_of(move.source) == directory]:
            self.on_disk = move.carry_out(self.on_disk)
            self.moves.remove(move)
        for path in [path for path in self.on_disk if directory_of(path) == directory]:
            del self.on_disk[path]
        self.on_disk |= {path: file for path, file in self.files.items() if directory_of(path) == directory}

    def left(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        """What may be found after a cut now."""
        for names, files in (("all names", self.files), ("synced names", self.on_disk)):
            yield f"{names}, all text", {path: file.text for path, file in files.items()}
            yield f"{names}, synced text", {path: file.synced or b"" for path, file in files.items()}
            yield f"{names}, half of the text", {
                path: file.text if file.synced == file.text else file.text[:len(file.text) // 2]
                for path, file in files.items()}
        # Each file and each directory goes to disk by itself.
        for late, file in self.files.items():
            if file.synced != file.text:
                yield f"all text but that of {late}", {
                    path: (file.synced or b"") if path == late else file.text for path, file in self.files.items()}
        directories = sorted({directory_of(path) for path in (*self.files, *self.on_disk)})
        for newer in directories:
            mixed = {path: file for path, file in self.files.items() if directory_of(path) == newer}
            mixed |= {path: file for path, file in self.on_disk.items() if directory_of(path) != newer}
            yield f"{newer} newer than others", {path: file.synced or b"" for path, file in mixed.items()}


def directory_of(path: str) -> str:
    return os.path.dirname(path.rstrip("/"))


def below(root: pathlib.Path) -> dict[str, File]:
    return {str(path): File(path.read_bytes(), path.read_bytes()) for path in root.rglob("*")
            if path.is_file() and "/run/" not in str(path.relative_to(root.parent))}


def lay_out(machine: Machine, files: dict[str, bytes]) -> None:
    """As after the reboot: /run is empty, and the network as the kernel makes it."""
    shutil.rmtree(machine.root)
    for name in ("run", "var/lib", "etc/spark-reconcile"):
        machine.path(name).mkdir(parents=True)
    put(machine.root, files)


def put(root: pathlib.Path, files: dict[str, bytes]) -> None:
    for path, text in files.items():
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            pathlib.Path(path).mkdir(exist_ok=True)
        else:
            pathlib.Path(path).write_bytes(text)


def boots(machine: Machine, scenario: Scenario, files: dict[str, bytes]) -> list[str]:
    cluster = machine.path(CLUSTER_FILE)
    text = cluster.read_bytes()
    machine.reset()
    lay_out(machine, files)
    problems = []
    if not scenario.puts_back:
        cluster.write_bytes(text)  # its author's
    elif not cluster.is_file() or cluster.read_text() not in (ONE, OTHER):
        return ["cluster.yaml is neither the one nor the other"]
    history = machine.spark("history")  # the last good file stands there
    if history.code != 0:
        problems.append(f"history ends {history.code}: {history.text}")
    return problems + goes_on(machine)


def cuts(disk: Disk, made: list[tuple[str, str]], home: str = "") -> Iterator[tuple[str, dict[str, bytes]]]:
    """After each of the calls, everything that may be found then and was not yet."""
    seen: set[frozenset[tuple[str, bytes]]] = set()
    for number, (name, text) in enumerate(made):
        call = parse(name, text, home)
        if call is None or not disk.carry_out(call):
            continue
        for case, files in disk.left():
            key = frozenset(files.items())
            if key not in seen:
                seen.add(key)
                yield f"after call {number}, {name}{text[:60]}: {case}", files


def power_cuts(machine: Machine, scenario: Scenario) -> list[Row]:
    row = Row("power cut after each write, fsync, rename", scenario.name)
    reference(machine, scenario)
    begin(machine, scenario)
    disk = Disk.of(machine.root)
    _, made = calls(machine, *scenario.words, named=True)
    for case, files in cuts(disk, made):
        begin(machine, scenario)
        row.add(case, "finished", boots(machine, scenario, files))
    return [row]
