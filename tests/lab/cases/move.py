"""docs/move: a third node comes to a pair, another machine takes a node's place, a node leaves. Each as its page says."""

import re
import time
from pathlib import Path

from harness import ask, daemon
from harness.lab import FILE, Lab
from harness.names import netdev
from harness.node import PROGRAM, Node
from harness.page import Page, commands, prepare, types
from harness.runner import case

from .peers import RDMA, wait_for_fact

ADD, REMOVE, REPLACE = (Page(f"docs/move/{name}-a-node.md") for name in ("add", "remove", "replace"))
TWO, RING = Page("docs/start/two-sparks.md"), Page("docs/start/ring.md")
READY = "ready: the node is proven; its peers answer over every rail"
RAILS = (0, 1)
WITHIN = 240


def names_it(text: str, node: str) -> bool:
    return re.search(rf"\b{node}\b", text) is not None


def two(lab: Lab) -> Path:
    """The pair of its page."""
    file = lab.folder / "pair.yaml"
    file.write_text(TWO.file("Write the file"))
    return file


def three(lab: Lab) -> Path:
    """The ring of its page, with the numbers that the two nodes have; the first cable has the subnets of the pair's."""
    file = lab.folder / "ring.yaml"
    file.write_text(re.sub(r"number: 1(\d)", r"number: \1", RING.file("Write the file")))
    return file


def start(*nodes: Node) -> None:
    daemon.enable(*nodes)
    for node in nodes:
        node.run("systemctl --no-block start spark-reconcile.service")
    for node in nodes:
        daemon.wait_for_verdict(node, "ready", WITHIN)


def lay_down(file: Path, *nodes: Node) -> None:
    """The file beside the person who types, and from there where it belongs, as two-sparks.md says."""
    (command,) = [line for line in commands(TWO.section("Write the file")) if "install -D" in line]
    for node in nodes:
        node.put(file, "/root/cluster.yaml")
        types(node, command)


def wait_for_gate(node: Node, command: str, within: float = WITHIN) -> None:
    """It is typed again until all answer: peers that were just set up may not yet."""
    began = time.monotonic()
    node.wait_until(f"{command} | tr -s ' \\n' ' ' | grep -q '{READY}'", within)
    print(f"{node.name}: {READY}, after {time.monotonic() - began:.0f} s", flush=True)


def wait_for_ready(nodes: list[Node], words: str, within: float = WITHIN) -> None:
    """`status` on each node says that all are ready."""
    for node in nodes:
        node.wait_until(f"{PROGRAM} status | grep -q '{words}'", within)
        print(f"\n{node.name}# {PROGRAM} status\n{node.run(f'{PROGRAM} status')}", flush=True)


@case(deadline=1800)
def a_third_node_joins_a_pair_as_the_page_says(lab: Lab) -> None:
    """docs/move/add-a-node.md: pause, one plug moved, two new cables, plan, apply, reboot: three are ready in a ring."""
    spark1, spark2 = lab.cluster(two(lab))
    start(spark1, spark2)
    (spark3,) = lab.sparks("spark3")
    nodes = [spark1, spark2, spark3]
    prepare(*nodes)
    way = "From two to three, without a switch"

    for node in (spark1, spark2):
        for command in commands(ADD.step(way, 1)):
            types(node, command)
    file = three(lab)
    lab.rewire(("spark1:0", "spark2:1"), ("spark2:0", "spark3:1"), ("spark3:0", "spark1:1"))
    lay_down(file, *nodes)
    for command in commands(ADD.step(way, 2)):
        types(spark1, command)
    for node in nodes:
        for command in commands(ADD.step(way, 4)):
            said = types(node, command)
            if node is spark2:
                assert "RDMA too" in said, said
    for node in nodes:
        apply, resume, enable = commands(ADD.step(way, 5))
        types(node, apply)
        types(node, enable if node is spark3 else resume)
    for command in commands(ADD.step(way, 7)):
        for node in nodes:
            wait_for_gate(node, command)
    # The one whose plug moved.
    spark2.reboot()
    for node in nodes:
        for command in commands(ADD.step(way, 7)):
            wait_for_gate(node, command)
    wait_for_ready(nodes, "3 of 3 ready")


