"""What `status` of the whole cluster says on every node of a ring of three."""

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import yaml

from harness import daemon, package
from harness.lab import FILE, Lab
from harness.names import netdev, rdma_device
from harness.node import PROGRAM, Node
from harness.runner import case
from harness.said import Said, what_is_wrong

from .pair import RAILS
from .peers import UNIT
from .ring import RING

# The emulated port is slower than the file's floor, and that is no news.
WITHOUT_FLOOR = "s/ *loopback: { minimum: 64Gb\\/s, deadline: 20s }//"
NODES = ("spark1", "spark2", "spark3")
# The cable spark1:0 to spark2:1, by its ends.
OURS = tuple(netdev(0, rail) for rail in RAILS)
THEIRS = tuple(netdev(1, rail) for rail in RAILS)
WITHIN = 120


def cables() -> list[tuple[str, str]]:
    return [tuple(cable["ends"]) for cable in yaml.safe_load(RING.read_text())["fabric"]["cables"]]


@dataclass(frozen=True)
class Cause:
    """Something that `status` says of a node, and that follows from nothing."""

    node: str
    what: str


# What three emulated nodes on two cores say of RDMA while the machine is busy: they try again.
BUSY = re.compile("before the deadline|ended without a report")


def causes(text: str) -> list[Cause]:
    """Those of the table, and the further ones below it; not that this machine is busy."""
    found: list[Cause] = []
    lines = text.splitlines()
    (titles,) = [at for at, line in enumerate(lines) if line.startswith("NODE ")]
    begin = lines[titles].find("WHAT")
    for line in lines[titles + 1 :]:
        if not line:
            break
        what = line[begin:].strip() if begin > 0 else ""
        if what and not what.startswith("follows from "):
            found.append(Cause(line.split()[0], what))
    for line in lines:
        if also := re.match("also ([^:]+): (.*)", line):
            found.append(Cause(also[1], also[2]))
    return [cause for cause in found if not BUSY.search(cause.what)]


def status(node: Node) -> str:
    """As any user sees it."""
    return node.ask(f"setpriv --reuid=65534 --clear-groups {PROGRAM} status").stdout


def wait_for_text(node: Node, holds: Callable[[str], bool], within: float = WITHIN) -> tuple[str, float]:
    """The first text that it holds of, and the seconds until it came; the last text where none came."""
    began = time.monotonic()
    while True:
        text = status(node)
        took = time.monotonic() - began
        if "NODE " in text and holds(text):
            return text, took
        if took >= within:
            raise AssertionError(f"{node.name} says after {took:.0f} s:\n{text}")
        time.sleep(1)


def is_well(text: str) -> bool:
    return "3 of 3 ready" in text and causes(text) == []


def is_proven(text: str) -> bool:
    return is_well(text) and len(re.findall(r"^spark\d.* ✓ .* 4/4 ", text, re.MULTILINE)) == len(NODES)


def wait_until(holds: Callable[[str], bool], nodes: list[Node], within: float = 300) -> None:
    for node in nodes:
        wait_for_text(node, holds, within)


def answer_of(node: Node, question: str) -> str:
    """`status` as any user, the others as root; of `doctor` what is not well."""
    if question == "status":
        return status(node)
    return what_is_wrong(node.ask(f"{PROGRAM} {question} 2>&1", 120).stdout)


class Told:
    """What the nodes say when something is wrong, gathered over all faults: a run shows them all."""

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = nodes
        self.wrong: list[str] = []

    def once(self, fault: str, who: str, words: str, within: float = WITHIN, nodes: list[Node] | None = None) -> None:
        """On every node `status` names one cause, of `who`, with these words. What `status` and `doctor` say there, and
        `doctor -n WHO` on the others, is what tests/lab/said has, word for word."""

        def is_named(text: str) -> bool:
            said = causes(text)
            return len(said) == 1 and said[0].node == who and re.search(words, said[0].what) is not None

        began = time.monotonic()
        for node in nodes or self._nodes:
            try:
                text, _ = wait_for_text(node, is_named, max(1, within - (time.monotonic() - began)))
                print(f"\n{fault}: {node.name} after {time.monotonic() - began:.0f} s\n{text}", flush=True)
            except AssertionError as error:
                self._note(f"{fault}: NOT ONCE: {error}")
        said = Said(fault)
        for node in nodes or self._nodes:
            self.exactly(said, node, "status", "doctor", *([] if node.name == who else [f"doctor -n {who}"]))

    def exactly(self, said: Said, node: Node, *questions: str) -> None:
        for question in questions:
            if wrong := said.differs(f"{question} on {node.name}", lambda question=question: answer_of(node, question)):
                self._note(wrong)

    def asked(self, fault: str, node: Node, question: str, words: str) -> None:
        """That verb says so there, as root."""
        said = node.ask(f"{PROGRAM} {question} 2>&1", 120).stdout
        if not re.search(words, said):
            self._note(f"{fault}: {question} on {node.name} lacks '{words}':\n{said}")

    def _note(self, wrong: str) -> None:
        self.wrong.append(wrong)
        print(f"\n{wrong}", flush=True)

    def assert_all(self) -> None:
        assert not self.wrong, "\n".join(self.wrong)


