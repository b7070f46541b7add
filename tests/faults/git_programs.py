"""spark-git-fetch and spark-git-judge, killed before each of their changes, and their power cut after each.

What counts for the daemon is then the commit before or the one after, whole and with its digest; the next run gets to
where an undisturbed one gets, and leaves no file that an undisturbed one would not.
"""

import json
import pathlib
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass

import followed
import kill_before
from followed import FETCHED, JUDGED, Followed, digest_of
from machine import Machine
from power import Disk, cuts, put
from preparations import ONE, OTHER
from scenarios import until_not_hit
from strace import calls_in, traced
from table import Row
from world import Done

PACK = re.compile(r"pack-[0-9a-f]+")


@dataclass(frozen=True)
class Poll:
    """A fetch with the judgement after it."""

    name: str
    prepare: Callable[[Followed], None]  # of a machine that was reset
    before: str  # the text in force; "": none
    after: str


def the_first_commit(_machine: Followed) -> None:
    pass


def a_new_commit(machine: Followed) -> None:
    machine.accept(machine.first)
    machine.offers(machine.second)


def another_repository(machine: Followed) -> None:
    """All of it is fetched beside the store, which is then replaced."""
    a_new_commit(machine)
    other = machine.above / "other.git"
    shutil.copytree(machine.world.up.path, other, dirs_exist_ok=True)
    machine.world.set(url=f"file://{other}")
    machine.world.write_settings()


def a_broken_object(machine: Followed) -> None:
    machine.accept(machine.first)
    machine.offers(machine.broken)


def an_unsigned_commit(machine: Followed) -> None:
    machine.accept(machine.first)
    machine.offers(machine.unsigned)


def a_new_tag(machine: Followed) -> None:
    machine.world.set(verify="tag", tag="v*")
    machine.world.write_settings()
    machine.tagged("v1")
    machine.accept(machine.first)
    machine.offers(machine.second)
    machine.tagged("v1", "v2")


NEW_COMMIT = Poll("a new commit", a_new_commit, ONE, OTHER)
POLLS = (
    Poll("the first commit", the_first_commit, "", ONE), NEW_COMMIT,
    Poll("another repository", another_repository, ONE, OTHER),
    Poll("a broken object", a_broken_object, ONE, ONE),
    Poll("an unsigned commit", an_unsigned_commit, ONE, ONE),
    Poll("a new tag", a_new_tag, ONE, OTHER),
)


@dataclass(frozen=True)
class Reference:
    """What the poll comes to undisturbed."""

    offer: dict
    record: dict
    fetched: list[str]  # names of files
    judged: list[str]


