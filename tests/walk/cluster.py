"""The cluster file of the walk: a few settings, the text that says them, and what that text asks of this node.

What it asks is written down here a second time, from docs/reference/cluster-yaml.md: the program's own resolution is not used.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

from world import LAN, LINKS, RAILS, UNUSED, FileValue, Look, Value, link_of

SUBNETS = {"A": (("192.0.2.0/24", "192.0.2.{}", 24), ("198.51.100.0/24", "198.51.100.{}", 24)),
           "B": (("192.0.2.0/25", "192.0.2.{}", 25), ("198.51.100.0/25", "198.51.100.{}", 25))}
PEER = 12
Settings = dict[str, object]  # by dotted name; what is absent is not in the file
CHOICES: dict[str, tuple[object, ...]] = {
    "cable": (True, True, None),
    "number": (11, 11, 21),
    "subnets": ("A", "A", "B"),
    "mtu": (9000, 4000, 1500, None),
    "unused": ("down", "leave", None),
    "hosts": ("-fabric", "-rdma", None),
    "sysctl.net.ipv4.tcp_keepalive_time": (600, 900, 7200, None),  # 7200 is the kernel's own
    "sysctl.net.ipv4.tcp_keepalive_intvl": (60, 75, None),
    "sysctl.net.ipv4.tcp_syn_retries": (5, 6, None),
    "lan.mtu": (1400, 1300, 1500, None),
    "lan.up": (True, False, None),
    "lan.mode": ("none", "eui64", None),
    "lan.exclusive": (True, None),
    "lan.addr.203.0.113.9": (24, 25, None),
    "lan.addr.203.0.113.10": (24, None),
    "lan.addr.2001:db8::1": (64, 48, None),
    "lan.addr.2001:db8:9::9": (64, None),
    "rail.addr.2001:db8:1::1": (64, None),
    "rail.route": (12, 13, None),  # via that host of its subnet
    "rail.route6": (2, None),
    "broken": (True, None, None, None),
}
FIRST: Settings = {"cable": True, "number": 11, "subnets": "A", "mtu": 9000, "hosts": "-fabric",
                   "sysctl.net.ipv4.tcp_keepalive_time": 600}


def below(settings: Settings, prefix: str) -> dict[str, object]:
    return {name.removeprefix(prefix): value for name, value in settings.items() if name.startswith(prefix)}


def changed(settings: Settings, name: str, value: object) -> Settings:
    found = copy.copy(settings)
    found.pop(name, None)
    if value is not None:
        found[name] = value
    return found


def addresses(settings: Settings, of: str) -> str:
    return ", ".join(f'"{ip}/{length}"' for ip, length in below(settings, f"{of}.addr.").items())


def routes_of(settings: Settings) -> dict[str, str]:
    """Over the first rail, to whom and via whom: as far as the file gives it addresses there."""
    found = {}
    if "cable" in settings and "rail.route" in settings:
        found["10.77.0.0/16"] = f"192.0.2.{settings['rail.route']}"
    if "cable" in settings and "rail.route6" in settings and "rail.addr.2001:db8:1::1" in settings:
        found["2001:db8:77::/48"] = f"2001:db8:1::{settings['rail.route6']}"
    return found


def text_of(settings: Settings) -> str:
    lan = [f"{key}: {str(value).lower()}" for key, value in below(settings, "lan.").items()
           if key in ("mtu", "up", "exclusive")]
    if "lan.mode" in settings:
        lan.append(f"link_local: {settings['lan.mode']}")
    if of_lan := addresses(settings, "lan"):
        lan.append(f"addresses: [{of_lan}]")
    links = [f"{LAN}: {{ {', '.join(lan)} }}"] if lan else []
    rail = [f"addresses: [{of_rail}]"] if (of_rail := addresses(settings, "rail")) else []
    if routes := [f'{{ to: "{to}", via: "{via}" }}' for to, via in routes_of(settings).items()]:
        rail.append(f"routes: [{', '.join(routes)}]")
    links += [f"{RAILS[0]}: {{ {', '.join(rail)} }}"] if rail else []
    node = f"number: {settings.get('number', 11)}" + (f", links: {{ {', '.join(links)} }}" if links else "")
    lines = ["version: 1", "cluster: walk", "nodes:", f"  spark1: {{ {node} }}", f"  spark2: {{ number: {PEER} }}"]
    fabric = [f"  mtu: {settings['mtu']}"] if "mtu" in settings else []
    if "unused" in settings:
        fabric.append(f"  unused_cages: {settings['unused']}")
    if "cable" in settings:
        subnets = ", ".join(subnet for subnet, _, _ in SUBNETS[str(settings.get("subnets", "A"))])
        fabric.append(f"  cables: [ {{ ends: [spark1:0, spark2:0], subnets: [{subnets}] }} ]")
    lines += ["fabric:", *fabric] if fabric else []
    host = [f"  hosts: {{ suffix: {settings['hosts']} }}"] if "hosts" in settings else []
    if keys := below(settings, "sysctl."):
        host.append(f"  sysctl: {{ {', '.join(f'{key}: {value}' for key, value in keys.items())} }}")
    lines += ["host:", *host] if host else []
    lines += ["nonsense: true"] if "broken" in settings else []
    return "\n".join(lines) + "\n"


def is_valid(settings: Settings) -> bool:
    """docs/reference/cluster-yaml.md: no link is down with addresses."""
    down = settings.get("lan.up") is False and bool(below(settings, "lan.addr."))
    return not down and "broken" not in settings


@dataclass(frozen=True)
class Wish:
    """What has to be so once an apply is done."""

    text: str
    holds: Callable[[Value], bool]


def equals(value: Value) -> Wish:
    return Wish(str(value), lambda found: found == value)


def is_address(length: int) -> Wish:
    """The kernel allows an IPv4 address in several lengths: another's beside it is another's address."""
    def holds(found: Value) -> bool:
        return isinstance(found, tuple) and length in [each[0] for each in found]
    return Wish(f"/{length}", holds)


def is_alone(length: int) -> Wish:
    """On a link that is exclusive."""
    return Wish(f"/{length} alone", lambda found: isinstance(found, tuple) and [each[0] for each in found] == [length])


ABSENT = Wish("absent", lambda found: found is None)


def answers_for_itself(rail: str) -> dict[str, Wish]:
    """Both rails of a cage where one has an address, by its cable or by `links:`."""
    return {f"sysctl net.ipv4.conf.{rail}.arp_ignore": equals("1"),
            f"sysctl net.ipv4.conf.{rail}.arp_announce": equals("2"),
            f"sysctl net.ipv6.conf.{rail}.accept_ra": equals("0")}


def of_rail(settings: Settings, number: int, link: str) -> dict[str, Wish]:
    _, pattern, length = SUBNETS[str(settings.get("subnets", "A"))][number]
    found = {f"up {link}": equals(True), f"mode {link}": equals("none"),
             f"addr {link} {pattern.format(settings.get('number', 11))}": is_address(length), **answers_for_itself(link)}
    if "mtu" in settings:
        found[f"mtu {link}"] = equals(settings["mtu"])
    return found


def of_lan(settings: Settings, look: Look) -> dict[str, Wish]:
    found: dict[str, Wish] = {}
    for key, name in (("lan.mtu", "mtu"), ("lan.up", "up"), ("lan.mode", "mode")):
        if key in settings:
            found[f"{name} {LAN}"] = equals(settings[key])
    for ip, length in below(settings, "lan.addr.").items():
        found[f"addr {LAN} {ip}"] = is_address(int(str(length)))
    if "lan.exclusive" in settings:
        for ip, length in below(settings, "lan.addr.").items():
            found[f"addr {LAN} {ip}"] = is_alone(int(str(length)))
        found = {name: ABSENT for name in look if name.startswith(f"addr {LAN} ")} | found
    return found


def cage_stays(look: Look, owned: set[str]) -> bool:
    """A cage that nobody named is taken down, unless somebody uses it: a carrier, or an address that is not ours."""
    return any(look.get(f"carrier {link}") for link in UNUSED) or any(
        name.startswith("addr ") and link_of(name) in UNUSED and name not in owned for name in look)


def unused_links(settings: Settings) -> tuple[str, ...]:
    """Of the cages that are to be down: no cable and no entry of their own names them."""
    if settings.get("unused") != "down":
        return ()
    named = "cable" in settings or bool(below(settings, "rail.addr."))
    return UNUSED if named else (*RAILS, *UNUSED)


def is_taken(look: Look, link: str, to: str) -> bool:
    """Somebody else has a route there, of the metric that ours has: it stays."""
    metric = " metric 1024" if ":" in to else ""
    return any(name.startswith(f"route {link} {to} ") and name.endswith(f" type 1{metric}") for name in look)


def wishes(settings: Settings, look: Look, owned: set[str]) -> dict[str, Wish]:
    """By name, what the file asks of the links that are there and of what belongs to no link."""
    found = of_lan(settings, look)
    if "cable" in settings:
        for number, link in enumerate(RAILS):
            found |= of_rail(settings, number, link)
    if settings.get("unused") == "down" and not cage_stays(look, owned):
        found |= {f"up {link}": equals(False) for link in UNUSED}
    if "cable" not in settings and settings.get("unused") == "down":
        found |= unplugged(settings, look, owned)
    for ip, length in below(settings, "rail.addr.").items():
        found[f"addr {RAILS[0]} {ip}"] = is_address(int(str(length)))
        for rail in RAILS:
            found |= answers_for_itself(rail)
    for to, via in routes_of(settings).items():
        if not is_taken(look, RAILS[0], to):
            found[f"held {RAILS[0]} {to}"] = equals(f"via {via}")
    for key, value in below(settings, "sysctl.").items():
        found[f"sysctl {key}"] = equals(str(value))
    for name in [name for name in found if name.startswith("addr ")]:
        # An address lives on one link: where the file gives it to one, no other has it.
        ip = name.split(" ")[2]
        if not found[name] == ABSENT:
            found |= {f"addr {link} {ip}": ABSENT for link in LINKS
                      if f"addr {link} {ip}" in look and f"addr {link} {ip}" not in found}
    return {name: wish for name, wish in found.items() if not link_of(name) or f"link {link_of(name)}" in look}


def unplugged(settings: Settings, look: Look, owned: set[str]) -> dict[str, Wish]:
    """Cage 0, when no cable names it. Its cable is plugged here, so it stays."""
    named = bool(below(settings, "rail.addr."))
    carrier = any(look.get(f"carrier {link}") for link in RAILS)
    foreign = any(name.startswith("addr ") and link_of(name) in RAILS and name not in owned for name in look)
    return {} if named or carrier or foreign else {f"up {link}": equals(False) for link in RAILS}


def boot_wishes(settings: Settings, look: Look) -> dict[str, str]:
    """By key, what the files of the next boot have to say."""
    found = {key: str(value) for key, value in below(settings, "sysctl.").items()}
    rails = RAILS if "cable" in settings else RAILS if below(settings, "rail.addr.") else ()
    for link in rails:
        if f"link {link}" in look:
            found |= {f"net.ipv4.conf.{link}.arp_ignore": "1", f"net.ipv4.conf.{link}.arp_announce": "2"}
            if int(str(settings.get("mtu") or 1500)) >= 1280:  # below, the kernel takes IPv6 off the link
                found[f"net.ipv6.conf.{link}.accept_ra"] = "0"
    return found


BEGIN, END = b"# begin spark-reconcile", b"# end spark-reconcile"


def hosts_lines(settings: Settings) -> list[bytes]:
    """The block of /etc/hosts: each neighbour's rail 0."""
    if "hosts" not in settings or "cable" not in settings:
        return []
    _, pattern, _ = SUBNETS[str(settings.get("subnets", "A"))][0]
    return [f"{pattern.format(PEER)} spark2{settings['hosts']}".encode()]


@dataclass(frozen=True)
class Hosts:
    """/etc/hosts as two people see it: our block, and the rest."""

    rest: bytes
    block: list[bytes] | None
    broken: bool  # the markers enclose no block


def read_hosts(file: FileValue | None) -> Hosts:
    rest: list[bytes] = []
    block: list[bytes] | None = None
    inside = broken = False
    for line in (file.data if file else b"").splitlines(keepends=True):
        if line.startswith(BEGIN):
            broken |= inside or block is not None
            inside, block = True, []
        elif line.startswith(END):
            broken |= not inside
            inside = False
        elif inside and block is not None:
            block.append(line.rstrip(b"\n"))
        else:
            rest.append(line)
    return Hosts(b"".join(rest), block, broken or inside)
