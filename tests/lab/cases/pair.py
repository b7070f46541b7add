"""Two Sparks and one cable in cage 1 of both, as tests/specs/pair.yaml says."""

from harness import ask
from harness.image import CHECKOUT
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

PAIR = CHECKOUT / "tests" / "specs" / "pair.yaml"
CAGE = 1
RAILS = (0, 1)


def address(node_number: int, rail: int) -> str:
    return f"192.168.{177 + rail}.{node_number}"


def leave_rails_alone(*nodes: Node) -> None:
    """By hand, where a case sets addresses before the first apply: else DHCP's end takes them away."""
    for node in nodes:
        for rail in RAILS:
            link = netdev(CAGE, rail)
            node.wait_until(f"nmcli -g GENERAL.STATE device show {link} | grep -qv unavailable")
            node.run(f"nmcli device set {link} managed no")


def converge(lab: Lab) -> list[Node]:
    """The pair, applied."""
    nodes = lab.cluster(PAIR)
    for node in nodes:
        node.reconcile("apply")
    return nodes


@case(ci="amd64")
def pair_converges_from_a_fresh_boot(lab: Lab) -> None:
    """One apply each: addresses, MTU 9000, 8972 bytes unfragmented, RDMA writes over each rail."""
    spark, spark2 = converge(lab)
    for node, number in ((spark, 11), (spark2, 12)):
        for rail in RAILS:
            assert ask.addresses(node, netdev(CAGE, rail)) == [f"{address(number, rail)}/24"]
            assert ask.mtu(node, netdev(CAGE, rail)) == 9000
            assert not ask.carrier(node, netdev(0, rail))[0], "cage 0 is unused, and goes down"
    for rail in RAILS:
        assert ask.pings(spark, address(12, rail)) and ask.pings(spark2, address(11, rail))
        ask.rdma_write(spark, spark2, rdma_device(CAGE, rail), address(11, rail), address(12, rail))
    spark.reconcile("plan --detailed-exitcode")


@case(ci="amd64", deadline=600)
def converged_applies_are_silent_beside_live_rdma(lab: Lab) -> None:
    """40 applies of what is there: no kernel event, same GID table, writes complete all along."""
    spark, spark2 = converge(lab)
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    before = ask.gid_table(spark)
    with ask.kernel_events(spark) as events:
        for _ in range(4):
            spark.run("for i in $(seq 10); do spark-reconcile apply --quiet || exit; done", 120)
            writes.wait_for_more()
    assert events.lines == [], events.lines
    assert ask.gid_table(spark) == before
    writes.wait_for_more()
    writes.stop()


@case()
def each_rail_answers_arp_for_itself(lab: Lab) -> None:
    """Two rails on one wire: two ARP answers for one address before the first apply, one after."""
    spark, spark2 = lab.cluster(PAIR)
    leave_rails_alone(spark, spark2)
    for node, number in ((spark, 11), (spark2, 12)):
        for rail in RAILS:
            node.run(f"ip address add {address(number, rail)}/24 dev {netdev(CAGE, rail)}")
    assert len(ask.arp_answers(spark, netdev(CAGE, 0), address(12, 0))) == 2
    spark2.reconcile("apply")
    (answer,) = ask.arp_answers(spark, netdev(CAGE, 0), address(12, 0))
    assert answer.lower() in spark2.run(f"cat /sys/class/net/{netdev(CAGE, 0)}/address")
