"""What may happen to a machine, as values that can be drawn, printed and played again; and how each is judged.

A step is a list: a word and plain values. None depends on another, so any of them may be left out: that is how a
failing walk is made short. They are drawn in drawn.py. By hand, a step that makes no sense where it stands does
nothing.
"""

import contextlib
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import strace
from cluster import Settings, changed, is_valid, read_hosts, text_of
from model import CLUSTER, DONE, HOSTS, REJECTED, UNTOUCHED, Model, Wrong, differences, exactly, file_of
from world import CLUSTER_FILE, LAN, SYSCTL_FILE, FileValue, Look, Outcome, World

Step = list[object]
WITHIN_S = 60
LEFT = re.compile(r"now [^;]*\b[1-9]\d* to (add|change|remove)")
TAKEN_ALONG = 8


# /etc/hosts by hand: each edit is of bytes, and is made to the file and to what it would be without us.

def appended(text: bytes) -> bytes:
    return text + (b"" if text.endswith(b"\n") or not text else b"\n") + b"203.0.113.7 printer\n"


def without_last_newline(text: bytes) -> bytes:
    return text.removesuffix(b"\n")


EDITS: dict[str, Callable[[bytes], bytes]] = {
    "append": appended,
    "prepend": lambda text: b"# mine\n" + text,
    "less": lambda text: text.replace(b"203.0.113.7 printer\n", b"").replace(b"# mine\n", b""),
    "change": lambda text: text.replace(b"gateway # by hand", b"gateway   router"),
}
INSIDE: dict[str, Callable[[bytes], bytes]] = {
    "spoil": lambda text: text.replace(b" spark2-", b" other-"),
    "remove": lambda text: read_hosts(FileValue(0, (0, 0), text)).rest,
}


@dataclass
class Walk:
    """One machine, one model, and what became of the steps so far."""

    world: World
    model: Model = field(default_factory=Model)
    now: Look = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    log: list[str] = field(default_factory=list)

    def begin(self) -> None:
        self.world.reset()
        self.model = Model()
        self.write_file(self.model.settings)
        self.now = self.world.look()
        self.model.hosts = file_of(self.now, HOSTS)

    def write_file(self, settings: Settings) -> None:
        self.model.settings = settings
        self.world.write(CLUSTER_FILE, text_of(settings))

    def step(self, step: Step) -> list[Wrong]:
        word, *rest = step
        return MOVES[str(word)](self, *rest)

    def spark(self, *words: str) -> Outcome:
        return self.heard(words, self.world.spark(*words))

    def heard(self, words: tuple[str, ...], done: Outcome) -> Outcome:
        self.outcomes[f"{words[0]} {done.code}"] += 1
        self.log.append(f"$ spark-reconcile {' '.join(words)}  -> {done.code}\n{done.text}")
        return done

    def looked(self) -> tuple[Look, Look]:
        """Before and after."""
        old, self.now = self.now, self.world.look()
        return old, self.now

    def leftovers(self) -> list[Wrong]:
        left = self.world.journals() + self.world.leftovers()
        return [Wrong("left", name) for name in left]


# By hand -----------------------------------------------------------------------------------------

def edit_file(walk: Walk, name: str, value: object) -> list[Wrong]:
    walk.write_file(changed(walk.model.settings, name, value))
    walk.looked()
    return []


def by_hand(walk: Walk, act: Callable[[], None]) -> list[Wrong]:
    act()
    walk.model.somebody_did(*walk.looked())
    return []


def ip_by_hand(walk: Walk, line: str) -> list[Wrong]:
    return by_hand(walk, lambda: walk.world.try_ip(line))


def sysctl_by_hand(walk: Walk, key: str, value: str) -> list[Wrong]:
    return by_hand(walk, lambda: walk.world.try_sysctl(key, value))


def edited(file: FileValue | None, edit: Callable[[bytes], bytes]) -> FileValue | None:
    return FileValue(file.mode, file.owner, edit(file.data)) if file else None


