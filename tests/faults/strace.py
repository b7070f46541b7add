"""Faults by system call: strace makes the Nth call of a kind fail, or kills the program before it.

The program is the one that is shipped; it knows nothing of this. Whatever steps a later version
adds, each of their calls is the Nth of some kind.
"""

import pathlib
import re
from dataclasses import dataclass

from machine import Machine, Outcome
from service import to_its_end

KILL = "signal=KILL"
CALL = re.compile(r"^\d+ +(\w+)\((.*)")
UNFINISHED = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")
# Past this many calls of one kind something loops.
MOST_CALLS = 2000


@dataclass(frozen=True)
class Fault:
    call: str  # the system call
    effect: str  # as strace has it: "signal=KILL", "error=EIO", "delay_enter=1000"
    nth: int

    def __str__(self) -> str:
        return f"{self.call} #{self.nth} {self.effect}"


@dataclass(frozen=True)
class Injected:
    outcome: Outcome
    hit: bool  # false: the run has fewer calls of that kind
    line: str = ""  # the call, as strace tells it


def calls(machine: Machine, *verb: str, named: bool = False) -> tuple[Outcome, list[tuple[str, str]]]:
    """Runs it undisturbed; each call with its arguments, in order."""
    log = machine.root.parent / "calls"
    outcome = to_its_end(machine, [*traced(log, named), *machine.words(*verb)], verb[0])
    return outcome, calls_in(log)


def traced(log: pathlib.Path, named: bool) -> tuple[str, ...]:
    """The words before a command. `named`: with each descriptor stands the file that it is of."""
    return ("strace", "-f", "-qq", *(("-y",) if named else ()), "-s", "65536", "-o", str(log), "--")


def calls_in(log: pathlib.Path) -> list[tuple[str, str]]:
    """In the order in which they ended: one during which another process called is in two pieces."""
    found, begun = [], {}
    for line in log.read_text(errors="replace").splitlines():
        if piece := UNFINISHED.match(line):
            begun[piece[1]] = piece[2]
            continue
        if rest := RESUMED.match(line):
            line = f"{rest[1]} {begun.pop(rest[1], '')}{rest[2]}"
        if call := CALL.match(line):
            found.append((call[1], call[2]))
    return found


def inject(machine: Machine, fault: Fault, *verb: str) -> Injected:
    log = machine.root.parent / "injected"
    log.unlink(missing_ok=True)
    words = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={fault.call}", "-e", "signal=none",
             "-e", f"inject={fault.call}:{fault.effect}:when={fault.nth}", "--", *machine.words(*verb)]
    outcome = to_its_end(machine, words, verb[0])
    lines = log.read_text(errors="replace").splitlines()
    if fault.effect.startswith("signal="):
        return Injected(outcome, outcome.code == -9, last_call(lines, fault))
    hits = [line for line in lines if "(INJECTED)" in line or "(DELAYED)" in line]
    return Injected(outcome, bool(hits), hits[0] if hits else "")


def last_call(lines: list[str], fault: Fault) -> str:
    found = [line for line in lines if fault.call in line]
    return found[-1] if found else ""
