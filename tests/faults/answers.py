"""The kernel answers otherwise: it refuses changes, its tables change while they are read, others answer for it.

strace makes a call fail; here the call succeeds, and the answer says no. answers.cpp, preloaded, gives it.
"""

import errno
import os
import pathlib

from errors import judged
from machine import Machine, run
from scenarios import Scenario, begin, reference, until_not_hit
from table import Row
from ways import goes_on, left_behind

REFUSALS = ("ENODEV", "EPERM", "EINVAL", "EBUSY", "ENOBUFS", "EADDRNOTAVAIL")
QUICK = ("EBUSY",)
ALL_FROM_THEN_ON = 100_000
DISTURBANCES = {"interrupt": "a table changes while it is read", "forge": "another process answers"}


def library() -> pathlib.Path:
    return pathlib.Path(os.environ["SPARK_ANSWERS_LIBRARY"])


def one(machine: Machine, scenario: Scenario, order: str, row: Row, expected: tuple[str, ...]) -> bool:
    reference(machine, scenario)
    begin(machine, scenario)
    was_open = machine.journals()  # and is again, once what resumes there is rolled back
    told = machine.root.parent / "answered"
    told.unlink(missing_ok=True)
    done = run(["env", f"LD_PRELOAD={library()}", f"SPARK_ANSWERS={order}", f"SPARK_ANSWERED={told}",
                *machine.words(*scenario.words)])
    if not told.exists():
        return False
    if done.hung:
        row.add(order, "", ["hangs"])
        return True
    outcome, problems = judged(machine, scenario, done.code, done.text)
    if not problems and outcome not in expected:
        problems = [f"it is {outcome}"]
    problems = [f"{problem}; it ended {done.code}: {done.text[-300:]}" for problem in problems]
    if outcome != "said to be incomplete" and not was_open:
        problems += left_behind(machine)
    row.add(order, outcome, problems + goes_on(machine))
    return True


def refused(machine: Machine, scenario: Scenario, name: str, to_the_end: bool = False) -> list[Row]:
    """One change, or that and all that follow: then the rollback is refused too, and says what is left."""
    row = Row(f"the kernel says {name}{' from then on' if to_the_end else ''}", scenario.name)
    number = getattr(errno, name)
    expected = ("rolled back", "done all the same", *(("said to be incomplete",) if to_the_end else ()))
    for nth in until_not_hit():
        last = ALL_FROM_THEN_ON if to_the_end else nth
        if not one(machine, scenario, f"refuse {nth} {last} {number}", row, expected):
            break
    return [row] if row.cases else []


def disturbed(machine: Machine, scenario: Scenario, kind: str, what: str) -> list[Row]:
    """It looks again, or does not listen: nothing comes of it."""
    row = Row(what, scenario.name)
    for nth in until_not_hit():
        if not one(machine, scenario, f"{kind} {nth} {nth}", row, ("done all the same",)):
            break
    return [row] if row.cases else []
