"""Routes over a rail: what managers, cables and a card do beside them, and what the kernel takes along."""

from harness import ask, daemon
from harness.lab import FILE, Lab
from harness.names import netdev
from harness.node import Node
from harness.runner import case

from .other_managers import CATCH_ALL
from .pair import CAGE, PAIR, RAILS, address

RAIL, TWIN = (netdev(CAGE, rail) for rail in RAILS)
SOURCE = "203.0.113.11"  # of the node itself, on lo
LINKS = f"""links: {{ lo: {{ addresses: [{SOURCE}/32] }}, {RAIL}: {{ routes: [
        {{ to: 10.77.0.0/16, via: {address(12, 0)}, source: {SOURCE} }}, {{ to: "2001:db8:77::/48", via: "fe80::12" }}] }} }}"""
OURS = (
    f"ip route show 10.77.0.0/16 | grep -q 'via {address(12, 0)} dev {RAIL} proto spark-reconcile src {SOURCE}' && "
    f"ip -6 route show 2001:db8:77::/48 | grep -q 'via fe80::12 dev {RAIL} proto spark-reconcile'"
)
CORRECTED_S = 10  # from what took a route away to the route


def foreign(link: str) -> str:
    return f"ip route show dev {link} proto static | grep -q '^10.78.{int(link == TWIN)}.0/24 '"


def held(lab: Lab) -> Node:
    """The daemon holds two routes over a rail; somebody else has one over each rail."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    spark.put_text(FILE, spark.run(f"cat {FILE}").replace("{ number: 11 }", f"{{ number: 11, {LINKS} }}"))
    daemon.enable(spark)
    spark.run("systemctl start spark-reconcile.service")
    spark.wait_until(OURS)
    for rail, link in enumerate((RAIL, TWIN)):
        spark.run(f"ip route add 10.78.{rail}.0/24 via {address(12, rail)} dev {link} proto static")
    return spark


@case(deadline=900, needs=("containers",))
def routes_outlive_the_managers_and_the_cable(lab: Lab) -> None:
    """NetworkManager, networkd and docker restarted, the cable pulled: no route goes. The card away and back: ours are back."""
    spark = held(lab)
    all_there = f"{OURS} && {foreign(RAIL)} && {foreign(TWIN)}"
    (cable,) = lab.cables
    with ask.kernel_events(spark) as events:
        spark.run("systemctl restart NetworkManager && nm-online --wait-for-startup --timeout 60", 120)
        spark.put_text("/etc/systemd/network/99-all.network", CATCH_ALL)
        spark.run("systemctl enable --quiet --now systemd-networkd")
        spark.wait_until("networkctl reload")
        spark.run("systemctl restart systemd-networkd")
        spark.wait_until("test $(networkctl list | grep -c 'np[01] .*unmanaged') = 4")
        spark.run("systemctl start docker && systemctl restart docker", 240)
        cable.pull()
        ask.wait_for_carrier(spark, (RAIL, TWIN), up=False)
        spark.run(all_there)
        cable.plug()
        ask.wait_for_carrier(spark, (RAIL, TWIN), up=True)
        spark.run(all_there)
    lost = [line for line in events.lines if "10.77." in line or "10.78." in line or "2001:db8:77:" in line]
    assert lost == [], lost
    lab.remove_card(spark)
    spark.wait_until(f"! test -e /sys/class/net/{RAIL}")
    lab.insert_card(spark)
    spark.wait_until(f"test -e /sys/class/net/{RAIL}")
    spark.wait_until(OURS, 60)
    spark.run(f"{foreign(RAIL)} || {foreign(TWIN)}", code=1)
    spark.wait_until("spark-reconcile plan --detailed-exitcode")  # the GIDs of the rail come a little later


@case(deadline=480)
def routes_that_the_kernel_took_are_back(lab: Lab) -> None:
    """A link that goes down takes routes along, and so does a source that goes: ours are back within a correction, and go with their lines."""
    spark = held(lab)
    spark.run(f"ip link set {RAIL} down")
    spark.wait_until(OURS, CORRECTED_S)
    spark.run(foreign(RAIL), code=1)  # went with the link, and is not ours
    spark.run(foreign(TWIN))
    spark.run(f"ip address delete {SOURCE}/32 dev lo")
    spark.wait_until(f"ip address show lo | grep -q {SOURCE} && {OURS}", CORRECTED_S)
    spark.run(foreign(TWIN))
    spark.wait_until("spark-reconcile plan --detailed-exitcode")
    spark.put_text(FILE, spark.run(f"cat {FILE}").replace(f", {LINKS}", ""))
    spark.wait_until("! ip route | grep -q 10.77. && ! ip -6 route | grep -q 2001:db8:77:")
    spark.run(foreign(TWIN))
