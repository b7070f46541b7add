"""What breaks a machine, and what doctor has to name then.

A breakage is a function that breaks one thing of a healthy Machine. `breaks` says what doctor finds: the row, and a part of
its text or of what it says to do. That is all that doctor finds, but for what it counts below a cause.
"""

import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from machine import (EMPTY, FILE, KEY, LAN, MTU, PEERS, RAIL, REPORT, SECOND, SECOND_EMPTY, TEXT, Machine,
                     gid_of)  # fmt: skip
from node_in_namespace import stop

STATE = "var/lib/spark-reconcile"
NODE = f"{STATE}/spark1"


OTHER = TEXT.replace("tcp_ecn: 1", "tcp_ecn: 0")


@dataclass(frozen=True)
class Breakage:
    name: str
    script: Callable[[Machine], None]
    finds: tuple[tuple[str, str], ...]  # row, a part of its text
    text: str  # the cluster file before


ALL: list[Breakage] = []
TRACED = "mtu_by_hand"  # there, doctor runs under strace too


def breaks(*finds: tuple[str, str], text: str = TEXT):
    def take(script: Callable[[Machine], None]) -> Callable[[Machine], None]:
        ALL.append(Breakage(script.__name__, script, finds, text))
        return script
    return take


# The program itself.

# As the program takes it: with its number in the file.
HOLD = "exec 9>\"$0\"; flock 9 && echo $$ >&9 && echo && exec sleep 600"


@breaks(("lock", "lock '/run/spark-reconcile/apply/lock': held by process"))
def hidden_lock_holder(machine):
    holder = subprocess.Popen(["sh", "-c", HOLD, machine.path("run/spark-reconcile/apply/lock")], stdout=subprocess.PIPE)
    machine.stack.callback(stop, holder)
    holder.stdout.readline()


@breaks(("ledger", f"'/{NODE}/ledger.json' is damaged"))
def damaged_ledger(machine):
    machine.write(f"{NODE}/ledger.json", '{"schema": "spark-reconcile/ledger/v1", "led')


@breaks(("ledger", "history.json"))
def damaged_history(machine):
    machine.write(f"{NODE}/history.json", "[]\n")


@breaks(("ledger", f"/{STATE}"))
def state_that_others_can_write(machine):
    machine.path(STATE).chmod(0o777)


@breaks(("journal", "was interrupted"), ("daemon", "it does not run: no drift is corrected"))
def interrupted_apply(machine):
    """Killed once it has made its change. A daemon would go on from there: that it is stopped is a second cause."""
    machine.end("daemon")
    machine.write(FILE, OTHER)
    journal = machine.path(f"{NODE}/journal.json")
    for nth in range(1, 40):
        machine.kill_apply_before("unlinkat", nth)
        if journal.exists() and "tcp_ecn = 0" in machine.path("etc/sysctl.d/90-spark-reconcile.conf").read_text("utf-8"):
            return
    raise RuntimeError("no kill left a journal")


@breaks(("journal", "waits for its confirmation"))
def apply_that_nobody_confirmed(machine):
    machine.end("daemon")  # it would apply the file at once
    machine.write(FILE, OTHER)
    machine.run("apply", "--confirm", "1h", "--quiet")
    machine.start_daemon()


@breaks(("journal", "journal.json"))
def damaged_journal(machine):
    machine.write(f"{NODE}/journal.json", "{}\n", 0o600)


@breaks(("helper", "'spark-storage' is neither beside"))
def helper_removed(machine):
    (machine.bin / "spark-storage").unlink()


@breaks(("helper", "spark-bus-call' is not executable"))
def helper_not_executable(machine):
    (machine.bin / "spark-bus-call").chmod(0o644)


@breaks(("helper", "spark-verbs-probe' does not start"))
def helper_without_its_library(machine):
    program = machine.bin / "spark-verbs-probe"
    program.write_text("#!/bin/sh\necho \"$0: error while loading shared libraries: libibverbs.so.1: cannot open shared "
                       "object file: No such file or directory\" >&2\nexit 127\n")  # fmt: skip


