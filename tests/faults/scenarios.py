"""What is disturbed: a machine in some state, and the command that changes it."""

from collections.abc import Callable
from dataclasses import dataclass

from machine import CLUSTER_FILE, Machine, State
from strace import MOST_CALLS, Fault, inject

ONE = """\
version: 1
cluster: pair
nodes:
  spark1:
    host: 11
    links: { lan0: { mtu: 1400, addresses: ["2001:db8::1/64"], exclusive: true } }
  spark2: { host: 12 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
host:
  hosts: { suffix: -fabric }
  sysctl: { net.ipv4.tcp_keepalive_time: 600 }
"""
OTHER = (ONE.replace("mtu: 1400", "mtu: 1300").replace("2001:db8::1/64", "2001:db8::2/64")
         .replace("-fabric", "-rdma").replace("keepalive_time: 600", "keepalive_intvl: 60"))

PLAN = "saved.plan"  # beside the machine
DRIFT = """\
link set lan0 mtu 1500
link set enp1s0f0np0 mtu 1500
address del 198.51.100.11/24 dev enP2p1s0f0np0
address add 203.0.113.9/24 broadcast 203.0.113.255 dev lan0
"""


@dataclass(frozen=True)
class Scenario:
    name: str
    verb: str
    prepare: Callable[[Machine], None]  # of a machine just reset
    go_on: str = "apply"  # the way on from where it was cut off
    # Where it may also lead, by what that scenario is held to: the file was not yet put back.
    or_as: str = ""
    # What `rollback` leads to is as before this one: the first of those that were cut off.
    back_to: str = ""
    options: tuple[str, ...] = ()  # of the verb

    @property
    def words(self) -> tuple[str, ...]:
        return (self.verb, *self.options)


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


def cut_off(machine: Machine) -> None:
    """Killed in the middle, after half of its netlink requests and before its files."""
    fresh(machine)
    cut = inject(machine, Fault("fchmod", "signal=KILL", 4), "apply")
    assert cut.hit and machine.journals(), cut.outcome.text


FIRST_APPLY = Scenario("first apply", "apply", fresh)
DRIFT_APPLY = Scenario("apply after drift", "apply", drifted)
NEW_FILE = Scenario("apply of another file", "apply", other_file)
GO_ON = Scenario("apply after a cut-off one", "apply", cut_off, back_to=FIRST_APPLY.name)
TAKE_BACK = Scenario("rollback of a cut-off apply", "rollback", cut_off)
LAST_GOOD = Scenario("rollback to the last good file", "rollback", applied_twice, or_as=NEW_FILE.name)
SAVED_PLAN = Scenario("apply of a saved plan", "apply", saved_plan, options=(PLAN,))
RELEASE = Scenario("release", "release", applied, go_on="release")
APPLIES = (FIRST_APPLY, DRIFT_APPLY, NEW_FILE, SAVED_PLAN, GO_ON)
QUICK = (FIRST_APPLY, GO_ON, RELEASE)
ALL = (*APPLIES, TAKE_BACK, LAST_GOOD, RELEASE)


@dataclass(frozen=True)
class Reference:
    """What the scenario comes to undisturbed."""

    code: int
    start: State  # before the command
    end: State  # after it
    held: State  # after `go_on`
    held_code: int
    released: State  # after a release of that


_references: dict[str, Reference] = {}


def begin(machine: Machine, scenario: Scenario) -> None:
    machine.reset()
    scenario.prepare(machine)


def reference(machine: Machine, scenario: Scenario) -> Reference:
    if scenario.name not in _references:
        begin(machine, scenario)
        start = machine.state()
        done = machine.spark(*scenario.words)
        end = machine.state()
        after = machine.spark(scenario.go_on)
        held = machine.state()
        must(machine, "release")
        _references[scenario.name] = Reference(done.code, start, end, held, after.code, machine.state())
    return _references[scenario.name]


def named(name: str) -> Scenario:
    return next(scenario for scenario in ALL if scenario.name == name)


def until_not_hit() -> range:
    return range(1, MOST_CALLS)
