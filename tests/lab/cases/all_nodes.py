"""One file for all nodes: it goes over the cable, and all have it or all go back."""

import hashlib
import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from harness import ask, daemon, page
from harness.lab import FILE, Lab
from harness.names import MANAGEMENT, netdev, rdma_device
from harness.node import PROGRAM, Node
from harness.runner import case

from .cluster_status import WITHOUT_FLOOR
from .confirm import state_of
from .discover import Screen
from .pair import CAGE, PAIR, address
from .peers import UNIT, wait_for_proofs
from .ring import RING
from .rollout import applies

RECORD = "/var/lib/spark-reconcile/all-nodes.json"
TRUSTED = "/etc/spark-reconcile/trusted"
BOARDS = "/run/spark-reconcile-peers/boards.json"
NEW = "/root/new.yaml"

# What is made of the file: other subnets over all cables, over one rail; another MTU.
SUBNETS = "s/192[.]168[.]1/192.168./g"
ONE_SUBNET = "s/192[.]168[.]178/192.168.78/"
MTU = "s/mtu: [0-9]*/mtu: 8000/"
UNDER_WAY = ("going", "applied", "open")


# What is asked --------------------------------------------------------------------------------------

def until(node: Node, what: str, holds: Callable[[], bool], within: float = 60) -> None:
    """Until it holds, which is asked over ssh."""
    end = time.monotonic() + node.patient(within)
    while not holds():
        assert time.monotonic() < end, f"{node.name}: not within {node.patient(within):.0f} s: {what}; {stages(node)}"
        time.sleep(0.2)


def stages(node: Node) -> dict[str, str | None]:
    """Of each node in the last offer, as this one knows it."""
    told = daemon.status(node).get("all_nodes") or {"nodes": []}
    return {each["node"]: each["stage"] for each in told["nodes"]}


def wait_for_stage(node: Node, of: Node, *wanted: str, within: float = 60) -> None:
    until(node, f"{of.name} is {' or '.join(wanted)}", lambda: stages(node).get(of.name) in wanted, within)


def heard(node: Node, member: str, value: str | None = None) -> set[str]:
    """Nodes whose statements, on the boards of its peers, have that member, with that value."""
    boards = json.loads(node.ask(f"cat {BOARDS}").stdout or '{"peers": []}')
    said = [json.loads(signed["body"]) for peer in boards["peers"] for signed in peer["said"]]
    return {each["node"] for each in said if "node" in each and member in each and value in (None, each[member])}


def text_of(node: Node) -> str:
    return node.run(f"cat {FILE}")


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def rails_of(text: str) -> dict[str, dict[str, str]]:
    """By node, the address of each of its rails."""
    wanted = yaml.safe_load(text)
    rails: dict[str, dict[str, str]] = {name: {} for name in wanted["nodes"]}
    for cable in wanted["fabric"]["cables"]:
        for name, cage in (end.split(":") for end in cable["ends"]):
            for rail, subnet in enumerate(cable["subnets"]):
                number = wanted["nodes"][name]["number"]
                rails[name][netdev(int(cage), rail)] = f"{subnet.rsplit('.', 1)[0]}.{number}/24"
    return rails


def differences(node: Node, text: str) -> list[str]:
    """What is not as this file says: the bytes of cluster.yaml, addresses and MTUs of the rails."""
    found = [] if text_of(node) == text else [FILE]
    mtu = yaml.safe_load(text)["fabric"]["mtu"]
    for link, own in rails_of(text)[node.name].items():
        has = (ask.addresses(node, link), ask.mtu(node, link))
        found += [] if has == ([own], mtu) else [f"{link} {has}"]
    return found


def wait_for_file(nodes: list[Node], text: str, within: float = 60) -> None:
    """Until all have it and are ready."""
    for node in nodes:
        until(node, f"it has\n{text}", lambda node=node: differences(node, text) == [], within)
    for node in nodes:
        daemon.wait_for_verdict(node, "ready")


