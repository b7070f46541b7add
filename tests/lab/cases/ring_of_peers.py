"""Three nodes in a ring that prove RDMA with each other, and what two of them say when the third is not as it should be."""

from harness import ask, daemon
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

from .pair import RAILS
from .peers import PEER_MTU, PROVEN, RDMA, REPORT, UNIT, facts, wait_for_fact, wait_for_proofs, wait_for_words
from .ring import RING

# The cable spark1:0 to spark2:1, by its ends, and the one of spark3:0 to spark1:1.
HERE = tuple(netdev(0, rail) for rail in RAILS)
THERE = tuple(netdev(1, rail) for rail in RAILS)
ALL = THERE + HERE
# 20 s, and what three emulated nodes on two cores need besides: each time is printed.
WITHIN = 30


def names_it(node: Node, fact: str, verdict: str, words: str, links: tuple[str, ...] = HERE) -> None:
    took = wait_for_fact(node, fact, verdict, words, links, within=WITHIN)
    print(f"  {took:4.1f} s  {fact} {words}")


@case(deadline=1200)
def a_ring_names_what_is_wrong_with_one_of_its_peers(lab: Lab) -> None:
    """RDMA over six rails both ways; then one peer's faults, each by its text, beside a job that notices none."""
    nodes = lab.cluster(RING)
    daemon.enable(*nodes)
    spark1, spark2, spark3 = nodes
    for node in (spark1, spark2):
        node.ask("systemctl start spark-reconcile.service", 120)
    took = wait_for_proofs({spark1: HERE, spark2: THERE}, within=60)
    print(f"  {took:.1f} s from the second daemon to four proofs")
    spark3.ask("systemctl start spark-reconcile.service", 120)
    took = wait_for_proofs(dict.fromkeys(nodes, ALL), within=120)
    print(f"  {took:.1f} s from the third daemon to twelve proofs")
    for node in nodes:
        wait_for_fact(node, RDMA, "ready", PROVEN, ALL)

    job = ask.Writes(spark1, spark3, rdma_device(1, 0), "192.168.187.11", "192.168.187.13",
                     their_device=rdma_device(0, 0))  # fmt: skip
    job.wait_for_more()
    gids = ask.gid_table(spark1)
    spark2.run("spark-reconcile pause --for 30m")
    with ask.kernel_events(spark1) as events:
        spark2.run(f"ip link set {THERE[1]} mtu 1500")
        names_it(spark1, PEER_MTU, "not ready", f"spark2 has 1500 on {THERE[1]}, this end 9000", HERE[1:])
        spark2.run(f"ip link set {THERE[1]} mtu 9000")

        # The GID of rail 0 goes with its address.
        spark2.run(f"ip address del 192.168.177.12/24 dev {THERE[0]}")
        names_it(spark1, RDMA, "not ready", f"spark2: address of {THERE[0]}: ", HERE[:1])
        spark2.run(f"ip address add 192.168.177.12/24 dev {THERE[0]}")
        names_it(spark1, RDMA, "ready", PROVEN)

        spark2.run(f"rdma link delete {rdma_device(1, 0)}")
        names_it(spark1, RDMA, "not ready", f"spark2: port of {THERE[0]}: no RDMA device on this link", HERE[:1])
        spark2.run(f"rdma link add {rdma_device(1, 0)} type rxe netdev {THERE[0]}")
        names_it(spark1, RDMA, "ready", PROVEN)

        # A paused daemon takes no file.
        spark2.run("spark-reconcile resume; echo '# another' >> /etc/spark-reconcile/cluster.yaml")
        wait_for_words(spark1, "here; spark2 has [0-9a-f]\\{12\\}")
        spark2.run("sed -i '$d' /etc/spark-reconcile/cluster.yaml")
        wait_for_words(spark1, "here and on spark[23]")
        spark2.run("spark-reconcile pause --for 30m")

        # A probe that stops in the middle: both ends end it, and try again.
        spark2.start("freeze", "until pkill -STOP -x -u spark-peers spark-verbs-pro; do :; done")
        spark1.run(f"systemctl stop {UNIT}; rm {REPORT}; systemctl start {UNIT}")  # it knows of no proof
        wait_for_words(spark1, "spark2: [^,]*\\(in time\\|before the deadline\\)", WITHIN)
        spark2.ask("pkill -CONT -x -u spark-peers spark-verbs-pro")
        wait_for_fact(spark1, RDMA, "ready", PROVEN, HERE, within=120)  # the second try after a failure is a minute later

        spark2.run(f"systemctl kill --signal=STOP {UNIT}")
        for link in HERE:
            names_it(spark1, RDMA, "unknown", f"no hello of spark2 comes on {link} any more; last proven ", (link,))
        spark2.run(f"systemctl kill --signal=CONT {UNIT}")
        names_it(spark1, RDMA, "ready", PROVEN)
        job.wait_for_more()
    assert events.lines == [], events.lines
    assert ask.gid_table(spark1) == gids
    for link in HERE:
        assert facts(spark3, RDMA)[link][0] == "ready", "spark3 has no cable to what was wrong but its own"

    # Another machine has its place and its addresses: spark3's other plug, with the addresses of spark2.
    lab.power_cut(spark2)
    for cable in [cable for cable in lab.cables if spark2 in (end.node for end in cable.ends)]:
        cable.pull()
        lab.cables.remove(cable)
    spark3.run("spark-reconcile pause --for 30m")
    for rail, link in enumerate(THERE):
        spark3.run(f"ip address add 192.168.{177 + rail}.12/24 dev {link}")
    lab.cable("spark1:0", "spark3:1")
    names_it(spark1, RDMA, "unknown", ", but of spark3:1; last proven ")
    job.wait_for_more()
    job.stop()
