"""The daemon: from a boot by itself to a node that is ready, and stays so."""

from harness import ask, daemon
from harness.lab import Lab
from harness.names import netdev
from harness.runner import case

from .pair import CAGE, PAIR, RAILS, address

FILE = "/etc/spark-reconcile/cluster.yaml"
JOB = "/bin/sleep infinity"


@case(ci=True, deadline=900)
def a_boot_ends_ready_without_a_hand(lab: Lab) -> None:
    """Enabled on two nodes, the power goes and comes: the target is reached, a job that waits for it runs."""
    nodes = lab.cluster(PAIR)
    daemon.install(*nodes, job=JOB)
    for node in nodes:
        node.run("sync")
        lab.power_cut(node)
    for node in nodes:
        lab.power_on(node)
    for node in nodes:
        node.wait_until("systemctl is-active spark-ready.target", 120)
        node.wait_until("systemctl is-active job.service")
        assert daemon.status(node)["verdict"] == "ready"
    spark, _ = nodes
    for rail in RAILS:
        assert ask.pings(spark, address(12, rail))
    spark.wait_until("systemctl is-system-running | grep -Eq 'running|degraded'")


@case(ci=True, deadline=600)
def a_node_stays_true(lab: Lab) -> None:
    """An MTU and an address are put right; kill -9 changes nothing; the job goes with the cable and comes with it."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    daemon.install(spark, job=JOB)
    spark.run("systemctl start spark-reconcile.service")
    spark.wait_until("systemctl is-active job.service", 120)
    link, own = netdev(CAGE, 0), f"{address(11, 0)}/24"
    spark.run(f"ip link set {link} mtu 1500; ip address del {own} dev {link}")
    spark.wait_until(f"test $(cat /sys/class/net/{link}/mtu) = 9000 && ip address show {link} | grep -q {own}")
    ask.wait_until_quiet(spark)
    with ask.kernel_events(spark) as events:
        before = spark.run("systemctl show -P MainPID spark-reconcile")
        spark.run("systemctl kill -s KILL --kill-whom=main spark-reconcile")
        spark.wait_until(f"systemctl is-active spark-reconcile && test $(systemctl show -P MainPID spark-reconcile) != {before}")
    assert events.lines == [], events.lines
    (cable,) = lab.cables
    cable.pull()
    spark.wait_until("! systemctl is-active job.service", 60)
    cable.plug()
    spark.wait_until("systemctl is-active job.service", 120)


@case(deadline=900)
def what_hinders_is_told_and_the_boot_completes(lab: Lab) -> None:
    """No good file; then no cable: the boot completes, the job is not started, all tell the same reason."""
    spark, _ = lab.cluster(PAIR)
    daemon.install(spark, job=JOB)
    good = spark.run(f"cat {FILE}")
    spark.put_text(FILE, "version: 1\ncluster: pair\nnods: {}\n")
    (cable,) = lab.cables
    cable.pull()
    spark.run("sync")
    lab.power_cut(spark)
    lab.power_on(spark)
    spark.wait_until("systemctl is-system-running | grep -Eq 'running|degraded'", 240)
    assert "SR-SPEC" in daemon.status(spark)["file"]["refused"]["findings"]
    assert "SR-SPEC" in spark.run("systemctl show -P StatusText spark-reconcile")
    spark.run("systemctl is-active spark-ready.target job.service", code=3)
    spark.put_text(FILE, good)
    daemon.wait_for_verdict(spark, "not ready")
    assert "no carrier" in spark.run("cat /run/spark-reconcile/status.json")
    spark.run("systemctl is-active spark-ready.target job.service", code=3)
    cable.plug()
    spark.wait_until("systemctl is-active job.service", 120)
