"""init --from-host on a Spark that guides have set up: by netplan, by ip, by units of their own."""

import json

from harness.lab import Lab
from harness.names import netdev
from harness.node import Node
from harness.runner import case

from .pair import CAGE, PAIR, RAILS, leave_rails_alone

FILE = "/root/first.yaml"
NETPLAN = "/etc/netplan/40-cx7.yaml"
LINKS = [netdev(CAGE, rail) for rail in RAILS]
SETTINGS = ("arp_ignore", "arp_announce", "accept_ra")


def netplan(node: Node, *settings: str) -> None:
    ethernets = "".join(f"    {link}: {{ {text} }}\n" for link, text in zip(LINKS, settings, strict=False))
    node.put_text(NETPLAN, f"network:\n  version: 2\n  ethernets:\n{ethernets}", "600")
    node.run("netplan apply", 120)


def unit(node: Node, name: str, *commands: str) -> None:
    """A unit of those guides: it runs a script at boot."""
    script = f"/usr/local/bin/{name}.sh"
    node.put_text(script, "#!/bin/bash\n" + "".join(f"{command}\n" for command in commands), "755")
    node.put_text(f"/etc/systemd/system/{name}.service", "[Unit]\nAfter=network.target\n[Service]\nType=oneshot\n"
                  f"ExecStart={script}\nRemainAfterExit=yes\n[Install]\nWantedBy=multi-user.target\n")  # fmt: skip
    node.run(f"systemctl daemon-reload && systemctl enable --now {name}.service")


def first_file(node: Node) -> str:
    """What init writes. Its plan has no step that the file does not announce, and disturbs nothing."""
    node.run(f"rm -f {FILE}")
    node.reconcile(f"init --from-host -o {FILE}")
    text = node.run(f"cat {FILE}")
    node.reconcile(f"validate -f {FILE}")
    plan = json.loads(node.run(f"spark-reconcile plan --json -f {FILE}"))
    assert plan["refusals"] == [], plan["refusals"]
    for step in plan["steps"]:
        assert step["key"].endswith(SETTINGS), f"{step['kind']} {step['key']}\n{text}"
        assert f"{step['kind']} {step['key']}" in text, f"not announced: {step['key']}\n{text}"
        assert step["disturbs"]["what"] == "nothing", step
    return text


def clean(node: Node) -> None:
    node.run(f"rm -f {NETPLAN}; netplan apply", 120)
    for link in LINKS:
        node.run(f"ip address flush dev {link}; ip link set {link} mtu 1500 up")


def has_addresses(node: Node, *addresses: str) -> None:
    node.wait_until(" && ".join(f"ip -br -4 address | grep -q {address}" for address in addresses))


@case(deadline=600)
def init_writes_what_each_guide_has_set_up(lab: Lab) -> None:
    """One rail by hand, netplan with two subnets, netplan's link-local, units of their own: the plan says all that it does."""
    spark, _ = lab.cluster(PAIR)

    leave_rails_alone(spark)
    spark.run(f"ip link set {LINKS[1]} up; ip address add 198.51.100.11/24 dev {LINKS[1]}")
    text = first_file(spark)
    assert "198.51.100.11/24" in text, text
    assert "no file was found that sets it" in text, text
    clean(spark)

    netplan(spark, "dhcp4: no, dhcp6: no, link-local: [], mtu: 9000, addresses: [198.51.100.11/24]",
            "dhcp4: no, dhcp6: no, link-local: [], mtu: 9000, addresses: [203.0.113.11/24]")  # fmt: skip
    has_addresses(spark, "198.51.100.11/24", "203.0.113.11/24")
    text = first_file(spark)
    assert "198.51.100.11/24" in text and "203.0.113.11/24" in text, text
    assert "the name of NVIDIA's playbook" in text and f"{NETPLAN}:" in text, text
    clean(spark)

    netplan(spark, "link-local: [ipv4]", "link-local: [ipv4]")
    has_addresses(spark, "169.254.")
    text = first_file(spark)
    assert "link-local" in text, text
    clean(spark)

    netplan(spark, "addresses: [198.51.100.11/24]", "addresses: [203.0.113.11/24]")
    has_addresses(spark, "198.51.100.11/24", "203.0.113.11/24")
    unit(spark, "rdma-optimize", f"ip link set dev {LINKS[0]} mtu 9000", f"ip link set dev {LINKS[1]} mtu 9000")
    unit(spark, "disable-unused-nics", f"ip link set {netdev(0, 0)} down", f"ip link set {netdev(0, 1)} down")
    text = first_file(spark)
    assert "rdma-optimize" in text and "disable-unused-nics" in text, text
    assert "9000" in text, text
