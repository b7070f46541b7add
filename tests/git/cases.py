"""What a case is: a function that makes states of a repository or a server one after the other, and says of each what
the programs have to make of it. `hostile` cases end with a refusal; before it, the same thing without the attack is
taken, so that the refusal is for the right reason. Of `harmless` ones everything is taken."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from world import SMALL_DISK, World, expect, size_of

FROM_THE_FUTURE = "SR-GIT-031"  # the one that nothing but the time ends


@dataclass(frozen=True)
class Outcome:
    what: str  # taken, stays, refused, fault or waits
    number: int = 0  # of SR-GIT-NNN
    fetches: bool = True  # false: the judge alone runs, on what somebody left for it

    @property
    def id(self) -> str:
        return f"SR-GIT-{self.number:03}"


TAKEN = Outcome("taken")  # the world's head is in force
STAYS = Outcome("stays")  # nothing new, and nothing to say


def refused(number: int, fetches: bool = True) -> Outcome:
    return Outcome("refused", number, fetches)


def judged(number: int) -> Outcome:
    """Refused by the judge, before which something was done to what was fetched."""
    return Outcome("refused", number, fetches=False)


def fault(number: int) -> Outcome:
    """The fetch says so."""
    return Outcome("fault", number)


def waits(number: int, fetches: bool = True) -> Outcome:
    return Outcome("waits", number, fetches)


Body = Callable[[World], Iterator[Outcome]]


@dataclass(frozen=True)
class Case:
    body: Body
    is_hostile: bool
    is_quick: bool
    is_slow: bool  # minutes: a server that hangs
    settings: dict[str, object]

    @property
    def name(self) -> str:
        return self.body.__name__.replace("_", " ")


ALL: list[Case] = []


def _case(is_hostile: bool, quick: bool, slow: bool, settings: dict[str, object]) -> Callable[[Body], Body]:
    def add(body: Body) -> Body:
        ALL.append(Case(body, is_hostile, quick, slow, settings))
        return body
    return add


def hostile(quick: bool = False, slow: bool = False, **settings: object) -> Callable[[Body], Body]:
    return _case(True, quick, slow, settings)


def harmless(quick: bool = False, **settings: object) -> Callable[[Body], Body]:
    return _case(False, quick, False, settings)


def check(world: World, wanted: Outcome) -> None:
    """Runs both programs, and compares what they make of it."""
    before, file = world.in_force(), world.judged / "cluster.yaml"
    bytes_before = file.read_bytes() if before else b""
    quiet, held = world.watched(), size_of(world.fetched)
    said = world.fetch().text if wanted.fetches else ""
    done = world.judge()
    said += done.text
    world.check_quiet(quiet)
    record, after = world.record(), world.in_force()
    found = {"refused": record.get("refused"), "waits": record.get("waits"),
             "fault": world.offer().get("fault") if wanted.fetches else None}
    told = {what: (one["id"] if one else "") for what, one in found.items()}
    if wanted.what == "taken":
        expect(after == world.head and file.read_text() == world.text, f"not taken: {said}")
    else:
        expect(after == before, f"{after or 'nothing'} is in force: {said}")
        expect(not before or file.read_bytes() == bytes_before, "the file in force changed")
    ids = {what: wanted.id if what == wanted.what else "" for what in told}
    if wanted.what == "fault" and not before:
        ids["waits"] = wanted.id  # there is nothing to judge
    expect(told == ids, f"wanted {ids}, and it says {told}: {said}")
    expect(done.code == (75 if ids["waits"] == FROM_THE_FUTURE else 0), f"the judge ends with {done.code}: {said}")
    expect(size_of(world.judged) < SMALL_DISK, "the judge keeps too much")
    if wanted.what in ("refused", "fault") and wanted.fetches:
        more = size_of(world.fetched) - held
        expect(more < SMALL_DISK, f"{more >> 20} MiB stay of what was refused")


def run_case(case: Case, world: World) -> None:
    world.set(**case.settings)
    outcomes = []
    for wanted in case.body(world):
        outcomes.append(wanted)
        try:
            check(world, wanted)
        except Exception as error:
            error.add_note(f"at state {len(outcomes)}, {wanted.what} {wanted.id if wanted.number else ''}")
            raise
    expect(any(one.what == "taken" for one in outcomes), "a case without anything that is taken")
    expect(case.is_hostile == any(one.what != "taken" for one in outcomes), "a refusal where none belongs, or the reverse")
