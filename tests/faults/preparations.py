"""Machines on which something was done already."""

import json
import re
import time
from collections.abc import Callable

from machine import CLUSTER_FILE, HOSTNAME, STATE, Machine
from strace import KILL, Fault, calls, inject

ONE = """\
version: 1
cluster: pair
nodes:
  spark1:
    number: 11
    links:
      lan0: { mtu: 1400, addresses: ["2001:db8::1/64"], exclusive: true, routes: [{ to: "2001:db8:77::/48", via: "fe80::9" }] }
      enp1s0f0np0: { routes: [{ to: 10.77.0.0/16, via: 192.0.2.12 }] }
  spark2: { number: 12 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
host:
  hosts: { suffix: -fabric }
  sysctl: { net.ipv4.tcp_keepalive_time: 600 }
"""
OTHER = (ONE.replace("mtu: 1400", "mtu: 1300").replace("2001:db8::1/64", "2001:db8::2/64")
         .replace("via: 192.0.2.12", "via: 192.0.2.13").replace("-fabric", "-rdma").replace("keepalive_time: 600", "keepalive_intvl: 60"))

PLAN = "saved.plan"  # beside the machine
WITHIN_S = 3600  # for a confirmation
DRIFT = """\
link set lan0 mtu 1500
link set enp1s0f0np0 mtu 1500
address del 198.51.100.11/24 dev enP2p1s0f0np0
address add 203.0.113.9/24 broadcast 203.0.113.255 dev lan0
route del 10.77.0.0/16
"""


def must(machine: Machine, *verb: str) -> None:
    done = machine.spark(*verb)
    assert done.code in (0, 4), done.text  # 4: virtual links have no RDMA devices


def fresh(machine: Machine) -> None:
    machine.write(CLUSTER_FILE, ONE)


def applied(machine: Machine) -> None:
    fresh(machine)
    must(machine, "apply")


def drifted(machine: Machine) -> None:
    applied(machine)
    machine.ip(DRIFT)
    machine.set_sysctl("net.ipv4.tcp_keepalive_time", "7200")
    machine.write("etc/hosts", machine.path("etc/hosts").read_text().replace("-fabric", "-by-hand"))


def other_file(machine: Machine) -> None:
    applied(machine)
    machine.write(CLUSTER_FILE, OTHER)


def applied_twice(machine: Machine) -> None:
    other_file(machine)
    must(machine, "apply")


def saved_plan(machine: Machine) -> None:
    other_file(machine)
    planned = machine.spark("plan", "--out", PLAN)
    assert planned.code in (0, 2, 4), planned.text


def interrupted(machine: Machine) -> None:
    """Killed in the middle, after half of its netlink requests and before its files."""
    fresh(machine)
    cut(machine, "apply", moment(machine, fresh, "apply", middle_change))


def released(machine: Machine) -> None:
    applied(machine)
    must(machine, "release")


def release_interrupted(machine: Machine) -> None:
    """Killed in the middle: half of it is given back."""
    applied(machine)
    cut(machine, "release", moment(machine, applied, "release", middle_change))


def waiting(machine: Machine) -> None:
    """All is changed, and nobody has confirmed it: as where a plain apply is killed before it removes its journal."""
    other_file(machine)
    cut(machine, "apply", moment(machine, other_file, "apply", removal_of_journal))
    edit_journal(machine, confirm_within_ms=WITHIN_S * 1000, applied=True)
    history = machine.path(f"{STATE}/{HOSTNAME}/history.json")
    noted = json.loads(history.read_text())
    noted["generations"][-1]["outcome"] = "pending"
    history.write_text(json.dumps(noted))


def paused(machine: Machine) -> None:
    drifted(machine)
    must(machine, "pause", "--for", "2h")


def muted(machine: Machine) -> None:
    """Without the daemon that `mute` asks for."""
    drifted(machine)
    begin = int(time.time() * 1000)
    mute = {"id": "SR-ALERT-003", "alert": "SparkDrift", "since_ms": begin, "until_ms": begin + 7_200_000, "reason": "test", "by": "root"}
    machine.write(f"{STATE}/mutes.json", json.dumps({"schema": "spark-reconcile/mutes/v1", "mutes": [mute]}))


def edit_journal(machine: Machine, **changes: object) -> None:
    (journal,) = (machine.path(name) for name in machine.journals())
    journal.write_text(json.dumps(json.loads(journal.read_text()) | changes))


Calls = list[tuple[str, str]]
CHANGE = re.compile(r"nlmsg_type=RTM_(NEW|DEL|SET)")
_moments: dict[tuple[str, str], Fault] = {}


def removal_of_journal(made: Calls) -> int:
    return max(at for at, (name, text) in enumerate(made) if name == "unlinkat" and '"journal.json"' in text)


def middle_change(made: Calls) -> int:
    """Of the network."""
    changes = [at for at, (_, text) in enumerate(made) if CHANGE.search(text)]
    return changes[len(changes) // 2]


def moment(machine: Machine, prepare: Callable[[Machine], None], verb: str, choose: Callable[[Calls], int]) -> Fault:
    """Where to kill it, so that it was about to make that one of its calls. The machine is as `prepare` makes it."""
    key = (prepare.__name__, verb)
    if key not in _moments:
        made = calls(machine, verb)[1]
        at = choose(made)
        name = made[at][0]
        _moments[key] = Fault(name, KILL, sum(other == name for other, _ in made[:at + 1]))
        machine.reset()
        prepare(machine)
    return _moments[key]


def cut(machine: Machine, verb: str, fault: Fault) -> None:
    done = inject(machine, fault, verb)
    assert done.hit and machine.journals(), done.outcome.text
