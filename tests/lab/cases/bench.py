"""`bench` between two nodes: what it measures, what it refuses, and how it compares with perftest."""

import json
import re
import statistics

from cases.pair import CAGE, RAILS, address
from cases.peers import LINKS, PROVEN, RDMA, UNIT, hear_each_other, wait_for_fact
from harness import ask
from harness.lab import Lab
from harness.names import rdma_device
from harness.node import Node
from harness.runner import case

REPORT = "/var/tmp/bench.html"
BUSY, BELOW, FAILED = 75, 2, 1
SCOPES = [[LINKS[0]], [LINKS[1]], list(LINKS)]


def pair_that_hears(lab: Lab) -> tuple[Node, Node]:
    spark, spark2 = hear_each_other(lab)
    wait_for_fact(spark2, RDMA, "ready", f"spark: {PROVEN}", within=180)
    return spark, spark2


def measured(node: Node, options: str, deadline: float = 120) -> dict:
    (peer,) = json.loads(node.reconcile(f"bench {options} --json", deadline=deadline))["peers"]
    return peer


@case(deadline=600)
def bench_measures_each_rail_and_both(lab: Lab) -> None:
    """Each number there is, from either end and as any user; a floor, a job and a silent peer by exit code and name."""
    spark, spark2 = pair_that_hears(lab)
    peer = measured(spark, f"spark2 --seconds 1 --report {REPORT}")
    figures = [(f["links"], f["operation"], f["direction"]) for f in peer["figures"]]
    expected = [(scope, operation, way) for scope in SCOPES for operation in ("write", "read") for way in ("to", "from")]
    assert figures == [*expected, (SCOPES[-1], "write", "both")], figures
    assert all(f["failed"] == "" and f["bits_per_second"] > 0 for f in peer["figures"]), peer["figures"]
    for rail in peer["rails"]:
        assert rail["path_mtu"] == 4096 and 0 < rail["latency_p50_us"] <= rail["latency_p99_us"], rail
    assert [v["name"] for v in peer["verdicts"]] == ["emulated"], peer["verdicts"]
    assert "<script" not in spark.run(f"cat {REPORT}") and spark.run(f"grep -c spark2 {REPORT}")
    print(f"  {len(figures)} numbers, WRITE over both rails {peer['figures'][8]['bits_per_second'] / 1e9:.2f} Gb/s")

    # The other end asks, as a user who may do nothing else; nothing is kept.
    kept = spark2.ask("cat /var/lib/spark-reconcile/bench.json").returncode
    said = spark2.run("runuser -u nobody -- spark-reconcile bench --rail 1 --seconds 1", 60)
    assert "rail 1" in said and "rail 0" not in said, said
    assert spark2.ask("cat /var/lib/spark-reconcile/bench.json").returncode == kept != 0

    said = spark.ask("spark-reconcile bench --rail 0 --seconds 1 --minimum 1000000")
    assert said.returncode == BELOW and "less than --minimum 1000000" in said.stderr, said

    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    said = spark.ask("spark-reconcile bench")
    assert said.returncode == BUSY and "ib_write_bw (pid " in said.stderr, said
    said = spark.ask("spark-reconcile bench --rail 0 --seconds 1 --beside-jobs", 90)
    assert said.returncode == 0 and "ib_write_bw" in said.stdout, said
    writes.wait_for_more()
    writes.stop()

    spark2.run(f"systemctl stop {UNIT}")
    said = spark.ask("spark-reconcile bench --seconds 1")
    assert said.returncode == FAILED and "spark2 was not measured: " in said.stderr, said
    assert "port 9843" in said.stderr, said


def perftest(tool: str, mover: Node, lender: Node, own: str, peer: str) -> float:
    """Gb/s of four queue pairs over rail 0: two seconds, without the first and the last one around them."""
    device, port, unit = rdma_device(CAGE, 0), 18700, "perftest-server"
    common = f"{tool} -d {device} -F -m 4096 -s 65536 -q 4 -D 4 -f 1 --report_gbits -p {port}"
    lender.start(unit, f"exec {common} -x {ask.gid_index(lender, device, peer)}")
    lender.wait_until(f"ss -Hltn sport = :{port} | grep -q .")
    said = mover.run(f"timeout 60 {common} -x {ask.gid_index(mover, device, own)} {peer}", 70)
    lender.ask(f"systemctl kill --signal=KILL {unit}; systemctl reset-failed {unit}")
    return float(re.search(r"^\s*65536\s+\d+\s+\S+\s+(\S+)", said, re.MULTILINE)[1])


@case(deadline=1500)
def bench_beside_perftest(lab: Lab) -> None:
    """At least 0.9 of what ib_write_bw and ib_read_bw move with four queue pairs, both ways, median of five pairs."""
    spark, spark2 = pair_that_hears(lab)
    # Who moves the bytes, and how: WRITE goes to the lender, READ comes from it.
    ways = {("write", "to"): ("ib_write_bw", spark, spark2), ("write", "from"): ("ib_write_bw", spark2, spark),
            ("read", "from"): ("ib_read_bw", spark, spark2), ("read", "to"): ("ib_read_bw", spark2, spark)}  # fmt: skip
    addresses = {spark: address(11, RAILS[0]), spark2: address(12, RAILS[0])}
    ratios: dict[tuple[str, str], list[float]] = {way: [] for way in ways}
    for _ in range(5):
        figures = {(f["operation"], f["direction"]): f for f in measured(spark, "spark2 --rail 0")["figures"]}
        for way, (tool, mover, lender) in ways.items():
            theirs = perftest(tool, mover, lender, addresses[mover], addresses[lender])
            ratios[way].append(figures[way]["bits_per_second"] / 1e9 / theirs)
    medians = {way: statistics.median(of_way) for way, of_way in ratios.items()}
    for way, median in medians.items():
        print(f"  {' '.join(way)}: {median:.3f} of perftest ({', '.join(f'{r:.2f}' for r in ratios[way])})")
    assert all(median >= 0.9 for median in medians.values()), medians