def all_of(node: Node) -> str:
    """What the kernel holds, and every file of the network and of ours."""
    return state_of(node) + node.run("ip -4 route show table all; find /etc/spark-reconcile -type f | sort | xargs sha256sum")


# What is done ---------------------------------------------------------------------------------------

def key_of(node: Node) -> str:
    """The line by which others trust it."""
    return node.run(f"{PROGRAM} export node-key")


def together(lab: Lab, file: Path = PAIR) -> list[Node]:
    """The nodes of the file, ready: each has the keys of the others, has proven its rails, and has heard all."""
    nodes = lab.cluster(file)
    for node in nodes:
        # The file's own floor is for a ConnectX.
        node.run(f"sed -i '{WITHOUT_FLOOR}' {FILE}")
    keys = {node: key_of(node) for node in nodes}
    daemon.enable(*nodes)
    for node in nodes:
        node.put_text(TRUSTED, "".join(key for other, key in keys.items() if other is not node))
        node.run("systemctl --no-block start spark-reconcile.service")
    wait_until_together(nodes)
    return nodes


def wait_until_together(nodes: list[Node]) -> None:
    rails = rails_of(text_of(nodes[0]))
    wait_for_proofs({node: tuple(rails[node.name]) for node in nodes}, within=nodes[0].patient(60 * len(nodes)))
    for node in nodes:
        daemon.wait_for_verdict(node, "ready")
        others = {other.name for other in nodes} - {node.name}
        until(node, f"it has heard {others}", lambda node=node, others=others: others <= heard(node, "nonce"))


def write_new(node: Node, edit: str) -> str:
    """NEW there: its file, edited."""
    new = node.run(f"sed '{edit}' {FILE} | tee {NEW}")
    assert new != text_of(node), f"'{edit}' changes nothing"
    return new


class Apply:
    """`apply --all` of NEW, to which the person says yes."""

    def __init__(self, node: Node, within: str) -> None:
        self._node = node
        self._process = node.pipe(f"exec {PROGRAM} apply --all -f {NEW} --yes --within {within} 2>&1")

    def end(self, *codes: int, within: float = 120) -> str:
        """What it said, errors included; it must end with one of these codes."""
        said, _ = self._process.communicate(timeout=self._node.patient(within))
        print(f"\n{self._node.name}# apply --all: {self.code}\n{said}", flush=True)
        assert self.code in codes, f"{self._node.name}: `apply --all` ended with {self.code}, expected {codes}:\n{said}"
        return said

    @property
    def code(self) -> int | None:
        return self._process.returncode


def goes_to_all(nodes: list[Node], within: str, deadline: float) -> None:
    """A file that somebody edited waits for one command, goes to all, and is rolled back on all by another."""
    first = nodes[0]
    old = text_of(first)
    first.run(f"sed -i '{SUBNETS}' {FILE}")
    new = text_of(first)
    first.wait_until(f"grep -q '\"waits_for_all\": *true' {daemon.STATUS}")
    assert "apply --all" in first.reconcile("status"), first.reconcile("status")
    assert differences(first, old) == [FILE], "it took the file by itself"
    for command, text in (("apply", new), ("rollback", old)):
        began = time.monotonic()
        said = first.reconcile(f"{command} --all --yes --within {within}", deadline=deadline)
        print(f"\n{first.name}# {command} --all, {time.monotonic() - began:.0f} s\n{said}", flush=True)
        wait_for_file(nodes, text)
        for node in nodes:
            assert applies(node)[-1] == digest_of(text), f"{node.name}: {applies(node)}"


# Cases ----------------------------------------------------------------------------------------------

@case(deadline=900)
def a_file_goes_to_all_nodes(lab: Lab) -> None:
    """Other subnets, edited on one node, wait there; `apply --all` gives them to both, `rollback --all` rolls both back."""
    goes_to_all(together(lab), "3m", 300)


@case(deadline=1200)
def a_change_of_all_subnets_goes_round_a_ring(lab: Lab) -> None:
    """Three nodes get other subnets on their three cables by one command, and are rolled back by another."""
    goes_to_all(together(lab, RING), "3m", 300)


