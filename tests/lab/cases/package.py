"""The package: what it does to a machine that runs, beside a job."""

import json

from harness import ask, daemon, package
from harness.lab import FILE, Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

from .pair import CAGE, PAIR, RAILS, address

# Messages of systemd (sd-messages.h).
STARTING, STOPPING = "7d4958e842da4a758f6c1cdc7b36dcc5", "de5b426a63be47a7b6ac3eaac82e2f6f"

# What the lab itself puts on a node, and the owner's file.
NOT_OURS = ("/etc/hostname", "/etc/hosts", "/etc/machine-id", "/etc/spark-reconcile", "/etc/spark-reconcile/cluster.yaml")
# The kinds whose files outlive a boot, but for storage and what `take_over` renames.
SETTINGS = """
host:
  sysctl: { net.core.rmem_max: 8388608 }
  memlock: unlimited
  modules: [nvme-tcp]
  hosts: { suffix: -fabric }
environment: { profile: true }
"""


def file_with_all_settings(node: Node) -> None:
    node.put_text(FILE, node.run(f"cat {FILE}") + SETTINGS)


def main_process(node: Node) -> str:
    return node.run("systemctl show -P MainPID spark-reconcile").strip()


def last_job(node: Node, message: str) -> str:
    """The job of systemd that started or stopped the daemon last."""
    (line,) = node.lines(f"journalctl --boot --output=json --lines=1 MESSAGE_ID={message} UNIT=spark-reconcile.service")
    return json.loads(line)["JOB_ID"]


def changed_files(node: Node) -> list[str]:
    """Each line of the list of files that is not as it was before the package came."""
    lines = node.lines(f"{package.LIST_FILES} | diff {package.FILES_BEFORE} - | grep '^[<>]' || true", 120)
    return [line for line in lines if line.split()[1] not in NOT_OURS]


@case(ci=True, deadline=600)
def a_package_comes_and_goes_beside_live_rdma(lab: Lab) -> None:
    """Upgrade, downgrade, remove, purge: no kernel event, writes complete, no file of ours is left."""
    spark, spark2 = lab.cluster(PAIR)
    file_with_all_settings(spark)
    for node in (spark, spark2):
        node.reconcile("apply")
    daemon.enable(spark)
    spark.run("systemctl start spark-reconcile.service")
    daemon.wait_for_verdict(spark, "ready")
    newer = package.put_version(spark, "9.0.0")
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    gids = ask.gid_table(spark)
    ask.wait_until_quiet(spark)
    with ask.kernel_events(spark) as events:
        for file in (newer, package.FILE):
            before = main_process(spark)
            said = package.install(spark, file)
            assert "started nothing" not in said, f"the first steps are for the first time:\n{said}"
            spark.run("systemctl is-active spark-reconcile")
            assert main_process(spark) not in (before, "0"), "the daemon is still that of the other version"
            assert last_job(spark, STOPPING) == last_job(spark, STARTING), "not one restart, but a stop and a start"
            writes.wait_for_more()
        daemon.wait_for_verdict(spark, "ready")
        said = spark.run("dpkg --remove spark-reconcile 2>&1", 120)
        assert "spark-reconcile release" in said, said
        spark.run("systemctl is-active spark-reconcile", code=3)
        writes.wait_for_more()
        said = spark.run("dpkg --purge spark-reconcile 2>&1", 120)
        assert "at the next boot" in said, said
        writes.wait_for_more()
    assert events.lines == [], events.lines
    assert ask.gid_table(spark) == gids
    writes.stop()
    assert changed_files(spark) == [], changed_files(spark)
    spark.run("grep spark-reconcile /etc/hosts", code=1)
    assert spark.lines("find /etc/systemd /var/lib/systemd -name 'spark-re*'") == []


@case(deadline=600)
def a_purge_takes_effect_at_the_next_boot(lab: Lab) -> None:
    """Nothing moves until then; after it the machine is as one that never had the package."""
    spark, spark2 = lab.cluster(PAIR)
    file_with_all_settings(spark)
    for node in (spark, spark2):
        node.reconcile("apply")
    with ask.kernel_events(spark) as events:
        package.install(spark, package.FILE)  # once more the same
        spark.run("dpkg --purge spark-reconcile 2>&1", 120)
    assert events.lines == [], events.lines
    for rail in RAILS:
        assert ask.mtu(spark, netdev(CAGE, rail)) == 9000
        assert ask.pings(spark, address(12, rail))
    spark.reboot()
    for rail in RAILS:
        assert ask.mtu(spark, netdev(CAGE, rail)) == 1500
        assert address(11, rail) not in str(ask.addresses(spark, netdev(CAGE, rail)))
    assert changed_files(spark) == [], changed_files(spark)


@case(deadline=300)
def a_removal_waits_for_an_unconfirmed_apply(lab: Lab) -> None:
    """Only the program can roll it back: the package stays, says why, and the rollback comes in time."""
    spark, _ = lab.cluster(PAIR)
    spark.run("spark-reconcile apply --confirm 20s >/var/tmp/said 2>&1")
    said = spark.run("dpkg --remove spark-reconcile 2>&1", 120, code=1)
    assert "spark-reconcile rollback" in said, said
    spark.wait_until(f"test $(cat /sys/class/net/{netdev(CAGE, 0)}/mtu) = 1500")
    spark.wait_until("! ls /var/lib/spark-reconcile/*/journal.json")
    spark.run("dpkg --remove spark-reconcile 2>&1", 120)