@breaks(("daemon", "it does not run: no drift is corrected"))
def daemon_stopped(machine):
    machine.end("daemon")


@breaks(("daemon", "it runs, and is paused: the cage is open"))
def daemon_paused(machine):
    machine.run("pause", "--for", "1h", "--reason", "the cage is open")


@breaks(("muted", "nobody is told of SparkDrift"))
def alert_muted(machine):
    machine.run("mute", "SparkDrift", "--for", "1h", "--why", "the cage is open")


@breaks(("daemon", "the node is released"))
def node_released(machine):
    machine.run("release")


@breaks(("daemon", f"it leaves alone mtu {RAIL}: contested"))
def contested_mtu(machine):
    """Set again and again by hand: the third time within ten minutes the daemon lets it be."""
    for _ in range(3):
        machine.ip(f"link set {RAIL} mtu 1500")
        machine.wait_for(lambda: machine.mtu(RAIL) == MTU or machine.status()["drift"], "the daemon answers")
        # Else two changes would be one drift.
        machine.sleep(1.5)
    machine.ip(f"link set {RAIL} mtu 1500")


@breaks(("page", "nobody serves the page and the metrics"))
def page_not_served(machine):
    machine.end("web")
    machine.path("run/spark-reconcile-web/web.json").unlink(missing_ok=True)


@breaks(("page", "no page and no metrics over HTTP"))
def port_in_use(machine):
    machine.end("web")
    machine.path("run/spark-reconcile-web/web.json").unlink(missing_ok=True)
    listen = "import socket\ns = socket.create_server(('', 9842), family=socket.AF_INET6, dualstack_ipv6=True)\n" \
             "print(flush=True)\nimport time\ntime.sleep(600)\n"  # fmt: skip
    other = subprocess.Popen(machine.space.words(sys.executable, "-c", listen), stdout=subprocess.PIPE)
    machine.stack.callback(stop, other)
    other.stdout.readline()
    machine.start_web()


@breaks(("page", "'/run/spark-reconcile-web/web.json' is not understood"))
def page_report_damaged(machine):
    machine.end("web")
    machine.write("run/spark-reconcile-web/web.json", "{")


@breaks(("page", "a symbolic link is on the way, and none is followed"))
def page_report_leads_elsewhere(machine):
    """A spark-web that was taken over has root read what itself may not."""
    machine.end("web")
    machine.path("run/spark-reconcile-web/web.json").unlink()
    machine.path("run/spark-reconcile-web/web.json").symlink_to(f"/{KEY}")


@breaks(("page", "nobody off this machine is let in: there is no '/etc/spark-reconcile/page.token'"))
def page_without_its_token(machine):
    serve_others(machine, "token_file: /etc/spark-reconcile/page.token\n")


@breaks(("page", "names no 'token_file'"))
def page_for_others_without_a_token(machine):
    serve_others(machine, "")


def serve_others(machine, more):
    machine.end("web")
    machine.path("run/spark-reconcile-web/web.json").unlink(missing_ok=True)
    machine.write("etc/spark-reconcile/agent.yaml", f"listen: 0.0.0.0:9842\n{more}")
    machine.restart_daemon()
    machine.wait_for(lambda: machine.status()["verdict"] == "ready", "the daemon's gate is ready")
    machine.start_web()
    report = machine.path("run/spark-reconcile-web/web.json")
    machine.wait_for(lambda: json.loads(report.read_text())["access_failed"], "spark-web says that it is closed")


# The file.


@breaks(("file", "'/etc/spark-reconcile/cluster.yaml' has errors, the first in line 7"))
def file_with_an_error(machine):
    machine.write(FILE, TEXT.replace("  mtu:", "  mtuu:"))


