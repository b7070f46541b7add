"""Questions to a node, answered by its kernel and by the tools of the distribution, never by us."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from .node import Node


def addresses(node: Node, link: str) -> list[str]:
    """IPv4 addresses with prefix length, in the kernel's order."""
    found = json.loads(node.run(f"ip -json -4 address show dev {link}") or "[]")
    return [f"{a['local']}/{a['prefixlen']}" for entry in found for a in entry.get("addr_info", [])]


def mtu(node: Node, link: str) -> int:
    return int(node.run(f"cat /sys/class/net/{link}/mtu"))


def carrier(node: Node, *links: str) -> list[bool]:
    """Link by link; a link that is down has none."""
    command = ";".join(f"cat /sys/class/net/{link}/carrier 2>/dev/null || echo 0" for link in links)
    return [line == "1" for line in node.lines(command)]


def wait_for_carrier(node: Node, links: Iterable[str], up: bool, deadline: float = 30) -> None:
    """Until all of these links have one, or none has."""
    files = [f"/sys/class/net/{link}/carrier" for link in links]
    wanted = ("1" if up else "0") * len(files)
    node.wait_until(f"test \"$(cat {' '.join(files)} | tr -d '\\n')\" = {wanted}", deadline)


def wait_for_port(node: Node, devices: Iterable[str], active: bool, deadline: float = 30) -> None:
    """Until the RDMA ports have followed their links: some hear of a lost carrier up to a second late."""
    files = [f"/sys/class/infiniband/{device}/ports/1/state" for device in devices]
    wanted = "ACTIVE" if active else "DOWN"
    node.wait_until(f"test $(cat {' '.join(files)} | grep -c {wanted}) = {len(files)}", deadline)


def gid_table(node: Node, device: str = "*") -> str:
    """Every GID of that RDMA device, or of all: a line each of device, index, GID, netdev and type."""
    empty = "0000:" * 7 + "0000"
    return node.run(
        f"cd /sys/class/infiniband && grep -v '^{empty}$' {device}/ports/1/gids/* /dev/null | "
        "while IFS=: read -r file gid; do port=${file%/gids/*}; index=${file##*/}; "
        "read -r netdev < $port/gid_attrs/ndevs/$index; read -r kind < $port/gid_attrs/types/$index; "
        "echo ${port%%/*} $index $gid $netdev $kind; done"
    )


def _gid_of(address: str) -> str:
    return ipaddress.ip_address(f"::ffff:{address}").exploded


def wait_for_gid(node: Node, device: str, address: str) -> None:
    """The kernel makes it some time after the address, and tells nobody."""
    node.wait_until(f"grep -q {_gid_of(address)} /sys/class/infiniband/{device}/ports/1/gids/*")


def gid_index(node: Node, device: str, address: str) -> int:
    """The RoCE v2 GID of that address: found by content, since indexes move."""
    wanted = _gid_of(address)
    table = gid_table(node, device)
    for line in table.splitlines():
        _, index, gid, _, kind = line.split(" ", 4)
        if gid == wanted and kind == "RoCE v2":
            return int(index)
    raise AssertionError(f"{node.name}: {device} has no RoCE v2 GID of {address}:\n{table}")


def pings(node: Node, address: str, size: int = 8972, count: int = 3) -> bool:
    """All of `count` echoes of `size` bytes answered, unfragmented: 8972 and 28 of headers are 9000."""
    return node.ask(f"ping -q -c {count} -i 0.2 -W 5 -M do -s {size} {address}").returncode == 0


def arp_answers(node: Node, link: str, address: str) -> set[str]:
    """Every MAC that says it has `address`, from the wire behind `link`."""
    return set(re.findall(r"\[([0-9A-Fa-f:]{17})\]", node.ask(f"arping -b -c 3 -w 3 -I {link} {address}").stdout))


def wait_until_quiet(node: Node) -> None:
    """The kernel announces what happened to a carrier up to a second later."""
    node.wait_until('test -z "$(timeout 2 ip monitor link address)"')