def edit_hosts(walk: Walk, what: str) -> list[Wrong]:
    path = walk.world.path("etc/hosts")
    if not path.is_file():
        return []
    if what in INSIDE:
        path.write_bytes(INSIDE[what](path.read_bytes()))
        if what == "remove" and walk.model.hosts:  # what stays is theirs, with the end of line that ours needed
            walk.model.hosts = edited(walk.model.hosts, lambda _: path.read_bytes())
    elif what in EDITS:
        path.write_bytes(EDITS[what](path.read_bytes()))
        walk.model.hosts = edited(walk.model.hosts, EDITS[what])
    elif what == "newline" and read_hosts(file_of(walk.now, HOSTS)).block is None:
        path.write_bytes(without_last_newline(path.read_bytes()))
        walk.model.hosts = edited(walk.model.hosts, without_last_newline)
    elif what == "mode":
        path.chmod(0o664)
        if walk.model.hosts:
            mode = walk.model.hosts.mode & ~0o777 | 0o664
            walk.model.hosts = FileValue(mode, walk.model.hosts.owner, walk.model.hosts.data)
    elif what == "owner":
        os.chown(path, 1, 2)
        if walk.model.hosts:
            walk.model.hosts = FileValue(walk.model.hosts.mode, (1, 2), walk.model.hosts.data)
    walk.looked()
    return []


def edit_own(walk: Walk, what: str) -> list[Wrong]:
    """A file of ours, by another hand: it is made again, and goes all the same."""
    path = walk.world.path(SYSCTL_FILE)
    if path.is_file():
        if what == "remove":
            path.unlink()
        elif what == "mode":
            path.chmod(0o600)
        else:
            path.write_text(path.read_text().replace("= 600", "= 601").replace("arp_ignore = 1", "arp_ignore = 0"))
    walk.looked()
    return []


def device_goes(walk: Walk, name: str) -> list[Wrong]:
    walk.world.device_goes(name)
    walk.looked()
    return []


def device_comes(walk: Walk, name: str) -> list[Wrong]:
    walk.world.device_comes(name)
    walk.model.device_came(name, walk.looked()[1])
    return []


def boot(walk: Walk) -> list[Wrong]:
    """With what spark-reconcile-rollback.service does before any network manager starts."""
    walk.world.boot()
    walk.model.booted(walk.looked()[1])
    done = walk.spark("rollback", "--overdue")
    old, new = walk.looked()
    wrong = [] if done.code == 0 else [ended("rollback --overdue", done)]
    return wrong + exactly(old, new, "a boot with nothing overdue changes")


# Verbs -------------------------------------------------------------------------------------------

def ended(verb: str, done: Outcome) -> Wrong:
    return Wrong(f"{verb} ends {done.code}", done.text.strip()[-1500:])


def looks(walk: Walk, words: str) -> list[Wrong]:
    """A verb that only looks changes nothing, not even what the program remembers."""
    pending = walk.world.writes()
    walk.world.events.take()
    done = walk.spark(*words.split())
    heard = walk.world.events.take()
    old, new = walk.looked()
    wrong = exactly(old, new, f"{words} changes")
    ours = {"seen.plan"}
    wrong += [Wrong(f"{words} writes", name) for name, value in walk.world.writes().items()
              if pending.get(name) != value and name not in ours and name != "run/spark-reconcile"
              and not name.startswith("run/spark-reconcile/apply")]
    if heard:
        wrong.append(Wrong(f"{words} makes events", str(heard)))
    if done.code not in (0, 1, 2, 3, 4, 5) and not (done.code == 6 and words in ("plan", "plan --out seen.plan")):
        wrong.append(ended(words, done))
    return wrong


def applied(walk: Walk, verb: str, done: Outcome, settings: Settings) -> list[Wrong]:
    """How an apply of these settings has to have ended."""
    old, new = walk.looked()
    if not is_valid(settings):
        wrong = [] if done.code == 5 else [ended(f"{verb} of an invalid file", done)]
        return wrong + exactly(old, new, "a refused apply changes")
    if done.code not in DONE:
        nothing = exactly(old, new, "a failed apply changes") if done.code in (*UNTOUCHED, 7, 130) else []
        why = done.code == 6 and may_refuse(settings, old)
        return nothing if why else [ended(verb, done), *nothing]
    if exactly(old, new, ""):
        walk.model.note(settings)
    else:
        walk.model.may_have_applied(settings)  # one that changes nothing writes nothing either
    return walk.model.applied(settings, old, new, bool(LEFT.search(done.text))) + walk.leftovers()


