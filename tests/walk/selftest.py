"""The walk's own test: a model that cannot fail proves nothing.

Each row is the program with one promise broken, by a few lines of shell after it; the walk has to say so, in its own
word for it. And the shrinker finds the shortest walk where that is known.
"""

import contextlib
import io
import multiprocessing
import pathlib
import tempfile
from dataclasses import dataclass

from moves import Step, Walk
from shrink import shrunk, simplified
from world import RAILS, World, enter_memory

ROOT = 'root=$(while [ $# -gt 0 ]; do [ "$1" = --root ] && echo "$2"; shift; done)'
APPLY, RELEASE, ROLLBACK, STATUS = ["apply", True], ["release"], ["rollback"], ["look", "status"]
OTHER: Step = ["file", "mtu", 4000]
ROUTE: Step = ["file", "rail.route", 12]
THEIRS: Step = ["ip", f"route add 10.78.0.0/16 dev {RAILS[0]} proto static"]


@dataclass(frozen=True)
class Broken:
    promise: str
    verb: str
    does: str  # in its namespace, after the verb; $root, $code
    steps: tuple[Step, ...]
    sort: str  # what the walk has to say; "": nothing


ROWS = (
    Broken("none", "apply", "true", (APPLY, STATUS, OTHER, APPLY, ROLLBACK, RELEASE), ""),
    Broken("an apply does what the file says", "apply", f"ip link set {RAILS[1]} mtu 1499", (APPLY,),
           "not as the file says"),
    Broken("it tells the next boot too", "apply", 'sed -i /keepalive/d "$root/etc/sysctl.d/90-spark-reconcile.conf"',
           (APPLY,), "not as the file says"),
    Broken("it takes nobody's address", "apply", "ip address del 203.0.113.9/24 dev lan0", (APPLY,), "touched"),
    Broken("it takes nobody's setting", "apply", "echo 9 > /proc/sys/net/ipv4/tcp_retries2", (APPLY,), "touched"),
    Broken("it holds its routes", "apply", "ip route del 10.77.0.0/16", (ROUTE, APPLY), "not as the file says"),
    Broken("it takes nobody's route", "apply", "ip route del 10.78.0.0/16", (APPLY, THEIRS, APPLY), "routes"),
    Broken("it leaves the lines of others", "apply", 'sed -i /gateway/d "$root/etc/hosts"', (APPLY,), "touched"),
    Broken("it keeps the mode of a file", "apply", 'chmod 600 "$root/etc/hosts"', (APPLY,), "touched"),
    Broken("it leaves no file of its own making", "apply", 'echo x > "$root/etc/extra"', (APPLY,), "touched"),
    Broken("a converged apply makes no event", "apply",
           '[ -e "$root/../once" ] && ip link set lan0 alias x$$; touch "$root/../once"', (APPLY,),
           "a second apply makes events"),
    Broken("a converged apply writes nothing", "apply",
           'cp "$root/etc/motd" "$root/etc/motd2"; mv "$root/etc/motd2" "$root/etc/motd"', (APPLY,),
           "a second apply writes"),
    Broken("a look changes nothing", "status", f"ip link set {RAILS[0]} mtu 1501", (STATUS,), "status changes"),
    Broken("a release gives all back", "release", "echo 601 > /proc/sys/net/ipv4/tcp_keepalive_time", (APPLY, RELEASE),
           "not given back"),
    Broken("a release removes its routes", "release", f"ip route add 10.77.0.0/16 dev {RAILS[0]} proto 83",
           (ROUTE, APPLY, RELEASE), "not given back"),
    Broken("a release leaves what people had", "release", "ip address del 203.0.113.9/24 dev lan0",
           (APPLY, RELEASE), "touched"),
    Broken("a release gives every byte back", "release", 'echo x >> "$root/etc/hosts"', (APPLY, RELEASE),
           "not given back"),

    Broken("a rollback returns to the file before", "rollback", "ip link set enP2p1s0f0np0 mtu 1999",
           (APPLY, OTHER, APPLY, ROLLBACK), "not as the file says"),
    Broken("nothing ends 8 where nothing refuses", "apply", "code=8", (APPLY,), "apply ends 8"),
    Broken("a killed apply is taken back", "rollback", f"ip link set {RAILS[1]} mtu 1499",
           (["kill", "apply", [["renameat", 3]], "rollback"],), "rolled back, yet"),
    Broken("a killed apply is completed", "apply", f"ip link set {RAILS[1]} mtu 1499",
           (["kill", "apply", [["renameat", 3]], "apply"],), "not as the file says"),
)


def wrapper(program: str, row: Broken) -> str:
    return (f'#!/bin/sh\n"{program}" "$@"\ncode=$?\n[ $code = 137 ] && kill -9 $$\n{ROOT}\n'
            f'if [ "$1" = {row.verb} ]; then\n  {row.does}\nfi\nexit $code\n')


def said(program: str, row: Broken, above: str) -> list[str]:
    """In a process of its own, since it enters namespaces."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=above))
    enter_memory(folder)
    broken = folder / "broken"
    broken.write_text(wrapper(program, row))
    broken.chmod(0o755)
    walk = Walk(World(str(broken), folder))
    walk.begin()
    for step in row.steps:
        if sorts := [each.sort for each in walk.step(step)]:
            return sorts
    return []


def of_the_model(program: str) -> list[str]:
    problems = []
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="spark-walk-") as above, \
            spawn.Pool(None, maxtasksperchild=1) as pool:
        for row, sorts in zip(ROWS, pool.starmap(said, [(program, row, above) for row in ROWS], chunksize=1)):
            if (row.sort not in sorts) if row.sort else bool(sorts):
                problems.append(f"broken: '{row.promise}': said {sorts}, not '{row.sort}'")
    return problems


def of_the_shrinker() -> list[str]:
    tried: list[int] = []

    def fails(steps: object) -> bool:
        tried.append(1)
        return {3, 57} <= set(steps)  # type: ignore[call-overload]

    problems = []
    if (found := shrunk(range(100), fails)) != [3, 57]:
        problems.append(f"the shortest of 100 steps that has 3 and 57 is {found}")
    if len(tried) > 150:
        problems.append(f"the shrinker tried {len(tried)} walks for 100 steps")
    if (found := shrunk([1], lambda steps: True)) != [1]:
        problems.append(f"one step is {found}")
    if (found := simplified([4, 5], lambda step: [0, step - 1], lambda steps: 4 in steps)) != [4, 0]:
        problems.append(f"the simplest of 4, 5 that has a 4 is {found}")
    return problems


def main(program: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()):
        problems = of_the_shrinker() + of_the_model(program)
    print("\n".join(problems) or f"{len(ROWS)} rows, all found")
    return 1 if problems else 0
