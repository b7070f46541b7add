"""Confirmed applies: what nobody confirms is rolled back, whatever dies meanwhile."""

import time

from harness import daemon
from harness.lab import FILE, Lab
from harness.names import MANAGEMENT, netdev
from harness.node import PROGRAM, Node
from harness.runner import case

RAIL, OTHER = netdev(1, 0), netdev(0, 0)
JOURNAL = "/var/lib/spark-reconcile/spark/journal.json"
NEW = "/root/new.yaml"

GOOD = f"""version: 1
cluster: solo
nodes:
  spark:
    links:
      {RAIL}: {{ mtu: 9000, addresses: [192.168.177.11/24], exclusive: true }}
host:
  sysctl: {{ net.core.rmem_max: 33554432 }}
"""
# Changes files, the kernel's settings and links; what the way in stands on goes down last.
WIDER = GOOD.replace("host:\n", f"      {OTHER}: {{ mtu: 4000, exclusive: true }}\nhost:\n").replace("33554432", "67108864")
CUTTING = WIDER.replace("host:\n", f"      {MANAGEMENT}: {{ up: false }}\nhost:\n")
# Everything of ours, the session of the apply included, as soon as the way in is cut: before the apply has read that back.
KILL = f"""cd /sys/fs/cgroup
while read flags < /sys/class/net/{MANAGEMENT}/flags && [ $((flags & 1)) = 1 ]; do :; done
echo 1 > user.slice/cgroup.kill
echo 1 > system.slice/spark-reconcile.service/cgroup.kill
grep -o '"applied":[a-z]*' {JOURNAL}
"""


def state_of(node: Node, live: bool = True) -> str:
    """The files that an apply writes and, if `live`, what the kernel holds."""
    files = "cd /etc; find sysctl.d NetworkManager systemd/network hosts -type f | sort | xargs sha256sum"
    kernel = (
        "ip -o link show | sed 's/ qlen.*//; s/ state .*//; s/<.*>//'; ip -4 -o address | sed 's/valid_lft.*//';"
        "sysctl net.core.rmem_max; sysctl -a --pattern 'arp_(ignore|announce)' 2>/dev/null"
    )
    return node.run(f"{files}; {kernel if live else ''}")


def spark_with_good_file(lab: Lab, new: str) -> Node:
    """A Spark on which GOOD is applied, and `new` lies ready. Nothing is plugged into it."""
    (spark,) = lab.sparks("spark")
    spark.put_text(FILE, GOOD)
    spark.put_text(NEW, new)
    daemon.enable(spark)
    spark.reconcile("apply")
    return spark


def cut_off(node: Node, within: str) -> None:
    """Applies NEW in a terminal of its own, whose connection dies of that."""
    session = node.session(f"{PROGRAM} apply -f {NEW} --confirm {within}")
    said, _ = session.communicate(timeout=60)
    assert session.returncode == 255, f"the session outlived it, and ended with {session.returncode}:\n{said}"
    node.disconnect()


def wait_for_outcome(node: Node, outcome: str, deadline: float = 60) -> None:
    """What the history says of the newest apply of NEW, which then has no journal any more."""
    node.wait_until(f"{PROGRAM} history | grep -m 1 ' {NEW}$' | grep ' {outcome} '", deadline)
    node.run(f"test -e {JOURNAL}", code=1)


def assert_rolled_back(node: Node, before: str) -> None:
    wait_for_outcome(node, "unconfirmed")
    assert state_of(node) == before
    node.run("systemctl list-units --all --no-legend 'spark-reconcile-rollback-*' | grep .", code=1)
    node.reconcile("plan --detailed-exitcode")


@case(ci="amd64")
def a_node_that_cut_itself_off_comes_back(lab: Lab) -> None:
    """`apply --confirm` of a file that cuts the management link, over ssh: the session dies, and the node comes back in time."""
    spark = spark_with_good_file(lab, CUTTING)
    before = state_of(spark)
    refused = spark.reconcile(f"apply -f {NEW}", code=6)
    assert "SR-GUARD-001" in refused and "--confirm" in refused, refused
    assert state_of(spark) == before
    begin = time.monotonic()
    cut_off(spark, "25s")
    spark.connect(90)
    assert time.monotonic() - begin >= 25, "the way in was never gone"
    assert_rolled_back(spark, before)


