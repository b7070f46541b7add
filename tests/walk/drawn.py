"""Walks, drawn by chance from what may happen (moves.py).

Steps that have nothing to do with each other rarely meet: a setting of the file, drift of the same thing, and an apply
between them. So a piece is mostly about a few subjects, and some of its steps are drawn together, as scenes about one.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cluster import CHOICES
from moves import EDITS, INSIDE, WAYS, Step
from world import LAN, LINKS, RAILS, UNUSED

LOOKS = ("plan", "status", "doctor", "history", "facts", "validate", "plan --release", "rollback --overdue", "confirm",
         "plan --out seen.plan", "init --from-host", "bench", "explain", "topology", "jobs")
BY_HAND = (
    f"address add 203.0.113.77/24 dev {LAN}", f"address del 203.0.113.77/24 dev {LAN}",
    f"address add 203.0.113.10/24 dev {LAN}", f"address del 203.0.113.10/24 dev {LAN}",
    f"address del 203.0.113.9/24 dev {LAN}", f"address add 203.0.113.9/24 dev {LAN}",
    f"address add 203.0.113.9/25 dev {LAN}", f"address del 203.0.113.9/25 dev {LAN}",
    f"address add 2001:db8:77::1/64 dev {LAN}", f"address add 2001:db8::1/64 dev {LAN}",
    f"address del 2001:db8::1/64 dev {LAN}", f"address del 2001:db8:9::9/64 dev {LAN}",
    f"address del 192.0.2.11/24 dev {RAILS[0]}", f"address add 192.0.2.11/24 dev {RAILS[0]}",
    f"address add 192.0.2.11/25 dev {RAILS[0]}", f"address add 192.0.2.200/24 dev {RAILS[0]}",
    f"address del 192.0.2.200/24 dev {RAILS[0]}", f"address add 198.51.100.11/24 dev {RAILS[1]}",
    f"address del 198.51.100.11/24 dev {RAILS[1]}", f"address add 198.51.100.99/32 dev {RAILS[1]}",
    f"address add 2001:db8:1::1/64 dev {RAILS[0]}", f"address del 2001:db8:1::1/64 dev {RAILS[0]}",
    f"address add 198.51.100.250/32 dev {UNUSED[1]}", f"address del 198.51.100.250/32 dev {UNUSED[1]}",
    *(f"link set {name} mtu {mtu}" for name in (LAN, *RAILS) for mtu in (1500, 1400, 9000)),
    f"link set {RAILS[1]} mtu 1200",
    *(f"link set {name} {way}" for name in (LAN, *RAILS, *UNUSED) for way in ("up", "down")),
    *(f"link set {name} addrgenmode {mode}" for name in (LAN, *RAILS) for mode in ("none", "eui64")),
    *(f"link set x-{LINKS.index(name)} {way}" for name in UNUSED for way in ("up", "down")),
    f"route add 203.0.113.128/26 via 203.0.113.1 dev {LAN}",
    f"route del 10.77.0.0/16 dev {RAILS[0]}", f"-6 route del 2001:db8:77::/48 dev {RAILS[0]}",
    f"route replace 10.77.0.0/16 via 192.0.2.99 dev {RAILS[0]} proto static",
    f"route add 10.77.0.0/16 via 192.0.2.99 dev {RAILS[0]} proto static metric 50",
    f"route add 10.78.0.0/16 via 192.0.2.99 dev {RAILS[0]} proto static", f"route del 10.78.0.0/16 dev {RAILS[0]}",
)
SET_BY_HAND = {"net.ipv4.tcp_keepalive_time": ("7200", "600", "1234"), "net.ipv4.tcp_keepalive_intvl": ("75", "60", "7"),
               "net.ipv4.tcp_syn_retries": ("6", "5", "4"),
               **{f"net.ipv4.conf.{link}.{key}": ("0", "1", "2") for link in RAILS
                  for key in ("arp_ignore", "arp_announce")},
               **{f"net.ipv6.conf.{link}.accept_ra": ("0", "1", "2") for link in RAILS}}
HOSTS_BY_HAND = (*EDITS, *INSIDE, "newline", "mode", "owner")
MUTATING = {"sendto": 60, "fsync": 16, "renameat": 12, "unlinkat": 16, "write": 18, "fchmod": 10, "mkdirat": 6,
            "ftruncate": 3, "openat2": 90}  # and about how often an apply calls each


# Subjects ----------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Subject:
    """A setting of the file, and what people do to the same thing."""

    name: str
    at_first: object  # what the file says where it wants what is there anyway
    by_hand: tuple[Step, ...]
    link: str = RAILS[0]


def of_link(name: str, at_first: object, words: str, link: str = LAN) -> Subject:
    return Subject(name, at_first, tuple(["ip", line] for line in BY_HAND if re.search(words, line)), link)


def of_sysctl(key: str, at_first: int) -> Subject:
    return Subject(f"sysctl.{key}", at_first, tuple(["sysctl", key, value] for value in SET_BY_HAND[key]))


OF_HOST = (
    of_sysctl("net.ipv4.tcp_keepalive_time", 7200), of_sysctl("net.ipv4.tcp_keepalive_intvl", 75),
    of_sysctl("net.ipv4.tcp_syn_retries", 6),
)
OF_LINKS = (
    of_link("lan.mtu", 1500, f"set {LAN} mtu"), of_link("lan.up", True, f"set {LAN} (up|down)"),
    of_link("lan.mode", "none", f"set {LAN} addrgenmode"),
    of_link("lan.exclusive", None, r"add 203\S+(77/24|/25)"), *[of_link("lan.exclusive", None, r"add 203\S+/25")] * 2,
    of_link("lan.addr.203.0.113.9", 24, r"203\.0\.113\.9/"),
    of_link("lan.addr.203.0.113.10", None, r"203\.0\.113\.10/"), of_link("lan.addr.2001:db8::1", None, "2001:db8::1/"),
    of_link("lan.addr.2001:db8:9::9", 64, "2001:db8:9::9/"),
    of_link("rail.addr.2001:db8:1::1", None, "2001:db8:1::1/", RAILS[0]),
    of_link("rail.route", None, r"10\.7[78]\.", RAILS[0]), of_link("rail.route6", None, "db8:77:|db8:1::1", RAILS[0]),
    of_link("mtu", 1500, f"set {RAILS[1]} mtu", RAILS[1]), of_link("subnets", "A", r" 192\.0\.2\.11/", RAILS[0]),
    of_link("cable", None, f"set {RAILS[1]} (up|down)|198.51.100.11/", RAILS[1]),
    of_link("unused", "leave", f"{UNUSED[1]}|x-{LINKS.index(UNUSED[1])}", RAILS[1]),
    Subject("hosts", None, tuple(["hosts", what] for what in HOSTS_BY_HAND)),
)
# Each word is a step about one subject. "first": as it is on this machine at first; "gone": not in the file.
SCENES = ("first apply hand apply", *["hand file apply"] * 3, "file apply hand apply", "file apply hand gone apply",
          "file apply first apply gone apply", "goes file apply comes apply", "file apply goes apply comes apply")
ENDS = ("", "", "", "", " release", " release", " rollback", " boot", " killed", " killed")


def acted(word: str, dice: random.Random, about: Subject) -> Step:
    if word == "file":
        return ["file", about.name, dice.choice([value for value in CHOICES[about.name] if value is not None])]
    if word in ("first", "gone"):
        return ["file", about.name, about.at_first if word == "first" else None]
    if word == "hand":
        return dice.choice(about.by_hand)
    if word == "apply":
        return dice.choices([draw_apply(dice), ["confirm", "confirm"], draw_kill_of("apply", dice)],
                            [12, 1, 1])[0]
    if word == "killed":
        return draw_kill_of("release", dice)
    return [word, about.link] if word in ("goes", "comes") else [word]


# Draws -------------------------------------------------------------------------------------------

Subjects = Sequence[Subject]


def draw_scene(dice: random.Random, subjects: Subjects) -> list[Step]:
    about = dice.choice(subjects)
    return [acted(word, dice, about) for word in (dice.choice(SCENES) + dice.choice(ENDS)).split()]


def draw_file(dice: random.Random, subjects: Subjects) -> Step:
    name = dice.choice(subjects).name if dice.random() < 0.5 else dice.choice(list(CHOICES))
    return ["file", name, dice.choice(CHOICES[name])]


def draw_hand(dice: random.Random, subjects: Subjects) -> Step:
    if dice.random() < 0.5:
        return dice.choice(dice.choice(subjects).by_hand)
    what = dice.random()
    if what < 0.55:
        return ["ip", dice.choice(BY_HAND)]
    if what < 0.75:
        key = dice.choice(list(SET_BY_HAND))
        return ["sysctl", key, dice.choice(SET_BY_HAND[key])]
    if what < 0.9:
        return ["hosts", dice.choice(HOSTS_BY_HAND)]
    return ["own", dice.choice(("remove", "mode", "spoil"))]


def draw_apply(dice: random.Random) -> Step:
    return ["apply", dice.random() < 0.5]


def draw_saved(dice: random.Random, subjects: Subjects) -> Step:
    return ["saved", draw_hand(dice, subjects) if dice.random() < 0.4 else None]


def draw_kill_of(verb: str, dice: random.Random) -> Step:
    kills = []
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        call = dice.choice(list(MUTATING))
        kills.append([call, dice.randint(1, MUTATING[call])])
    return ["kill", verb, kills, dice.choice(("rollback", *WAYS))]


def draw_kill(dice: random.Random) -> Step:
    return draw_kill_of(dice.choice(("apply", "apply", "release")), dice)


def draw_confirm(dice: random.Random) -> Step:
    return ["confirm", dice.choice(("confirm", "confirm", "rollback", "overdue", "boot"))]


DRAWS: tuple[tuple[int, Callable[[random.Random, Subjects], Step]], ...] = (
    (24, draw_file), (24, draw_hand), (22, lambda dice, _: draw_apply(dice)), (3, draw_saved),
    (3, lambda dice, _: draw_confirm(dice)), (4, lambda dice, _: ["rollback"]), (3, lambda dice, _: ["release"]),
    (3, lambda dice, _: ["look", dice.choice(LOOKS)]), (8, lambda dice, _: draw_kill(dice)),
    (1, lambda dice, _: ["boot"]), (2, lambda dice, _: ["goes", dice.choice((LAN, *RAILS))]),
    (3, lambda dice, _: ["comes", dice.choice((LAN, *RAILS))]),
)
SCENES_WEIGHT = 36  # beside the single steps


def draw(dice: random.Random, subjects: Subjects) -> list[Step]:
    weights = [weight for weight, _ in DRAWS]
    if dice.random() * (sum(weights) + SCENES_WEIGHT) < SCENES_WEIGHT:
        return draw_scene(dice, subjects)
    return [dice.choices([each for _, each in DRAWS], weights)[0](dice, subjects)]


def piece(seed: str, count: int) -> list[Step]:
    """So many steps on one machine. The last one gives everything back."""
    dice = random.Random(seed)
    subjects = [dice.choice(OF_HOST), *dice.sample(OF_LINKS, 2)]
    steps: list[Step] = []
    while len(steps) < count - 1:
        steps += draw(dice, subjects)
    return [*steps[:max(count - 1, 0)], ["release"]]


__all__ = ["Step", "piece"]
