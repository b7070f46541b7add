"""Real file systems that are full or read-only, where the program writes."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from errors import judged
from machine import STATE, Machine, must_run
from scenarios import FIRST_APPLY, NEW_FILE, Scenario, begin, reference
from table import Row
from ways import goes_on

PLACES = (STATE, "run", "etc")
ROOMY = "rw,size=64m,nr_inodes=4k"
PAGE = 4096
MOST_ROOM = 64  # pages, or names: eight files of the record are held, each with 16 KiB beyond its text
SCENARIOS = (FIRST_APPLY, NEW_FILE)


@contextmanager
def mounted(machine: Machine, place: str) -> Iterator[str]:
    """What is there moves to a file system of its own."""
    path = machine.path(place)
    path.mkdir(parents=True, exist_ok=True)
    aside = machine.root.parent / "aside"
    shutil.copytree(path, aside, symlinks=True)
    must_run("mount", "-t", "tmpfs", "-o", f"mode=0{path.stat().st_mode & 0o777:o},{ROOMY}", "tmpfs", str(path))
    try:
        shutil.copytree(aside, path, symlinks=True, dirs_exist_ok=True)
        yield str(path)
    finally:
        must_run("umount", str(path))
        shutil.rmtree(aside)


def room(machine: Machine, place: str, pages: int, names: int) -> str:
    """So much of it beyond what is in use, as options of a mount."""
    files = list(machine.path(place).rglob("*"))
    used = sum(-(-file.stat().st_size // PAGE) for file in files if file.is_file())
    marked = sum(bool(os.listxattr(file, follow_symlinks=False)) for file in files)  # tmpfs takes room of inodes for them
    return f"rw,size={max(used + pages, 1) * PAGE},nr_inodes={len(files) + 1 + marked + names}"  # size 0: no limit


def apply_in(machine: Machine, scenario: Scenario, place: str, case: str, pages: int, names: int, row: Row) -> bool:
    """True: there was room enough. `case` "ro": none at all."""
    reference(machine, scenario)
    begin(machine, scenario)
    with mounted(machine, place) as path:
        options = "ro" if case == "ro" else room(machine, place, pages, names)
        must_run("mount", "-o", f"remount,{options}", path)
        done = machine.spark("apply")
        must_run("mount", "-o", f"remount,{ROOMY}", path)
        outcome, problems = judged(machine, scenario, done.code, done.text)
        if outcome == "done, and not recorded":
            problems.append("room for what is recorded is held before the first change")
        problems += goes_on(machine)
        row.add(f"{place}, {case}", outcome, [f"{problem}; it ended {done.code}: {done.text[-300:]}" for problem in problems])
        return outcome == "done all the same"


def full(machine: Machine, place: str) -> list[Row]:
    rows = []
    for scenario in SCENARIOS:
        row = Row(f"a full file system: /{place}", scenario.name)
        for what in ("pages", "names"):
            for left in range(MOST_ROOM):
                pages, names = (left, MOST_ROOM) if what == "pages" else (MOST_ROOM, left)
                if apply_in(machine, scenario, place, f"{left} {what} left", pages, names, row):
                    break
            else:
                row.add(f"{place}, {MOST_ROOM} {what} left", "", ["not even that is enough"])
        rows.append(row)
    return rows


def read_only(machine: Machine, place: str) -> list[Row]:
    row = Row(f"a read-only file system: /{place}", ", ".join(scenario.name for scenario in SCENARIOS))
    for scenario in SCENARIOS:
        apply_in(machine, scenario, place, "ro", 0, 0, row)
    return [row]