@case(deadline=600)
def a_refusal_anywhere_changes_nothing(lab: Lab) -> None:
    """The other node is paused, its file is edited, an apply waits there, its plan would cut it off: named, and nothing began."""
    spark, spark2 = nodes = together(lab)
    write_new(spark, SUBNETS)

    def refused(why: str) -> None:
        before = [all_of(node) for node in nodes]
        said = Apply(spark, "60s").end(6)
        assert re.search(rf"(?s)spark2.*(?:{why})", said), said
        assert [all_of(node) for node in nodes] == before

    def wait_until_free() -> None:
        until(spark, "nothing hinders spark2", lambda: "spark2" in heard(spark, "hindered", ""))

    spark2.reconcile("pause --for 30m --reason trial")
    refused("pause")
    spark2.reconcile("resume")
    wait_until_free()

    spark2.run(f"echo '# another' >> {FILE}")
    refused("edited")
    spark2.run(f"sed -i '$d' {FILE}")
    wait_until_free()

    write_new(spark2, MTU)
    spark2.reconcile("pause --for 30m --reason trial")  # else the daemon would overwrite what -f names
    spark2.reconcile(f"apply -f {NEW} --confirm 10m")
    refused("confirm")
    spark2.reconcile("rollback")
    spark2.reconcile("resume")
    wait_for_file(nodes, text_of(spark2))
    wait_until_free()

    write_new(spark, f"s/number: 12/number: 12, links: {{ {MANAGEMENT}: {{ up: false }} }}/")
    refused("SR-GUARD-001|--confirm")


@case(deadline=400)
def a_cable_pulled_in_the_middle_rolls_all_back(lab: Lab) -> None:
    """Pulled between the yes and the decision: both have the file from before, in time; plugged again, both are ready."""
    spark, _ = nodes = together(lab)
    old = text_of(spark)
    write_new(spark, SUBNETS)
    applying = Apply(spark, "30s")
    wait_for_stage(spark, spark, "applied")  # the gate takes 3 s to be as good as before
    began = time.monotonic()
    (cable,) = lab.cables
    cable.pull()
    for node in nodes:
        until(node, "it went back", lambda node=node: stages(node).get(node.name) == "back", 45)
        assert differences(node, old) == [], node.name
    print(f"  both are as before {time.monotonic() - began:.0f} s after the cable was pulled")
    cable.plug()
    applying.end(7)  # now it has heard of both
    wait_for_file(nodes, old)


@case(deadline=2400)
def two_people_at_once(lab: Lab) -> None:
    """Two MTUs at two nodes at the same second, twenty times: one goes to both, the other person is told whose."""
    nodes = together(lab)
    for turn in range(20):
        texts = {node: write_new(node, f"s/mtu: [0-9]*/mtu: {mtu + turn}/") for node, mtu in zip(nodes, (6000, 7000))}
        asked = [Apply(node, "3m") for node in nodes]
        with ThreadPoolExecutor(len(asked)) as pool:
            said = dict(zip(nodes, pool.map(lambda one: one.end(0, 6, within=240), asked), strict=True))
        codes = {node: one.code for node, one in zip(nodes, asked, strict=True)}
        (winner,) = [node for node, code in codes.items() if code == 0]
        (loser,) = [node for node in nodes if node is not winner]
        assert re.search(rf"\bon {winner.name}\b|\b{winner.name} offers", said[loser]), said[loser]
        wait_for_file(nodes, texts[winner])
        for node in nodes:
            until(node, "both kept it", lambda node=node: set(stages(node).values()) == {"kept"})


