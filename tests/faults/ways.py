"""The ways on from where a command was killed: what its owner, the daemon or the next boot does then.

What has to hold after each of them is said once, here. It holds after every verb, wherever that was killed; and each
way ends with a release, which gives back what was there before the first apply.
"""

import json
from collections.abc import Callable

from machine import CLUSTER_FILE, DAEMON_TELLS, HOSTNAME, PAUSE, STATE, Machine, Outcome, State, differences
from preparations import ONE, OTHER
from scenarios import Reference, Scenario, as_said, original
from service import DAEMON, to_its_end

BOTH_WAYS = ("`spark-reconcile confirm`", "`spark-reconcile rollback`")
NO_WAY_BACK = "no earlier file to return to"


def left_behind(machine: Machine) -> list[str]:
    return [f"left: {name}" for name in machine.journals() + machine.leftovers()]


def standing_text(machine: Machine) -> str:
    return machine.path(CLUSTER_FILE).read_text()


def given_back(machine: Machine) -> list[str]:
    done = machine.spark("release")
    if done.code != 0:
        return [f"release ends {done.code}: {done.text}"]
    problems = [f"released: {what}" for what in differences(machine.state(), original(machine))]
    return problems + left_behind(machine)


def as_says(machine: Machine, who: str, text: str) -> list[str]:
    if text not in (ONE, OTHER):
        return [f"{who}: the file is neither the one nor the other"]
    wanted = as_said(machine, text)
    problems = [f"{who}: {what}" for what in differences(machine.state(), wanted.state)]
    if text == standing_text(machine):
        plan = machine.spark("plan", "--detailed-exitcode")
        problems += [f"{who}: plan ends {plan.code} after it: {plan.text}"] if plan.code != wanted.code else []
    return problems


def goes_on(machine: Machine) -> list[str]:
    """The next apply makes it as the file says, and loses no original."""
    done = machine.spark("apply")
    if done.code != as_said(machine, standing_text(machine)).code:
        return [f"the next apply ends {done.code}: {done.text}"]
    return as_says(machine, "the next apply", standing_text(machine)) + left_behind(machine) + given_back(machine)


def is_pending(machine: Machine) -> bool:
    return any(json.loads(machine.path(name).read_text()).get("confirm_within_ms") for name in machine.journals())


def is_answered(machine: Machine, *verb: str) -> list[str]:
    """Who comes while a confirmation is waited for is told both ways out, and changes nothing. Then it comes."""
    if not is_pending(machine):
        return []
    before = machine.state()
    done = machine.spark(*verb)
    problems = differences(machine.state(), before)
    if done.code != 6 or not all(way in done.text for way in BOTH_WAYS):
        problems.append(f"{verb[0]} ends {done.code} while a confirmation is waited for: {done.text}")
    confirmed = machine.spark("confirm")
    return problems + ([] if confirmed.code == 0 else [f"confirm ends {confirmed.code}: {confirmed.text}"])


def by_apply(machine: Machine, _scenario: Scenario, _wanted: Reference) -> list[str]:
    return is_answered(machine, "apply") + goes_on(machine)


def by_release(machine: Machine, _scenario: Scenario, _wanted: Reference) -> list[str]:
    return is_answered(machine, "release") + given_back(machine)


def returned(machine: Machine, done: Outcome, before: State) -> list[str]:
    """Nothing was open: it returns to the last good file, or says that there is none and does nothing."""
    if done.code == 1 and NO_WAY_BACK in done.text:
        return [f"rollback without a way back: {what}"
                for what in differences(whole(machine.state()), whole(before))]
    if done.code not in (0, as_said(machine, standing_text(machine)).code):
        return [f"rollback ends {done.code}: {done.text}"]
    return as_says(machine, "rollback", standing_text(machine))


def by_rollback(machine: Machine, scenario: Scenario, wanted: Reference) -> list[str]:
    """What was begun is taken back; asked again, it returns to the file before, if there is one."""
    problems = []
    if machine.journals():
        done = machine.spark("rollback")
        if done.code != 0:
            return [f"rollback ends {done.code}: {done.text}"]
        problems += [f"rolled back: {what}" for what in differences(machine.state(), wanted.before)]
        problems += left_behind(machine)
    if scenario.puts_back and standing_text(machine) == scenario.puts_back and not problems:
        return as_says(machine, "rollback", scenario.puts_back) + given_back(machine)
    before = machine.state()
    problems += returned(machine, machine.spark("rollback"), before)
    if scenario.puts_back and standing_text(machine) != scenario.puts_back:
        problems.append("the rejected file is still there")
    return problems + given_back(machine)


def is_rejected(outcome: str) -> bool:
    return outcome in ("unconfirmed", "rolled_back_by_hand")


