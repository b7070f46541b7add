"""The package: what it does to a machine that runs, beside a job."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import ask, daemon, package
from harness.lab import FILE, Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

from .pair import CAGE, PAIR, RAILS, address

# Messages of systemd (sd-messages.h).
STARTING, STOPPING = "7d4958e842da4a758f6c1cdc7b36dcc5", "de5b426a63be47a7b6ac3eaac82e2f6f"

BEFORE = "/var/tmp/before.deb"

# What the lab itself puts on a node, and the owner's file.
NOT_OURS = ("/etc/hostname", "/etc/hosts", "/etc/machine-id", "/etc/nvme/hostnqn", "/etc/spark-reconcile", "/etc/spark-reconcile/cluster.yaml")
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


class Job:
    """A node with a daemon, and writes that it makes to another one."""

    def __init__(self, lab: Lab, release: Path | None = None) -> None:
        self.node, other = lab.cluster(PAIR)
        if release:
            self.node.run("dpkg --purge spark-reconcile 2>&1", 120)
            self.node.put(release, BEFORE)
            package.install(self.node, BEFORE)
        file_with_all_settings(self.node)
        for node in (self.node, other):
            node.reconcile("apply")
        daemon.enable(self.node)
        self.node.run("systemctl start spark-reconcile.service")
        daemon.wait_for_verdict(self.node, "ready")
        self.writes = ask.Writes(self.node, other, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
        self.writes.wait_for_more()

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        """No kernel event meanwhile, the same GIDs, and afterwards no file that the package brought or wrote."""
        gids = ask.gid_table(self.node)
        ask.wait_until_quiet(self.node)
        with ask.kernel_events(self.node) as events:
            yield
            self.writes.wait_for_more()
        assert events.lines == [], events.lines
        assert ask.gid_table(self.node) == gids
        self.writes.stop()
        assert changed_files(self.node) == [], changed_files(self.node)
        self.node.run("grep spark-reconcile /etc/hosts", code=1)
        assert self.node.lines("find /etc/systemd /var/lib/systemd -name 'spark-re*'") == []

    def change_version(self, file: str) -> None:
        before = main_process(self.node)
        said = package.install(self.node, file)
        assert "started nothing" not in said, f"the first steps are for the first time:\n{said}"
        self.node.run("systemctl is-active spark-reconcile")
        assert main_process(self.node) not in (before, "0"), "the daemon is still that of the other version"
        assert last_job(self.node, STOPPING) == last_job(self.node, STARTING), "not one restart, but a stop and a start"
        self.writes.wait_for_more()

    def take_off(self, how: str, says: str) -> None:
        said = self.node.run(f"dpkg --{how} spark-reconcile 2>&1", 300)
        assert says in said, said
        # `is-active` of a unit that is gone ends with 3 or 4, by the version of systemd.
        state = self.node.run("systemctl show --property ActiveState --value spark-reconcile")
        assert state.strip() in ("inactive", "failed"), state
        self.writes.wait_for_more()


@case(ci="arm64", deadline=600)
def an_upgrade_and_a_purge_leave_live_rdma_alone(lab: Lab) -> None:
    """No kernel event, writes complete, no file of ours is left."""
    job = Job(lab)
    newer = package.put_version(job.node, "9.0.0")
    with job.undisturbed():
        job.change_version(newer)
        job.take_off("purge", "at the next boot")


@case(deadline=600)
def a_package_comes_and_goes_beside_live_rdma(lab: Lab) -> None:
    """Upgrade, downgrade, remove, purge: no kernel event, writes complete, no file of ours is left."""
    job = Job(lab)
    newer = package.put_version(job.node, "9.0.0")
    with job.undisturbed():
        job.change_version(newer)
        job.change_version(package.FILE)
        daemon.wait_for_verdict(job.node, "ready")
        job.take_off("remove", "spark-reconcile release")
        job.take_off("purge", "at the next boot")


@case(deadline=1500)
def the_release_before_becomes_this_one_and_comes_back(lab: Lab) -> None:
    """It is ready, this one is, and it is once more: no kernel event, writes complete, no file is left."""
    job = Job(lab, package.release_before(lab.platform))
    with job.undisturbed():
        for file in (package.FILE, BEFORE):
            job.change_version(file)
            daemon.wait_for_verdict(job.node, "ready")
            job.node.reconcile("plan --detailed-exitcode")
        job.take_off("purge", "at the next boot")


@case(deadline=1500)
def a_trial_outlives_a_change_of_the_release(lab: Lab) -> None:
    """A trial of either release ends under the other as it was asked for, and no change of the release moves a rail."""
    job = Job(lab, package.release_before(lab.platform))
    node, link = job.node, netdev(CAGE, 1)
    file = node.run(f"cat {FILE}")
    for release, end, kept in ((package.FILE, "confirm", 8000), (BEFORE, "rollback", 9000)):
        node.put_text(FILE, file.replace("mtu: 9000", "mtu: 8000"))
        node.reconcile("apply --confirm 10m")
        ask.wait_until_quiet(node)
        with ask.kernel_events(node) as events:
            job.change_version(release)
        assert events.lines == [], events.lines
        assert ask.mtu(node, link) == 8000
        node.run("ls /var/lib/spark-reconcile/*/journal.json")
        node.reconcile(end)
        assert ask.mtu(node, link) == kept
        node.run("ls /var/lib/spark-reconcile/*/journal.json", code=2)
        node.put_text(FILE, file)
        node.reconcile("apply")
        assert ask.mtu(node, link) == 9000
    job.writes.wait_for_more()


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
