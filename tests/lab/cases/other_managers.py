"""The other managers of links: NetworkManager, systemd-networkd and netplan leave our rails alone."""

import difflib
import re
import time

import yaml

from harness import ask
from harness.image import CHECKOUT
from harness.lab import Lab
from harness.names import netdev, rdma_device
from harness.node import Node
from harness.runner import case

from .pair import CAGE, PAIR, RAILS, address, leave_rails_alone

LAN = "enP7s7"
FILE = "/etc/spark-reconcile/cluster.yaml"
NETPLAN = "/etc/netplan/40-cx7.yaml"
SNIPPETS = CHECKOUT / "tests" / "unit" / "kinds" / "other_managers" / "nm_config.yaml"
FOLDERS = {"usr": "/usr/lib", "run": "/run", "etc": "/etc"}
OURS = "etc/90-spark-reconcile.conf"
# Files that are named after us: the package's, and what apply writes.
NAMED = "find / -xdev -name '*spark-reconcile*' -type f | sort"
# Matches every rail, and not the LAN, which two managers would then fight for.
CATCH_ALL = "[Match]\nName=en*s0f*\n[Network]\nDHCP=yes\nLinkLocalAddressing=ipv6\n"


def on_rails(events: ask.Events) -> list[str]:
    """What was told of a rail, but for the link-local mode: NetworkManager, as it stops, gives devices that it once
    managed the mode back that it had found there (eui64). It makes no address before the link goes down and up."""
    unchanged = re.compile(r"\d+: en(P2)?p1s0f1np1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 .* state UP ")
    rails = [line for line in events.lines if re.search(r"en(P2)?p1s0f", line)]
    return [line for line in rails if not unchanged.match(line)]


def lan_of(node: Node) -> str:
    """What the LAN link is for: its address, its gateway, and who resolves names."""
    seconds = r"[0-9]*sec"
    return node.run(f"ip -4 -o address show {LAN} | sed 's/{seconds}//g'; ip route show default; "
                    "grep -v '^#' /etc/resolv.conf")  # fmt: skip


