"""Nodes that hear each other: what the gate of one says of RDMA to the other."""

import json
import time

from cases.pair import CAGE, RAILS, address, converge
from harness import ask
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

LINKS = tuple(netdev(CAGE, rail) for rail in RAILS)
RDMA, PEER_MTU = "SR-GATE-019", "SR-GATE-021"
PROVEN = "1 MiB by WRITE, READ and SEND both ways, path MTU 4096"
UNIT = "spark-reconcile-peers"
REPORT = "/run/spark-reconcile-peers/peers.json"


def facts(node: Node, fact: str) -> dict[str, tuple[str, str]]:
    """Link by link, the verdict and the words of that fact; a link that lacks it is left out."""
    said = json.loads(node.ask("spark-reconcile gate --json").stdout)
    return {r["link"]: (f["verdict"], f["measured"]) for r in said["rails"] for f in r["facts"] if f["id"] == fact}


def wait_for_fact(node: Node, fact: str, verdict: str, words: str, links: tuple[str, ...] = LINKS,
                  within: float = 20) -> float:  # fmt: skip
    """Until the gate says so of each of the links; the seconds that it took."""
    began = time.monotonic()
    while True:
        said = facts(node, fact)
        if all(link in said and said[link][0] == verdict and words in said[link][1] for link in links):
            return time.monotonic() - began
        if time.monotonic() - began >= within:
            heard = node.ask(f"cat {REPORT}").stdout
            raise AssertionError(f"{node.name}: '{words}' is not in {said}\n{heard}")


def hear_each_other(lab: Lab) -> tuple[Node, Node]:
    """The pair, with the services of both."""
    spark, spark2 = converge(lab)
    for node in (spark, spark2):
        node.run("systemctl start spark-reconcile", 120)
    return spark, spark2


@case(ci=True, deadline=300)
def rdma_is_proven_between_two_nodes(lab: Lab) -> None:
    """Both ways over each rail; then the other end's MTU, address and silence, each by name within 20 s."""
    spark, spark2 = hear_each_other(lab)
    # 15 s on a quiet machine; on a busy one the emulated nodes may need a second try.
    took = wait_for_fact(spark2, RDMA, "ready", f"spark: {PROVEN}", within=60)
    wait_for_fact(spark, RDMA, "ready", f"spark2: {PROVEN}", within=5)
    print(f"  proven {took:.1f} s after the second daemon")
    for node in (spark, spark2):
        (user,) = node.lines("ps -o user:20= -C spark-peers")
        assert user.strip() == "spark-peers", user

    spark2.run("spark-reconcile pause --for 10m")
    spark2.run(f"ip link set {LINKS[1]} mtu 1500")
    wait_for_fact(spark, PEER_MTU, "not ready", f"spark2 has 1500 on {LINKS[1]}, this end 9000", LINKS[1:])
    spark2.run(f"ip link set {LINKS[1]} mtu 9000")
    spark2.run(f"ip address del {address(12, 0)}/24 dev {LINKS[0]}")
    wait_for_fact(spark, RDMA, "not ready", f"spark2: address of {LINKS[0]}: ", LINKS[:1])
    spark2.run("spark-reconcile resume")
    wait_for_fact(spark, RDMA, "ready", "spark2: ")

    spark2.run(f"systemctl kill --signal=STOP {UNIT}")
    for link in LINKS:
        wait_for_fact(spark, RDMA, "unknown", f"no hello of spark2 comes on {link} any more; last proven ", (link,))
    spark.reconcile("gate -q")
    spark2.run(f"systemctl kill --signal=CONT {UNIT}")
    wait_for_fact(spark, RDMA, "ready", f"spark2: {PROVEN}")


@case(deadline=300)
def a_job_changes_no_verdict_and_is_named(lab: Lab) -> None:
    """Beside a job nothing is tried: the fact names it, its writes complete, the target stays reached."""
    spark, spark2 = hear_each_other(lab)
    wait_for_fact(spark, RDMA, "ready", f"spark2: {PROVEN}", within=30)
    spark.run("systemctl is-active spark-ready.target")
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    gids = ask.gid_table(spark)
    with ask.kernel_events(spark) as events:
        # Nothing is known any more, so that both ends would try again.
        for node in (spark, spark2):
            node.run(f"systemctl stop {UNIT}; rm {REPORT}; systemctl start {UNIT}")
        wait_for_fact(spark, RDMA, "ready", f"spark2: {PROVEN}", LINKS[1:], within=30)
        wait_for_fact(spark, RDMA, "unknown", "ib_write_bw (pid ", LINKS[:1], within=30)
        wait_for_fact(spark2, RDMA, "unknown", "ib_write_bw (pid ", LINKS[:1], within=45)
        writes.wait_for_more()
    assert events.lines == [], events.lines
    assert ask.gid_table(spark) == gids
    spark.reconcile("gate -q")
    spark.run("systemctl is-active spark-ready.target")
    writes.wait_for_more()
    writes.stop()
    wait_for_fact(spark, RDMA, "ready", f"spark2: {PROVEN}", within=60)
