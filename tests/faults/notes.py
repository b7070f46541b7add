"""What is on disk is damaged, or something else stands in its place.

It is refused in words, exit code 1, or does no harm; and what cannot be read is never thrown away.
"""

import os
import pathlib
import shutil
import stat
from collections.abc import Callable, Iterator

from machine import CLUSTER_FILE, HOSTNAME, STATE, Machine, differences
from preparations import ONE
from scenarios import DRIFT_APPLY, GO_ON, Scenario, as_said, begin, reference
from table import Row

NOTES = f"{STATE}/{HOSTNAME}"
DOCUMENTED = (0, 1, 3, 4, 5, 6, 7, 8)
EVERY = 97  # bytes


def replace_by(make: Callable[[pathlib.Path], None]) -> Callable[[pathlib.Path], None]:
    def change(path: pathlib.Path) -> None:
        if path.exists():
            path.rename(path.parent / f"{path.name}.aside")
        make(path)
    return change


def symlink(path: pathlib.Path) -> None:
    (path.parent / "elsewhere").write_text("someone else's\n")
    path.symlink_to("elsewhere")


KINDS: dict[str, Callable[[pathlib.Path], None]] = {
    "a FIFO": replace_by(os.mkfifo),
    "a directory": replace_by(lambda path: path.mkdir()),
    "a device": replace_by(lambda path: os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 7))),
    "a symbolic link": replace_by(symlink),
    "an empty file": replace_by(lambda path: path.write_text("")),
    "a newer version": lambda path: path.write_text(path.read_text().replace("/v1", "/v2")),
}


def damages(text: bytes) -> Iterator[tuple[str, bytes]]:
    for at in range(0, len(text), EVERY):
        yield f"cut at {at}", text[:at]
        yield f"bit {at % 8} of byte {at}", text[:at] + bytes([text[at] ^ (1 << at % 8)]) + text[at + 1:]


def judge(machine: Machine, scenario: Scenario, path: pathlib.Path) -> tuple[str, list[str]]:
    wanted, held = reference(machine, scenario), as_said(machine, ONE).state  # both known by now
    damaged = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    done = machine.spark("apply")
    if done.hung or done.code not in DOCUMENTED:
        return "", [f"ends {done.code}, hung {done.hung}: {done.text}"]
    if done.code == 1 and "not recorded in the history" in done.text:
        problems = [f"{what}, yet it says that it was done" for what in differences(machine.state(), held)]
        return "done, and not recorded", problems
    if done.code in (0, 3, 4):
        problems = [f"{what}, yet it ended {done.code}" for what in differences(machine.state(), held)]
        if damaged is not None and b"/v2" in damaged and damaged not in kept(path):
            problems.append("what a newer version wrote was thrown away")
        return "harmless", problems
    problems = differences(machine.state(), wanted.start) if done.code in (1, 5, 6, 7) else []
    if path.name not in done.text:
        problems.append(f"does not name it: {done.text}")
    if damaged is not None and (not path.exists() or path.read_bytes() != damaged):
        problems.append("what could not be read was thrown away")
    return "refused, nothing changed", problems


def kept(path: pathlib.Path) -> list[bytes]:
    return [file.read_bytes() for file in (path, path.parent / f"{path.name}.damaged") if file.is_file()]


def in_place_of(machine: Machine, scenario: Scenario, name: str, row: Row, case: str,
                change: Callable[[pathlib.Path], None]) -> None:
    reference(machine, scenario)
    begin(machine, scenario)
    path = machine.path(name)
    if not path.exists():
        return
    change(path)
    row.add(f"{name}, {case}", *judge(machine, scenario, path))


def files_of(machine: Machine, scenario: Scenario) -> list[str]:
    begin(machine, scenario)
    found = [str(path.relative_to(machine.root)) for path in machine.path(STATE).rglob("*") if path.is_file()]
    return sorted(found)


def something_else(machine: Machine) -> list[Row]:
    rows = []
    for scenario in (DRIFT_APPLY, GO_ON):
        for kind, change in KINDS.items():
            row = Row(f"{kind} in place of a file", "state directory")
            for name in files_of(machine, scenario) + ([CLUSTER_FILE] if "newer" not in kind else []):
                in_place_of(machine, scenario, name, row, kind, change)
            rows.append(row)
    return rows


def damaged(machine: Machine) -> list[Row]:
    row = Row("a flipped bit, a file cut short", "state directory")
    for scenario in (DRIFT_APPLY, GO_ON):
        for name in files_of(machine, scenario):
            for case, text in damages(machine.path(name).read_bytes()):
                in_place_of(machine, scenario, name, row, case, lambda path, text=text: path.write_bytes(text) and None)
    return [row]


def directory(machine: Machine) -> list[Row]:
    """The state directory itself."""
    def gone(path: pathlib.Path) -> None:
        shutil.rmtree(path)

    def linked(path: pathlib.Path) -> None:
        path.rename(path.parent / "elsewhere")
        path.symlink_to("elsewhere")

    def open_to_all(path: pathlib.Path) -> None:
        path.chmod(0o777)

    def open_to_a_group(path: pathlib.Path) -> None:
        path.chmod(0o770)

    def anothers(path: pathlib.Path) -> None:
        os.chown(path, 65534, -1)

    row = Row("deleted, symbolic link, writable by others", "state directory")
    writable = (open_to_all, open_to_a_group, anothers)
    reference(machine, DRIFT_APPLY)
    for change in (gone, linked, *writable):
        begin(machine, DRIFT_APPLY)
        path = machine.path(STATE)
        change(path)
        outcome, problems = judge(machine, DRIFT_APPLY, path)
        if change in writable and "nothing changed" not in outcome:
            problems.append(f"it is {outcome}, though others may have written what it goes by")
        row.add(change.__name__, outcome, problems)
    return [row]