@case(deadline=1800)
def another_machine_takes_a_place_as_the_page_says(lab: Lab) -> None:
    """docs/move/replace-a-node.md: the old one is released and off, the new one has its name: ready, and told as another."""
    spark1, spark2 = lab.cluster(two(lab))
    start(spark1, spark2)
    (new,) = lab.sparks("new")
    prepare(spark1, spark2, new)
    links = tuple(netdev(0, rail) for rail in RAILS)
    wait_for_fact(spark1, RDMA, "ready", "spark2: ", links, within=WITHIN)

    release, off = commands(REPLACE.step("Before the old machine leaves", 2))
    types(spark2, release)
    assert all(ask.addresses(spark2, link) == [] for link in links)
    spark2.ask(off)
    began = time.monotonic()
    while spark2.machine.powered and time.monotonic() - began < 120:
        time.sleep(1)
    assert not spark2.machine.powered, "it is not off"
    lab.power_cut(spark2)

    way = "Prepare the new one"
    (name,) = commands(REPLACE.step(way, 1))
    types(new, name)
    (cable,) = lab.cables
    cable.take_out()
    lab.cables.remove(cable)
    lab.cable("spark1:0", "new:0")
    new.reboot()
    (version,) = commands(REPLACE.step(way, 4))
    assert types(new, version) == types(spark1, version)
    # The way that people have between their machines: the lab's nodes have none.
    new.forward(2222, spark1, 22)
    new.put(new.machine.image.key, "/root/key", "600")
    new.put_text("/root/.ssh/config", "Host spark1\n  HostName 127.0.0.1\n  Port 2222\n  IdentityFile /root/key\n"
                 "  StrictHostKeyChecking no\n", "600")  # fmt: skip
    for command in commands(REPLACE.step(way, 5)):
        if not command.endswith(" URL"):  # for nodes that follow git
            types(new, command)

    for command in commands(REPLACE.section("Apply, and check")):
        if " gate" in command:
            wait_for_gate(new, command)
            wait_for_fact(new, RDMA, "ready", "spark1: ", links, within=WITHIN)
        # On a busy machine a number may be missing, which bench says: cases/bench.py looks at the numbers.
        said = types(new, command, 400, (0, 1) if " bench" in command else (0,))
        assert " bench" not in command or "path MTU 4096" in said, said
    wait_for_fact(spark1, RDMA, "ready", "another machine than before answers as spark2", links, within=WITHIN)
    (doctor,) = commands(REPLACE.section("What the others say"))
    said = spark1.ask(f"{doctor} 2>&1", 120).stdout
    print(f"\n{spark1.name}# {doctor}\n{said}", flush=True)
    assert re.search(r"\bversions\b", said), said
    wait_for_ready([spark1, new], "2 of 2 ready")


@case(deadline=1800)
def a_node_leaves_a_ring_as_the_page_says(lab: Lab) -> None:
    """docs/move/remove-a-node.md: released and purged, its cables pulled: a pair is ready, and its daemons took the file."""
    nodes = lab.cluster(three(lab))
    spark1, spark2, spark3 = nodes
    start(*nodes)
    prepare(*nodes)

    look, release, purge = commands(REMOVE.section("On the machine that leaves"))
    types(spark3, look)
    types(spark3, release)
    for cage in (0, 1):
        for rail in RAILS:
            assert ask.addresses(spark3, netdev(cage, rail)) == [], "its addresses go"
    types(spark3, purge)
    spark3.run(f"test -e {PROGRAM}", code=1)

    way = "On the others"
    file = lab.folder / "without.yaml"
    lines = three(lab).read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not names_it(line, "spark3")))
    spark1.put(file, "/root/cluster.yaml")
    for command in commands(REMOVE.step(way, 2)):
        said = types(spark1, command)
        assert names_it(said, "spark3") and names_it(said, "spark2"), said
    for cable in [cable for cable in lab.cables if spark3 in (end.node for end in cable.ends)]:
        cable.pull()
    lay_down(file, spark1, spark2)
    digest = spark1.run(f"sha256sum {FILE}").split()[0]
    for node in (spark1, spark2):
        node.wait_until(f"grep -q '\"digest\": *\"{digest}\"' {daemon.STATUS}", WITHIN)
        for command in commands(REMOVE.step(way, 4)):
            wait_for_gate(node, command)
    for node, cage in ((spark1, 1), (spark2, 0)):
        for rail in RAILS:
            assert ask.addresses(node, netdev(cage, rail)) == [], f"{node.name}: cage {cage} is not used any more"
    wait_for_ready([spark1, spark2], "2 of 2 ready")
