"""What goes wrong in a rack: a cable comes out, the power goes, the card vanishes."""

from cases.pair import CAGE, PAIR, RAILS, address, converge
from harness import ask
from harness.lab import Lab
from harness.names import ALL_RDMA_DEVICES, netdev, rdma_device
from harness.runner import case

LINKS = tuple(netdev(CAGE, rail) for rail in RAILS)


@case()
def a_pulled_cable_takes_the_carrier_and_nothing_else(lab: Lab) -> None:
    """Carrier goes and comes on both rails at both ends; addresses stay; traffic comes back."""
    spark, spark2 = converge(lab)
    (cable,) = lab.cables
    cable.pull()
    for node, number in ((spark, 11), (spark2, 12)):
        ask.wait_for_carrier(node, LINKS, False)
        assert [ask.addresses(node, link) for link in LINKS] == [[f"{address(number, r)}/24"] for r in RAILS]
        ask.wait_for_port(node, [rdma_device(CAGE, rail) for rail in RAILS], active=False)
    cable.plug()
    for node, number in ((spark, 11), (spark2, 12)):
        ask.wait_for_carrier(node, LINKS, True)
        assert [ask.addresses(node, link) for link in LINKS] == [[f"{address(number, r)}/24"] for r in RAILS]
        node.reconcile("plan --detailed-exitcode")
    for rail in RAILS:
        ask.rdma_write(spark, spark2, rdma_device(CAGE, rail), address(11, rail), address(12, rail))


@case(deadline=480)
def after_a_power_cut_one_apply_brings_it_back(lab: Lab) -> None:
    """The plug is pulled: the peer loses its carrier; after boot an apply converges again."""
    spark, spark2 = converge(lab)
    lab.power_cut(spark2)
    ask.wait_for_carrier(spark, LINKS, False)
    lab.power_on(spark2)
    ask.wait_for_carrier(spark, LINKS, True)
    # Links, MTUs and addresses do not outlive a boot in this version: nothing applies at boot yet.
    assert [ask.addresses(spark2, link) for link in LINKS] == [[], []]
    spark2.reconcile("apply")
    for rail in RAILS:
        assert ask.pings(spark, address(12, rail))
        ask.rdma_write(spark, spark2, rdma_device(CAGE, rail), address(11, rail), address(12, rail))


@case(deadline=480)
def after_a_reboot_one_apply_gives_the_same(lab: Lab) -> None:
    """An orderly reboot of one node, an apply by hand, and RDMA runs over each rail as before."""
    spark, spark2 = converge(lab)
    spark.reboot()
    assert [ask.addresses(spark, link) for link in LINKS] == [[], []]
    spark.reconcile("apply")
    for rail in RAILS:
        ask.rdma_write(spark, spark2, rdma_device(CAGE, rail), address(11, rail), address(12, rail))


@case()
def an_absent_card_is_waited_for(lab: Lab) -> None:
    """A Spark powers its card off: netdevs and RDMA devices go and come; apply waits, then works."""
    spark, spark2 = converge(lab)
    lab.remove_card(spark2)
    spark2.wait_until("! ls /sys/class/net | grep -q np")
    assert spark2.run("ls /sys/class/infiniband") == ""
    ask.wait_for_carrier(spark, LINKS, False)
    spark2.reconcile("plan --detailed-exitcode", code=3)
    lab.insert_card(spark2)
    spark2.wait_until(f"test $(ls /sys/class/infiniband | wc -l) = {len(ALL_RDMA_DEVICES)}")
    spark2.reconcile("apply")
    for rail in RAILS:
        assert ask.pings(spark, address(12, rail))


@case(deadline=480)
def an_unchanged_netplan_apply_breaks_rdma(lab: Lab) -> None:
    """The harm that a converged apply does not do: netplan takes the address of a live connection away."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    rails = "".join(f"    {LINKS[r]}: {{ addresses: [{address(11, r)}/24], mtu: 9000 }}\n" for r in RAILS)
    spark.run(
        "umask 077 && cat > /etc/netplan/40-cx7.yaml << 'END' && netplan apply\n"
        f"network:\n  version: 2\n  renderer: NetworkManager\n  ethernets:\n{rails}END"
    )
    spark.wait_until(f"ip -4 -br address | grep -q {address(11, 0)}")
    spark.reconcile("apply")
    writes = ask.Writes(spark, spark2, rdma_device(CAGE, 0), address(11, 0), address(12, 0))
    writes.wait_for_more()
    with ask.kernel_events(spark) as events:
        spark.run("netplan apply")
    assert any("Deleted" in line and address(11, 0) in line for line in events.lines), events.lines
    assert writes.stalled(), "writes went on: is this netplan better than the one of Debian 12?"
    spark.reconcile("apply")  # NetworkManager is kept off, so nobody else brings it back
    assert ask.pings(spark, address(12, 0))