@case(deadline=400)
def ctrl_c_before_the_decision_rolls_all_back(lab: Lab) -> None:
    """Both have begun to apply: the command ends with 130, and both are as before."""
    spark, _ = nodes = together(lab)
    old = text_of(spark)
    write_new(spark, SUBNETS)
    screen = Screen(spark.session(f"{PROGRAM} apply --all -f {NEW} --yes --within 60s"))
    wait_for_stage(spark, spark, *UNDER_WAY)
    screen.type("\x03")
    assert screen.end() == 130, screen.text
    wait_for_file(nodes, old)
    for node in nodes:
        until(node, "both went back", lambda node=node: set(stages(node).values()) == {"back"})


@case(deadline=400)
def a_closed_terminal_changes_nothing(lab: Lab) -> None:
    """The terminal is gone after the yes: both keep the file, and until then `status` of the other node says who asked."""
    spark, spark2 = nodes = together(lab)
    new = write_new(spark, SUBNETS)
    session = spark.session(f"{PROGRAM} apply --all -f {NEW} --yes --within 60s")
    wait_for_stage(spark, spark, *UNDER_WAY)
    session.kill()
    session.wait()
    spark2.wait_until(f"{PROGRAM} status | tr -s ' \\n' ' ' | grep -q 'pending until .*root on spark '", 20)
    spark.wait_until("! pgrep -f '[a]pply --all'")
    wait_for_file(nodes, new, within=90)


@case(deadline=600)
def nobody_without_a_key_changes_anything(lab: Lab) -> None:
    """All that was said of a former offer, said again; then an offer with another key than the one that was compared."""
    spark, spark2 = nodes = together(lab)
    old, new = text_of(spark), write_new(spark, MTU)
    spark2.start("recorder", f"mkdir /run/lab && n=1000; while sleep 0.1; do cmp -s {BOARDS} /run/lab/last ||"
                             f" {{ cp {BOARDS} /run/lab/last && n=$((n+1)) && cp /run/lab/last /run/lab/$n; }}; done")  # fmt: skip
    Apply(spark, "60s").end(0)
    wait_for_file(nodes, new)
    spark.reconcile("rollback --all --yes --within 60s", deadline=150)
    wait_for_file(nodes, old)
    for node in nodes:
        until(node, "both kept it", lambda node=node: set(stages(node).values()) == {"kept"})
    spark2.run("systemctl stop recorder")

    # A file that was offered and kept is not in force any more; who has spark-peers says all of it again.
    before = [all_of(node) for node in nodes], [applies(node) for node in nodes]
    last = daemon.status(spark2)["all_nodes"]["terms"]["id"]
    spark2.run(f"systemctl stop {UNIT} && grep -q 'order[^a-z]*keep' /run/lab/1*")
    spark2.run(f"for copy in /run/lab/1*; do install -o spark-peers -g spark-peers -m 644 $copy {BOARDS}.new &&"
               f" mv {BOARDS}.new {BOARDS} && sleep 1; done", 240)  # fmt: skip
    assert ([all_of(node) for node in nodes], [applies(node) for node in nodes]) == before
    assert daemon.status(spark2)["all_nodes"]["terms"]["id"] == last
    spark2.run(f"systemctl start {UNIT}")

    spark2.put_text(TRUSTED, key_of(spark2).replace("spark2", "spark"))
    daemon.wait_for_verdict(spark, "ready")
    before = [all_of(node) for node in nodes]
    assert "spark2" in Apply(spark, "60s").end(6)
    assert [all_of(node) for node in nodes] == before


@case(deadline=500)
def jobs_on_rails_that_did_not_change_go_on(lab: Lab) -> None:
    """Rail 1 gets another subnet on both nodes, beside queue pairs on rail 0: they live, and its link has no kernel event."""
    spark, spark2 = nodes = together(lab)
    new = write_new(spark, ONE_SUBNET)
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    with ask.kernel_events(spark) as events, ask.kernel_events(spark2) as events2:
        Apply(spark, "90s").end(0, within=180)
        wait_for_file(nodes, new)
        writes.wait_for_more()
    both = events.lines + events2.lines
    assert [line for line in both if netdev(CAGE, 0) in line] == [], both
    assert [line for line in both if netdev(CAGE, 1) in line], "nothing is said of the rail that changed"
    writes.stop()