def start(node: Node) -> None:
    node.run(f"sed -i '{WITHOUT_FLOOR}' {FILE}")
    node.run("systemctl --no-block start spark-reconcile.service")


def proven_ring(lab: Lab) -> list[Node]:
    nodes = lab.cluster(RING)
    daemon.enable(*nodes)
    for node in nodes:
        start(node)
    wait_until(is_well, nodes)
    wait_until(is_proven, nodes, 500)
    return nodes


@case(deadline=900)
def three_from_packages_are_one_ring(lab: Lab) -> None:
    """From nothing but the package: that, the file and the service on one node after the other, wired as a ring: three ready,
    all six rails proven, on any."""
    nodes = lab.cluster(RING)
    for node in nodes:
        node.run(f"dpkg --purge spark-reconcile && rm -rf {os.path.dirname(FILE)}", 120)
        assert node.ask(f"ls {PROGRAM} {os.path.dirname(FILE)} 2>/dev/null").stdout == "", "something is left of the package"
    began = time.monotonic()
    for node in nodes:
        package.install(node, package.FILE)
    installed = time.monotonic() - began
    for node in nodes:
        lab.install(node, RING)
        daemon.enable(node)
        start(node)
    wait_until(is_well, nodes)
    print(f"\n  {installed:.0f} s until the package is on three, {time.monotonic() - began:.0f} s until three are ready")
    wait_until(is_proven, nodes, 500)
    for node in nodes:
        print(f"{node.name}:\n{status(node)}", flush=True)
    print(f"  {time.monotonic() - began:.0f} s until each says so; 3 steps on each node: package, file, service")


@case(deadline=1500)
def status_names_swapped_plugs_once(lab: Lab) -> None:
    """Both plugs of one node are swapped: on each node `status` names it, at the same node, and once."""
    nodes = proven_ring(lab)
    told = Told(nodes)
    swapped = {"spark1:0": "spark1:1", "spark1:1": "spark1:0"}
    lab.rewire(*[tuple(swapped.get(end, end) for end in ends) for ends in cables()])
    told.once("swapped plugs", "spark1", r"spark1:[01].*\[SR-GATE-016\]")
    lab.rewire(*cables())
    wait_until(is_well, nodes)
    told.assert_all()


@case(deadline=1500)
def status_names_a_loop_cable_once(lab: Lab) -> None:
    """Both plugs of one cable in one node: it names the cable within a minute, a second time too; others find it silent."""
    nodes = proven_ring(lab)
    spark1, spark2, spark3 = nodes
    told = Told(nodes)
    lab.rewire(("spark1:0", "spark1:1"), cables()[2])
    told.once("a loop cable", "spark1", "spark1:[01] leads to spark1:[01]", within=60, nodes=[spark1])
    told.once("a loop cable from elsewhere", "spark1", "silent", nodes=[spark2, spark3])
    lab.rewire(*cables())
    wait_until(is_proven, nodes, 500)
    lab.rewire(("spark1:0", "spark1:1"), cables()[2])
    told.once("a loop cable again", "spark1", "spark1:[01] leads to spark1:[01]", within=60, nodes=[spark1])
    told.assert_all()


@case(deadline=1500)
def status_names_a_switch_for_a_cable_once(lab: Lab) -> None:
    """Two cables of the ring go into one switch: all answer, and each node names it, at the same node."""
    nodes = proven_ring(lab)
    told = Told(nodes)
    # spark1:0 to spark2:1, and spark2:0 to spark3:1: three nodes are on it.
    first, direct, second = cables()
    lab.rewire(direct)
    lab.switch("switch", [*first, *second])
    told.once("a switch for a cable", "spark1", r"a switch is between spark1, spark2, spark3; .*\[SR-GATE-016\]")
    for node in nodes:
        told.asked("a switch for a cable", node, "gate", "a switch is between spark1, spark2, spark3")
    told.assert_all()


