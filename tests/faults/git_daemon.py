"""The daemon takes a file from git, and it proves good or bad: killed before each of its changes, the power cut after each.

The file in force is the one before or the one after, both judged; the daemon that starts then comes to the same end.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

import followed
import kill_before
from followed import FETCHED, JUDGED, Followed, digest_of
from machine import HOSTNAME, STATE, Machine, Outcome, differences
from power import Disk, cuts, put
from preparations import ONE, OTHER, must
from scenarios import as_said, original, until_not_hit
from service import DAEMON, until_ready
from strace import calls_in, traced
from table import Row
from ways import left_behind, neither_old_nor_new

# It holds before the apply, and a hand makes it fail afterwards: the file leaves drift of it alone.
HELD = "SR-GATE-002 enp1s0f0np0 192.0.2.11"
BY_HAND = "link set enp1s0f0np0 mtu 1500"
FAILING = OTHER + "drift: { kinds: { mtu: report } }\n"
LAST_GOOD = f"{STATE}/last-good.yaml"
RECORD = f"{STATE}/in_force.json"


@dataclass(frozen=True)
class Taking:
    name: str
    start: str  # the state that is saved by that name
    accepted: str  # the text that is judged to count
    end: str  # the text that is in force in the end
    settles: bool  # the daemon is disturbed until the trial is over; else in its first pass


NOTHING, GOOD, ON_TRIAL, FAILING_TRIAL = "nothing", "one good", "other on trial", "failing on trial"
FIRST = Taking("the first file from git", NOTHING, ONE, ONE, False)
HAND_OVER = Taking("another file from git", GOOD, OTHER, OTHER, False)
SETTLE = Taking("a file that proves good", ON_TRIAL, OTHER, OTHER, True)
ROLL_BACK = Taking("a file that proves bad", FAILING_TRIAL, FAILING, ONE, True)
ALL = (FIRST, HAND_OVER, SETTLE, ROLL_BACK)


def text_at(machine: Machine, name: str) -> str:
    return machine.path(name).read_text() if machine.path(name).is_file() else ""


def commit_of(machine: Followed, text: str) -> str:
    for commit, known in machine.texts.items():
        if known == text and commit != machine.unsigned:
            return commit
    return machine.commit(text, parents=[machine.first])


def record(machine: Machine) -> dict:
    return json.loads(text_at(machine, RECORD) or "{}")


def is_known_bad(machine: Machine) -> bool:
    return any(bad["digest"] == digest_of(FAILING) for bad in record(machine).get("bad", []))


def over(machine: Machine, taking: Taking) -> Callable[[], bool]:
    """Whether the trial is; first, the hand does what makes the file fail."""
    done = taking.end == taking.accepted or is_known_bad(machine)

    def is_over() -> bool:
        nonlocal done
        if not done:
            machine.ip(BY_HAND)
            done = True
        known = record(machine)
        if "trial" in known or known.get("returns"):  # noted before the return is made
            return False
        return taking.end == text_at(machine, LAST_GOOD) and (
            taking.end == taking.accepted or is_known_bad(machine))
    return is_over


def run_daemon(machine: Machine, taking: Taking, under: tuple[str, ...] = (), settles: bool = True) -> Outcome:
    is_done = over(machine, taking) if settles else lambda: True
    return until_ready([*under, *machine.words(DAEMON)], machine.root.parent, is_done)


def seen(machine: Followed) -> None:
    """As if the gate had been looked at with the good file in force."""
    known = record(machine.machine) | {"seen": {"held": [HELD], "failed": []}}
    machine.machine.path(RECORD).write_text(json.dumps(known))


def prepare(machine: Followed, start: str) -> None:
    """What an undisturbed daemon leaves, without the network of it."""
    machine.reset()
    if start == NOTHING:
        machine.accept(machine.first)
    elif start == GOOD:
        machine.accept(machine.first)
        done = run_daemon(machine.machine, FIRST)
        assert done.code == 0 and text_at(machine.machine, LAST_GOOD) == ONE, done.text
        seen(machine)
    else:
        begin(machine, GOOD)
        text = OTHER if start == ON_TRIAL else FAILING
        machine.accept(commit_of(machine, text))
        done = run_daemon(machine.machine, HAND_OVER, settles=False)
        assert done.code == 0 and "trial" in record(machine.machine), done.text
        seen(machine)
    machine.save(start, "etc", "var")


def begin(machine: Followed, start: str) -> None:
    if start not in machine.saved:
        prepare(machine, start)
    machine.reset()
    machine.restore(start)
    if start != NOTHING:
        must(machine.machine, "apply")  # the network; all else is as it was left
        machine.restore(start)


def begin_taking(machine: Followed, taking: Taking) -> None:
    begin(machine, taking.start)
    if taking != HAND_OVER:
        return
    if HAND_OVER.name not in machine.saved:
        machine.accept(machine.second)
        machine.save(HAND_OVER.name, FETCHED, JUDGED)
    else:
        machine.restore(HAND_OVER.name)


def in_force(machine: Machine, taking: Taking) -> list[str]:
    """What the next daemon begins with."""
    text, problems = text_at(machine, LAST_GOOD), []
    known = {"" if taking.start == NOTHING else ONE, taking.accepted}
    if text not in known:
        problems.append(f"the last good file is neither the old nor the new: {text[:200]!r}")
    known = record(machine)
    kept = {digest_of(one) for one in known.get("texts", [])}
    if not {known[key] for key in ("good",) if key in known} | {known[key]["digest"] for key in ("trial",) if key in known} <= kept:
        problems.append("a file that counts is not kept")
    return problems


def whole(machine: Followed, taking: Taking) -> list[str]:
    """Without a journal, the network is as one of the files says."""
    if machine.machine.journals() or taking == ROLL_BACK:  # there a hand was at work
        return []
    known = {"as before": original(machine.machine), **{text: as_said(machine.machine, text).state for text in (ONE, OTHER)}}
    return neither_old_nor_new(known, machine.state(), "without a journal")


def comes_to_its_end(machine: Followed, taking: Taking) -> list[str]:
    on = machine.machine
    done = run_daemon(on, taking)
    problems = [] if done.code == 0 else [f"the daemon ends {done.code}, hung {done.hung}: {done.text[-500:]}"]
    problems += differences(machine.state(), as_said(on, taking.end).state)
    if text_at(on, LAST_GOOD) != taking.end:
        problems.append(f"the last good file is {text_at(on, LAST_GOOD)[:200]!r}")
    problems += in_force(on, taking)
    if "trial" in record(on):
        problems.append("a trial is open")
    if is_known_bad(on) != (taking == ROLL_BACK):
        problems.append(f"the bad files are {record(on).get('bad')}")
    history = json.loads(text_at(on, f"{STATE}/{HOSTNAME}/history.json"))["generations"]
    if history[-1]["digest"] != digest_of(taking.end):
        problems.append(f"the history ends with {history[-1]}")
    released = on.spark("release")
    problems += [] if released.code == 0 else [f"release ends {released.code}: {released.text}"]
    problems += [f"released: {what}" for what in differences(machine.state(), original(on))]
    return problems + left_behind(on)


def know(machine: Machine) -> None:
    """With what cases are compared: before one begins, since it is of the same machine."""
    original(machine)
    for text in (ONE, OTHER):
        as_said(machine, text)


def daemon_killed(on: Machine, taking: Taking, first: int = 1, step: int = 1) -> list[Row]:
    """Before change number `first`, and every `step` after it."""
    row = Row("kill -9 of the daemon", taking.name)
    machine = followed.of(on)
    know(on)
    log = machine.above / "calls"
    for nth in until_not_hit()[first - 1::step]:
        begin_taking(machine, taking)
        under = kill_before.under(nth, (on.path("etc"), on.path("var")), log, alone=True)
        done = run_daemon(on, taking, under, taking.settles)
        if done.code != kill_before.KILLED or done.hung:
            assert done.code == 0, done.text
            break
        case = f"#{nth} {kill_before.last_call(log, on.root)}"
        row.add(case, "the same end", in_force(on, taking) + whole(machine, taking) + comes_to_its_end(machine, taking))
    return [row]


def daemon_cut(on: Machine, taking: Taking, first: int = 0, step: int = 1) -> list[Row]:
    row = Row("power cut of the daemon", taking.name)
    machine = followed.of(on)
    know(on)
    begin_taking(machine, taking)
    log = machine.above / "calls"
    disk = Disk.of(on.root)
    done = run_daemon(on, taking, traced(log, named=True), taking.settles)
    assert done.code == 0, done.text
    found = [(case, files) for case, files in cuts(disk, calls_in(log))]
    for case, files in found[first::step]:
        machine.reset()
        for folder in ("etc", "var"):
            machine.wipe(folder)
        put(on.root, files)
        problems = in_force(on, taking) + comes_to_its_end(machine, taking)
        row.add(case.replace(str(on.root), ""), "the same end", problems)
    return [row]