@breaks(("file", "there is no '/etc/spark-reconcile/cluster.yaml'"))
def file_missing(machine):
    machine.path(FILE).unlink()


@breaks(("file", "cluster.yaml"))
def file_is_a_directory(machine):
    machine.path(FILE).unlink()
    machine.path(FILE).mkdir()


@breaks(("plan", "this disk is a copy"))
def disk_of_another_machine(machine):
    machine.write("etc/machine-id", "fedcba9876543210fedcba9876543210\n")


@breaks(("plan", "and no node of the file is"))
def node_of_another_name(machine):
    machine.write(FILE, TEXT.replace("spark1", "alpha1").replace("spark2", "alpha2"))


@breaks(("last good", "in_force.json' has errors"))
def last_good_of_another_version(machine):
    machine.path(f"{STATE}/in_force.json").unlink(missing_ok=True)
    machine.path(f"{STATE}/last-good.sha256").unlink(missing_ok=True)
    machine.write(f"{STATE}/last-good.yaml", "version: 9\n")


@breaks(("key", "there is no '/etc/spark-reconcile/peers.key'"))
def key_missing(machine):
    machine.path(KEY).unlink()


@breaks(("key", "is open to everybody"))
def key_open_to_everybody(machine):
    machine.path(KEY).chmod(0o644)


@breaks(("key", "cannot be read by spark-peers"))
def key_of_root_alone(machine):
    os.chown(machine.path(KEY), 0, 0)


# What differs from the file, and nobody corrects.


@breaks(("plan", f"1 resource differs from the file: mtu {RAIL}"), text=TEXT + REPORT)
def mtu_by_hand(machine):
    machine.ip(f"link set {RAIL} mtu 1500")


@breaks(("plan", f"address {RAIL} 192.0.2.11"), text=TEXT + REPORT)
def address_missing(machine):
    machine.ip(f"address del 192.0.2.11/24 dev {RAIL}")


@breaks(("plan", f"link {SECOND}"), text=TEXT + REPORT)
def link_down(machine):
    machine.ip(f"link set {SECOND} down")


@breaks(("plan", "1 resource differs from the file: sysctl net.ipv4.tcp_ecn"), text=TEXT + REPORT)
def sysctl_by_hand(machine):
    machine.sysctl("net/ipv4/tcp_ecn", 2)


@breaks(("plan", "1 resource differs from the file: hosts /etc/hosts"), text=TEXT + REPORT)
def hosts_block_removed(machine):
    machine.write("etc/hosts", "127.0.0.1 localhost\n127.0.1.1 spark1\n")


@breaks(("plan", "1 resource differs from the file: environment /run/spark-reconcile/nccl.env"), text=TEXT + REPORT)
def environment_removed(machine):
    machine.path("run/spark-reconcile/nccl.env").unlink()


@breaks(("plan", f"1 resource differs from the file: roce {RAIL}"), text=TEXT + REPORT)
def gid_missing(machine):
    machine.write(f"{machine.port(RAIL)}/gids/0", gid_of(None) + "\n")


# What the file asks and this machine cannot do.


@breaks(("plan", "[SR-ROUTE-001]"))
def route_diverts_a_peer(machine):
    machine.ip(f"route add 192.0.2.12/32 via 203.0.113.1 dev {LAN}")


@breaks(("skipped", "/etc/NetworkManager/conf.d/99-guide.conf:2 returns the link to NetworkManager"))
def links_returned_to_networkmanager(machine):
    machine.write("etc/NetworkManager/conf.d/99-guide.conf", "[keyfile]\nunmanaged-devices=none\n")


@breaks(("skipped", "[SR-SYSCTL-003]"))
def sysctl_set_back_at_boot(machine):
    machine.write("etc/sysctl.d/99-zz.conf", "net.ipv4.tcp_ecn = 2\n")