def is_silent(walk: Walk, first: Outcome) -> list[Wrong]:
    """Another apply makes no event and writes nothing; where the first says what is left, that is done first."""
    if LEFT.search(first.text):
        wrong = apply(walk, False)
        if wrong:
            return wrong
    pending = walk.world.writes()
    walk.world.events.take()
    done = walk.spark("apply")
    heard = walk.world.events.take()
    old, new = walk.looked()
    wrong = exactly(old, new, "a second apply changes")
    wrong += [Wrong("a second apply writes", name) for name, value in walk.world.writes().items()
              if pending.get(name) != value]
    if heard:
        wrong.append(Wrong("a second apply makes events", f"{heard}: {done.text}"))
    if done.code != first.code:
        wrong.append(ended(f"after {first.code} a second apply", done))
    return wrong


def may_refuse(settings: Settings, look: Look) -> bool:
    """No link is made exclusive that carries a gateway (docs/reference/cluster-yaml.md)."""
    return "lan.exclusive" in settings and any(
        name.startswith(f"route {LAN} ") and " via " in name for name in look)


def apply(walk: Walk, twice: bool) -> list[Wrong]:
    done = walk.spark("apply")
    wrong = applied(walk, "apply", done, walk.model.settings)
    return wrong or (is_silent(walk, done) if twice and done.code in DONE else [])


def saved_plan(walk: Walk, meanwhile: Step | None) -> list[Wrong]:
    """Exactly that one, or none where the machine has changed since."""
    settings = walk.model.settings
    planned = walk.spark("plan", "--out", "saved.plan")
    if not is_valid(settings):
        return [] if planned.code == 5 else [ended("plan of an invalid file", planned)]
    if planned.code == 6 and may_refuse(settings, walk.now):
        return []
    if planned.code not in (2, *DONE):
        return [ended("plan --out", planned)]
    walk.looked()
    if meanwhile is not None:
        walk.step(meanwhile)
    done = walk.spark("apply", "saved.plan")
    if done.code == 6 and meanwhile is not None:
        return exactly(*walk.looked(), "a stale plan changes")
    return applied(walk, "apply saved.plan", done, settings)


def confirmed(walk: Walk, way: str) -> list[Wrong]:
    """apply --confirm, and one of its ends."""
    start, model, settings = walk.now, walk.model.copy(), walk.model.settings
    done = walk.spark("apply", "--confirm", f"{WITHIN_S}s")
    wrong = applied_and_open(walk, done, settings)
    if wrong or not walk.world.journals():
        return wrong
    wrong = waits(walk)
    if way == "confirm":
        done = walk.spark("confirm")
        return wrong + ([] if done.code == 0 else [ended("confirm", done)]) + exactly(
            *walk.looked(), "a confirmation changes") + walk.leftovers()
    model.history = walk.model.history
    walk.model = model
    walk.model.reject(settings)
    if way == "boot":
        return wrong + rolled_back_at_boot(walk, start)
    done = walk.spark("rollback") if way == "rollback" else walk.heard(
        ("rollback", "--overdue"), walk.world.later(WITHIN_S + 60, "rollback", "--overdue"))
    walk.looked()
    return wrong + not_rolled_back(walk, done, f"{way} of what waits", start, "taken back, yet")


def applied_and_open(walk: Walk, done: Outcome, settings: Settings) -> list[Wrong]:
    journals = walk.world.journals()
    return [each for each in applied(walk, "apply --confirm", done, settings)
            if each.sort != "left" or each.text not in journals]


def waits(walk: Walk) -> list[Wrong]:
    done = walk.spark("apply")
    wrong = [] if done.code in (5, 6) else [ended("an apply while one waits", done)]
    early = walk.spark("rollback", "--overdue")
    wrong += [] if early.code == 0 else [ended("rollback --overdue, too early,", early)]
    return wrong + exactly(*walk.looked(), "what waits changes")


def not_rolled_back(walk: Walk, done: Outcome, what: str, start: Look, sort: str) -> list[Wrong]:
    """All is as before; or what the kernel took along, as no rollback restores it, is gone, and said to be."""
    # What comes back is the last of its link: the kernel has no other place for it.
    wrong = [each for each in exactly(as_made(start), as_made(walk.now), sort) if not each.text.startswith("order ")]
    if done.code == TAKEN_ALONG and wrong and all(is_told(each, done.text) for each in wrong):
        walk.model.was_taken_along(wrong)
        return walk.leftovers()
    return ([] if done.code == 0 else [ended(what, done)]) + wrong + walk.leftovers()


