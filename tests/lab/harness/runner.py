"""Finds the cases, runs them, and says how they ended."""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from . import fresh, image, lab, node, ran
from .machine import MachineError
from .node import CommandFailed, Overdue
from .platform import GROUPS, MACHINES, SUITES, Platform

CASES = image.LAB / "cases"


@dataclass(frozen=True)
class Case:
    name: str
    act: Callable[[lab.Lab], None]
    ci: str
    deadline: int  # seconds
    needs: tuple[str, ...]

    @property
    def what(self) -> str:
        return (self.act.__doc__ or "").strip().splitlines()[0]


_cases: list[Case] = []


def case(*, ci: str = "", deadline: int = 300, needs: tuple[str, ...] = ()):
    """Marks a function as a case; its docstring says what must hold. `ci`: the machine on which `run --ci` has it; `needs`: groups of packages."""

    def mark(act: Callable[[lab.Lab], None]) -> Callable[[lab.Lab], None]:
        _cases.append(Case(act.__name__, act, ci, deadline, needs))
        return act

    return mark


def load() -> list[Case]:
    for path in sorted(CASES.glob("*.py")):
        importlib.import_module(f"cases.{path.stem}")
    return _cases


def _overdue(*_) -> None:
    raise Overdue("the case was not done within its deadline")


def _interrupted(*_) -> None:
    raise KeyboardInterrupt


def _run(one: Case, on: Platform) -> bool:
    print(f"{one.name:<52}", end="", flush=True)
    begin = time.monotonic()
    logs = image.BUILD / "log" / one.name
    shutil.rmtree(logs, ignore_errors=True)
    world = lab.Lab(lambda text: print(f"\n  ({text})", flush=True), on)
    try:
        # Images and first boots have deadlines of their own: they are nobody's case.
        signal.alarm(int(one.deadline * on.patience))
        one.act(world)
        signal.alarm(0)
        print(f"ok     {time.monotonic() - begin:6.1f} s", flush=True)
        return True
    except Exception as error:
        signal.alarm(0)
        print(f"FAILED {time.monotonic() - begin:6.1f} s", flush=True)
        expected = isinstance(error, (CommandFailed, Overdue, MachineError))
        where = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(str(CASES))]
        for frame in where if expected or where else traceback.extract_tb(error.__traceback__):
            print(f"  {os.path.relpath(frame.filename, image.CHECKOUT)}:{frame.lineno}: {frame.line}")
        for line in (str(error) or type(error).__name__).splitlines():
            print(f"    {line}")
        world.keep_logs(logs)
        print(f"  what the nodes said: {os.path.relpath(logs, image.CHECKOUT)}/", flush=True)
        return False
    finally:
        signal.alarm(0)
        world.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/lab/run", description="Runs lab cases on virtual Sparks.")
    parser.add_argument("--list", action="store_true", help="names and what they prove")
    parser.add_argument("--ci", action="store_true", help="those that CI runs on such a machine")
    parser.add_argument("--machine", choices=MACHINES, default=MACHINES[0], help="the architecture of the Sparks")
    parser.add_argument("--suite", choices=SUITES, default=SUITES[0], help="their Debian")
    parser.add_argument("--kernel", default="", metavar="EXACT", help="their kernel's release, as 6.17.13+deb13")
    parser.add_argument("--verbose", action="store_true", help="shows every command on every node")
    parser.add_argument("name", nargs="*", help="these only")
    wanted = parser.parse_args()
    node.verbose = wanted.verbose
    signal.signal(signal.SIGALRM, _overdue)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupted)
    cases, sources = load(), ran.cases(image.CHECKOUT)
    unknown = set(wanted.name) - {one.name for one in cases}
    if unknown:
        print(f"tests/lab/run: no such case: {', '.join(sorted(unknown))} (see --list)", file=sys.stderr)
        return 64
    cases = [c for c in cases if (not wanted.name or c.name in wanted.name) and (not wanted.ci or c.ci == wanted.machine)]
    if wanted.list:
        for one in cases:
            print(f"{one.name:<52}{one.ci:<7}{one.what}")
        return 0
    # amd64 has all groups, so that there is one image whatever is run: it takes a minute to make.
    needed = tuple(group for group in GROUPS if any(group in one.needs for one in cases))
    on = Platform(wanted.machine, wanted.suite, wanted.kernel, GROUPS if wanted.machine == MACHINES[0] else needed)
    for file in lab.programs(on):
        if not file.exists():
            print(f"tests/lab/run: no {file}: build it, or set SPARK_RECONCILE", file=sys.stderr)
            return 1
    begin = time.monotonic()
    try:
        made, controller = _prepare(on)
        results = [_run_and_note(one, made, {"controller": controller, "source": sources[one.name]}) for one in cases]
    except (image.BuildError, MachineError, CommandFailed, Overdue) as error:
        print(f"tests/lab/run: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted")
        return 130
    print(f"{results.count(True)} passed, {results.count(False)} failed in {time.monotonic() - begin:.0f} s on {made}")
    return 0 if all(results) else 1


def _prepare(on: Platform) -> tuple[image.Image, str]:
    """Makes the image and the first two Sparks, so that no case has to wait for them; and the digest of the controller/
    that runs there."""
    with lab.Lab(lambda text: print(f"({text})", flush=True), on) as world:
        world.prepare(2)
    made = image.get(on)
    print(made, flush=True)
    built = lab.programs(on)
    if not built:
        return made, ran.controller_of(image.CHECKOUT, fresh.get(1, made).commit)
    sources = (file for file in (image.CHECKOUT / "controller").rglob("*") if file.is_file())
    is_newer = max(file.stat().st_mtime for file in built) > max(file.stat().st_mtime for file in sources)
    return made, ran.controller(image.CHECKOUT) if is_newer else ran.UNKNOWN


def _run_and_note(one: Case, made: image.Image, digests: dict[str, str]) -> bool:
    begin = time.monotonic()
    passed = _run(one, made.platform)
    minutes = round((time.monotonic() - begin) / 60, 1)
    row = {"case": one.name, "machine": made.platform.machine, "suite": made.platform.suite, "kernel": made.release}
    ran.note(image.CHECKOUT, row | {"result": "passed" if passed else "failed", "minutes": minutes} | digests)
    return passed