@breaks(("skipped", "[SR-HOSTS-001]"))
def hosts_block_without_an_end(machine):
    text = machine.path("etc/hosts").read_text("utf-8")
    machine.write("etc/hosts", "\n".join(line for line in text.splitlines() if "END" not in line.upper()) + "\n")


@breaks(("skipped", "[SR-HOSTS-002]"))
def hosts_line_before_the_block(machine):
    text = machine.path("etc/hosts").read_text("utf-8")
    name = text.split("# begin")[1].splitlines()[1].split()[1]
    machine.write("etc/hosts", f"203.0.113.99 {name}\n" + text)


@breaks(("skipped", "[SR-ENV-002]"))
def profile_of_somebody_else(machine):
    machine.write("etc/profile.d/spark-reconcile-nccl.sh", "export NCCL_DEBUG=INFO\n")


@breaks(("skipped", "[SR-MODULE-"))
def module_that_the_kernel_lacks(machine):
    machine.write(FILE, TEXT.replace("  hosts:", "  modules: [nvme-nowhere]\n  hosts:"))


@breaks(("rails", f"none of the rails of the file is here: {SECOND}, {RAIL}"))
def card_powered_off(machine):
    machine.ip(*(f"link del {link}" for link in (EMPTY, SECOND_EMPTY, RAIL, SECOND)))


# The card, and RDMA.


@breaks(("pcie", "PCIe runs at 32.0 GT/s x2"))
def too_few_lanes(machine):
    machine.write(f"{machine.function(RAIL)}/current_link_width", "2\n")


@breaks(("watchdog", "the watchdog sbsa-gwdt.0 has no driver: if firmware armed it"))
def watchdog_without_its_driver(machine):
    """As the ACPI table of a GB10 has it, and stock Ubuntu leaves it."""
    machine.write("sys/bus/platform/devices/sbsa-gwdt.0/uevent", "MODALIAS=platform:sbsa-gwdt\n")
    machine.path("sys/class/watchdog").mkdir(parents=True)


@breaks(("iommu", "the IOMMU translates"))
def iommu_translates(machine):
    machine.write(f"{machine.function(RAIL)}/iommu_group/type", "DMA-FQ\n")


@breaks(("heat", "the cable's module is hot"))
def hot_module(machine):
    machine.write(f"{machine.function(RAIL)}/hwmon/hwmon0/temp2_input", "74000\n")


@breaks(("cabled", "the card was cabled while the machine ran"))
def cabled_late(machine):
    machine.write(f"run/udev/data/n{machine.path(f'sys/class/net/{RAIL}/ifindex').read_text().strip()}", "I:900000000\n")


@breaks(("counters", "0000:01:00.1: PCIe errors that were not corrected"))
def pcie_errors_grow(machine):
    machine.write(f"{machine.function(RAIL)}/aer_dev_nonfatal", "TOTAL_ERR_NONFATAL 3\n")


@breaks(("kho", "kexec handover is on"))
def kexec_handover(machine):
    machine.write("proc/cmdline", machine.path("proc/cmdline").read_text().strip() + " kho=on\n")


@breaks(("kernel", "panics on Sparks"))
def kernel_that_panics(machine):
    machine.write("proc/sys/kernel/osrelease", "6.17.0-1008-nvidia\n")


@breaks(("kernel", "cannot register memory for RDMA"))
def kernel_that_sets_memory_apart(machine):
    machine.write("proc/sys/kernel/osrelease", "7.0.0-1019-nvidia\n")
    machine.write("proc/meminfo", "MemTotal: 1000 kB\nCmaTotal: 0 kB\nCmaFree: 900 kB\n")


@breaks(("kernel", "hangs in our jobs (2026-10-02, our own test)"))
def kernel_that_the_owner_knows_as_bad(machine):
    machine.write("proc/sys/kernel/osrelease", "7.0.0-1021-nvidia\n")
    machine.write(
        "etc/spark-reconcile/releases.yaml",
        'releases: [{release: 7.0.0-1021, fault: hangs in our jobs, source: our own test, date: "2026-10-02"}]\n',
    )