@case()
def other_managers_leave_the_rails_alone(lab: Lab) -> None:
    """NetworkManager and networkd restart, reload, go off and on: no event on a rail, the LAN keeps working."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    edited = spark.run(f"cat {FILE}").replace(
        "{ number: 11 }", "{ number: 11, management: enP7s7, links: { enP7s7: { owner: host, mtu: 1500 } } }")  # fmt: skip
    spark.put_text(FILE, edited)
    lan = lan_of(spark)
    spark.reconcile("apply")
    writes = ask.Writes(spark, spark2, *writes_over(0))
    writes.wait_for_more()
    gids = ask.gid_table(spark)
    with ask.kernel_events(spark) as events:
        spark.run("systemctl restart NetworkManager && nm-online --wait-for-startup --timeout 60", 120)
        spark.run("nmcli networking off && nmcli networking on")
        spark.wait_until(f"nmcli -g GENERAL.STATE device show {LAN} | grep -q '100 (connected)'")
        spark.put_text("/etc/systemd/network/99-all.network", CATCH_ALL)
        spark.run("systemctl enable --quiet --now systemd-networkd")
        spark.wait_until("networkctl reload")
        spark.run("systemctl restart systemd-networkd")
        spark.wait_until("test $(networkctl list | grep -c 'np[01] .*unmanaged') = 4")
    assert on_rails(events) == [], events.lines
    assert ask.gid_table(spark) == gids
    writes.wait_for_more()
    writes.stop()
    spark.reconcile("apply")  # the mode again; from now on NetworkManager has nothing to give back
    spark.reconcile("plan --detailed-exitcode")
    spark.run("rm /etc/systemd/network/99-all.network; systemctl disable --quiet --now systemd-networkd")
    assert lan_of(spark) == lan


def conf_path(name: str) -> str:
    folder, _, file = name.partition("/")
    return f"{FOLDERS[folder]}/NetworkManager/conf.d/{file}" if file else "/etc/NetworkManager/NetworkManager.conf"


@case(deadline=3000)
def networkmanager_answers_as_we_do(lab: Lab) -> None:
    """Files of its own, one after the other, and NetworkManager started with each: the rails that it leaves alone are those of the table."""
    (spark,) = lab.sparks("spark1")
    rails = {"A": netdev(CAGE, 0), "B": netdev(CAGE, 1)}
    words = {f"@{rail}": link for rail, link in rails.items()} | {
        "@LAN": LAN,
        "@MAC_A": spark.run(f"cat /sys/class/net/{rails['A']}/address").strip(),
        "@DRIVER": spark.run(f"basename $(readlink /sys/class/net/{rails['A']}/device/driver)").strip(),
    }

    def filled(text: str) -> str:
        for word, value in words.items():
            text = text.replace(word, value)
        return text

    main = spark.run(f"cat {conf_path('main')}")
    wrong = []
    for one in yaml.safe_load(SNIPPETS.read_text()):
        files = {OURS: "[keyfile]\nunmanaged-devices+=interface-name:@B;interface-name:@A\n"} | one["files"]
        for name, text in files.items():
            spark.run(f"mkdir -p $(dirname {conf_path(name)})")
            spark.put_text(conf_path(name), filled(text), "644")
        # What was said over D-Bus outlives a restart: none of it is meant here.
        spark.run("systemctl stop NetworkManager; rm -f /run/NetworkManager/devices/*; systemctl start NetworkManager", 120)
        spark.run("nm-online --wait-for-startup --timeout 60", 120)
        for rail, link in rails.items():
            found = spark.run(f"nmcli -g GENERAL.NM-MANAGED device show {link}").strip() == "no"
            if found != (rail in one["alone"].split()):
                wrong.append(f"{one['name']}: {rail} is {'left alone' if found else 'managed'}")
        for name in files:
            spark.run(f"rm -f {conf_path(name)}")
        spark.put_text(conf_path("main"), main, "644")
    assert wrong == [], wrong


@case(deadline=900)
def a_lan_of_the_host_outlives_a_reboot(lab: Lab) -> None:
    """NetworkManager kept off the rails, apply by hand after the reboot; the LAN is as NetworkManager had it, and 45 s of DHCP hurt nothing."""
    spark, _ = lab.cluster(PAIR)
    lan = lan_of(spark)
    spark.reconcile("apply")
    spark.reboot()
    spark.wait_until(f"nmcli -g GENERAL.STATE device show {LAN} | grep -q '100 (connected)'")
    assert lan_of(spark) == lan
    spark.reconcile("apply")
    time.sleep(50)  # NetworkManager gives DHCP up after 45 s, and took our addresses along before
    for rail in RAILS:
        assert ask.addresses(spark, netdev(CAGE, rail)) == [f"{address(11, rail)}/24"]
    spark.reconcile("plan --detailed-exitcode")


@case(deadline=900)
def a_netplan_file_is_taken_over_and_given_back(lab: Lab) -> None:
    """A person's netplan file claims the rails: shown with its line, renamed, `netplan apply` is silent; release."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    spark.put_text("/etc/netplan/01-network-manager-all.yaml", "network:\n  version: 2\n  renderer: NetworkManager\n", "600")
    claim = "network:\n  version: 2\n  renderer: NetworkManager\n  ethernets:\n" + "".join(
        f"    {netdev(CAGE, rail)}:\n      addresses: [{address(11, rail)}/24]\n" for rail in RAILS
    )
    spark.put_text(NETPLAN, claim, "600")
    spark.run("netplan apply", 120)
    before = state_of(spark)
    named = spark.lines(NAMED)
    said = spark.reconcile("plan")
    assert f"{NETPLAN}:5" in said and "`netplan apply` would still drop RDMA there" in said, said
    taking = spark.run(f"cat {FILE}") + "\ntake_over: true\n"
    spark.put_text(FILE, taking)
    spark.reconcile("apply")
    spark.run(f"test -e {NETPLAN}", code=1)
    writes = ask.Writes(spark, spark2, *writes_over(0))
    ask.wait_until_quiet(spark)
    with ask.kernel_events(spark) as events:
        spark.run("netplan apply", 120)
    assert on_rails(events) == [], events.lines
    writes.wait_for_more()
    writes.stop()
    spark.reconcile("plan --detailed-exitcode")
    spark.reconcile("release")
    assert spark.run(f"cat {NETPLAN}") == claim
    spark.run("netplan apply", 120)  # what a person would do next, or a reboot
    changes = [line for line in difflib.ndiff(before.splitlines(), state_of(spark).splitlines()) if line[0] in "+-"]
    assert changes == [], changes
    assert spark.lines(NAMED) == named


