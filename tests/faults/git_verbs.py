"""`follow` and `sync`: killed before each of their changes, the power cut after each.

agent.yaml says the old or the new, whole, and the same command comes to the same end. systemd is no part of this: in
place of the helper that asks it stands one that runs the two programs as the units do.
"""

import json
import pathlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass

import followed
import git_daemon
import kill_before
from followed import FETCHED, JUDGED, SETTINGS, Followed, digest_of
from git_programs import text_in_force
from machine import CLUSTER_FILE, OWN_FILES, Machine, Outcome, run
from power import Disk, cuts, put
from preparations import ONE, OTHER
from scenarios import until_not_hit
from strace import calls_in, traced
from table import Row

CHECK = "run/spark-reconcile/check/agent.yaml"
BEFORE = "alerts: { alertmanager: ['http://203.0.113.7:9093'] }  # by hand\n"
HELPER = """\
#!/bin/sh
# In place of spark-bus-call: the four units, as systemd starts them.
case "$1 $2" in
  "start spark-reconcile-fetch.service") {fetch} {settings} {fetched} {scratch} ;;
  "start spark-reconcile-judge.service") {judge} {settings} {fetched} {judged} {scratch} ;;
  "start spark-reconcile-fetch-check.service") mkdir -p {fetched}-check && {fetch} {check} {fetched}-check {scratch} ;;
  "start spark-reconcile-judge-check.service")
    mkdir -p {own} && {judge} {check} {fetched}-check {own} {scratch} ;;
esac >/dev/null 2>&1
echo '{{}}'
"""
Files = dict[str, str]


@dataclass(frozen=True)
class Verb:
    name: str
    verb: str
    options: Callable[[Followed], tuple[str, ...]]
    prepare: Callable[[Followed], None]


def follows_nothing(machine: Followed) -> None:
    machine.reset()
    machine.world.settings_file.write_text(BEFORE)
    machine.machine.write(CLUSTER_FILE, OTHER)


def follows(machine: Followed) -> None:
    machine.reset()
    machine.accept(machine.first)
    machine.world.settings_file.write_text(BEFORE + machine.world.settings_file.read_text())


def something_new(machine: Followed) -> None:
    follows(machine)
    machine.offers(machine.second)


def one_is_bad(machine: Followed) -> None:
    follows(machine)
    machine.machine.write(git_daemon.RECORD, json.dumps(
        {"schema": "spark-reconcile/in-force-record/v1", "texts": [],
         "bad": [{"digest": digest_of(OTHER), "why": "mtu", "at": "2026-01-01T00:00:00Z"}]}))


def has_own_file(machine: Followed) -> None:
    follows(machine)
    machine.machine.write(CLUSTER_FILE, OTHER)
    machine.machine.write(git_daemon.LAST_GOOD, ONE)


def url(machine: Followed) -> tuple[str, ...]:
    return (str(machine.settings["url"]), "--signers", str(machine.world.signers), "--settle", "1ms")


def url_more_seldom(machine: Followed) -> tuple[str, ...]:
    return (*url(machine), "--every", "5m")


def first_commit(machine: Followed) -> tuple[str, ...]:
    return ("--accept", machine.first)


def stop(_machine: Followed) -> tuple[str, ...]:
    return ("--stop",)


def retry(_machine: Followed) -> tuple[str, ...]:
    return ("--retry",)


# `sync` alone changes nothing but a note in /run: the two programs do, and git_programs.py disturbs them.
ACCEPT = Verb("follow --accept", "follow", first_commit, something_new)
VERBS = (
    Verb("follow URL", "follow", url, follows_nothing),
    Verb("follow URL, again", "follow", url_more_seldom, something_new),
    ACCEPT,
    Verb("follow --stop", "follow", stop, has_own_file),
    Verb("sync --retry", "sync", retry, one_is_bad),
)


def program(machine: Followed) -> pathlib.Path:
    """A copy of it with the other helper beside it."""
    folder = machine.above / "bin"
    if not folder.is_dir():
        folder.mkdir()
        shutil.copy(machine.machine.program, folder / "spark-reconcile")
        on, programs = machine.machine, machine.world.programs
        helper = folder / "spark-bus-call"
        helper.write_text(HELPER.format(
            fetch=programs.fetch, judge=programs.judge, settings=on.path(SETTINGS), fetched=on.path(FETCHED),
            judged=on.path(JUDGED), scratch=machine.world.scratch[0], check=on.path(CHECK),
            own=on.path("run/spark-reconcile-judge-check")))
        helper.chmod(0o755)
    return folder / "spark-reconcile"