@breaks(("kernel", "releases.yaml:1:12: missing key 'source'"))
def what_the_owner_knows_of_kernels_has_an_error(machine):
    machine.write("etc/spark-reconcile/releases.yaml", 'releases: [{release: 6.1.0, date: "2026-10"}]\n')


@breaks(("rdma", f"no RDMA device: {SECOND}"))
def rail_without_rdma_device(machine):
    machine.remove_rdma(SECOND)


@breaks(("rdma", "the port is an InfiniBand port"))
def infiniband_port(machine):
    machine.write(f"{machine.port(RAIL)}/link_layer", "InfiniBand\n")


@breaks(("verbs", "not all users may open /dev/infiniband/uverbs1"))
def verbs_closed_to_users(machine):
    machine.path("dev/infiniband/uverbs1").chmod(0o600)


@breaks(("verbs", "no program can use RDMA"))
def verbs_module_missing(machine):
    for name in machine.path("dev/infiniband").iterdir():
        name.unlink()


@breaks(("gate", f"loopback of {RAIL}: WRITE: transport retry counter exceeded"))
def loopback_fails(machine):
    machine.set_loopback(bytes_moved=False, failed="WRITE", why="transport retry counter exceeded")
    machine.restart_daemon()


@breaks(("gate", "mlx5_1 is not active"))
def rdma_port_not_active(machine):
    machine.write(f"{machine.port(RAIL)}/state", "1: DOWN\n")


# The cable, and the network.


@breaks(("cable", f"no carrier in cage 1: {SECOND}, {RAIL}"))
def no_carrier(machine):
    machine.peer.ip(f"link set {RAIL} down", f"link set {SECOND} down")


@breaks(("cable", f"no carrier in cage 1: {SECOND}"))
def no_carrier_on_one_rail(machine):
    machine.peer.ip(f"link set {SECOND} down")


@breaks(("cable", "cage 0 has a carrier and is not in the file: move the plug"))
def cable_in_the_other_cage(machine):
    machine.peer.ip(f"link set {RAIL} down", f"link set {SECOND} down", f"link set {EMPTY} up", f"link set {SECOND_EMPTY} up")


CHAIN = TEXT.replace("  spark2: { number: 12 }\n", "  spark2: { number: 12 }\n  spark3: { number: 13 }\n").replace(
    "198.51.100.0/24] }\n", "198.51.100.0/24] }\n    - { ends: { spark2:0: [203.0.113.140/26, 203.0.113.204/26], "
    "spark3:0: [203.0.113.141/26, 203.0.113.205/26] } }\n")  # fmt: skip


@breaks(("gate", "cabling of "), text=CHAIN)
def cable_to_the_wrong_node(machine):
    for link, old, new in ((RAIL, "192.0.2.12/24", "203.0.113.141/26"), (SECOND, "198.51.100.12/24", "203.0.113.205/26")):
        machine.peer.ip(f"link set {link} down", f"address del {old} dev {link}", f"address add {new} dev {link}",
                        f"link set {link} up")  # fmt: skip


@breaks(("gate", "another host has 192.0.2.11 too"))
def address_of_another_host(machine):
    machine.peer.ip(f"address add 192.0.2.11/24 dev {RAIL}")


@breaks(("route", f"{RAIL} has a default route"))
def default_route_on_a_rail(machine):
    machine.ip(f"route add default via 192.0.2.12 dev {RAIL} metric 500")


@breaks(("subnet", f"192.0.2.11/24 on {RAIL} and 192.0.2.50/24 on {LAN} are in one subnet"))
def rail_in_the_subnet_of_the_lan(machine):
    machine.ip(f"address add 192.0.2.50/24 dev {LAN} noprefixroute")


