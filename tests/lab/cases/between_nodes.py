"""RDMA from node to node: two spark-verbs-probe, whose lines the test passes from one to the other."""

from cases.pair import CAGE, RAILS, address, converge
from harness import probes
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.probes import End
from harness.runner import case

LINK = netdev(CAGE, 0)
QUEUE_PAIRS = 4


def ends_of(spark: Node, spark2: Node, rail: int = 0) -> tuple[End, End]:
    first, second = (
        End(node, netdev(CAGE, rail), rdma_device(CAGE, rail), address(number, rail))
        for node, number in ((spark, 11), (spark2, 12))
    )
    return first, second


def assert_proven(reports: list[dict | None], path_mtu: int) -> None:
    for report in reports:
        assert report and report["failed"] is None, reports
        assert report["registered"] and report["verified"] and report["received"], reports
        assert report["path_mtu"] == path_mtu, reports
        assert 0 < report["latency_p50_us"] <= report["latency_p99_us"], reports


@case()
def rdma_between_two_nodes_fails_with_the_reason(lab: Lab) -> None:
    """An MTU of 1500 at one end gives path MTU 1024; a GID that is gone, and a probe that is killed, are named by both."""
    spark, spark2 = converge(lab)
    first, second = ends_of(spark, spark2)

    spark2.run(f"ip link set {LINK} mtu 1500")
    assert_proven(probes.verify(first, second), path_mtu=1024)
    spark2.run(f"ip link set {LINK} mtu 9000")
    assert_proven(probes.verify(first, second), path_mtu=4096)

    running = probes.bench(first, second, "write", seconds=10)
    running.wait_for(0, "progress")
    spark2.run(f"pkill -KILL -x {probes.PROCESS}")
    moved, killed = running.reports()
    assert killed is None, killed
    assert moved and moved["failed"] == "other end", moved
    assert moved["why"] == "its lines ended before its report", moved

    spark2.run(f"ip address del {second.address}/24 dev {LINK}")
    here, there = probes.verify(first, second)
    assert there and there["failed"] == "find the GID", there
    assert there["why"] == f"no RoCE v2 GID of {second.address}", there
    assert here and here["failed"] == "other end", here
    assert here["why"] == "it ended with a report before its offer", here
    assert here["other_why"] == f"find the GID: no RoCE v2 GID of {second.address}", here


@case(deadline=600)
def rdma_between_two_nodes(lab: Lab) -> None:
    """Over each rail: verified both ways at path MTU 4096, and bytes moved by WRITE and READ from either end."""
    spark, spark2 = converge(lab)
    for node in (spark, spark2):
        node.reconcile("gate --quiet")
    for rail in RAILS:
        first, second = ends_of(spark, spark2, rail)
        assert_proven(probes.verify(first, second), path_mtu=4096)
        assert_proven(probes.verify(second, first), path_mtu=4096)
        for mover, lender in ((first, second), (second, first)):
            for operation in ("write", "read"):
                running = probes.bench(mover, lender, operation, seconds=1, queue_pairs=QUEUE_PAIRS)
                moved, lent = running.reports()
                assert moved and moved["failed"] is None and moved["bytes"] > 0, moved
                assert moved["bits_per_second"] > 0 and moved["queue_pairs"] == QUEUE_PAIRS, moved
                assert lent and lent["failed"] is None and lent["bytes"] == 0, lent