def as_made(look: Look) -> Look:
    """A file of ours comes back with the mode that we give it, whatever another hand had set."""
    return {name: replace(value, mode=0o100644) if isinstance(value, FileValue) and name == f"file {SYSCTL_FILE}" else value
            for name, value in look.items()}


def is_told(wrong: Wrong, text: str) -> bool:
    """The kernel takes IPv6 addresses with a link that goes down, and routes with an address; no IPv4 address goes."""
    what, _link, *name = wrong.text.split()
    if what == "addr" and ":" not in name[0]:
        return False
    return what in ("addr", "route", "held") and " is None, was " in wrong.text and name[0].split("/")[0] in text


def rolled_back_at_boot(walk: Walk, start: Look) -> list[Wrong]:
    walk.world.boot()
    walk.model.booted(walk.looked()[1])
    done = walk.spark("rollback", "--overdue")
    walk.looked()
    wrong = [] if done.code == 0 else [ended("rollback --overdue after a boot", done)]
    files = {name for name in set(start) | set(walk.now) if name.startswith(("file ", "dir "))}
    return wrong + differences(start, walk.now, files, "taken back at boot, yet") + walk.leftovers()


def rollback(walk: Walk) -> list[Wrong]:
    """Nothing is open: to the file before the one in force."""
    done = walk.spark("rollback")
    old, new = walk.looked()
    if done.code in UNTOUCHED:
        nothing = exactly(old, new, "a refused rollback changes")
        why = done.code == 6 and any(may_refuse(each, old) for each in walk.model.earlier())
        nowhere = done.code == 1 and not walk.model.must_return()
        return nothing + ([] if why or nowhere else [ended("rollback", done)])
    if done.code not in DONE:
        return [ended("rollback", done)]
    return returned(walk, old, new, bool(LEFT.search(done.text))) + walk.leftovers()


def in_force(walk: Walk) -> str | None:
    """The digest of the file that `history` says was applied last."""
    generations = json.loads(walk.spark("history", "--json").text)["generations"]
    return next((str(each["digest"]) for each in generations if each["outcome"] == "applied"), None)


def returned(walk: Walk, old: Look, new: Look, has_left_some: bool) -> list[Wrong]:
    """To one of those before. Several may ask for the same, so it is held to what it says of it."""
    standing, text = walk.model.settings, walk.world.path(CLUSTER_FILE).read_text()
    said = in_force(walk) if text == text_of(standing) else digest_of(text)
    settings = next((each for each in walk.model.earlier() if digest_of(text_of(each)) == said), None)
    if settings is None:
        return [Wrong("returned to no file", f"{said}\n{text}")]
    wrong = walk.model.applied(settings, old, new, has_left_some)
    walk.model.returned_to(settings, standing if text != text_of(standing) else None)
    if text != text_of(standing):
        walk.model.settings = dict(settings)
    return wrong


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def release(walk: Walk) -> list[Wrong]:
    return judged_release(walk, walk.spark("release"))


def judged_release(walk: Walk, done: Outcome) -> list[Wrong]:
    old, new = walk.looked()
    if done.code not in DONE:
        if done.code in (1, 5) and not is_valid(walk.model.settings):
            return exactly(old, new, "a refused release changes")
        nothing = exactly(old, new, "a failed release changes") if done.code in (*UNTOUCHED, 7) else []
        return [ended("release", done), *nothing]
    return walk.model.released(old, new) + walk.leftovers()


# Killed ------------------------------------------------------------------------------------------

def killed_run(walk: Walk, verb: str, call: str, nth: int) -> tuple[Outcome, bool]:
    done = strace.inject(walk.world, strace.Fault(call, "signal=KILL", nth), verb)
    walk.heard((verb, f"[killed at {call} {nth}]" if done.hit else "[not killed]"), done.outcome)
    return done.outcome, done.hit


JUDGES: dict[str, Callable[[Walk, Outcome], list[Wrong]]] = {
    "apply": lambda walk, done: applied(walk, "apply", done, walk.model.settings),
    "release": judged_release,
}