def file_in_force(machine: Machine) -> str:
    """What the daemon keeps: the file that stands there; where that was taken back, the last one that was not. None: "".
    """
    notes = machine.path(f"{STATE}/{HOSTNAME}")
    history = notes / "history.json"
    outcomes: dict[str, str] = {}  # the oldest first, by text
    for generation in json.loads(history.read_text())["generations"] if history.is_file() else ():
        text = (notes / "files" / f"{generation['digest']}.yaml").read_text()
        outcomes.pop(text, None)
        outcomes[text] = generation["outcome"]
    standing = standing_text(machine)
    if not is_rejected(outcomes.get(standing, "")):
        return standing
    return next((text for text, outcome in reversed(outcomes.items()) if outcome == "applied"), "")


def kept(machine: Machine) -> list[str]:
    """What the daemon makes of it, from its start until it is ready."""
    text, before = file_in_force(machine), machine.state()
    done = to_its_end(machine, machine.words(DAEMON), DAEMON)
    if done.hung or done.code != 0:
        return [f"the daemon ends {done.code}, hung {done.hung}: {done.text}"]
    problems = [f"the daemon leaves {name}" for name in DAEMON_TELLS if machine.path(name).exists()]
    if not text:
        return problems + [f"all is rolled back, yet the daemon changes {what}"
                           for what in differences(machine.state(), before)]
    return problems + as_says(machine, "the daemon", text)


def held_still(machine: Machine, why: str) -> list[str]:
    before = machine.state()
    done = to_its_end(machine, machine.words(DAEMON), DAEMON)
    problems = [f"{why}, yet the daemon changes {what}" for what in differences(machine.state(), before)]
    return problems + ([] if done.code == 0 else [f"the daemon ends {done.code}: {done.text}"])


def is_released(machine: Machine) -> bool:
    """By the ledger; of a release that was cut off, by the one in its journal."""
    notes = machine.path((machine.journals() or [f"{STATE}/{HOSTNAME}/ledger.json"])[0])
    return notes.is_file() and "released" in json.loads(notes.read_text()).get("ledger", {}).get("node", {})


def until_it_may(machine: Machine) -> list[str]:
    """In a pause, while a confirmation is waited for, and of what is released the daemon holds still."""
    problems = []
    if is_pending(machine):
        problems += held_still(machine, "a confirmation is waited for") + is_answered(machine, "apply")
    paused, released = machine.path(PAUSE).exists(), is_released(machine)
    if paused or released:
        problems += held_still(machine, "it is paused" if paused else "it is released")
        if released and machine.journals():  # of a release that was cut off: nothing ends what is not over
            problems += given_back(machine)
        done = machine.spark("resume")
        problems += [] if done.code == 0 else [f"resume ends {done.code}: {done.text}"]
    return problems


def by_daemon(machine: Machine, _scenario: Scenario, _wanted: Reference) -> list[str]:
    return until_it_may(machine) + kept(machine) + left_behind(machine) + given_back(machine)


def files_of(state: State) -> State:
    return {key: text for key, text in state.items() if key.startswith("etc/")}


def by_boot(machine: Machine, scenario: Scenario, wanted: Reference) -> list[str]:
    """As the units do it: spark-reconcile-rollback, where it finds a journal, and then the daemon."""
    machine.reboot()
    problems = []
    if list(machine.path(STATE).glob("*/journal.json")):
        done = machine.spark("rollback", "--overdue")
        problems += [] if done.code == 0 else [f"rollback --overdue ends {done.code}: {done.text}"]
    if not machine.journals():
        problems += neither_old_nor_new({name: files_of(state) for name, state in
                                         (("old", wanted.before), ("as it was", wanted.start), ("new", wanted.end))},
                                        files_of(machine.state()), "after the boot")
    return problems + by_daemon(machine, scenario, wanted)


def whole(state: State) -> State:
    """Without what a killed writer left beside a file: the next verb removes it, and that is judged at the end."""
    return {key: text for key, text in state.items() if not key.endswith(".spark-reconcile-new")}


def neither_old_nor_new(known: dict[str, State], found: State, when: str) -> list[str]:
    found = whole(found)
    if any(not differences(found, state) for state in known.values()):
        return []
    least = min((differences(found, state) for state in known.values()), key=len)
    return [f"{when} it is none of {', '.join(known)}: {least}"]


def old_or_new(machine: Machine, wanted: Reference) -> list[str]:
    """Where nothing is open, nobody needs to come."""
    if machine.journals():
        return []
    known = {"old": wanted.before, "as it was": wanted.start, "new": wanted.end}
    return neither_old_nor_new(known, machine.state(), "without a journal")


Way = Callable[[Machine, Scenario, Reference], list[str]]
# By what the rows are called: "kill -9, then apply".
WAYS: dict[str, tuple[Way, str]] = {
    "apply": (by_apply, "finished"), "rollback": (by_rollback, "as before"), "release": (by_release, "released"),
    "daemon": (by_daemon, "finished"), "a boot": (by_boot, "finished"),
}
