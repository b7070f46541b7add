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

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
RECORDED = ("open", "openat", "openat2", "write", "fsync", "renameat", "renameat2", "unlinkat")
RESULT = re.compile(r"\) += (-?\d+)")


@dataclass
class File:
    text: bytes = b""  # as the program sees it
    synced: bytes | None = None  # as the disk has it for certain


@dataclass(frozen=True)
class Call:
    name: str
    fd: int  # the descriptor it is about, or of the directory
    names: tuple[str, ...]
    data: bytes
    result: int
    flags: str


def parse(name: str, text: str) -> Call | None:
    result = RESULT.search(text)
    if name not in RECORDED or result is None or int(result[1]) < 0:
        return None
    strings = [found.encode().decode("unicode_escape").encode("latin-1") for found in STRING.findall(text)]
    first = text.split(",")[0].split(")")[0]
    fd = int(first) if first.isdigit() else -1
    names = tuple(string.decode() for string in strings) if name != "write" else ()
    return Call(name, fd, names, strings[0] if strings else b"", int(result[1]), text)


@dataclass
class Disk:
    """The state directory and the other files below the root, by the calls that changed them."""

    root: str
    descriptors: dict[int, str] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)  # by path, as the program sees them
    on_disk: dict[str, File] = field(default_factory=dict)  # names as their directories were last synced

    @classmethod
    def of(cls, machine: Machine) -> "Disk":
        start = below(machine.root)
        return cls(str(machine.root), files=dict(start), on_disk=dict(start))

    def at(self, fd: int, name: str) -> str:
        return os.path.normpath(name if name.startswith("/") and fd < 0 else
                                os.path.join(self.descriptors.get(fd, ""), name.lstrip("/")))

    def carry_out(self, call: Call) -> bool:
        """Whether it changes what a power cut may leave."""
        match call.name:
            case "open" | "openat" | "openat2":
                path = self.at(call.fd, call.names[0])
                self.descriptors[call.result] = path
                if "O_CREAT" in call.flags and path.startswith(self.root):
                    self.files.setdefault(path, File())
                    return True
            case "write" if self.descriptors.get(call.fd) in self.files:
                self.files[self.descriptors[call.fd]].text += call.data[:call.result]
                return True
            case "fsync":
                path = self.descriptors[call.fd]
                if path in self.files:
                    self.files[path].synced = self.files[path].text
                else:
                    self.sync_names(path)
                return True
            case "renameat" | "renameat2":
                old, new = (self.at(self.directory_of(call, i), call.names[i]) for i in (0, 1))
                self.files[new] = self.files.pop(old)
                return True
            case "unlinkat":
                return self.files.pop(self.at(call.fd, call.names[0]), None) is not None
        return False

    @staticmethod
    def directory_of(call: Call, index: int) -> int:
        numbers = re.findall(r"(?:^|, )(\d+), \"", call.flags)
        return int(numbers[index])

    def sync_names(self, directory: str) -> None:
        for path in [path for path in self.on_disk if os.path.dirname(path) == directory]:
            del self.on_disk[path]
        self.on_disk |= {path: file for path, file in self.files.items() if os.path.dirname(path) == directory}

    def left(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        """What may be found after a cut now."""
        for names, files in (("all names", self.files), ("synced names", self.on_disk)):
            yield f"{names}, all text", {path: file.text for path, file in files.items()}
            yield f"{names}, synced text", {path: file.synced or b"" for path, file in files.items()}
            yield f"{names}, half of the text", {
                path: file.text if file.synced == file.text else file.text[:len(file.text) // 2]
                for path, file in files.items()}
        # Each directory goes to disk by itself.
        directories = sorted({os.path.dirname(path) for path in (*self.files, *self.on_disk)})
        for newer in directories:
            mixed = {path: file for path, file in self.files.items() if os.path.dirname(path) == newer}
            mixed |= {path: file for path, file in self.on_disk.items() if os.path.dirname(path) != newer}
            yield f"{newer} newer than others", {path: file.synced or b"" for path, file in mixed.items()}


def below(root: pathlib.Path) -> dict[str, File]:
    return {str(path): File(path.read_bytes(), path.read_bytes()) for path in root.rglob("*")
            if path.is_file() and "/run/" not in str(path.relative_to(root.parent))}


def lay_out(machine: Machine, files: dict[str, bytes]) -> None:
    """As after the reboot: /run is empty, and the network as the kernel makes it."""
    shutil.rmtree(machine.root)
    for name in ("run", "var/lib", "etc/spark-reconcile"):
        machine.path(name).mkdir(parents=True)
    for path, text in files.items():
        if f"{machine.root}/run/" not in path:
            pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
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


def power_cuts(machine: Machine, scenario: Scenario) -> list[Row]:
    row = Row("power cut after each write, fsync, rename", scenario.name)
    reference(machine, scenario)
    begin(machine, scenario)
    disk = Disk.of(machine)
    _, made = calls(machine, *scenario.words)
    seen: set[frozenset[tuple[str, bytes]]] = set()
    for number, (name, text) in enumerate(made):
        call = parse(name, text)
        if call is None or not disk.carry_out(call):
            continue
        for case, files in disk.left():
            key = frozenset(files.items())
            if key in seen:
                continue
            seen.add(key)
            begin(machine, scenario)
            row.add(f"after call {number}, {name}{text[:60]}: {case}", "finished", boots(machine, scenario, files))
    return [row]
