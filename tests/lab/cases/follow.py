"""Two Sparks that follow a git repository."""

import json
import time

from cases.pair import CAGE, address, converge
from harness import ask, daemon
from harness.git import REPOSITORY, Repository
from harness.lab import FILE, Lab
from harness.names import netdev, rdma_device
from harness.node import PROGRAM, Node
from harness.runner import case

RAIL = netdev(CAGE, 0)
FOLLOWED = "/var/lib/spark-reconcile-judge/cluster.yaml"


def file_with(mtu: int) -> str:
    return f"version: 1\ncluster: solo\nnodes:\n  spark: {{ links: {{ {RAIL}: {{ mtu: {mtu} }} }} }}\n"


def write_beside(spark: Node, spark2: Node) -> ask.Writes:
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    return writes


def wait_for_sysctl(node: Node, value: int) -> None:
    node.wait_until(f"test $(sysctl -n net.core.rmem_max) = {value}", 120)


def wait_for_mtu(node: Node, value: int, deadline: float) -> None:
    node.wait_until(f"test $(cat /sys/class/net/{RAIL}/mtu) = {value}", deadline)


def wait_until_it_waits(node: Node) -> None:
    """For the end of the job, which has a name."""
    node.wait_until(f"tr -d ' \\n' < {daemon.STATUS} | grep -q '\"disturb_waits\":\\[{{'", 120)
    said = node.reconcile("status --here")
    assert "ib_write_bw (pid " in said, said


def followers(lab: Lab) -> tuple[list[Node], Repository]:
    """The pair, converged; one follows by https, the other by ssh with a deploy key."""
    nodes = converge(lab)
    repository = Repository(nodes[0])
    repository.serve_https()
    repository.serve_ssh()
    for node, transport in zip(nodes, ("https", "ssh"), strict=True):
        repository.follow(node, transport)
        node.run("systemctl start spark-reconcile", 120)
    for node in nodes:
        node.wait_until(repository.in_force(), 60)
    return nodes, repository


@case(deadline=600, needs=("https",))
def a_merge_reaches_both_nodes_and_waits_for_a_job(lab: Lab) -> None:
    """By https and by ssh: a sysctl goes at once beside live RDMA, an MTU when the job has ended; nothing unsigned does."""
    (spark, spark2), repository = followers(lab)
    for node in (spark, spark2):
        units = node.lines("ps -eo user:20,comm | grep -E '^spark-' || true")
        assert not any("root" in line for line in units), units

    writes = write_beside(spark, spark2)
    before = ask.gid_table(spark)
    with ask.kernel_events(spark) as events, ask.kernel_events(spark2) as events2:
        repository.merge("sed -i 's/mtu: 9000/mtu: 4000/' cluster.yaml &&"
                         " printf 'host:\\n  sysctl: { net.core.rmem_max: 12345678 }\\n' >> cluster.yaml")  # fmt: skip
        for node in (spark, spark2):
            wait_for_sysctl(node, 12345678)
            wait_until_it_waits(node)
            assert ask.mtu(node, RAIL) == 9000
        writes.wait_for_more()
    on_rail = [line for line in events.lines + events2.lines if RAIL in line]
    assert on_rail == [], on_rail
    assert ask.gid_table(spark) == before
    writes.stop()
    for node in (spark, spark2):
        wait_for_mtu(node, 4000, 10)

    repository.merge("sed -i 's/mtu: 4000/mtu: 1500/' cluster.yaml", signed="--no-gpg-sign")
    said = spark.reconcile("sync", code=6)
    assert "SR-GIT-024" in said, said
    assert ask.mtu(spark, RAIL) == 4000


@case(deadline=600, needs=("https",))
def who_does_not_wait_for_the_job_says_so(lab: Lab) -> None:
    """A sysctl alone: no event. An MTU that waits for a job: `apply` asks, a no changes nothing, `apply --yes` goes at once."""
    (spark, spark2), repository = followers(lab)
    writes = write_beside(spark, spark2)
    with ask.kernel_events(spark) as events, ask.kernel_events(spark2) as events2:
        repository.merge("printf 'host:\\n  sysctl: { net.core.rmem_max: 12345678 }\\n' >> cluster.yaml")
        for node in (spark, spark2):
            wait_for_sysctl(node, 12345678)
            node.wait_until(repository.in_force())
        writes.wait_for_more()
    assert events.lines == events2.lines == [], (events.lines, events2.lines)

    repository.merge("sed -i 's/mtu: 9000/mtu: 4000/' cluster.yaml")
    for node in (spark, spark2):
        wait_until_it_waits(node)
        session = node.session(f"{PROGRAM} apply")
        said, _ = session.communicate("n\n", timeout=60)
        assert session.returncode == 6 and "Carry this out? [y/N]" in said and "ib_write_bw" in said, said
        assert ask.mtu(node, RAIL) == 9000
    writes.wait_for_more()
    for node, job in ((spark, "writes-client"), (spark2, "writes-server")):
        node.reconcile("apply --yes")
        assert ask.mtu(node, RAIL) == 4000
        assert node.running(job), "it did not wait for the end of the job"
        # By the name of the file that is followed: `rollback` goes by it.
        generations = json.loads(node.run("spark-reconcile history --json"))["generations"]
        newest = max(generations, key=lambda generation: generation["number"])
        assert newest["file"] == FOLLOWED, newest
    for node in (spark, spark2):
        node.wait_until(f"{repository.in_force()} && tr -d ' \\n' < {daemon.STATUS} | grep -q '\"disturb_waits\":\\[\\]'")
    writes.stop()


