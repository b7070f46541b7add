"""Who is at the other end: cables that are plugged in wrongly, over hubs as real as the lab has them."""

import json

import yaml

from harness import ask, daemon
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

from .pair import CAGE, PAIR, RAILS, address, converge, leave_rails_alone
from .ring import RING


def states(node: Node) -> list[str]:
    """Of each rail with a cable, in the order of their names."""
    return [cable["state"] for cable in json.loads(node.run("spark-reconcile status --json"))["cables"]]


def wait_for_states(node: Node, state: str, deadline: float = 120) -> None:
    node.wait_until("spark-reconcile status --json | tr -d ' \\n' | grep -o '\"cables\":[^]]*' | "
                    f"grep -o '\"state\":\"[a-z_]*\"' | sort -u | grep -qx '\"state\":\"{state}\"'", deadline)  # fmt: skip


@case(deadline=900)
def a_miswired_ring_is_told_with_the_swap_that_mends_it(lab: Lab) -> None:
    """Both plugs of one node are swapped: wrong, and not ready, with the swap; swapped back all cables are proven."""
    wanted = yaml.safe_load(RING.read_text())
    nodes = lab.sparks(*wanted["nodes"])
    swapped = {"spark1:0": "spark1:1", "spark1:1": "spark1:0"}
    for node in nodes:
        lab.install(node, RING)
    for cable in wanted["fabric"]["cables"]:
        lab.cable(*(swapped.get(end, end) for end in cable["ends"]))
    daemon.enable(*nodes)
    for node in nodes:
        node.run("systemctl start spark-reconcile.service", 120)
    spark1, spark2, spark3 = nodes
    wait_for_states(spark1, "wrong")
    daemon.wait_for_verdict(spark1, "not ready")
    said = spark1.reconcile("gate", code=3)
    assert "leads to spark3:0, the file says to spark2:1 [SR-GATE-016]" in said, said
    assert "swap the plugs in spark1:0 and spark1:1" in said, said
    assert "wrong" in states(spark2) and "proven" in states(spark2), "one of its two cables is as the file says"
    for cable in [cable for cable in lab.cables if spark1 in (end.node for end in cable.ends)]:
        cable.pull()
        lab.cables.remove(cable)
    for cable in wanted["fabric"]["cables"]:
        if any(end.startswith("spark1:") for end in cable["ends"]):
            lab.cable(*cable["ends"])
    for node in (spark1, spark2, spark3):
        wait_for_states(node, "proven")
        daemon.wait_for_verdict(node, "ready")


# The packets that the filters of watch_questions have seen.
COUNT = (
    f"for link in {' '.join(netdev(CAGE, rail) for rail in RAILS)}; do tc -s filter show dev $link ingress; done"
    " | sed -n 's/.* \\([0-9]*\\) pkt.*/\\1/p' | awk '{ n += $1 } END { print n + 0 }'"
)


def questions_from_nowhere(node: Node) -> int:
    """How many ARP requests without a sender's address came in over the rails since watch_questions."""
    return int(node.run(COUNT))


def wait_for_questions(node: Node, least: int) -> None:
    """Nobody tells of a packet that a filter saw."""
    node.wait_until(f"test $({COUNT}) -ge {least}", 90)


def watch_questions(node: Node) -> None:
    for rail in RAILS:
        link = netdev(CAGE, rail)
        # The sender's protocol address is 14 bytes behind the start of an ARP packet.
        node.run(f"tc qdisc add dev {link} clsact && tc filter add dev {link} ingress protocol arp u32 "
                 "match u16 0 0xffff at 14 match u16 0 0xffff at 16 action pass")  # fmt: skip


@case(deadline=600)
def nobody_is_asked_beside_a_job(lab: Lab) -> None:
    """Queue pairs on one rail of the cage: neither rail asks from 0.0.0.0, and the verdict stays; without them it does."""
    spark, spark2 = converge(lab)
    watch_questions(spark2)
    daemon.enable(spark)
    spark.run("systemctl start spark-reconcile.service", 120)
    daemon.wait_for_verdict(spark, "ready")
    # The rails' own addresses are asked for, twice each, ten seconds after the carrier at the earliest.
    wait_for_questions(spark2, 2 * len(RAILS))
    assert questions_from_nowhere(spark2) == 2 * len(RAILS)
    spark.run("systemctl stop spark-reconcile.service")
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    spark.run("systemctl start spark-reconcile.service", 120)
    daemon.wait_for_verdict(spark, "ready")
    spark2.run("sleep 20")
    writes.wait_for_more()
    assert questions_from_nowhere(spark2) == 2 * len(RAILS), "a job was on the cage"
    assert daemon.status(spark)["verdict"] == "ready"
    assert states(spark) == ["proven", "proven"]
    writes.stop()


@case(deadline=600)
def a_networkd_that_detects_conflicts_keeps_its_address(lab: Lab) -> None:
    """A peer's networkd that detects conflicts: the gate and the daemon ask over its cable, and it keeps both addresses."""
    spark, spark2 = lab.cluster(PAIR)
    leave_rails_alone(spark2)
    for rail in RAILS:
        spark2.put_text(
            f"/etc/systemd/network/10-rail{rail}.network",
            f"[Match]\nName={netdev(CAGE, rail)}\n[Network]\nLinkLocalAddressing=no\n[Address]\n"
            f"Address={address(12, rail)}/24\nDuplicateAddressDetection=ipv4\n",
        )
    spark2.run("systemctl start systemd-networkd")
    for rail in RAILS:
        spark2.wait_until(f"ip -br -4 address show {netdev(CAGE, rail)} | grep -q '{address(12, rail)}/24'")
    watch_questions(spark2)
    spark.reconcile("apply")
    assert "spark2:1 answers" in spark.ask("spark-reconcile gate").stdout
    spark.run("systemctl start spark-reconcile.service", 120)
    wait_for_questions(spark2, 2 * len(RAILS))
    for rail in RAILS:
        assert ask.addresses(spark2, netdev(CAGE, rail)) == [f"{address(12, rail)}/24"]
    said = spark2.run("journalctl -b -u systemd-networkd --no-pager")
    assert "conflict" not in said.lower(), said
