"""The daemon: from a boot by itself to a node that is ready, and stays so."""

from harness import ask, daemon
from harness.lab import Lab
from harness.names import netdev
from harness.node import Node
from harness.runner import case

from . import storage
from .pair import CAGE, PAIR, RAILS, address

FILE = "/etc/spark-reconcile/cluster.yaml"
JOB = "/bin/sleep infinity"
JOBS = ("job.service", "batch.service")


def enable_with_jobs(node: Node) -> None:
    """The daemon, a job that runs while the node is ready, and one that is part of the boot."""
    daemon.enable(node, job=JOB)
    daemon.require_at_boot(node, JOB)


def boot_again(lab: Lab, node: Node) -> None:
    node.run("sync")
    lab.power_cut(node)
    lab.power_on(node)


@case(ci="arm64", deadline=900)
def a_boot_ends_ready_without_a_hand(lab: Lab) -> None:
    """The package, the file, on one node also an apply; enabled, and the power goes and comes: ready, a job runs."""
    nodes = lab.cluster(PAIR)
    nodes[0].reconcile("apply")  # the other one is first set up by its boot
    daemon.enable(*nodes, job=JOB)
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


@case(ci="arm64", deadline=600)
def a_node_stays_true(lab: Lab) -> None:
    """An MTU and an address are put right; kill -9 changes nothing; the job goes with the cable and comes with it; the
    page is served by a user of its own, outlives the kill and ends with the service."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    daemon.enable(spark, job=JOB)
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
    spark.wait_until(f"busybox wget -q -O - {daemon.PAGE}/healthz")
    (user,) = spark.lines("ps -o user:20= -C spark-web")
    assert user.strip() == "spark-web", user
    (cable,) = lab.cables
    cable.pull()
    spark.wait_until("! systemctl is-active job.service", 60)
    cable.plug()
    spark.wait_until("systemctl is-active job.service", 120)
    spark.run("systemctl stop spark-reconcile")
    spark.wait_until("! systemctl is-active spark-reconcile-web")


@case()
def who_fights_is_named_and_told_once(lab: Lab) -> None:
    """With no link kept from NetworkManager: a profile that is activated again and again, a loop that resets an MTU: contested, named, told once."""
    spark, _ = lab.cluster(PAIR)
    link, other, own = netdev(CAGE, 0), netdev(CAGE, 1), address(11, 0)
    # Named by no cable: NetworkManager is not kept off them.
    spark.put_text(FILE, "version: 1\ncluster: duel\nnodes:\n  spark:\n    links:\n"
                         f"      {link}: {{ mtu: 9000, addresses: [{own}/24] }}\n      {other}: {{ mtu: 9000 }}\n")  # fmt: skip
    profile = "/etc/NetworkManager/system-connections/other.nmconnection"
    spark.run(f"nmcli connection add type ethernet con-name other ifname {link} mtu 1500 "
              "ipv4.method manual ipv4.addresses 198.51.100.7/24 ipv6.method disabled && nmcli connection up other")  # fmt: skip
    daemon.enable(spark)
    spark.run("systemctl start spark-reconcile.service")
    spark.start("profile", "while sleep 3; do nmcli connection up other; done")
    spark.start("loop", f"while sleep 1; do ip link set {other} mtu 2000; done")
    profile_sets = f"{profile}, active on {link}, sets"
    by_whom = "corrected 3 times within 10 minutes and changed again, by NetworkManager (process "
    daemon.assert_contested(spark, "address", f"{link} {own}", by_whom, f"{profile_sets} 198.51.100.7/24")
    remedy = f"`exclusive: true` in the file keeps NetworkManager off {link}"
    daemon.assert_contested(spark, "mtu", link, f"{profile_sets} mtu 1500", remedy)
    said = daemon.assert_contested(spark, "mtu", other, "corrected 3 times within 10 minutes and changed again")
    assert f"active on {other}" not in said, f"who sets no MTU is not to blame: {said}"
    spark.wait_until(f"test $(cat /sys/class/net/{other}/mtu) = 2000")  # it is left alone
    spark.run("systemctl stop profile loop")
    # What the remedy says: once NetworkManager is kept off, the same profile is nobody's any more.
    text = spark.run(f"cat {FILE}").replace("/24] }", "/24], exclusive: true }")
    spark.put_text(FILE, text)
    spark.wait_until(f"! grep -q contested {daemon.STATUS} && test $(cat /sys/class/net/{link}/mtu) = 9000")
    assert ask.addresses(spark, link) == [f"{own}/24"]
    spark.run("nmcli connection up other", code=4)
    assert ask.addresses(spark, link) == [f"{own}/24"]


@case(deadline=480)
def the_netplan_file_behind_it_is_named(lab: Lab) -> None:
    """One netplan file sets up a rail by NetworkManager and one by networkd, again and again: both name its line."""
    spark, _ = lab.cluster(PAIR)
    links = [netdev(CAGE, rail) for rail in RAILS]
    named = "".join(f"      {link}: {{ mtu: 9000, addresses: [{address(11, rail)}/24] }}\n" for rail, link in enumerate(links))
    spark.put_text(FILE, f"version: 1\ncluster: duel\nnodes:\n  spark:\n    links:\n{named}")
    netplan = "/etc/netplan/40-cx7.yaml"
    spark.put_text(netplan, "network:\n  version: 2\n  ethernets:\n" + "".join(
        f"    {name}: {{ renderer: {renderer}, match: {{ name: {link} }}, mtu: 1500, addresses: [{own}/24] }}\n"
        for name, renderer, link, own in (("first", "NetworkManager", links[0], "198.51.100.7"),
                                          ("second", "networkd", links[1], "203.0.113.7"))), "600")  # fmt: skip
    spark.run("netplan apply", 120)
    spark.wait_until("ip -br address | grep -q 198.51.100.7 && ip -br address | grep -q 203.0.113.7")
    daemon.enable(spark)
    spark.run("systemctl start spark-reconcile.service")
    spark.start("again", f"while sleep 2; do nmcli connection up netplan-first; networkctl reconfigure {links[1]}; done")
    by_nm = f"{netplan}:4, active on {links[0]} as /run/NetworkManager/system-connections/netplan-first.nmconnection, sets"
    by_networkd = f"{netplan}:5, active on {links[1]} as /run/systemd/network/10-netplan-second.network, sets"
    daemon.assert_contested(spark, "mtu", links[0], f"{by_nm} mtu 1500", f"off {links[0]}; or change {netplan}:4")
    daemon.assert_contested(spark, "mtu", links[1], f"{by_networkd} mtu 1500", f"keeps systemd-networkd off {links[1]}")
    by_whom = "changed again, by systemd-networkd; "
    daemon.assert_contested(spark, "address", f"{links[1]} {address(11, 1)}", by_whom, f"{by_networkd} 203.0.113.7/24")


@case(deadline=900)
def what_hinders_is_told_and_the_boot_completes(lab: Lab) -> None:
    """No good file; then no cable: the boot completes, the job is not started, all tell the same reason."""
    spark, _ = lab.cluster(PAIR)
    enable_with_jobs(spark)
    good = spark.run(f"cat {FILE}")
    spark.put_text(FILE, "version: 1\ncluster: pair\nnods: {}\n")
    (cable,) = lab.cables
    cable.pull()
    boot_again(lab, spark)
    daemon.assert_none_started(spark, *JOBS)
    assert "SR-SPEC" in daemon.status(spark)["file"]["refused"]["findings"]
    assert "SR-SPEC" in spark.run("systemctl show -P StatusText spark-reconcile")
    daemon.assert_all_say(spark, "unknown key 'nods', did you mean 'nodes'? [SR-SPEC-004]")
    spark.put_text(FILE, good)
    daemon.wait_for_verdict(spark, "not ready")
    daemon.assert_all_say(spark, "no carrier [SR-GATE-001]")
    daemon.assert_none_started(spark, *JOBS)
    cable.plug()
    spark.wait_until("systemctl is-active job.service", 120)


@case(deadline=900)
def a_boot_without_the_card_waits_for_it(lab: Lab) -> None:
    """The card is missing at boot: the boot completes, no job is started, all tell why; it comes, and the job runs."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    enable_with_jobs(spark)
    lab.remove_card(spark)
    boot_again(lab, spark)
    daemon.assert_none_started(spark, *JOBS)
    assert daemon.status(spark)["verdict"] == "waiting"
    daemon.assert_all_say(spark, "no such device [SR-GATE-001]")
    lab.insert_card(spark)
    spark.wait_until("systemctl is-active job.service", 120)


@case(deadline=900)
def a_boot_with_a_dead_target_is_not_ready(lab: Lab) -> None:
    """A required target is dead at boot: the network is up, no job is started, all tell why; it comes back, and the job runs."""
    world = storage.build(lab)
    spark = world.spark
    world.say(storage.wanted(), ready={"storage": "require"})
    enable_with_jobs(spark)
    world.target.vanish()
    boot_again(lab, spark)
    daemon.wait_for_verdict(spark, "waiting")
    daemon.assert_none_started(spark, *JOBS)
    daemon.assert_all_say(spark, "refuses connections: the host is there, and no target listens on that port [SR-GATE-010]")
    for rail in RAILS:
        assert ask.pings(spark, address(12, rail)), "a dead target keeps nothing else down"
    world.target.come_back()
    spark.wait_until("systemctl is-active job.service", 180)
    assert storage.source_of(spark) == storage.UUID