@case(deadline=900)
def a_node_without_a_clock_waits_for_it(lab: Lab) -> None:
    """A boot in 1970: the last good file is applied, a newer commit waits; it is taken by itself once the clock is right."""
    (spark,) = lab.sparks("spark")
    spark.put_text(FILE, file_with(9000))
    repository = Repository(spark)
    repository.follow(spark, "file")
    yesterday = time.strftime("%Y%m%d", time.gmtime(time.time() - 24 * 3600))
    repository.trust(spark, f',valid-after="{yesterday}"')
    daemon.enable(spark)
    spark.run("systemctl start spark-reconcile", 120)
    spark.wait_until(repository.in_force())
    wait_for_mtu(spark, 9000, 60)
    good = repository.in_force()
    spark.run("systemctl stop spark-reconcile")
    repository.merge(f"sed -i 's/mtu: 9000/mtu: 4000/' {REPOSITORY}/cluster.yaml")
    spark.run("sync")
    lab.power_cut(spark)
    spark.machine.clock = "1970-01-01"
    lab.power_on(spark)
    assert float(spark.run("date +%s")) < time.time() - 24 * 3600

    waits = f"grep -q SR-GIT-031 {daemon.STATUS}"
    spark.wait_until(waits)
    spark.wait_until(good)
    assert ask.mtu(spark, RAIL) == 9000
    assert "ahead of this machine's clock" in spark.reconcile("sync", code=3)
    right = f"date --set=@{time.time():.0f}"
    spark.run(right)
    spark.wait_until(repository.in_force())
    wait_for_mtu(spark, 4000, 60)
    spark.wait_until(f"! {waits}")

    # What is in force is judged again, by the clock that the machine has.
    now = spark.run("date +%s; date --set=@86400; touch /etc/spark-reconcile/signers").split()[0]
    spark.wait_until(waits)
    assert ask.mtu(spark, RAIL) == 4000
    assert "counts no more" not in spark.reconcile("status --here")
    spark.run(f"date --set=@{now}")
    spark.wait_until(f"! {waits}")


def wait_for_polls(node: Node, count: int) -> None:
    """Until so many fetches have begun and ended; each is a run of the unit with an id of its own."""
    show = "systemctl show -P InvocationID spark-reconcile-fetch.service"
    node.run(f"first=$({show}); last=$first; n=0; until [ $n -gt {count} ]; do sleep 0.2; now=$({show});"
             ' [ "$now" = "$last" ] || n=$((n+1)); last=$now; done', 600)  # fmt: skip


# What an unchanged poll writes: what the fetch hands to git, in memory.
FETCH = "/run/spark-reconcile-fetch"
# systemd's record that a unit runs, and the place where it makes the unit's /dev.
SYSTEMD = ("/run/systemd/", "/run/credentials")
PARENTS = ("/run", "/tmp", "/run/spark-reconcile", "/var/lib/spark-reconcile")
# What the daemon and the journal write with and without polls.
ANYWAY = ("/run/spark-reconcile/status.json", "/run/spark-reconcile/metrics.prom", "/run/spark-reconcile/node-state.json",
          "/run/spark-reconcile/rails.json", "/run/spark-reconcile/record.json", "/var/lib/spark-reconcile/record.json",
          "/run/spark-reconcile/alive", "/run/spark-reconcile-peers/alive", "/run/spark-reconcile-web/alive", "/var/log/journal/")  # fmt: skip


def written_since(node: Node, mark: str) -> list[str]:
    """Every file and directory, on disk or in memory, that was made, written, renamed or removed since the mark."""
    return node.lines(f"find / /run /dev -xdev \\( -path /proc -o -path /sys -o -path {mark} \\) -prune"
                      f" -o -cnewer {mark} -print | sort -u")  # fmt: skip


@case(deadline=1200, needs=("https",))
def unchanged_polls_leave_the_machine_alone(lab: Lab) -> None:
    """Ten and more by file, https and ssh each: no kernel event, nothing is written but by the fetch in its own place."""
    spark, spark2 = converge(lab)
    away, here = Repository(spark), Repository(spark2)
    away.serve_https()
    away.serve_ssh()
    spark2.run("mkdir /etc/systemd/system/spark-reconcile-fetch.timer.d")
    spark2.put_text("/etc/systemd/system/spark-reconcile-fetch.timer.d/often.conf", "[Timer]\nRandomizedDelaySec=0\n")
    for repository, transport in ((here, "file"), (away, "https"), (away, "ssh")):
        # Not while the signer of the repository before is exchanged: that is an alert, with an end later on.
        spark2.run("systemctl daemon-reload; systemctl stop spark-reconcile")
        repository.follow(spark2, transport)
        spark2.run("systemctl start spark-reconcile", 120)
        spark2.wait_until(repository.in_force(), 60)
        daemon.wait_for_verdict(spark2, "ready")
        wait_for_polls(spark2, 2)
        ask.wait_until_quiet(spark2)
        with ask.kernel_events(spark2) as events:
            spark2.run("udevadm settle; touch /run/mark")
            wait_for_polls(spark2, 10)
            written = written_since(spark2, "/run/mark")
            journal = spark2.lines("journalctl --quiet --output=cat -u spark-reconcile-fetch --since=@$(stat -c %Y /run/mark)")
        assert events.lines == [], (transport, events.lines)
        others = [path for path in written if path not in PARENTS and not path.startswith((FETCH, *SYSTEMD, *ANYWAY))]
        assert others == [], (transport, others)
        assert journal == [], (transport, journal)