def killed(walk: Walk, verb: str, kills: list[list[object]], way: str) -> list[Wrong]:
    """kill -9, of the verb and of those that go on from it; then one that lives, and nothing is between old and new."""
    start, model = walk.now, walk.model.copy()
    hit, runs = False, 0
    for call, nth in kills:
        done, hit = killed_run(walk, verb, str(call), int(str(nth)))
        runs += 1
        if not hit:
            break
    refused = (done.code in (1, 5) and not is_valid(walk.model.settings)) or (
        done.code == 6 and may_refuse(walk.model.settings, start))
    if not hit and runs > 1 and done.code not in DONE and not refused:
        walk.looked()
        return [ended(verb, done)]  # as before that one, which is after those that were killed
    if not hit:
        return JUDGES[verb](walk, done)
    if verb == "apply":
        walk.model.may_have_applied(walk.model.settings)
    if not walk.world.journals():
        return old_or_new(walk, verb, start, model)
    if verb == "release" and way != "rollback":
        start = walk.model.half_released(start, walk.world.look())
    return WAYS[way](walk, verb, start)


def old_or_new(walk: Walk, verb: str, start: Look, model: Model) -> list[Wrong]:
    """Without a journal nobody knows of it."""
    walk.looked()
    if not exactly(start, walk.now, "old"):
        return []
    done, walk.now = walk.now, start
    with swapped_look(walk, done):
        wrong = JUDGES[verb](walk, Outcome(0, ""))
    if wrong:
        walk.model = model
        return [Wrong("neither old nor new, and no journal", str(each)) for each in wrong]
    return []


@contextlib.contextmanager
def swapped_look(walk: Walk, look: Look):  # type: ignore[no-untyped-def]
    """The next look is this one."""
    real = walk.world.look
    walk.world.look = lambda: look  # type: ignore[method-assign]
    try:
        yield
    finally:
        walk.world.look = real  # type: ignore[method-assign]


def goes_on(walk: Walk, verb: str, start: Look) -> list[Wrong]:
    between = walk.world.look()
    walk.now = start
    verb = what_ends_it(walk)
    done = walk.spark(verb)
    start = walk.model.with_cages_in_use(start, between)
    walk.now = walk.model.without_lost_ipv6(start, between, walk.world.look())
    return JUDGES[verb](walk, done)


def ends_it(walk: Walk) -> list[Wrong]:
    verb = what_ends_it(walk)
    return JUDGES[verb](walk, walk.spark(verb))


def what_ends_it(walk: Walk) -> str:
    """An apply; a release, where no apply can read the file or may do what it says."""
    settings = walk.model.settings
    return "apply" if is_valid(settings) and not may_refuse(settings, walk.now) else "release"


def gives_up(walk: Walk, verb: str, start: Look) -> list[Wrong]:
    between, done = walk.world.look(), walk.spark("release")
    walk.now = walk.model.without_lost_ipv6(start, between, walk.world.look())
    if verb == "apply":
        walk.model.takes_over(walk.model.settings, start)
    return JUDGES["release"](walk, done)


def goes_back(walk: Walk, verb: str, start: Look) -> list[Wrong]:
    done = walk.spark("rollback")
    walk.looked()
    if verb == "apply":
        walk.model.reject(walk.model.settings)
    return not_rolled_back(walk, done, f"rollback of a killed {verb}", start, "rolled back, yet")


def boots(walk: Walk, verb: str, start: Look) -> list[Wrong]:
    """Power is lost right then. What a reboot forgets is gone, what is on disk is half done; the next apply mends it."""
    if verb == "apply":
        walk.model.takes_over(walk.model.settings, start)
    walk.world.boot()
    booted = walk.looked()[1]
    walk.model.booted(booted)
    done = walk.spark("rollback", "--overdue")
    wrong = [] if done.code == 0 else [ended("rollback --overdue after a boot", done)]
    # Of what is on disk, the old: what an apply leaves alone is as before the kill.
    walk.now = {name: value for name, value in booted.items() if not name.startswith(("file ", "dir "))} | {
        name: value for name, value in start.items() if name.startswith(("file ", "dir "))}
    return wrong + ends_it(walk)


WAYS = {"apply": goes_on, "release": gives_up, "rollback": goes_back, "boot": boots}

MOVES: dict[str, Callable[..., list[Wrong]]] = {
    "file": edit_file, "ip": ip_by_hand, "sysctl": sysctl_by_hand, "hosts": edit_hosts, "own": edit_own,
    "goes": device_goes, "comes": device_comes, "boot": boot, "look": looks, "apply": apply, "saved": saved_plan,
    "confirm": confirmed, "rollback": rollback, "release": release, "kill": killed,
}


__all__ = ["CLUSTER", "EDITS", "INSIDE", "REJECTED", "Step", "WAYS", "Walk"]
