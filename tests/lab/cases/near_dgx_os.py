"""Nodes that are set up as DGX OS is: NetworkManager's own netplan files, docker, NVIDIA's settings, upgrades by night."""

import yaml

from harness import ask, daemon, package
from harness.lab import FILE, Lab
from harness.names import MANAGEMENT, netdev
from harness.node import Node
from harness.runner import case

from .other_managers import NAMED, state_of
from .package import Job, main_process
from .pair import CAGE, PAIR, RAILS, address

FIRST = "/root/first.yaml"
PORTS = [(cage, rail) for cage in (0, 1) for rail in RAILS]
# Each with mode, owner, size, time and content. NetworkManager writes resolv.conf whenever it likes.
FILES = ("find /etc /usr/lib/NetworkManager -type f ! -name resolv.conf ! -path '/etc/spark-reconcile/*' "
         "-printf '%p %m %u:%g %s %T@\\n' -exec cksum {} +")  # fmt: skip
NVIDIA = "/etc/sysctl.d/20-nvidia-defaults.conf"
MAPS = "/etc/sysctl.d/10-map-count.conf"
LIMITS = "/etc/security/limits.d/99-nv-spark-limits.conf"
SETTINGS = {
    "/etc/dgx-release": 'DGX_NAME="DGX Spark"\nDGX_SWBUILD_VERSION="7.2.1"\nDGX_OTA_VERSION="7.4.0"\n',
    NVIDIA: "".join(
        f"net.ipv4.conf.{link}.{key}\n" for link in ("all", "default") for key in ("arp_announce = 2", "arp_ignore = 1")
    ),
    MAPS: "vm.max_map_count = 1048576\n",
    LIMITS: "* - memlock unlimited\n",
    "/etc/modprobe.d/nvidia-spark-r8169.conf": "blacklist r8169\n",
    "/etc/modprobe.d/disable-algif_aead.conf": "install algif_aead /bin/false\n",
    "/etc/modprobe.d/zz-nvidia-drm-override.conf": "options nvidia-drm modeset=1\n",
    # Ubuntu's package: NetworkManager has no Ethernet, unless netplan puts an empty file of that name below /run.
    "/usr/lib/NetworkManager/conf.d/10-globally-managed-devices.conf":
        "[keyfile]\nunmanaged-devices=*,except:type:wifi,except:type:gsm,except:type:cdma\n",
}  # fmt: skip
NETPLAN = {
    "/etc/netplan/01-network-manager-all.yaml": "network:\n  version: 2\n  renderer: NetworkManager\n",
    "/etc/netplan/50-cloud-init.yaml": f"network:\n  version: 2\n  ethernets:\n    {MANAGEMENT}:\n      dhcp4: true\n",
}


def uuid(cage: int, rail: int) -> str:
    return f"2f6c9a30-71b4-4c7e-8d55-0000000000{cage}{rail}"


def profile(cage: int, rail: int) -> str:
    return f"/etc/netplan/90-NM-{uuid(cage, rail)}.yaml"


def profile_text(cage: int, rail: int) -> str:
    """As Ubuntu's NetworkManager writes it: a rail with a cable has what its owner typed, the others what it makes itself."""
    if cage == CAGE:
        name, addresses, more = f"rail-{rail}", f'addresses:\n      - "{address(11, rail)}/24"', ""
    else:
        name, addresses = f"Wired connection {rail + 1}", "dhcp4: true"
        more = '          connection.autoconnect-priority: "-999"\n'
    return f"""network:
  version: 2
  ethernets:
    NM-{uuid(cage, rail)}:
      renderer: NetworkManager
      match:
        name: "{netdev(cage, rail)}"
      {addresses}
      dhcp6: true
      wakeonlan: true
      networkmanager:
        uuid: "{uuid(cage, rail)}"
        name: "{name}"
        passthrough:
{more}          connection.timestamp: "1764460800"
          ethernet._: ""
          ipv6.addr-gen-mode: "default"
          ipv6.ip6-privacy: "-1"
          proxy._: ""
"""


def wait_for_profiles(node: Node) -> None:
    """Until NetworkManager has each link with a carrier, by the profile of its file."""
    wanted = {MANAGEMENT: f"netplan-{MANAGEMENT}"} | {netdev(CAGE, rail): f"rail-{rail}" for rail in RAILS}
    for link, name in wanted.items():
        node.wait_until(f"nmcli -t -f DEVICE,STATE,CONNECTION device | grep -qx {link}:connected:{name}", 120)


def drops_what_is_for_others(node: Node) -> None:
    node.wait_until("iptables -S FORWARD | grep -qx -- '-P FORWARD DROP'", 120)


def like_dgx_os(node: Node) -> None:
    """All of that, in force."""
    netplan = NETPLAN | {profile(*port): profile_text(*port) for port in PORTS}
    for files, mode in ((SETTINGS, "644"), (netplan, "600")):
        for path, text in files.items():
            node.run(f"mkdir -p $(dirname {path})")
            node.put_text(path, text, mode)
    node.run("systemctl restart systemd-sysctl && systemctl enable --quiet --now docker", 120)
    drops_what_is_for_others(node)
    node.run("netplan apply", 120)
    wait_for_profiles(node)
    node.run("test -e /run/NetworkManager/conf.d/10-globally-managed-devices.conf")


