"""Four Sparks in a ring, as examples/ring-of-four.yaml says: no cable joins a node to the one across."""

import json
import re
import time

from harness import daemon
from harness.image import CHECKOUT
from harness.lab import Lab
from harness.node import PROGRAM, Node
from harness.runner import case

from .cluster_status import causes, status, wait_for_text
from .peers import UNIT

FOUR = CHECKOUT / "examples" / "ring-of-four.yaml"
SILENT_AFTER = 16  # seconds, as docs/explain/gate.md says


def across(node: Node) -> str:
    return f"spark{(int(node.name[-1]) + 1) % 4 + 1}"


def neighbours(node: Node) -> list[str]:
    return [f"spark{(int(node.name[-1]) + step) % 4 + 1}" for step in (0, 2)]


def is_heard_through(text: str, other: str, tellers: list[str]) -> bool:
    """Its line has an age, and who tells it."""
    return re.search(rf"^{other} .* (< )?\d+ s by ({'|'.join(tellers)})\b", text, re.MULTILINE) is not None


def is_whole(node: Node, text: str) -> bool:
    return ("ring of 4" in text and "4 of 4 ready" in text and causes(text) == []
            and is_heard_through(text, across(node), neighbours(node)))  # fmt: skip


def wait_until_whole(nodes: list[Node], within: float) -> None:
    for node in nodes:
        text, took = wait_for_text(node, lambda text, node=node: is_whole(node, text), within)
        print(f"\n{node.name} after {took:.0f} s:\n{text}", flush=True)


def told_of(node: Node, other: str) -> dict:
    said = json.loads(node.run(f"{PROGRAM} status --json"))["cluster"]["nodes"]
    return next(each for each in said if each["node"] == other)


@case(deadline=1800)
def a_ring_of_four_hears_its_diagonals(lab: Lab) -> None:
    """`status` on each node has the one across, with its age and the neighbour that tells it; also while one falls silent."""
    began = time.monotonic()
    nodes = lab.cluster(FOUR)
    spark1, spark2, spark3, spark4 = nodes
    daemon.enable(*nodes)
    for node in nodes:
        node.run("systemctl --no-block start spark-reconcile.service")
    wait_until_whole(nodes, 600)
    print(f"  {time.monotonic() - began:.0f} s until each of four says so", flush=True)
    for node in nodes:
        told = told_of(node, across(node))
        assert told["told_by"] in neighbours(node) and told["verdict"] == "ready" and told["has_our_file"], told
        assert 0 <= told["heard_ms_ago"], told

    # Who is across falls silent: its neighbours find it, and tell.
    spark3.run(f"systemctl stop {UNIT}")
    began = time.monotonic()

    def is_told_silent(text: str) -> bool:
        said = causes(text)
        return len(said) == 1 and said[0].node == "spark3" and re.search("silent, as spark[24] tells", said[0].what) is not None

    text, took = wait_for_text(spark1, is_told_silent, 120)
    print(f"\nspark3 is silent: spark1 says so after {took:.0f} s\n{text}", flush=True)
    spark3.run(f"systemctl start {UNIT}")
    wait_until_whole(nodes, 300)

    # One that tells of it falls silent: the other neighbour tells, and what was told before is no news.
    teller = told_of(spark1, "spark3")["told_by"]
    other = next(name for name in neighbours(spark1) if name != teller)
    lab.nodes[teller].run(f"systemctl stop {UNIT}")
    text, took = wait_for_text(
        spark1, lambda text: "silent" in text and is_heard_through(text, "spark3", [other]), 120)  # fmt: skip
    print(f"\n{teller} is silent: spark1 hears spark3 through {other} after {took:.0f} s\n{text}", flush=True)

    # Both are silent: nobody tells of it, and that is no fault of its own.
    lab.nodes[other].run(f"systemctl stop {UNIT}")
    text, took = wait_for_text(spark1, lambda text: text.count("silent; last heard") + text.count("follows from") >= 3, 120)
    print(f"\nboth neighbours are silent: spark1 says after {took:.0f} s\n{text}", flush=True)
    assert {cause.node for cause in causes(text)} == {teller, other}, text
    for name in (teller, other):
        lab.nodes[name].run(f"systemctl start {UNIT}")
    wait_until_whole(nodes, 300)
    assert "4 of 4 ready" in status(spark4)