def names(folder: pathlib.Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def without_times(record: dict) -> dict:
    """The moment of the judgement is another each time."""
    for key, time in (("accepted", "at"), ("refused", "since"), ("waits", "since")):
        record.get(key, {}).pop(time, None)
    return record


def outcome(machine: Followed) -> Reference:
    world = machine.world
    return Reference(offer(machine), without_times(world.record()), names(world.fetched), names(world.judged))


def offer(machine: Followed) -> dict:
    """When a fault is tried again depends on how often it came."""
    return {key: value for key, value in machine.world.offer().items() if key != "retry"}


_references: dict[str, Reference] = {}


def reference(machine: Followed, poll: Poll) -> Reference:
    if poll.name not in _references:
        begin(machine, poll)
        machine.poll()
        _references[poll.name] = outcome(machine)
        assert text_in_force(machine) == poll.after, machine.world.record()
    return _references[poll.name]


def begin(machine: Followed, poll: Poll, fetched: bool = False) -> None:
    """`fetched`: and what is new was."""
    name = f"{poll.name}, fetched" if fetched else poll.name
    machine.clear()
    if name in machine.saved:
        machine.restore(name)
        return
    poll.prepare(machine)
    if fetched:
        machine.world.fetch()
    machine.save(name, FETCHED, JUDGED, "etc/spark-reconcile")


def text_in_force(machine: Followed) -> str:
    """What the daemon and the verbs take: "" where nothing was accepted from there, or it is just being replaced."""
    record, file = machine.world.record(), machine.world.judged / "cluster.yaml"
    if "accepted" not in record or record["url"] != machine.world.settings["url"] or not file.is_file():
        return ""
    return file.read_text() if digest_of(file.read_text()) == record["accepted"]["digest"] else ""


def taken(machine: Followed, poll: Poll) -> list[str]:
    """The old or the new one; the program takes it, or says that it is being replaced."""
    try:
        text, problems = text_in_force(machine), []
    except json.JSONDecodeError as error:
        return [f"the record of the judge is not whole: {error}"]
    if text not in ("", poll.before, poll.after):
        problems.append(f"in force is neither the old nor the new: {text[:200]!r}")
    said = machine.machine.spark("validate")
    if text and said.code != 0:
        problems.append(f"validate ends {said.code}: {said.text}")
    if not text and said.code == 0:
        problems.append(f"validate takes what was not judged: {said.text}")
    return problems


def ends_as_undisturbed(machine: Followed, poll: Poll, anew: bool = False) -> list[str]:
    """The next poll, by the timer and the path. `anew`: it may have fetched all of it again, into other packs."""
    wanted = reference_of(poll)
    machine.empty_run()
    fetch, judge = machine.world.poll()
    problems = [f"{who} ends {done.code}: {done.text}" for who, done in (("fetch", fetch), ("judge", judge)) if done.code]
    if text_in_force(machine) != poll.after:
        problems.append(f"in force is {text_in_force(machine)[:200]!r}")
    return problems + other_than(wanted, outcome(machine), anew)


def other_than(wanted: Reference, found: Reference, anew: bool) -> list[str]:
    problems = []
    for what in ("offer", "record", "fetched", "judged"):
        have, want = getattr(found, what), getattr(wanted, what)
        if what == "fetched" and anew:
            have, want = (sorted({PACK.sub("pack", name) for name in names}) for names in (have, want))
        if isinstance(want, list):
            problems += [f"{what}: {name} is {'left' if name in have else 'not there'}"
                         for name in sorted(set(have) ^ set(want))]
        elif have != want:
            problems.append(f"{what} is {have} instead of {want}")
    return problems


def reference_of(poll: Poll) -> Reference:
    return _references[poll.name]


def killed(machine: Followed, nth: int, folder: pathlib.Path, program: Callable[[], Done]) -> tuple[bool, str]:
    """Whether it was, and before which call."""
    log = machine.above / "calls"
    machine.world.under = kill_before.under(nth, (folder,), log)
    try:
        done = program()
    finally:
        machine.world.under = ()
    return done.code == kill_before.KILLED, f"#{nth} {kill_before.last_call(log, machine.machine.root)}"


def fetch_killed(on: Machine, poll: Poll, step: int = 1) -> list[Row]:
    row, machine = Row("kill -9 of spark-git-fetch and its git", poll.name), followed.of(on)
    reference(machine, poll)
    for nth in until_not_hit()[::step]:
        begin(machine, poll)
        hit, case = killed(machine, nth, machine.world.fetched, machine.world.fetch)
        if not hit:
            if offer(machine) != reference_of(poll).offer:
                row.add(case, "", [f"nobody killed it, and it offers {offer(machine)}"])
            break
        machine.empty_run()
        machine.world.judge()  # it may be asked at any time
        row.add(case, "as undisturbed", taken(machine, poll) + ends_as_undisturbed(machine, poll))
    return [row]


def judge_killed(on: Machine, poll: Poll, step: int = 1) -> list[Row]:
    row, machine = Row("kill -9 of spark-git-judge", poll.name), followed.of(on)
    reference(machine, poll)
    for nth in until_not_hit()[::step]:
        begin(machine, poll, fetched=True)
        hit, case = killed(machine, nth, machine.world.judged, machine.world.judge)
        if not hit:
            break
        row.add(case, "as undisturbed", taken(machine, poll) + ends_as_undisturbed(machine, poll))
    return [row]


def after_the_cut(machine: Followed, poll: Poll) -> list[str]:
    """As after the boot: what was fetched is judged once, and the timer fetches."""
    machine.empty_run()
    done = machine.world.judge()
    problems = [f"judge ends {done.code}: {done.text}"] if done.code else []
    return problems + taken(machine, poll) + ends_as_undisturbed(machine, poll, anew=True)


def program_cut(on: Machine, poll: Poll, who: str) -> list[Row]:
    """`who`: fetch or judge."""
    row, machine = Row(f"power cut of spark-git-{who}", poll.name), followed.of(on)
    reference(machine, poll)
    is_fetch = who == "fetch"
    world = machine.world
    begin(machine, poll, fetched=not is_fetch)
    folder = world.fetched if is_fetch else world.judged
    log = machine.above / "calls"
    disk = Disk.of(folder)
    world.under = traced(log, named=True)
    done = world.fetch() if is_fetch else world.judge()
    world.under = ()
    assert done.code == 0, done.text
    for case, files in cuts(disk, calls_in(log), home=str(world.fetched / "repository")):
        begin(machine, poll, fetched=not is_fetch)
        shutil.rmtree(folder)
        folder.mkdir()
        put(folder, files)
        row.add(case.replace(str(on.root), ""), "as undisturbed", after_the_cut(machine, poll))
    return [row]