@case(deadline=600)
def a_power_cut_inside_the_window_is_rolled_back_at_boot(lab: Lab) -> None:
    """The same, and the power goes inside the window: files are as before, before NetworkManager starts; history says so."""
    spark = spark_with_good_file(lab, CUTTING)
    before = state_of(spark, live=False)
    cut_off(spark, "1h")
    lab.power_cut(spark)
    lab.power_on(spark)
    wait_for_outcome(spark, "unconfirmed", 5)
    assert state_of(spark, live=False) == before
    spark.run("systemctl is-failed spark-reconcile-rollback.service", code=1)
    ended, began = (int(spark.run(f"systemctl show -P {what}")) for what in (
        "ExecMainExitTimestampMonotonic spark-reconcile-rollback", "ExecMainStartTimestampMonotonic NetworkManager"))  # fmt: skip
    assert 0 < ended <= began, f"taken back at {ended} us, and NetworkManager began at {began} us"
    spark.wait_until("systemctl is-active spark-reconcile")
    spark.wait_until(f"test $(cat /sys/class/net/{RAIL}/mtu) = 9000 && {PROGRAM} plan --detailed-exitcode")


@case()
def killed_with_everything_it_comes_back(lab: Lab) -> None:
    """The same, and all of ours is killed inside the window, the daemon for good: the node comes back all the same."""
    spark = spark_with_good_file(lab, CUTTING)
    before = state_of(spark)
    folder = "/etc/systemd/system/spark-reconcile.service.d"
    spark.run(f"mkdir {folder} && printf '[Service]\\nRestart=no\\n' > {folder}/once.conf && "
              "systemctl daemon-reload && systemctl start spark-reconcile")  # fmt: skip
    spark.reconcile("pause --for 1h --reason trial")  # it keeps another file
    spark.put_text("/root/kill", KILL)
    spark.start("killer", "exec sh /root/kill")
    begin = time.monotonic()
    cut_off(spark, "25s")
    spark.connect(90)
    assert time.monotonic() - begin >= 25, "the way in was never gone"
    assert spark.output("killer") == '"applied":false\n', "the apply had ended: " + spark.output("killer")
    spark.run("systemctl is-active spark-reconcile", code=3)
    assert_rolled_back(spark, before)


@case()
def a_confirmed_apply_stays(lab: Lab) -> None:
    """While it waits a second apply is refused, naming it and both ways out; confirmed, it stays; or is rolled back at once."""
    spark = spark_with_good_file(lab, WIDER)
    before = state_of(spark)
    spark.reconcile(f"apply -f {NEW} --confirm 60s")
    said = spark.reconcile(f"apply -f {FILE}", code=6)
    name = spark.run("systemctl list-units --no-legend --plain 'spark-reconcile-rollback-*.timer'").split()[0]
    journal = name.removeprefix("spark-reconcile-rollback-").removesuffix(".timer")
    service = name.removesuffix(".timer") + ".service"
    again = spark.run(f"systemctl show -P Restart -P RestartUSec -P StartLimitIntervalUSec {service}").split()
    assert sorted(again) == ["0", "10s", "on-failure"], again
    for part in (journal, "s are left", "spark-reconcile confirm", "spark-reconcile rollback"):
        assert part in said, f"not in it: {part}\n{said}"
    assert f"{journal}) rolls it back" not in said
    spark.reconcile("rollback")
    assert state_of(spark) == before
    wait_for_outcome(spark, "rolled back by hand", 5)
    spark.reconcile(f"apply -f {NEW} --confirm 8s")
    after = state_of(spark)
    assert after != before
    spark.reconcile("confirm")
    time.sleep(10)  # past its time
    assert state_of(spark) == after
    wait_for_outcome(spark, "applied", 5)
    spark.run("systemctl list-units --all --no-legend 'spark-reconcile-rollback-*' | grep .", code=1)


@case()
def neither_a_bus_nor_a_clock_keeps_it(lab: Lab) -> None:
    """D-Bus and NetworkManager are restarted inside the window, and the clock jumps by ten years: taken back in time."""
    spark = spark_with_good_file(lab, WIDER)
    before = state_of(spark)
    for jump in ("+10 years", "-10 years"):
        begin = time.monotonic()
        spark.reconcile(f"apply -f {NEW} --confirm 30s")
        spark.run("systemctl restart dbus.service")
        spark.run("systemctl restart NetworkManager", 120)
        spark.run(f"date --set='{jump}'")
        assert "30 s" not in spark.reconcile("apply", code=6)
        assert time.monotonic() - begin < 25, "too slow to tell"
        wait_for_outcome(spark, "unconfirmed")
        assert 29 < time.monotonic() - begin < 50
        spark.wait_until("nm-online --wait-for-startup --timeout 30")
        assert_rolled_back(spark, before)