def way_in(renderer: str) -> str:
    """A file with a VLAN and a bridge over a rail. Peers: 198.51.100.2, 203.0.113.2."""
    first, second = (netdev(CAGE, rail) for rail in RAILS)
    return f"""network:
  version: 2
  renderer: {renderer}
  ethernets:
    {first}: {{addresses: [{address(11, 0)}/24]}}
    {second}: {{addresses: [{address(11, 1)}/24]}}
  vlans:
    way5: {{id: 5, link: {first}, addresses: [198.51.100.1/24]}}
    way6: {{id: 6, link: {first}}}
  bridges:
    br0: {{interfaces: [way6], addresses: [203.0.113.1/25]}}
"""


def boots_with_a_way_in(lab: Lab, renderer: str) -> Node:
    """A VLAN over a rail is the way in: apply refuses, and after a boot ssh over it, and over a bridge beside it, answers."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    first = netdev(CAGE, 0)
    spark2.run(
        f"ip link add link {first} name way5 type vlan id 5 && ip address add 198.51.100.2/24 dev way5 && "
        f"ip link add link {first} name way6 type vlan id 6 && ip address add 203.0.113.2/25 dev way6 && "
        "ip link set way5 up && ip link set way6 up"
    )
    edited = spark.run(f"cat {FILE}").replace("{ number: 11 }", "{ number: 11, management: way5 }")
    spark.put_text(FILE, edited + "\ntake_over: true\n")
    spark.put_text("/etc/netplan/01-network-manager-all.yaml", "network:\n  version: 2\n  renderer: NetworkManager\n", "600")
    answers = (
        "for ways in '198.51.100.1 198.51.100.2' '203.0.113.1 203.0.113.2'; do set -- $ways; "
        "ssh-keyscan -T 5 $1 2>/dev/null | grep -q ssh- && ping -c 1 -W 2 -I $2 $1 >/dev/null || exit 1; done"
    )
    spark.put_text(NETPLAN, way_in(renderer), "600")
    if renderer == "networkd":
        leave_rails_alone(spark)
        spark.run("systemctl enable --quiet --now systemd-networkd")
    spark.run("netplan apply", 120)
    spark2.wait_until(answers, 120)
    # Kept off the rail, the manager would not make the VLAN at the next boot.
    said = spark.reconcile("apply", code=6)
    assert "way5" in said and "nothing was changed" in said, said
    assert spark.run(f"cat {NETPLAN}") == way_in(renderer)
    spark2.run(answers)
    spark.reboot()
    spark2.wait_until(answers, 240)
    return spark


@case(deadline=1500)
def a_way_in_over_the_rails_answers_after_a_boot(lab: Lab) -> None:
    """A VLAN and a bridge that networkd makes; once they are gone, one apply takes the rails over with their addresses."""
    spark = boots_with_a_way_in(lab, "networkd")
    config = yaml.safe_load(way_in("networkd"))
    del config["network"]["vlans"], config["network"]["bridges"]
    spark.put_text(NETPLAN, yaml.safe_dump(config), "600")
    spark.run("netplan apply; for link in br0 way6 way5; do ip link delete $link; done", 120)
    spark.put_text(FILE, spark.run(f"cat {FILE}").replace(", management: way5", ""))
    ours = f"ip -4 -o address show {netdev(CAGE, 0)} | grep -q ' {address(11, 0)}/24 '"
    spark.run(f"networkctl --no-pager status {netdev(CAGE, 0)} | grep -q configured && {ours}")
    spark.reconcile("apply")
    spark.run(f"{ours} && ! systemctl is-failed systemd-networkd")
    spark.reconcile("plan --detailed-exitcode")


@case(deadline=1500)
def a_way_in_that_networkmanager_makes_answers_after_a_boot(lab: Lab) -> None:
    """The same, with netplan's other renderer."""
    boots_with_a_way_in(lab, "NetworkManager")


def writes_over(rail: int) -> tuple[str, str, str]:
    return rdma_device(CAGE, rail), address(11, rail), address(12, rail)


def state_of(node: Node) -> str:
    """What release gives back: links, addresses, who manages them, settings."""
    node.wait_until("! nmcli -t -f STATE device | grep -q connecting")
    return node.run(
        "ip -o link show | sed 's/ qlen.*//; s/state [A-Z]*//; s/LOWER_UP//; s/NO-CARRIER,//' | grep -v mark; "
        "ip -4 -o address | sed 's/[0-9]*sec//g'; nmcli -t -f DEVICE,STATE device | sort; "
        "sysctl -a --pattern 'arp_(ignore|announce)|rmem_max' 2>/dev/null; cat /etc/hosts; ls /etc/netplan"
    )