@case(deadline=1500)
def status_names_a_rail_of_a_peer_once(lab: Lab) -> None:
    """A peer's rail at MTU 1500, without RDMA: on each node the peer is named, and once."""
    nodes = proven_ring(lab)
    _, spark2, _ = nodes
    told = Told(nodes)
    spark2.run("spark-reconcile pause --for 60m")
    spark2.run(f"ip link set {THEIRS[1]} mtu 1500")
    mtu = rf"mtu of {THEIRS[1]}: 1500, the file says 9000 \[SR-GATE-002\]"
    told.once("a peer at MTU 1500", "spark2", mtu)
    spark2.run(f"ip link set {THEIRS[1]} mtu 9000")
    wait_until(is_proven, nodes, 500)

    spark2.run(f"rdma link delete {rdma_device(1, 0)}")
    port = rf"port of {THEIRS[0]}: no RDMA device on this link \[SR-GATE-004\]"
    told.once("a peer without RDMA", "spark2", port)
    spark2.run(f"rdma link add {rdma_device(1, 0)} type rxe netdev {THEIRS[0]}")
    spark2.run("spark-reconcile resume")
    wait_until(is_well, nodes)
    told.assert_all()


@case(deadline=1800)
def status_names_a_silent_node_and_a_duplicated_number_once(lab: Lab) -> None:
    """A node that nobody hears; another host with a node's address: on each node it is named, and once."""
    nodes = proven_ring(lab)
    spark1, spark2, spark3 = nodes
    told = Told(nodes)
    spark2.run(f"systemctl stop {UNIT}")
    told.once("a silent node", "spark2", "silent; last heard ready", nodes=[spark1, spark3])
    told.once("a silent node itself", "spark2", "hears nobody: spark-reconcile-peers was stopped", nodes=[spark2])
    spark2.run(f"systemctl start {UNIT}")
    wait_until(is_proven, nodes, 500)

    # Two machines with one number: the address of spark1 on the other end of its cable.
    spark2.run(f"ip address add 192.168.177.11/24 dev {THEIRS[0]}")
    twice = r"has an address of spark1: .*another host has 192\.168\.177\.11 too"
    told.once("a duplicated number", "spark2", twice)
    spark2.run(f"ip address del 192.168.177.11/24 dev {THEIRS[0]}")
    wait_until(is_well, nodes, 400)
    told.assert_all()


@case(deadline=1500)
def status_names_another_file_or_version_once(lab: Lab) -> None:
    """Two files, two versions: on each node `status` names the one that differs, and once."""
    nodes = proven_ring(lab)
    _, spark2, _ = nodes
    told = Told(nodes)
    spark2.run(f"echo '# another' >> {FILE}")
    told.once("two files", "spark2", r"another file: .*\[SR-GATE-020\]")
    spark2.run(f"sed -i '$d' {FILE}")
    wait_until(is_proven, nodes, 500)

    # Its bytes alone tell the version.
    version = spark2.run(f"{PROGRAM} version").split()[1]
    spark2.run(f"cp -a {PROGRAM} /root/program && sed 's/{re.escape(version)}/0.1.9/g' /root/program > {PROGRAM}.other &&"
               f" chmod 755 {PROGRAM}.other && mv {PROGRAM}.other {PROGRAM} && {PROGRAM} version &&"
               " systemctl restart spark-reconcile", 120)  # fmt: skip
    told.once("two versions", "spark2", r"runs 0\.1\.9")
    spark2.run(f"mv /root/program {PROGRAM} && systemctl restart spark-reconcile", 120)
    wait_until(is_well, nodes)
    told.assert_all()


@case(deadline=1800)
def status_names_a_copied_disk_once(lab: Lab) -> None:
    """A copy of a node's disk at another's place: named on each node; with an id of its own it does nothing, and says why."""
    nodes = proven_ring(lab)
    spark1, spark2, spark3 = nodes
    told = Told(nodes)
    machine_id = spark1.run("cat /etc/machine-id").strip()
    own_id = spark2.run("cat /etc/machine-id").strip()
    record = "/var/lib/spark-reconcile/spark2/machine.json"

    def become(identity: str) -> None:
        spark2.run(f"echo {identity} > /etc/machine-id && systemctl restart {UNIT} spark-reconcile", 120)

    # With the record of its former machine it takes that for another one's.
    become(machine_id)
    why = "remembers of 'spark2' belongs to another machine"
    spark2.wait_until(f"grep -q \"{why}\" {daemon.STATUS}", 120)
    told.once("a copied disk with an id of its own", "spark2", "silent", nodes=[spark1, spark3])
    told.exactly(Said("a copied disk with an id of its own itself"), spark2, "status", "doctor")

    spark2.run(f"rm {record}")
    become(machine_id)
    told.once("a copied disk", "spark2", "a copy of spark1: one machine id")

    spark2.run(f"rm {record}")
    become(own_id)
    wait_until(is_well, nodes)
    told.assert_all()
