"""A machine to walk on: namespaces, a directory in memory, and a look at all of it that asks the kernel.

The machine of tests/faults, with the second cage, somebody's own settings, a boot, and a stand-in for systemd that
takes the timer of `apply --confirm` and leaves its call to the walk.
"""

import os
import pathlib
import shutil
import socket
import stat
import subprocess
import time
from dataclasses import dataclass

import netlink
from machine import (CLONE_NEWNET, CLONE_NEWUTS, CLUSTER_FILE, HOSTNAME, STATE, Machine, Outcome, enter_memory, run,
                     unshare)

LAN = "lan0"
RAILS = ("enp1s0f0np0", "enP2p1s0f0np0")
UNUSED = ("enp1s0f1np1", "enP2p1s0f1np1")
LINKS = (LAN, *RAILS, *UNUSED)
SYSCTLS = ("net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_syn_retries",
           "net.ipv4.tcp_retries2")  # nobody ever names the last one
PER_LINK = {"ipv4": ("arp_ignore", "arp_announce", "rp_filter", "forwarding", "promote_secondaries"),
            "ipv6": ("disable_ipv6", "accept_ra", "forwarding")}
SYSCTL_FILE = "etc/sysctl.d/90-spark-reconcile.conf"
RUN = "run/spark-reconcile"
BOOT_ID = "/proc/sys/kernel/random/boot_id"
HOSTS = "127.0.0.1 localhost\n203.0.113.1 gateway # by hand\n"
MACS = {name: f"02:00:00:00:01:{number:02x}" for number, name in enumerate(LINKS, 1)}
# Somebody's own, which every boot sets up again. Cage 1 has no cable: its other ends are down.
START = {
    LAN: "address add 203.0.113.9/24 broadcast 203.0.113.255 dev {0}\naddress add 2001:db8:9::9/64 dev {0}",
    RAILS[0]: "address add 192.0.2.11/24 dev {0}\nlink set {0} mtu 1400",
}
PEOPLES_FILES = {"etc/hosts": HOSTS, "etc/sysctl.d/50-site.conf": "net.ipv4.tcp_retries2 = 14\n",
                 "etc/motd": "hello\n"}

Value = object
# What somebody could see, by name: "mtu lan0", "addr lan0 192.0.2.1", "sysctl net.x", "file etc/hosts".
Look = dict[str, Value]


@dataclass(frozen=True)
class FileValue:
    mode: int
    owner: tuple[int, int]
    data: bytes

    def __repr__(self) -> str:
        return f"{stat.filemode(self.mode)} {self.owner[0]}:{self.owner[1]} {self.data!r}"


def link_of(name: str) -> str:
    """The link that something is a part of, or ''."""
    words = name.split(" ")
    if words[0] in ("link", "mtu", "up", "mode", "carrier", "addr", "order", "route", "held"):
        return words[1]
    parts = words[1].split(".") if words[0] == "sysctl" else []
    return parts[3] if len(parts) > 4 and parts[2] == "conf" else ""