@breaks(("subnet", f"192.0.2.11/24 on {RAIL} and 192.0.2.111/24 on {SECOND} are in one subnet"))
def both_rails_in_one_subnet(machine):
    machine.ip(f"address add 192.0.2.111/24 dev {SECOND} noprefixroute")


@breaks(("port", f"{RAIL} is a port of the bridge 'br0'"))
def rail_in_a_bridge(machine):
    machine.ip("link add br0 type bridge", "link set br0 up", f"link set {RAIL} master br0")


@breaks(("adverts", f"{EMPTY} accepts router advertisements"))
def router_advertisements(machine):
    machine.sysctl(f"net/ipv6/conf/{EMPTY}/accept_ra", 1)
    machine.peer.ip(f"link set {EMPTY} up")


# What guides leave, and who else manages the network.


def enable(machine, command):
    """A unit that runs this at boot."""
    unit, wants = "etc/systemd/system/cx7-rails.service", "etc/systemd/system/multi-user.target.wants"
    machine.write(unit, f"[Service]\nType=oneshot\nExecStart={command}\n")
    machine.path(wants).mkdir(parents=True)
    machine.path(f"{wants}/cx7-rails.service").symlink_to(f"/{unit}")


@breaks(("guide", f"'/etc/systemd/system/cx7-rails.service' sets up {RAIL} too"))
def unit_of_a_guide(machine):
    enable(machine, f"/sbin/ip link set {RAIL} mtu 1500")


@breaks(("guide", "'/etc/cx7-rails.sh', run by cx7-rails.service, sets up"))
def script_of_a_guide(machine):
    machine.write("etc/cx7-rails.sh", f"#!/bin/sh\nip address add 192.0.2.99/24 dev {RAIL}\n", 0o755)
    enable(machine, "/etc/cx7-rails.sh")


@breaks(("guide", f"'/etc/rc.local' sets up {SECOND} too"))
def rc_local_of_a_guide(machine):
    machine.write("etc/rc.local", f"#!/bin/sh\nifconfig {SECOND} mtu 1500\n", 0o755)


@breaks(("guide", f"'/etc/cron.d/fabric' sets up {SECOND} too"))
def cron_of_a_guide(machine):
    machine.write("etc/cron.d/fabric", f"@reboot root ip link set {SECOND} mtu 9000\n")


@breaks(("fstab", "line 2 of '/etc/fstab' mounts '/dev/nvme1n1' over the network"))
def fstab_without_nofail(machine):
    machine.add("etc/fstab", "/dev/nvme1n1 /models xfs _netdev 0 0\n")


# Jobs.


@breaks(("memlock", "logins 64 KiB"))
def limits_of_logins(machine):
    machine.write("etc/security/limits.conf", "")
    machine.write("etc/security/limits.d/10-rdma.conf", "* - memlock 64\nroot - memlock unlimited\n")


@breaks(("memlock", "services 8 MiB"))
def limits_of_services(machine):
    machine.write("etc/systemd/system.conf.d/20-small.conf", "[Manager]\nDefaultLimitMEMLOCK=8M\n")


@breaks(("memlock", "containers 64 KiB"))
def drop_in_of_containerd(machine):
    machine.write("etc/systemd/system/containerd.service", "[Service]\nExecStart=/usr/bin/containerd\nLimitMEMLOCK=infinity\n")
    machine.write("etc/systemd/system/containerd.service.d/10-small.conf", "[Service]\nLimitMEMLOCK=64K\n")


@breaks(("memlock", "'default-ulimits' of /etc/docker/daemon.json gives each container 64 KiB"))
def settings_of_docker(machine):
    machine.write("etc/systemd/system/docker.service", "[Service]\nExecStart=/usr/bin/dockerd\nLimitMEMLOCK=infinity\n")
    limits = {"memlock": {"Name": "memlock", "Soft": 65536, "Hard": 65536}}
    machine.write("etc/docker/daemon.json", json.dumps({"default-ulimits": limits}))