@dataclass
class Events:
    lines: list[str] = field(default_factory=list)


@contextmanager
def kernel_events(node: Node) -> Iterator[Events]:
    """What `ip monitor link address route` prints while the block runs; complete when it has ended."""
    events = Events()
    node.run("ip link add mark-begin type dummy")
    node.start("events", "exec ip monitor link address route")
    # The monitor listens once it sees a device that we make for it; another one is the end.
    node.wait_until("ip link set mark-begin mtu 1400; ip link set mark-begin mtu 1500; "
                    "journalctl _SYSTEMD_UNIT=events.service | grep -q mark-begin")  # fmt: skip
    try:
        yield events
        node.run("ip link add mark-end type dummy")
        node.wait_until("journalctl _SYSTEMD_UNIT=events.service | grep -q mark-end")
        said = node.output("events").splitlines()
        events.lines = [line for line in said if not re.search(r"mark-(begin|end)|^\s", line)]
    finally:
        node.ask("systemctl stop events; ip link del mark-begin; ip link del mark-end")


class Writes:
    """A queue pair between two nodes that goes on completing RDMA writes until it is stopped."""

    def __init__(self, client: Node, server: Node, device: str, own: str, peer: str, port: int = 18600,
                 their_device: str | None = None) -> None:  # fmt: skip
        self._nodes = ((server, "writes-server"), (client, "writes-client"))
        self._client, self._device = client, device
        their_device = their_device or device
        common = f"-F -m 4096 -s 4096 -t 4 -p {port} --run_infinitely -D 2"
        server.start("writes-server",
                     f"exec ib_write_bw -d {their_device} {common} -x {gid_index(server, their_device, peer)}")  # fmt: skip
        server.wait_until(f"ss -Hltn sport = :{port} | grep -q .")
        client.start("writes-client",
                     f"exec ib_write_bw -d {device} {common} -x {gid_index(client, device, own)} {peer}")  # fmt: skip

    def completed(self) -> int:
        """Acknowledged packets at the writing end so far: they grow while writes complete."""
        counters = f"/sys/class/infiniband/{self._device}/ports/1/hw_counters"
        return int(self._client.run(f"cat {counters}/rcvd_pkts"))

    def wait_for_more(self, deadline: float = 60) -> None:
        """Until writes have completed that had not when this was called; both ends still run."""
        floor = self.completed()
        counters = f"/sys/class/infiniband/{self._device}/ports/1/hw_counters"
        self._client.wait_until(f"test $(cat {counters}/rcvd_pkts) -gt {floor + 8}", deadline)
        for node, unit in self._nodes:
            assert node.running(unit), f"{node.name}: {unit} has ended:\n{node.output(unit)}"

    def stalled(self, seconds: float = 15) -> bool:
        """No write completes for that long, or an end has given up."""
        with suppress(AssertionError):
            self.wait_for_more(seconds)
            return False
        return True

    def stop(self) -> None:
        for node, unit in self._nodes:
            node.ask(f"systemctl kill --signal=KILL {unit}; systemctl reset-failed {unit}")


def rdma_write(client: Node, server: Node, device: str, own: str, peer: str, port: int = 18515) -> float:
    """Runs ib_write_bw over one rail at path MTU 4096; the MB/s that it measured."""
    command = f"ib_write_bw -d {device} -F -m 4096 -s 65536 -n 20 -p {port}"
    unit = f"write-{port}"
    server.start(unit, f"exec {command} -x {gid_index(server, device, peer)}")
    server.wait_until(f"ss -Hltn sport = :{port} | grep -q .")
    said = client.run(f"timeout 60 {command} -x {gid_index(client, device, own)} {peer}", 70)
    assert re.search(r"Mtu\s*: 4096", said), said
    return float(re.search(r"^\s*65536\s+20\s+\S+\s+(\S+)", said, re.MULTILINE)[1])