@case(deadline=900, needs=("containers",))
def a_node_like_dgx_os_is_taken_over_and_given_back(lab: Lab) -> None:
    """init names NetworkManager's and NVIDIA's files; its file with a cable is applied, the gate is open; release: files
    byte for byte, links, and NetworkManager has the rails by its own profiles."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    like_dgx_os(spark)
    files, state, named = spark.lines(FILES), state_of(spark), spark.lines(NAMED)

    spark.reconcile(f"init --from-host -o {FIRST}")
    spark.reconcile(f"validate -f {FIRST}")
    text = spark.run(f"cat {FIRST}")
    origins = [f"{profile(*port)}:4" for port in PORTS] + [f"{file}:1" for file in (NVIDIA, MAPS, LIMITS)]
    for origin in (*origins, "from netplan, by NetworkManager:", "172.17.0.1/16 dev docker0"):
        assert origin in text, f"{origin} is not named:\n{text}"

    # As docs/move/from-netplan.md has it: a cable takes the place of the links.
    wanted = yaml.safe_load(text)
    del wanted["nodes"]["spark"]["links"]
    wanted["nodes"]["spark2"] = {"number": 12}
    wanted |= {"fabric": yaml.safe_load(PAIR.read_text())["fabric"], "take_over": True}
    spark.put_text(FILE, yaml.safe_dump(wanted, sort_keys=False))
    said = spark.reconcile("plan")
    assert "it stays where it is" not in said, f"NetworkManager writes nothing there that is not of the rail:\n{said}"
    assert all(profile(*port) in said for port in PORTS), said
    assert "50-cloud-init" not in said and "01-network-manager-all" not in said, f"they set up no rail:\n{said}"
    spark.reconcile("apply", deadline=180)
    spark.run("! ls /etc/netplan/90-NM-*.yaml")
    spark.reconcile("plan --detailed-exitcode")
    spark.reconcile("gate")
    spark.reconcile("gate --checklist -o /root/checklist.txt")
    spark.run("grep -q DGX_OTA_VERSION /root/checklist.txt")

    spark.reconcile("release", deadline=180)
    wait_for_profiles(spark)
    changed = set(files) ^ set(spark.lines(FILES)) | set(state.splitlines()) ^ set(state_of(spark).splitlines())
    assert not changed, sorted(changed)
    assert spark.lines(NAMED) == named


@case(deadline=1200, needs=("containers",))
def what_dgx_os_sets_meets_the_file_over_a_boot(lab: Lab) -> None:
    """Our line goes before NVIDIA's, and behind a later one, which is named; what both ask for is no step; docker drops
    what is for others; a boot ends ready, NetworkManager off the rails."""
    spark, spark2 = lab.cluster(PAIR)
    spark2.reconcile("apply")
    like_dgx_os(spark)
    later = "/etc/sysctl.d/99-site.conf"
    spark.put_text(later, "net.core.wmem_max = 212992\n")
    spark.put_text(FILE, f"{PAIR.read_text()}take_over: true\n"
                         "host: { sysctl: { vm.max_map_count: 2097152, net.core.wmem_max: 8388608 } }\n")  # fmt: skip
    said = spark.reconcile("plan")
    assert f"the next boot sets 212992: {later}:1 is read after /etc/sysctl.d/90-spark-reconcile.conf" in said, said
    assert "arp_" not in said, f"NVIDIA's values, which are for all links, are those that a rail needs:\n{said}"
    spark.reconcile("apply", code=4, deadline=180)
    spark.run("systemctl restart systemd-sysctl")  # what a boot does, without a daemon that corrects it
    keys = "vm.max_map_count net.core.wmem_max net.ipv4.conf.all.arp_ignore net.ipv4.conf.all.arp_announce"
    assert spark.lines(f"sysctl -n {keys}") == ["2097152", "212992", "1", "2"], "so it is"

    daemon.enable(spark)
    spark.reboot()
    daemon.wait_for_verdict(spark, "ready", 240)
    spark.wait_until("test $(sysctl -n net.core.wmem_max) = 8388608")  # the daemon has the last word
    assert spark.run("sysctl -n vm.max_map_count") == "2097152\n"
    assert spark.run("nmcli -t -f DEVICE,STATE device | grep -c 's0f.*:unmanaged'") == f"{len(PORTS)}\n"
    drops_what_is_for_others(spark)
    said = spark.ask("spark-reconcile doctor -v", 120).stdout
    assert "packets for others are dropped by 'ip filter FORWARD'" in said, said


# What unattended-upgrades asks apt for; what systemd's upgrade does, that of its daemons too; what needrestart does for the
# libraries of a service. With each: whether the daemon is another one after it.
UPGRADES = {
    "DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes "
    "-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold install {package} 2>&1": True,
    "systemctl daemon-reexec && udevadm control --reload && "
    "systemctl try-restart systemd-journald systemd-networkd systemd-udevd systemd-logind": False,
    "systemctl restart spark-reconcile": True,
}


@case(deadline=900)
def an_unattended_upgrade_leaves_live_rdma_alone(lab: Lab) -> None:
    """This package by apt, systemd under it, then needrestart: no kernel event on a rail, the same GIDs, writes complete, ready."""
    job = Job(lab)
    node, newer = job.node, package.put_version(job.node, "9.0.0")
    node.run("systemctl start systemd-networkd")  # its restart counts too, where an owner has it
    gids = ask.gid_table(node)
    ask.wait_until_quiet(node)
    with ask.kernel_events(node) as events:
        for command, is_another in UPGRADES.items():
            before = main_process(node)
            node.run(command.format(package=newer), 300)
            assert (main_process(node) != before) == is_another, command
            job.writes.wait_for_more()
        # Not status.json: that of the daemon before is still there.
        node.wait_until("systemctl show -P StatusText spark-reconcile | grep -q ': ready; '", 120)
        job.writes.wait_for_more()
    assert [line for line in events.lines if "s0f" in line] == [], events.lines
    assert ask.gid_table(node) == gids
    job.writes.stop()
    assert node.run("dpkg-query --show --showformat '${Version}' spark-reconcile") == "9.0.0"