@breaks(("leftover", "[SR-ENV-009]"))
def fixed_gid_index(machine):
    machine.write("etc/profile.d/nccl-env.sh", "export NCCL_IB_GID_INDEX=3\n")


@breaks(("leftover", "'/etc/nccl.conf' contradicts"))
def nccl_conf_of_a_guide(machine):
    machine.write("etc/nccl.conf", "NCCL_IB_HCA=mlx5_9\n")


@breaks(("leftover", "in force in shells of alice"))
def bashrc_of_a_guide(machine):
    machine.add("etc/passwd", "alice:x:0:0::/home/alice:/bin/bash\n")
    machine.write("home/alice/.bashrc", "export NCCL_IB_GID_INDEX=3\n")


@breaks(("leftover", "'/etc/environment' contradicts"))
def environment_of_a_guide(machine):
    machine.write("etc/environment", 'NCCL_SOCKET_IFNAME="wlP9s9"\n')


# The cluster.


@breaks(("trusted", "no key of another node counts"))
def trusted_keys_that_are_none(machine):
    machine.write("etc/spark-reconcile/trusted", "spark2 AAAA\n")


@breaks(("clock", "nothing synchronises the clock"))
def clock_that_nothing_sets(machine):
    machine.clock = "free"


def bench_result(at, bits):
    links = [RAIL, SECOND]
    return {"at": at, "version": "0.2.0", "node": "spark1", "peer": "spark2", "seconds": 5, "queue_pairs": 4, "jobs": [],
            "rails": [{"link": link, "cage": 1, "rail": number, "driver": "mlx5_core", "speed_mbps": 200000, "pcie_lanes": 4,
                       "path_mtu": 4096} for number, link in enumerate(links)],
            "figures": [{"operation": operation, "direction": direction, "links": links, "bits_per_second": bits}
                        for operation in ("write", "read") for direction in ("to", "from", "both")]}  # fmt: skip


@breaks(("bench", "190 → 20 Gb/s with spark2"))
def bench_far_below(machine):
    results = [bench_result("2026-01-01T00:00:00Z", 190e9), bench_result("2026-01-02T00:00:00Z", 20e9)]
    machine.write(f"{STATE}/bench.json", json.dumps({"schema": "spark-reconcile/bench-results/v1", "results": results}), 0o600)


@breaks(("versions", "spark2 has firmware 28.43.1014, this node 28.45.1020"))
def firmware_of_another_release(machine):
    """As spark-peers writes down what a peer told."""
    order = json.loads(machine.path("run/spark-reconcile/peers-order.json").read_text("utf-8"))
    told = order["own"] | {"node": "spark2", "firmware": "28.43.1014", "host_nqn": ""}
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
    hello = {"cluster": told["cluster"], "node": "spark2", "cage": 1, "rail": 0, "boot": "", "seq": 1, "file": told["file"][:16], "verdict": "ready"}
    heard = [{"link": RAIL, "mac": "", "hello": hello, "heard_boot_ms": int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000), "silent": False}]
    report = {"schema": "spark-reconcile/peers/v1", "boot_id": boot, "failed": "", "heard": heard, "rdma": [], "has_key": True, "key_failed": "", "refused": [],
              "told": [{"details": told, "told_boot_ms": 1000, "failed": "", "replaced_boot_ms": 0}]}  # fmt: skip
    machine.write("run/spark-reconcile-peers/peers.json", json.dumps(report))


@breaks(("peers", "it hears no other node: spark-reconcile-peers was stopped"))
def peers_that_were_stopped(machine):
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
    report = {"schema": "spark-reconcile/peers/v1", "boot_id": boot, "failed": "spark-reconcile-peers was stopped",
              "heard": [], "told": [], "rdma": []}  # fmt: skip
    machine.write("run/spark-reconcile-peers/peers.json", json.dumps(report))
