"""`spark-reconcile gate`: open when RDMA works on each rail, closed with the reason when it does not."""

import json
import time

from cases.pair import CAGE, PAIR, RAILS, address, converge
from harness import ask
from harness.lab import Lab
from harness.names import ALL_RDMA_DEVICES, netdev, rdma_device
from harness.node import Node
from harness.runner import case

LINKS = tuple(netdev(CAGE, rail) for rail in RAILS)
DEVICES = tuple(rdma_device(CAGE, rail) for rail in RAILS)
PROBE = "spark-verbs-pro"  # spark-verbs-probe, as the kernel has it: 15 characters


def measured(said: str) -> dict[str, dict[str, str]]:
    """Of `gate --json`: link by link, what each fact says, by its id."""
    return {rail["link"]: {f["id"]: f["measured"] for f in rail["facts"]} for rail in json.loads(said)["rails"]}


def failing(node: Node, gate: str = "spark-reconcile gate --json") -> dict[str, list[str]]:
    """Link by link, the sorted ids of the facts that fail; the gate must be closed."""
    said = json.loads(node.run(gate, code=3))
    assert said["verdict"] == "not ready", said
    ids = {r["link"]: sorted(f["id"] for f in r["facts"] if f["verdict"] != "ready") for r in said["rails"]}
    return {link: found for link, found in ids.items() if found}


def with_ready(lab: Lab, node: Node, ready: str) -> None:
    """Gives the node the pair's file with that section `ready`."""
    file = lab.folder / f"{node.name}.yaml"
    file.write_text(f"{PAIR.read_text()}ready: {ready}\n")
    lab.install(node, file)


@case()
def the_gate_opens_and_closes(lab: Lab) -> None:
    """Closed before apply, open after it, closed with the reason of rail 0 while the cable is out, open again."""
    spark, spark2 = lab.cluster(PAIR)
    assert spark.reconcile("gate -q", code=3).startswith("spark: not ready: ")
    spark.reconcile("apply")
    said = spark.reconcile("gate")
    assert said.count("WRITE, READ and SEND of 1 MiB verified") == len(RAILS), said
    assert said.endswith("spark: ready: the node is proven; its cables are not until a peer answers\n"), said
    (cable,) = lab.cables
    cable.pull()
    ask.wait_for_carrier(spark, LINKS, False)
    said = spark.reconcile("gate -q", code=3)
    assert said == f"spark: not ready: link of {LINKS[0]}: up, no carrier [SR-GATE-001]\n", said
    cable.plug()
    ask.wait_for_carrier(spark, LINKS, True)
    ask.wait_for_port(spark, DEVICES, active=True)
    spark.reconcile("gate")


@case(ci="amd64")
def each_false_pass_closes_the_gate_with_its_own_id(lab: Lab) -> None:
    """What a loopback alone would not see, one at a time: carrier, MTU, memory limit, address."""
    spark, _ = converge(lab)
    link, own = LINKS[0], f"{address(11, 0)}/24"

    def put_right() -> None:
        spark.reconcile("apply")
        spark.reconcile("gate")

    spark.reconcile("gate")

    (cable,) = lab.cables
    cable.pull()
    ask.wait_for_port(spark, DEVICES, active=False)
    assert failing(spark) == dict.fromkeys(LINKS, ["SR-GATE-001", "SR-GATE-004"])
    cable.plug()
    ask.wait_for_port(spark, DEVICES, active=True)
    spark.reconcile("gate")

    spark.run(f"ip link set {link} mtu 1500")
    assert failing(spark) == {link: ["SR-GATE-002", "SR-GATE-006"]}
    put_right()

    # Root's own capability would hide the limit; without memory no byte is tried.
    found = failing(spark, "(ulimit -l 64; spark-reconcile gate --json)")
    assert found == dict.fromkeys(LINKS, ["SR-GATE-008"]), found
    spark.reconcile("gate")

    spark.run(f"ip address del {own} dev {link}")
    assert failing(spark) == {link: ["SR-GATE-003", "SR-GATE-005"]}
    put_right()

    elsewhere = netdev(0, 0)
    spark.run(f"ip address del {own} dev {link}; ip address add {own} dev {elsewhere}")
    ask.wait_for_gid(spark, rdma_device(0, 0), address(11, 0))  # the right GID, at the wrong device
    assert failing(spark) == {link: ["SR-GATE-003", "SR-GATE-005"]}
    put_right()