def carry_out(machine: Followed, verb: Verb, under: tuple[str, ...] = ()) -> Outcome:
    root = str(machine.machine.root)
    return run([*under, str(program(machine)), verb.verb, *verb.options(machine), "--root", root])


def files(machine: Machine) -> Files:
    """That a person or the daemon reads."""
    found = [path for path in machine.path(OWN_FILES).iterdir() if path.is_file()]
    found += [path for path in [machine.path(git_daemon.RECORD)] if path.is_file()]
    return {str(path.relative_to(machine.root)): path.read_text() for path in found}


@dataclass(frozen=True)
class Reference:
    before: Files
    after: Files
    in_force: str


_references: dict[str, Reference] = {}


def reference(machine: Followed, verb: Verb) -> Reference:
    if verb.name not in _references:
        verb.prepare(machine)
        before = files(machine.machine)
        done = carry_out(machine, verb)
        assert done.code == 0, done.text
        _references[verb.name] = Reference(before, files(machine.machine), text_in_force(machine))
    return _references[verb.name]


def old_or_new(machine: Followed, wanted: Reference) -> list[str]:
    """Each file is; and what its author wrote is somewhere."""
    problems, found = [], files(machine.machine)
    for name in sorted(found.keys() | wanted.before.keys() | wanted.after.keys()):
        known = {wanted.before.get(name), wanted.after.get(name)}
        if found.get(name) not in known and not name.endswith(".spark-reconcile-new"):
            problems.append(f"{name} is neither the old nor the new: {found.get(name)!r}")
    if (own := wanted.before.get(CLUSTER_FILE)) and own not in found.values():
        problems.append("the machine's own file is lost")
    if machine.machine.spark("follow").code not in (0, 1):
        problems.append("follow does not say what is followed")
    return problems


def again(machine: Followed, verb: Verb, wanted: Reference) -> list[str]:
    done = carry_out(machine, verb)
    if verb.options is stop and done.code == 1 and "follows no repository" in done.text:
        done = Outcome(0, "")  # it was over
    problems = [] if done.code == 0 else [f"again it ends {done.code}: {done.text}"]
    found = files(machine.machine)
    problems += [f"{name} is {found.get(name)!r} instead of {wanted.after.get(name)!r}"
                 for name in sorted(found.keys() | wanted.after.keys()) if found.get(name) != wanted.after.get(name)]
    if text_in_force(machine) != wanted.in_force:
        problems.append(f"in force is {text_in_force(machine)[:200]!r}")
    return problems


def verb_killed(on: Machine, verb: Verb) -> list[Row]:
    row, machine = Row("kill -9", verb.name), followed.of(on)
    wanted = reference(machine, verb)
    log = machine.above / "calls"
    for nth in until_not_hit():
        verb.prepare(machine)
        under = kill_before.under(nth, tuple(on.path(name) for name in ("etc", "var", "run")), log, alone=True)
        if carry_out(machine, verb, under).code != kill_before.KILLED:
            break
        case = f"#{nth} {kill_before.last_call(log, on.root)}"
        row.add(case, "old or new, and then new", old_or_new(machine, wanted) + again(machine, verb, wanted))
    return [row]


def verb_cut(on: Machine, verb: Verb) -> list[Row]:
    row, machine = Row("power cut", verb.name), followed.of(on)
    wanted = reference(machine, verb)
    verb.prepare(machine)
    log = machine.above / "calls"
    disk = Disk.of(on.root)
    assert carry_out(machine, verb, traced(log, named=True)).code == 0
    for case, left in cuts(disk, calls_in(log)):
        verb.prepare(machine)
        for folder in ("etc", "var"):
            machine.wipe(folder)
        put(on.root, left)
        problems = old_or_new(machine, wanted) + again(machine, verb, wanted)
        row.add(case.replace(str(on.root), ""), "old or new, and then new", problems)
    return [row]
