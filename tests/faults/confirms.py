"""`apply --confirm` dies, and nobody comes: what is open is taken back once its time is over.

The lab has the timer, the terminal and the power cut. Here: every call at which the process may die, a machine
that was suspended (CLOCK_BOOTTIME goes on, in a time namespace), and one that was rebooted.
"""

import json
import shutil
from collections.abc import Callable

from kills import mutating
from machine import EARLIER_BOOT, OWN_FILES, STATE, Machine, Outcome, State, differences, run
from power import Disk, parse
from preparations import WITHIN_S, edit_journal, other_file, waiting
from scenarios import NEW_FILE, Reference, Scenario, begin, reference, until_not_hit
from strace import KILL, Fault, calls, inject
from table import Row
from ways import BOTH_WAYS, left_behind

CONFIRMED = Scenario("apply --confirm", "apply", other_file, options=("--confirm", f"{WITHIN_S}s"))


def later(machine: Machine, seconds: int, *verb: str) -> Outcome:
    """The verb, on a machine that was suspended for so long: CLOCK_MONOTONIC knows nothing of it."""
    return run(["unshare", "--time", "--boottime", str(seconds), *machine.words(*verb)])


def too_early(done: Outcome) -> list[str]:
    if done.code == 0 and "nothing is overdue" in done.text:
        return []
    return [f"rollback --overdue ends {done.code}: {done.text}"]


def is_pending(machine: Machine) -> list[str]:
    """Who comes meanwhile is told both ways out, and nothing is taken back before its time."""
    problems = []
    second = machine.spark("apply")
    if second.code != 6 or not all(way in second.text for way in BOTH_WAYS):
        problems.append(f"a second apply ends {second.code}: {second.text}")
    problems += too_early(machine.spark("rollback", "--overdue"))
    return problems + too_early(later(machine, WITHIN_S - 60, "rollback", "--overdue"))


def rolled_back(machine: Machine, end: str, before: State) -> list[str]:
    """All of it; after a reboot the files: it takes the network back by itself, which is not done here."""
    done = ENDS[end](machine)
    problems = [] if done.code == 0 else [f"rollback --overdue ends {done.code}: {done.text}"]
    counts = files_of if end == REBOOTED else dict
    return problems + differences(counts(machine.state()), counts(before)) + left_behind(machine)


def files_of(state: State) -> State:
    return {key: text for key, text in state.items() if key.startswith(("etc/", "run/"))}


def suspended(machine: Machine) -> Outcome:
    return later(machine, WITHIN_S + 60, "rollback", "--overdue")


def rebooted(machine: Machine) -> Outcome:
    edit_journal(machine, boot_id=EARLIER_BOOT)
    return machine.spark("rollback", "--overdue")


def late_confirmation(machine: Machine) -> Outcome:
    edit_journal(machine, applied=True)
    late = later(machine, WITHIN_S + 60, "confirm")
    if late.code != 6 or "its time is over" not in late.text:
        return Outcome(-1, f"a late confirm ends {late.code}: {late.text}")
    return suspended(machine)


def by_hand(machine: Machine) -> Outcome:
    return machine.spark("rollback")


def by_its_journal(machine: Machine) -> Outcome:
    """No other file of this node is left."""
    shutil.rmtree(machine.path(OWN_FILES))
    machine.path(f"{STATE}/in_force.json").unlink(missing_ok=True)
    return machine.spark("rollback")


SUSPENDED, REBOOTED = "suspended past its time", "rebooted"
ENDS: dict[str, Callable[[Machine], Outcome]] = {
    SUSPENDED: suspended, REBOOTED: rebooted, "confirmed too late": late_confirmation,
    "rolled back by hand": by_hand, "rolled back by its journal alone": by_its_journal,
}


def abandoned(machine: Machine, call: str) -> list[Row]:
    """Without systemd it is refused, and its journal withdrawn: killed before that, it is open."""
    row = Row("kill -9 before its first change", CONFIRMED.name)
    begin(machine, NEW_FILE)
    before = machine.state()
    for nth in until_not_hit():
        begin(machine, CONFIRMED)
        fault = Fault(call, KILL, nth)
        if not inject(machine, fault, *CONFIRMED.words).hit:
            break
        problems = differences(machine.state(), before)
        if machine.journals():
            problems += is_pending(machine) + rolled_back(machine, SUSPENDED, before)
            row.add(str(fault), "rolled back", problems)
        else:
            row.add(str(fault), "nothing was begun", problems)
    return [row] if row.cases else []


def in_the_middle(machine: Machine, call: str) -> list[Row]:
    """As with systemd: between two of its changes. The journal differs from that of a plain apply by its time alone."""
    rows = {end: Row(f"kill -9 between its changes, then {end}", CONFIRMED.name) for end in ENDS}
    wanted = reference(machine, NEW_FILE)
    for nth in until_not_hit():
        for end in ENDS:
            begin(machine, NEW_FILE)
            fault = Fault(call, KILL, nth)
            if not inject(machine, fault, *NEW_FILE.words).hit:
                return [row for row in rows.values() if row.cases]
            if machine.journals():
                edit_journal(machine, confirm_within_ms=WITHIN_S * 1000)
                problems = is_pending(machine) + rolled_back(machine, end, wanted.start)
                rows[end].add(str(fault), "rolled back", problems)
    return list(rows.values())


def confirmed(machine: Machine, wanted: Reference) -> list[str]:
    """Whatever was cut off: it is asked again, or it stays."""
    problems = []
    if machine.journals():
        again = machine.spark("confirm")
        problems += [] if again.code == 0 else [f"confirm ends {again.code}: {again.text}"]
    problems += too_early(suspended(machine))
    history = json.loads(machine.spark("history", "--json").text)["generations"]
    outcomes = {generation["outcome"] for generation in history}
    return problems + [f"the history says {outcome}" for outcome in outcomes - {"applied"}] + \
        differences(machine.state(), wanted.end) + left_behind(machine)


CONFIRM = "confirm of what waits"


def confirm_killed(machine: Machine) -> list[Row]:
    row = Row("kill -9, then confirm", CONFIRM)
    wanted = reference(machine, NEW_FILE)
    machine.reset()
    waiting(machine)
    names = {call for call, _ in calls(machine, "confirm")[1]}
    for call in mutating(names):
        for nth in until_not_hit():
            machine.reset()
            waiting(machine)
            fault = Fault(call, KILL, nth)
            if not inject(machine, fault, "confirm").hit:
                break
            row.add(str(fault), "it stays", confirmed(machine, wanted))
    return [row]


def cut_after(machine: Machine) -> list[Row]:
    """Once it is said, no power cut brings back what would be taken back at boot."""
    row = Row("power cut once it is confirmed", CONFIRM)
    machine.reset()
    waiting(machine)
    disk = Disk.of(machine.root)
    done, made = calls(machine, "confirm", named=True)
    for name, text in made:
        if call := parse(name, text):
            disk.carry_out(call)
    for case, files in disk.left():
        problems = [f"{path} is back" for path in files if path.endswith("/journal.json")]
        row.add(case, "it stays", problems if done.code == 0 else [f"confirm ends {done.code}: {done.text}"])
    return [row]