@case()
def a_frozen_verbs_call_is_killed_at_the_deadline(lab: Lab) -> None:
    """The probe stops for good in the midst of it: the gate ends by itself, closed, and leaves none behind."""
    spark, _ = converge(lab)
    with_ready(lab, spark, "{ loopback: { deadline: 5s } }")
    spark.start("gate", "spark-reconcile gate --full --quiet; echo ended with $?")
    spark.wait_until(f"pkill -STOP -x {PROBE}")
    frozen = time.monotonic()
    spark.wait_until("! systemctl is-active --quiet gate")
    assert time.monotonic() - frozen < 20
    closing, ended = spark.output("gate").splitlines()
    assert ended == "ended with 3", ended
    assert closing.startswith("spark: not ready: loopback of "), closing
    assert closing.endswith("it was killed [SR-GATE-007]"), closing
    spark.run(f"pgrep -x {PROBE}", code=1)  # none


@case()
def the_absent_card_is_waiting(lab: Lab) -> None:
    """A Spark powers its card off: the gate waits for it, and opens once it is back and applied."""
    spark, _ = converge(lab)
    lab.remove_card(spark)
    spark.wait_until("! ls /sys/class/net | grep -q np")
    said = spark.reconcile("gate -q", code=3)
    assert said == f"spark: waiting: link of {LINKS[0]}: no such device [SR-GATE-001]\n", said
    lab.insert_card(spark)
    spark.wait_until(f"test $(ls /sys/class/infiniband | wc -l) = {len(ALL_RDMA_DEVICES)}")
    spark.reconcile("apply")
    spark.reconcile("gate")


@case()
def a_moved_gid_is_no_drift(lab: Lab) -> None:
    """Our GID comes to stand at another index: plan and apply see nothing, and the gate finds it there."""
    spark, _ = converge(lab)
    link, device, own = LINKS[0], rdma_device(CAGE, 0), address(11, 0)
    before = ask.gid_index(spark, device, own)
    spark.run(f"ip address del {own}/24 dev {link}; ip address add 192.0.2.1/32 dev {link}; "
              f"ip address add {own}/24 dev {link}")  # fmt: skip
    ask.wait_for_gid(spark, device, own)
    after = ask.gid_index(spark, device, own)
    assert after != before, ask.gid_table(spark, device)
    with ask.kernel_events(spark) as events:
        spark.reconcile("plan --detailed-exitcode")
        spark.reconcile("apply")
        facts = measured(spark.reconcile("gate --json"))
    assert events.lines == [], events.lines
    assert ask.gid_index(spark, device, own) == after
    assert facts[link]["SR-GATE-005"] == f"RoCE v2, now at index {after}", facts


@case(ci="amd64")
def a_job_on_the_device_is_not_disturbed(lab: Lab) -> None:
    """Bandwidth is measured where the file has a floor, but beside a job on the device only with --full."""
    spark, spark2 = converge(lab)
    with_ready(lab, spark, "{ loopback: { minimum: 1Mb/s } }")
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    facts = measured(spark.reconcile("gate --json"))
    assert "no bandwidth run" in facts[LINKS[0]]["SR-GATE-007"], facts
    assert "SR-GATE-009" not in facts[LINKS[0]], facts
    assert "SR-GATE-009" in facts[LINKS[1]], facts
    writes.wait_for_more()
    facts = measured(spark.reconcile("gate --full --json"))
    assert "SR-GATE-009" in facts[LINKS[0]], facts
    writes.wait_for_more()
    writes.stop()
