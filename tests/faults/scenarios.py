"""What is disturbed: a machine in some state, and the command that changes it."""

from collections.abc import Callable
from dataclasses import dataclass

import preparations
from machine import CLUSTER_FILE, Machine, State
from preparations import ONE, OTHER, PLAN
from service import to_its_end
from strace import MOST_CALLS

Preparation = Callable[[Machine], None]


@dataclass(frozen=True)
class Scenario:
    name: str
    verb: str
    prepare: Preparation  # of a machine just reset
    # What a rollback of it leads to, where that is not the machine as prepared: several were cut off, and it leads
    # to before the first of them.
    back_to: Preparation | None = None
    # The text that the verb puts in place of cluster.yaml.
    puts_back: str = ""
    options: tuple[str, ...] = ()  # of the verb

    @property
    def words(self) -> tuple[str, ...]:
        return (self.verb, *self.options)


FIRST_APPLY = Scenario("first apply", "apply", preparations.fresh)
DRIFT_APPLY = Scenario("apply after drift", "apply", preparations.drifted)
NEW_FILE = Scenario("apply of another file", "apply", preparations.other_file)
SAVED_PLAN = Scenario("apply of a saved plan", "apply", preparations.saved_plan, options=(PLAN,))
GO_ON = Scenario("apply after an interrupted one", "apply", preparations.interrupted, back_to=preparations.fresh)
TAKE_BACK = Scenario("rollback of an interrupted apply", "rollback", preparations.interrupted, back_to=preparations.fresh)
LAST_GOOD = Scenario("rollback to the last good file", "rollback", preparations.applied_twice, puts_back=ONE)
RELEASE = Scenario("release", "release", preparations.applied)
APPLIES = (FIRST_APPLY, DRIFT_APPLY, NEW_FILE, SAVED_PLAN, GO_ON)
QUICK = (FIRST_APPLY, GO_ON, RELEASE)
ALL = (
    *APPLIES,
    Scenario("apply after a release", "apply", preparations.released),
    TAKE_BACK,
    LAST_GOOD,
    Scenario("rollback of an interrupted release", "rollback", preparations.release_interrupted, back_to=preparations.applied),
    Scenario("rollback after a release", "rollback", preparations.released),
    RELEASE,
    Scenario("release after an interrupted one", "release", preparations.release_interrupted, back_to=preparations.applied),
    Scenario("release after an interrupted apply", "release", preparations.interrupted, back_to=preparations.fresh),
    Scenario("confirm of what waits", "confirm", preparations.waiting, back_to=preparations.other_file),
    Scenario("pause after drift", "pause", preparations.drifted, options=("--for", "2h")),
    Scenario("resume after drift", "resume", preparations.paused),
    Scenario("mute that is ended", "mute", preparations.muted, options=("--end", "SparkDrift")),
    Scenario("resume after a release", "resume", preparations.released),
    Scenario("first pass of the daemon", "daemon", preparations.fresh),
    Scenario("daemon after drift", "daemon", preparations.drifted),
    Scenario("daemon with another file", "daemon", preparations.other_file),
    Scenario("plan that is saved", "plan", preparations.other_file, options=("--out", PLAN)),
)


@dataclass(frozen=True)
class Reference:
    """What the scenario comes to undisturbed."""

    code: int
    start: State  # before the command
    end: State  # after it
    before: State  # what a rollback of it leads to


@dataclass(frozen=True)
class Said:
    """A machine as a file says, where no other file was before."""

    code: int  # of the apply
    state: State


_references: dict[str, Reference] = {}
_said: dict[str, Said] = {}
_prepared: dict[Preparation, State] = {}


def begin(machine: Machine, scenario: Scenario) -> None:
    machine.reset()
    scenario.prepare(machine)


def prepared(machine: Machine, prepare: Preparation) -> State:
    """Makes the machine again where that is not known yet."""
    if prepare not in _prepared:
        machine.reset()
        prepare(machine)
        _prepared[prepare] = machine.state()
    return _prepared[prepare]


def original(machine: Machine) -> State:
    """What a release gives back, whatever was applied since."""
    return prepared(machine, preparations.fresh)


def as_said(machine: Machine, text: str) -> Said:
    if text not in _said:
        machine.reset()
        machine.write(CLUSTER_FILE, text)
        done = machine.spark("apply")
        assert done.code in (0, 4), done.text
        _said[text] = Said(done.code, machine.state())
    return _said[text]


def reference(machine: Machine, scenario: Scenario) -> Reference:
    """With all that a case may be compared with: once it has begun, the machine is in use."""
    if scenario.name not in _references:
        original(machine)
        for text in (ONE, OTHER):
            as_said(machine, text)
        before = prepared(machine, scenario.back_to or scenario.prepare)
        begin(machine, scenario)
        start = machine.state()
        done = to_its_end(machine, machine.words(*scenario.words), scenario.verb)
        _references[scenario.name] = Reference(done.code, start, machine.state(), before)
    return _references[scenario.name]


def until_not_hit() -> range:
    return range(1, MOST_CALLS)