class World(Machine):
    def __init__(self, program: str, folder: pathlib.Path, events: bool = True) -> None:
        self.events: netlink.Events | None = None
        self.boots = 0
        self.folder = folder
        self.elsewhere: int = -1
        super().__init__(install(program, folder), folder)

    # Life ----------------------------------------------------------------------------------------

    def reset(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        for name in ("run", "var/lib", "etc/spark-reconcile"):
            self.path(name).mkdir(parents=True)
        for name, text in PEOPLES_FILES.items():
            self.write(name, text)
        self.power_on()

    def boot(self) -> None:
        """What a reboot forgets is gone: /run, links, addresses, live settings."""
        shutil.rmtree(self.path("run"))
        self.path("run").mkdir()
        self.power_on()

    def power_on(self) -> None:
        unshare(CLONE_NEWNET | CLONE_NEWUTS)
        socket.sethostname(HOSTNAME)
        self.boots += 1
        boot_id = self.folder / "boot_id"
        boot_id.write_text(f"00000000-0000-4000-8000-{self.boots:012d}\n")
        if self.events is not None:
            self.events.close()
        self.set_sysctl("net.ipv6.conf.default.addr_gen_mode", "1")  # no link-local addresses
        self.set_sysctl("net.ipv6.conf.default.accept_dad", "0")  # which takes seconds
        # As systemd-sysctl does; the keys of a link are set again when udev sees it.
        self.ip("link set lo up\n" + "\n".join(self.make(name) for name in LINKS))
        self.load_boot_sysctls()
        self.ip("\n".join(text.format(name) for name, text in START.items()))
        self.settle()
        self.events = netlink.Events()

    def make(self, name: str) -> str:
        number = LINKS.index(name)
        lines = [f"link add {name} address {MACS[name]} type veth peer name x-{number}", f"link set {name} up"]
        if name not in UNUSED:
            lines.append(f"link set x-{number} up")
        return "\n".join(lines)

    def load_boot_sysctls(self, link: str = "") -> None:
        for key, value in self.boot_sysctls().items():
            if link in key.split("."):
                self.set_sysctl(key, value)
            elif not link:
                self.set_sysctl(key, value)

    def boot_sysctls(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in sorted(self.path("etc/sysctl.d").glob("*.conf")):
            for line in path.read_text().splitlines():
                key, equals, value = line.partition("=")
                if equals and not line.lstrip().startswith(("#", ";")):
                    found[dotted(key.strip().lstrip("-"))] = " ".join(value.split())
        return found

    def device_goes(self, name: str) -> None:
        if self.has(name):
            self.ip(f"link del {name}")

    def device_comes(self, name: str) -> None:
        """As a card that is powered on: a new index, as the kernel makes it, and udev's part."""
        if not self.has(name):
            self.ip(self.make(name))
            self.load_boot_sysctls(name)
            self.settle()

    def has(self, name: str) -> bool:
        return pathlib.Path("/proc/sys/net/ipv4/conf", name).is_dir()

    def try_ip(self, line: str) -> None:
        """By hand: where it makes no sense the kernel says so, and nothing comes of it."""
        run(["ip", *line.split()])

    def try_sysctl(self, key: str, value: str) -> None:
        try:
            self.set_sysctl(key, value)
        except OSError:
            pass

    def settle(self) -> None:
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if all(link.settled for link in netlink.links()) and all(
                    address.settled for address in netlink.addresses()):
                return
            time.sleep(0.002)
        raise AssertionError("the links never settle")

    def later(self, seconds: int, *verb: str) -> Outcome:
        """The verb, when so much time has gone by."""
        return run(["unshare", "--time", "--boottime", str(seconds), *self.words(*verb)])

    # What is seen --------------------------------------------------------------------------------

    def look(self) -> Look:
        self.settle()
        found: Look = {}
        names = {}
        for link in netlink.links():
            names[link.index] = link.name
            if link.name in LINKS:
                found |= {f"link {link.name}": link.index, f"mtu {link.name}": link.mtu, f"up {link.name}": link.up,
                          f"carrier {link.name}": link.carrier, f"mode {link.name}": link.mode}
        self.look_at_addresses(found, names)
        for route in netlink.routes():
            name = names.get(route.index, "?")
            if name in LINKS and not route.text.startswith(("fe80", "ff00")):
                to, _, way = route.text.partition(" ")
                ours = " table 254 protocol 83 " in route.text
                found |= {f"held {name} {to}": way.partition(" table ")[0]} if ours else {f"route {name} {route.text}": "there"}
        for key in SYSCTLS:
            found[f"sysctl {key}"] = pathlib.Path("/proc/sys", *key.split(".")).read_text().strip()
        for family, keys in PER_LINK.items():
            for link in LINKS:
                folder = pathlib.Path("/proc/sys/net", family, "conf", link)
                if folder.is_dir():
                    for key in keys:
                        found[f"sysctl net.{family}.conf.{link}.{key}"] = (folder / key).read_text().strip()
        self.look_at_files(found)
        return found

    @staticmethod
    def look_at_addresses(found: Look, names: dict[int, str]) -> None:
        by_ip: dict[str, list[tuple[int, str]]] = {}
        order: dict[str, list[str]] = {}
        for address in netlink.addresses():
            name = names.get(address.index, "?")
            if name not in LINKS or address.ip.startswith("fe80:"):
                continue  # the kernel's own, which follow from the mode
            by_ip.setdefault(f"addr {name} {address.ip}", []).append((address.length, address.rest))
            if ":" not in address.ip:
                order.setdefault(f"order {name}", []).append(f"{address.ip}/{address.length}")
        found |= {name: tuple(sorted(values)) for name, values in by_ip.items()}
        found |= {name: tuple(values) for name, values in order.items()}

    def look_at_files(self, found: Look) -> None:
        for above, folders, files in os.walk(self.root):
            here = os.path.relpath(above, self.root)
            if here in (STATE, RUN):
                folders.clear()
                continue
            for name in folders:
                path = os.path.normpath(os.path.join(here, name))
                if path not in (STATE, RUN):
                    entry = os.lstat(os.path.join(self.root, path))
                    found[f"dir {path}"] = (stat.S_IMODE(entry.st_mode), entry.st_uid, entry.st_gid)
            for name in files:
                path = os.path.normpath(os.path.join(here, name))
                entry = os.lstat(os.path.join(self.root, path))
                with open(os.path.join(self.root, path), "rb") as file:
                    found[f"file {path}"] = FileValue(entry.st_mode, (entry.st_uid, entry.st_gid), file.read())

    def writes(self) -> dict[str, tuple[int, int, int]]:
        """What tells that a file was written, of all but locks: also of what the program remembers."""
        found = {}
        for above, folders, files in os.walk(self.root):
            for name in (*folders, *files):
                entry = os.lstat(os.path.join(above, name))
                path = os.path.relpath(os.path.join(above, name), self.root)
                if not path.endswith("lock"):
                    found[path] = (entry.st_ino, entry.st_mtime_ns if not stat.S_ISDIR(entry.st_mode) else 0,
                                   entry.st_mode)
        return found


def dotted(key: str) -> str:
    """A key of sysctl.d(5), where the first of the two separators counts."""
    slash, dot = key.find("/"), key.find(".")
    if slash < 0 or 0 <= dot < slash:
        return key
    return key.replace(".", "\0").replace("/", ".").replace("\0", "/")


def install(program: str, folder: pathlib.Path) -> str:
    """The program beside a helper that stands for systemd's bus: it takes timers, and does nothing else."""
    there = folder / "bin"
    there.mkdir()
    (there / "spark-reconcile").touch()
    subprocess.run(["mount", "--bind", program, str(there / "spark-reconcile")], check=True)
    helper = there / "spark-bus-call"
    helper.write_text("#!/bin/sh\necho '{}'\n")
    helper.chmod(0o755)
    (folder / "boot_id").write_text("\n")
    subprocess.run(["mount", "--bind", str(folder / "boot_id"), BOOT_ID], check=True)
    return str(there / "spark-reconcile")


__all__ = ["CLUSTER_FILE", "FileValue", "HOSTNAME", "LAN", "LINKS", "Look", "Machine", "Outcome", "RAILS", "STATE",
           "SYSCTLS", "SYSCTL_FILE", "UNUSED", "World", "enter_memory", "link_of", "run"]
