"""Nodes that hear each other: what the gate of one says of RDMA to the other."""

import json
import re
import time

from cases.pair import CAGE, PAIR, RAILS, address, converge
from harness import ask, daemon
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

LINKS = tuple(netdev(CAGE, rail) for rail in RAILS)
RDMA, PEER_MTU = "SR-GATE-019", "SR-GATE-021"
PROVEN = "1 MiB by WRITE, READ and SEND both ways, path MTU 4096"
UNIT = "spark-reconcile-peers"
REPORT = "/run/spark-reconcile-peers/peers.json"
KEY = "/etc/spark-reconcile/peers.key"


def facts(node: Node, fact: str) -> dict[str, tuple[str, str]]:
    """Link by link, the verdict and the words of that fact, as the daemon found it last; a link that lacks it is left out.
    `gate` would look by itself, and take an emulated node half of the time in which the daemon is to name a fault."""
    gate = daemon.status(node)["gate"] or {"rails": []}
    return {r["link"]: (f["verdict"], f["measured"]) for r in gate["rails"] for f in r["facts"] if f["id"] == fact}


def wait_for_fact(node: Node, fact: str, verdict: str, words: str, links: tuple[str, ...] = LINKS,
                  within: float = 60) -> float:  # fmt: skip
    """Until the gate says so of each of the links; the seconds that it took. A Spark has 20; an emulated one shares its
    core with whatever runs beside the lab."""
    began = time.monotonic()
    while True:
        said = facts(node, fact)
        if all(link in said and said[link][0] == verdict and words in said[link][1] for link in links):
            return time.monotonic() - began
        if time.monotonic() - began >= within:
            heard = node.ask(f"cat {REPORT}").stdout
            raise AssertionError(f"{node.name}: '{words}' is not in {said}\n{heard}")


def proven(node: Node) -> set[str]:
    """Links over which both ends moved bytes, as its spark-peers wrote it down. Unlike the gate, it costs the node nothing."""
    said = node.ask(f"cat {REPORT}").stdout
    rdma = json.loads(said)["rdma"] if said else []
    return {r["link"] for r in rdma if all(r[end] and r[end]["failed"] is None for end in ("ours", "theirs"))}


def wait_for_proofs(links: dict[Node, tuple[str, ...]], within: float) -> float:
    """Until each of the nodes has proven all these links of its own; the seconds that it took."""
    began = time.monotonic()
    while True:
        lacking = {node.name: missing for node, of in links.items() if (missing := set(of) - proven(node))}
        if not lacking:
            return time.monotonic() - began
        assert time.monotonic() - began < within, f"not proven within {within} s: {lacking}"
        time.sleep(0.5)


def wait_for_words(node: Node, words: str, within: float = 20) -> None:
    """Until the daemon's gate says them of any link."""
    node.wait_until(f"tr -d '\\n' < {daemon.STATUS} | grep -q \"{words}\"", within)


def hear_each_other(lab: Lab) -> tuple[Node, Node]:
    """The pair, with the services of both."""
    spark, spark2 = converge(lab)
    for node in (spark, spark2):
        node.run("systemctl start spark-reconcile", 120)
    return spark, spark2


@case(ci="amd64", deadline=500)
def rdma_is_proven_between_two_nodes(lab: Lab) -> None:
    """Both ways over each rail; then the other end's MTU, address and silence, each by name."""
    spark, spark2 = hear_each_other(lab)
    # 15 s on a quiet machine; on a busy one the emulated nodes may need a second try.
    took = wait_for_proofs({spark: LINKS, spark2: LINKS}, within=60)
    print(f"  proven {took:.1f} s after the second daemon")
    wait_for_fact(spark2, RDMA, "ready", f"spark: {PROVEN}")
    wait_for_fact(spark, RDMA, "ready", f"spark2: {PROVEN}")
    shown = spark.run("setpriv --reuid=65534 --clear-groups spark-reconcile status")
    assert re.search("\nspark2 +✓ [0-9]+ (s|min) +[0-9a-f]{7} +2/2 ", shown), shown
    assert re.search("\nspark2 +✓/✓ +·\n", shown), shown
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
    took = max(wait_for_fact(spark, RDMA, "unknown", f"no hello of spark2 comes on {link} any more; last proven ", (link,))
               for link in LINKS)  # fmt: skip
    print(f"  silence named after {took:.1f} s")
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


@case(deadline=300)
def a_management_network_that_goes_closes_nothing(lab: Lab) -> None:
    """Hellos and probes go over the rails alone: people's network is gone for longer than a node may be silent."""
    nodes = hear_each_other(lab)
    for node, other in zip(nodes, reversed(nodes), strict=True):
        wait_for_fact(node, RDMA, "ready", f"{other.name}: {PROVEN}", within=60)
        node.start("count", "link=$(dirname $(grep -l ':77$' /sys/class/net/*/address)); while sleep 1; do "
                            "spark-reconcile gate >/dev/null; echo carrier $(cat $link/carrier), gate $?; done")  # fmt: skip
    reached = [node.run("systemctl show -P ActiveEnterTimestampMonotonic spark-ready.target") for node in nodes]
    for node in nodes:
        node.disconnect()
        node.machine.set_management(False)
    time.sleep(25)
    for node in nodes:
        node.machine.set_management(True)
        node.connect(120)
    for node, other, since in zip(nodes, reversed(nodes), reached, strict=True):
        said = set(node.output("count").splitlines())
        assert said == {"carrier 1, gate 0", "carrier 0, gate 0"}, said
        assert node.run("systemctl show -P ActiveEnterTimestampMonotonic spark-ready.target") == since
        told = facts(node, RDMA)
        assert all(told[link][0] == "ready" and other.name in told[link][1] for link in LINKS), told


@case(deadline=400)
def nodes_with_a_key_prove_rdma_with_those_that_have_it(lab: Lab) -> None:
    """Made and copied as the reference says: another key is told by both, the same one proves, none is told by both."""
    nodes = lab.cluster(PAIR)
    spark, spark2 = nodes
    file = lab.folder / "with-key.yaml"
    file.write_text(f"{PAIR.read_text()}ready: {{ key_file: {KEY} }}\n")
    for node in nodes:
        node.run(f"head -c 32 /dev/urandom | base64 | install -m 0640 -g spark-peers /dev/stdin {KEY}")
        lab.install(node, file)
        node.reconcile("apply")
        node.run("systemctl start spark-reconcile", 120)
    for node, other in ((spark, spark2), (spark2, spark)):
        wait_for_words(node, f"here; {other.name} has another key")
    assert "SR-PEERS-001" not in spark.ask("spark-reconcile doctor").stdout

    spark2.put_text(f"{KEY}.new", spark.run(f"cat {KEY}"), "640")
    spark2.run(f"chgrp spark-peers {KEY}.new && mv {KEY}.new {KEY}")
    for node, other in ((spark, spark2), (spark2, spark)):
        took = wait_for_fact(node, RDMA, "ready", f"{other.name}: {PROVEN}", within=60)
        print(f"  {took:.1f} s until {node.name} has proven RDMA with the same key")

    spark2.run(f"rm {KEY}")
    wait_for_words(spark2, f"there is no '{KEY}'")
    wait_for_words(spark, "here; spark2 has no key (ready.key_file)")
    assert "SR-PEERS-001" in spark2.ask("spark-reconcile doctor").stdout