@case(deadline=500)
def keys_come_by_join_where_both_have_a_file(lab: Lab) -> None:
    """`join` on both: four words, and no file changes; then `apply --all` goes, until one forgets the other."""
    spark, _ = nodes = lab.cluster(PAIR)
    daemon.enable(*nodes)
    for node in nodes:
        node.run("systemctl --no-block start spark-reconcile.service")
    screens = [Screen(node.session(f"{PROGRAM} join")) for node in nodes]
    for screen in screens:
        screen.wait_for("[y/N]")
    assert len({screen.words for screen in screens}) == 1, [screen.text for screen in screens]
    for screen in screens:
        screen.type("y\n")
    for node, screen in zip(nodes, screens, strict=True):
        assert screen.end() == 0, screen.text
        print(f"\n{node.name}# spark-reconcile join\n{screen.text}", flush=True)
        assert text_of(node) == PAIR.read_text()
    for node, other in zip(nodes, reversed(nodes), strict=True):
        assert node.run(f"cat {TRUSTED}") == key_of(other)
    wait_until_together(nodes)
    new = write_new(spark, MTU)
    Apply(spark, "60s").end(0)
    wait_for_file(nodes, new)

    spark.reconcile("join --forget spark2")
    write_new(spark, SUBNETS)
    said = Apply(spark, "60s").end(6)
    assert "spark2" in said and "spark-reconcile join" in said, said
    wait_for_file(nodes, new)


@case(deadline=900)
def a_new_user_from_two_boxes(lab: Lab) -> None:
    """From the package: discover, join, `apply --all`, another MTU, the cable pulled in the middle; what was typed and seen."""
    spark, spark2 = nodes = lab.sparks("spark", "spark2")
    lab.cable(f"spark:{CAGE}", f"spark2:{CAGE}")
    page.prepare(*nodes)
    joiner = Screen(spark2.session(f"{PROGRAM} join"))
    founder = Screen(spark.session(f"{PROGRAM} init --discover"))
    founder.wait_for("Write this file")
    founder.type("y\n")
    joiner.wait_for("show the same words?")
    founder.wait_for(joiner.words)
    founder.wait_for("Are they the same?")
    joiner.type("y\n")
    founder.type("y\n")
    for node, screen, command in ((spark2, joiner, "join"), (spark, founder, "init --discover")):
        assert screen.end() == 0, screen.text
        print(f"\n{node.name}# spark-reconcile {command}\n{screen.text}", flush=True)
    for node in nodes:
        page.types(node, "sudo systemctl enable --now spark-reconcile")
    wait_until_together(nodes)

    for mtu in (8000, 7000):
        page.types(spark, f"sudo sed -i 's/mtu: [0-9]*/mtu: {mtu}/' {FILE}")
        page.types(spark, "sudo spark-reconcile plan --all", codes=(0, 2))
        page.types(spark, "sudo spark-reconcile apply --all")
        wait_for_file(nodes, text_of(spark))
        assert ask.mtu(spark2, netdev(CAGE, 0)) == mtu
        page.types(spark2, "spark-reconcile status")

    kept = text_of(spark2)
    page.types(spark, f"sudo sed -i 's/mtu: [0-9]*/mtu: 6000/' {FILE}")
    command = "sudo spark-reconcile apply --all --within 30s"
    screen = Screen(spark.session(command))
    screen.wait_for("[y/N]")
    screen.type("y\n")
    wait_for_stage(spark, spark, *UNDER_WAY)
    (cable,) = lab.cables
    cable.pull()
    until(spark2, "it is as before", lambda: differences(spark2, kept) == [])
    until(spark, "it is as before", lambda: differences(spark, kept) == [FILE])
    cable.plug()
    assert screen.end() == 7, screen.text
    print(f"\n{spark.name}# {command}, and the cable is pulled until both are as before\n{screen.text}", flush=True)
    for node in nodes:
        daemon.wait_for_verdict(node, "ready")
        page.types(node, "spark-reconcile status")
