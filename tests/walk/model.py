"""What has to be true, by the promises of docs/howto/guide.md and the README; not by the code.

The model never asks the program. It compares two looks at the machine, before and after a verb, by name. Of each
name it knows three things: what was there before us (`before`; several values where a person changed it while it was
ours and not asked for), what the last good apply made of it (`enforced`), and what the file asks (cluster.py).
What is in none of them is somebody else's, and never changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cluster import (FIRST, Hosts, Settings, Wish, boot_wishes, hosts_lines, read_hosts, text_of, unused_links,
                     wishes)
from world import (CLUSTER_FILE, LAN, RAILS, SYSCTL_FILE, UNUSED, FileValue, Look, Value, dotted, link_of)

DONE = (0, 3, 4)  # 4: virtual links have no RDMA devices; 3: a device is away
UNTOUCHED = (1, 5, 6, 75)
HOSTS = "file etc/hosts"
CLUSTER = f"file {CLUSTER_FILE}"
REJECTED = f"{CLUSTER}.rejected"
SMALLEST_IPV6 = 1280
# What the program may make, with the directories above it, and nothing else.
OWN_FILES = (SYSCTL_FILE, "etc/NetworkManager/conf.d/90-spark-reconcile.conf",
             "etc/systemd/network/00-spark-reconcile.network", "etc/hosts")

Parts = tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Wrong:
    """A promise that was broken: a word for the sort, which shrinking keeps, and the rest."""

    sort: str
    text: str

    def __str__(self) -> str:
        return f"{self.sort}: {self.text}"


def is_own(name: str) -> bool:
    kind, path = name.split(" ", 1)
    return (kind == "file" and path in OWN_FILES) or (
        kind == "dir" and any(own.startswith(f"{path}/") for own in OWN_FILES))


def is_compared(name: str) -> bool:
    """By itself, as a value of its own: routes and the order of addresses follow from others."""
    return name.split(" ")[0] not in ("link", "carrier", "route", "order") and name not in (HOSTS, CLUSTER, REJECTED)


def is_ipv6_of(name: str) -> bool:
    return name.startswith("sysctl net.ipv6.conf.") or name.startswith("mode ") or (
        (is_address(name) or is_held(name)) and ":" in name.split(" ")[2])


def is_address(name: str) -> bool:
    return name.startswith("addr ")


def is_held(name: str) -> bool:
    """A route of ours."""
    return name.startswith("held ")


def here(name: str, *looks: Look) -> bool:
    link = link_of(name)
    return not link or all(f"link {link}" in look for look in looks)


def loses_ipv6(link: str, old: Look, new: Look) -> bool:
    """The kernel takes IPv6 from a link that goes down, or whose MTU is too small for it."""
    down = old.get(f"up {link}") is True and new.get(f"up {link}") is False
    return down or any(int(str(look.get(f"mtu {link}", 0))) < SMALLEST_IPV6 for look in (old, new))


def differences(old: Look, new: Look, names: Iterable[str], sort: str) -> list[Wrong]:
    return [Wrong(sort, f"{name} is {new.get(name)!r}, was {old.get(name)!r}") for name in sorted(names)
            if old.get(name) != new.get(name)]


def exactly(old: Look, new: Look, sort: str) -> list[Wrong]:
    """Nothing at all is different: order and routes too."""
    return differences(old, new, set(old) | set(new), sort)


@dataclass
class Generation:
    settings: Settings
    rejected: bool = False


@dataclass
class Model:
    settings: Settings = field(default_factory=lambda: dict(FIRST))
    before: dict[str, set[Value]] = field(default_factory=dict)
    enforced: dict[str, Value] = field(default_factory=dict)
    beside: dict[str, set[Value]] = field(default_factory=dict)  # other lengths of an address of ours, by hand
    hosts: FileValue | None = None  # as it would be without us
    history: list[Generation] = field(default_factory=list)
    is_released: bool = False
    is_exclusive: bool = False  # as the last apply had lan0

    def copy(self) -> "Model":
        return Model(dict(self.settings), {name: set(values) for name, values in self.before.items()},
                     dict(self.enforced), {name: set(parts) for name, parts in self.beside.items()}, self.hosts,
                     [Generation(each.settings, each.rejected) for each in self.history], self.is_released, self.is_exclusive)

    # Of people -----------------------------------------------------------------------------------

    def somebody_did(self, old: Look, new: Look) -> None:
        """Drift of what the file asks for is drift. What is ours and not asked for may be meant."""
        for name in set(old) | set(new):
            if name in self.before and name not in self.enforced and old.get(name) != new.get(name):
                self.before[name].add(new.get(name))
            if name in self.enforced and name.startswith("mode ") and not old.get(name):
                self.before[name].add(new.get(name))  # the link had no IPv6, and so no mode
            if name in self.enforced and is_address(name):
                self.lengths_changed(name, parts_of(old.get(name)), parts_of(new.get(name)),
                                     self.wishes(self.settings, old).get(name))

    def lengths_changed(self, name: str, old: Parts, new: Parts, wish: Wish | None) -> None:
        """Without ours, what is left is ours with another length: drift. What else has gone may stay away."""
        lengths = {length for length, _ in parts_of(self.enforced[name])}
        if any(length in lengths for length, _ in new):
            self.beside.setdefault(name, set()).update(
                part for part in new if part not in old and part[0] not in lengths)
        else:
            self.beside.pop(name, None)
        gone = {part for part in old if part not in new and not (wish and wish.holds((part,)))}
        self.before[name] |= {tuple(part for part in parts_of(value) if part not in gone) or None
                              for value in self.before[name]}

    def device_came(self, link: str, new: Look) -> None:
        """Another device of the same name: what it brought may count as what was there before. Of an address that
        had several lengths one was ours to bring back."""
        for name, values in self.before.items():
            if link_of(name) == link:
                values.update((part,) for value in list(values) for part in parts_of(value) if is_address(name))
                if not self.is_enforced(name, new):
                    values.add(new.get(name))

    def booted(self, new: Look) -> None:
        for name, values in self.before.items():
            if not name.startswith(("file ", "dir ")) and not self.is_enforced(name, new):
                values.add(new.get(name))

    def is_enforced(self, name: str, look: Look) -> bool:
        return name in self.enforced and look.get(name) == self.enforced[name]

    def without_others(self, name: str, old: Look, new: Look) -> Value:
        """An address, less the lengths of it that somebody put beside ours: they may stay."""
        theirs = [part for part in parts_of(old.get(name)) if part in self.beside.get(name, ())]
        found = new.get(name)
        return tuple(part for part in parts_of(found) if part not in theirs) or None if theirs else found

    # Of the program ------------------------------------------------------------------------------

    def ours(self) -> set[str]:
        return {name for name, values in self.before.items() if None in values}

    def wishes(self, settings: Settings, look: Look) -> dict[str, Wish]:
        """No address at all on what is exclusive: none of those either that were there before us."""
        taken = {name: look.get(name) for name in self.before if name.startswith(f"addr {LAN} ")}
        return wishes(settings, {**taken, **look}, self.ours())

    def takes_over(self, settings: Settings, old: Look) -> None:
        # A cage that is to be down and is in use stays, and is asked for all the same.
        for name in (*self.wishes(settings, old), *(f"up {link}" for link in unused_links(settings))):
            if name.startswith("sysctl net.ipv6.conf.") and old.get(name) is None:
                continue  # no IPv6 on that link: nothing was there to come back
            if here(name, old):
                values = self.before.setdefault(name, {old.get(name)} | self.drift_of_exclusive(name))
                if self.drift_of_exclusive(name):
                    values.add(old.get(name))  # it came since, and is asked for now
        self.is_exclusive = "lan.exclusive" in settings

    def drift_of_exclusive(self, name: str) -> set[Value]:
        """What comes to a link that is exclusive is drift, and need not come back with a release."""
        return {None} if self.is_exclusive and name.startswith(f"addr {LAN} ") else set()

    def applied(self, settings: Settings, old: Look, new: Look, has_left_some: bool = False) -> list[Wrong]:
        """An apply of these settings that says it is done; or that it is but for what an address took along."""
        wanted = {name: wish for name, wish in self.wishes(settings, old).items() if here(name, new)}
        self.takes_over(settings, old)
        wrong = [Wrong("not as the file says", f"{name} is {new.get(name)!r}, wanted {wish.text}")
                 for name, wish in sorted(wanted.items()) if not wish.holds(new.get(name))
                 and not self.is_beyond(name, new) and not (has_left_some and is_held(name) and name not in new)]
        for name in sorted({*old, *new, *self.enforced}):
            if name in wanted or not is_compared(name) or not here(name, old, new):
                continue
            wrong += self.given_up(name, old, new) if name in self.enforced else self.not_ours(name, old, new)
        wrong += self.boot_file(settings, old, new) + self.hosts_file(settings, old, new)
        wrong += self.routes(old, new)
        for name in wanted:
            self.enforced[name] = new.get(name)
        self.is_released = False
        return wrong

    @staticmethod
    def is_beyond(name: str, new: Look) -> bool:
        """The kernel has no IPv6 on a link of so small an MTU."""
        link = link_of(name)
        return bool(link) and is_ipv6_of(name) and int(str(new[f"mtu {link}"])) < SMALLEST_IPV6

    def given_up(self, name: str, old: Look, new: Look) -> list[Wrong]:
        """It was asked for, and is no longer."""
        mine = self.enforced.pop(name)
        drifted = old.get(name) != mine
        if name.startswith(("mtu ", "up ", "mode ")):  # stays, until a release
            return self.unchanged(name, old, new)
        allowed = set(self.before.get(name, {mine}))
        if drifted:
            allowed.add(old.get(name))
        if self.is_beyond(name, new):
            allowed.add(None)
        if is_address(name):
            allowed.add(None)  # an adopted one goes too, and comes back with a release
        found = new.get(name)
        if found not in allowed and self.without_others(name, old, new) not in allowed:
            return [Wrong("not given back", f"{name} left the file and is {found!r}, not {told(allowed)}")]
        if (name.startswith("sysctl ") and not drifted) or self.before[name] == {None}:
            del self.before[name]
        else:
            self.before[name].add(found)
        return []

    def unchanged(self, name: str, old: Look, new: Look) -> list[Wrong]:
        if old.get(name) == new.get(name):
            return []
        link = link_of(name)
        if name.startswith("sysctl net.ipv6.conf.") and None in (old.get(name), new.get(name)):
            return []  # there as long as the link has IPv6
        if link and is_ipv6_of(name) and loses_ipv6(link, old, new):
            self.before.setdefault(name, {old.get(name)}).add(new.get(name))
            return []
        return [Wrong("touched", f"{name} is nobody's wish: it is {new.get(name)!r}, was {old.get(name)!r}")]

    def not_ours(self, name: str, old: Look, new: Look) -> list[Wrong]:
        if is_own(name):
            if name not in old and name in new:
                self.before.setdefault(name, {None})
            return []
        if is_address(name) and ":" in name and name not in old and new[name] in self.before.get(name, ()):
            return []  # to be given back, and the kernel had taken it with a link that went down
        return self.unchanged(name, old, new)

    def boot_file(self, settings: Settings, old: Look, new: Look) -> list[Wrong]:
        wanted, found = boot_wishes(settings, new), boot_sysctls(new)
        wrong = [Wrong("not as the file says", f"at boot {key} is {found.get(key)}, wanted {value}")
                 for key, value in wanted.items() if found.get(key) != value]
        ours = lines_of(new.get(f"file {SYSCTL_FILE}"))
        wrong += [Wrong("not given back", f"{SYSCTL_FILE} still sets {key}") for key in ours
                  if key not in wanted and here(f"sysctl {key}", new)]
        return wrong

    def hosts_file(self, settings: Settings, old: Look, new: Look) -> list[Wrong]:
        found, lines = read_hosts(file_of(new, HOSTS)), hosts_lines(settings)
        if read_hosts(file_of(old, HOSTS)).broken:  # by hand: said, and left
            return differences(old, new, [HOSTS], "touched")
        if not lines:
            self.enforced.pop(HOSTS, None)
            return self.hosts_given_back(new)
        self.enforced[HOSTS] = None
        wrong = [] if found.block == lines else [
            Wrong("not as the file says", f"the block of /etc/hosts is {found.block}, wanted {lines}")]
        return wrong + self.other_lines(found, file_of(new, HOSTS))

    def other_lines(self, found: Hosts, file: FileValue | None) -> list[Wrong]:
        mine = self.hosts.data if self.hosts else b""
        if mine and not mine.endswith(b"\n"):
            mine += b"\n"  # the block begins on a line of its own
        wrong = [] if found.rest == mine else [
            Wrong("touched", f"lines of /etc/hosts: {found.rest!r}, were {mine!r}")]
        if self.hosts and file and (file.mode, file.owner) != (self.hosts.mode, self.hosts.owner):
            wrong.append(Wrong("touched", f"/etc/hosts is {file!r}, was {self.hosts!r}"))
        return wrong

    def hosts_given_back(self, new: Look) -> list[Wrong]:
        found = file_of(new, HOSTS)
        if found == self.hosts or (self.hosts is None and found is None):
            return []
        return [Wrong("not given back", f"/etc/hosts is {found!r}, was {self.hosts!r}")]

    def routes(self, old: Look, new: Look) -> list[Wrong]:
        """Where a link keeps its addresses and stays up, its routes stay."""
        wrong = []
        for link in {link_of(name) for name in old if name.startswith("link ")}:
            parts = [name for name in set(old) | set(new)
                     if link_of(name) == link and name.split(" ")[0] in ("link", "up", "addr", "order", "carrier")]
            mtus = [int(str(look.get(f"mtu {link}", 0))) for look in (old, new)]
            if min(mtus) >= SMALLEST_IPV6 and all(old.get(name) == new.get(name) for name in parts):
                wrong += differences(old, new, [name for name in set(old) | set(new)
                                                if name.startswith(f"route {link} ")], "routes")
        return wrong

    def released(self, old: Look, new: Look) -> list[Wrong]:
        """All is as before the first apply that took it over; what people changed since may stay."""
        wrong = []
        owed: dict[str, set[Value]] = {}  # what the kernel took with a link that went down: the next one may bring it
        for name in sorted(set(old) | set(new) | set(self.before)):
            if not is_compared(name) or not here(name, old, new):
                continue
            if name not in self.before:
                wrong += self.unchanged(name, old, new) if not is_own(name) else []
                continue
            allowed = set(self.before[name])
            if name in self.enforced and old.get(name) != self.enforced[name]:
                allowed.add(old.get(name))
            if others := of_others(name, old):
                allowed.add(others)  # somebody has put there what the file asks for
                allowed |= {mixed(value, others) for value in self.before[name] if value}
            lost = is_ipv6_of(name) and not new.get(name) and loses_ipv6(link_of(name), old, new)
            given_back = new.get(name) in allowed or self.without_others(name, old, new) in allowed
            if lost and is_address(name):
                owed[name] = allowed | {None}
            if not given_back and not lost:
                wrong.append(Wrong("not given back", f"{name} is {new.get(name)!r}, was {told(allowed)}"))
        if not read_hosts(file_of(old, HOSTS)).broken:
            wrong += self.hosts_given_back(new)
        ours = [key for key in lines_of(new.get(f"file {SYSCTL_FILE}")) if here(f"sysctl {key}", new)]
        wrong += [Wrong("not given back", f"{SYSCTL_FILE} still sets {key}") for key in ours]
        wrong += self.routes(old, new)
        self.before = {name: values for name, values in self.before.items() if not here(name, new)} | owed
        self.enforced = {name: value for name, value in self.enforced.items() if not here(name, new)}
        self.beside.clear()
        self.is_released, self.is_exclusive = True, False
        return wrong

    def half_released(self, old: Look, now: Look) -> Look:
        """As before a release that was killed, but for what it has given back of what no file asks for: no apply
        sets that again."""
        asked = self.wishes(self.settings, now)
        back = {name for name, values in self.before.items()
                if name not in asked and is_compared(name) and now.get(name) in values}
        moved = {link_of(name) for name in back if is_address(name) and old.get(name) != now.get(name)}
        back |= {name for name in set(old) | set(now) if name.startswith("route ") and link_of(name) in moved}
        return {name: value for name, value in old.items() if name not in back} | {
            name: now[name] for name in back if name in now}

    @staticmethod
    def without_lost_ipv6(old: Look, between: Look, now: Look) -> Look:
        """What the kernel has taken from a link that went down: nobody brings back what was not ours."""
        lost = {name for name in old if name not in now and name.startswith(("addr ", "route ", "held "))
                and ":" in name.split(" ")[2]
                and (loses_ipv6(link_of(name), old, between) or loses_ipv6(link_of(name), between, now))}
        return {name: value for name, value in old.items() if name not in lost}

    def with_cages_in_use(self, old: Look, between: Look) -> Look:
        """A killed release has taken a cage up whose other end is up: it is in use from then on, and stays up."""
        unused = unused_links(self.settings)
        for cage in ([link for link in unused if link in ports] for ports in (RAILS, UNUSED)):
            if any(between.get(f"carrier {link}") and not old.get(f"carrier {link}") for link in cage):
                names = {f"{each} {link}" for link in cage for each in ("up", "carrier")}
                old = old | {name: between[name] for name in names if name in between}
        return old

    # History -------------------------------------------------------------------------------------

    def note(self, settings: Settings) -> None:
        if not self.history or not is_same(self.history[-1].settings, settings) or self.history[-1].rejected:
            self.history.append(Generation(dict(settings)))

    def may_have_applied(self, settings: Settings) -> None:
        """Killed, or without a change: it may count as one that was applied, or not."""
        self.history.append(Generation(dict(settings), rejected=True))

    def reject(self, settings: Settings) -> None:
        for generation in self.history:
            if is_same(generation.settings, settings):
                generation.rejected = True

    def must_return(self) -> bool:
        """Whether there is a file before the one in force."""
        good = [each for each in self.history if not each.rejected]
        return not self.is_released and not all(is_same(each.settings, good[-1].settings) for each in good)

    def returned_to(self, settings: Settings, rejected: Settings | None) -> None:
        """The file in force gave way, whether it stood there or not, and so did the one that stood there."""
        given_up = [] if rejected is None else [rejected]
        for generation in reversed(self.history):
            if is_same(generation.settings, settings) and not generation.rejected:
                break
            given_up.append(generation.settings)
        for each in given_up:
            self.reject(each)
        self.history.append(Generation(dict(settings)))

    def earlier(self) -> list[Settings]:
        """The files that a rollback may return to."""
        return [each.settings for each in self.history]

    def was_taken_along(self, wrong: Iterable[Wrong]) -> None:
        """It was theirs, it is said to be gone, and no release brings it back."""
        for each in wrong:
            name = each.text.partition(" is None, was ")[0]
            self.before.get(name, set()).add(None)


def parts_of(value: Value) -> Parts:
    """The lengths that an address has at once, each with the rest."""
    return value if isinstance(value, tuple) else ()


def of_others(name: str, look: Look) -> Value:
    """Of an address: the lengths of it that we have not put there. The kernel keeps our mark."""
    found = look.get(name)
    return tuple(each for each in found if "proto 83" not in str(each)) if (
        name.startswith("addr ") and isinstance(found, tuple)) else None


def is_same(one: Settings, other: Settings) -> bool:
    """As a file: what it says of nothing says the default."""
    return text_of(one) == text_of(other)


def mixed(value: Value, others: Value) -> Value:
    """Those lengths, and each that somebody has put there as he did."""
    lengths = {part[0]: part for part in (*parts_of(value), *parts_of(others))}
    return tuple(lengths[length] for length in sorted(lengths))


def told(values: Iterable[Value]) -> str:
    return " or ".join(sorted(repr(value) for value in values))


def file_of(look: Look, name: str) -> FileValue | None:
    found = look.get(name)
    return found if isinstance(found, FileValue) else None


def lines_of(file: Value) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in (file.data.decode(errors="replace") if isinstance(file, FileValue) else "").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith(("#", ";")):
            found[dotted(key.strip().lstrip("-"))] = " ".join(value.split())
    return found


def boot_sysctls(look: Look) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in sorted(look):
        if name.startswith("file etc/sysctl.d/") and name.endswith(".conf"):
            found |= lines_of(look[name])
    return found


__all__ = ["CLUSTER", "DONE", "HOSTS", "LAN", "Model", "REJECTED", "UNTOUCHED", "Wrong", "differences", "exactly",
           "file_of", "text_of"]
