"""The kernel's tables of links, addresses and routes, and its events, read without another process.

Independent of the program on purpose: what it believes of the kernel is not asked here.
"""

import ipaddress
import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass

NETLINK_ROUTE = 0
RTM_NEWLINK, RTM_GETLINK, RTM_NEWADDR, RTM_GETADDR, RTM_NEWROUTE, RTM_GETROUTE = 16, 18, 20, 22, 24, 26
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_DUMP, NLM_F_DUMP_INTR = 0x1, 0x300, 0x10
HEADER = struct.Struct("=IHHII")
ATTRIBUTE = struct.Struct("=HH")

IFLA_ADDRESS, IFLA_IFNAME, IFLA_MTU, IFLA_OPERSTATE, IFLA_AF_SPEC, IFLA_INET6_ADDR_GEN_MODE = 1, 3, 4, 16, 26, 8
IFA_ADDRESS, IFA_LOCAL, IFA_LABEL, IFA_BROADCAST, IFA_CACHEINFO, IFA_FLAGS, IFA_RT_PRIORITY, IFA_PROTO = (
    1, 2, 3, 4, 6, 8, 9, 11)
RTA_DST, RTA_OIF, RTA_GATEWAY, RTA_PRIORITY, RTA_PREFSRC, RTA_TABLE = 1, 4, 5, 6, 7, 15
IFF_UP, IFF_LOWER_UP = 0x1, 0x10000
OPERSTATE_UNKNOWN, OPERSTATE_UP = 0, 6
IFA_F_TENTATIVE, IFA_F_DADFAILED, IFA_F_SECONDARY = 0x40, 0x08, 0x01
RTM_F_CLONED = 0x200
MODES = {0: "eui64", 1: "none", 2: "stable_privacy", 3: "random"}
GROUPS = (1, 5, 9, 7, 11)  # RTNLGRP_LINK, IPV4_IFADDR, IPV6_IFADDR, IPV4_ROUTE, IPV6_ROUTE
SOL_NETLINK, NETLINK_ADD_MEMBERSHIP = 270, 1


@dataclass(frozen=True)
class Link:
    index: int
    name: str
    mac: str
    mtu: int
    up: bool
    carrier: bool
    operstate: int
    mode: str  # of IPv6 link-local addresses; "" where IPv6 is off

    @property
    def settled(self) -> bool:
        return (self.operstate in (OPERSTATE_UNKNOWN, OPERSTATE_UP)) == self.carrier


@dataclass(frozen=True)
class Address:
    index: int
    ip: str
    length: int
    flags: int
    rest: str  # scope, peer, broadcast, label, metric, lifetimes

    @property
    def settled(self) -> bool:
        return not self.flags & IFA_F_TENTATIVE


@dataclass(frozen=True)
class Route:
    index: int
    text: str


class Busy(Exception):
    """The table changed while it was read."""


def attributes(data: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    at = 0
    while at + ATTRIBUTE.size <= len(data):
        size, kind = ATTRIBUTE.unpack_from(data, at)
        if size < ATTRIBUTE.size:
            break
        found[kind & 0x3FFF] = data[at + ATTRIBUTE.size:at + size]
        at += (size + 3) & ~3
    return found


def text_of(data: bytes) -> str:
    return data.rstrip(b"\0").decode(errors="replace")


def ip_of(data: bytes) -> str:
    return str(ipaddress.ip_address(data)) if len(data) in (4, 16) else data.hex()


def number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def messages(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    at = 0
    while at + HEADER.size <= len(data):
        size, kind, flags, _, _ = HEADER.unpack_from(data, at)
        if size < HEADER.size:
            return
        yield kind, flags, data[at + HEADER.size:at + size]
        at += (size + 3) & ~3


def open_socket() -> socket.socket:
    found = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, NETLINK_ROUTE)
    found.bind((0, 0))
    return found


def dump_once(link: socket.socket, kind: int, body: bytes) -> list[bytes]:
    link.send(HEADER.pack(HEADER.size + len(body), kind, NLM_F_REQUEST | NLM_F_DUMP, 1, 0) + body)
    found: list[bytes] = []
    while True:
        for answer, flags, data in messages(link.recv(1 << 17)):
            if flags & NLM_F_DUMP_INTR:
                raise Busy
            if answer == NLMSG_ERROR:
                error = -struct.unpack_from("=i", data)[0]
                raise OSError(error, os.strerror(error))
            if answer == NLMSG_DONE:
                return found
            found.append(data)


def dump(kind: int, body: bytes) -> list[bytes]:
    while True:
        with open_socket() as link:
            try:
                return dump_once(link, kind, body)
            except Busy:
                continue


def read_link(data: bytes) -> Link:
    index, flags = struct.unpack_from("=4xiI", data)
    found = attributes(data[16:])
    spec = attributes(found.get(IFLA_AF_SPEC, b""))
    mode = attributes(spec.get(socket.AF_INET6, b"")).get(IFLA_INET6_ADDR_GEN_MODE)
    return Link(index, text_of(found[IFLA_IFNAME]), found.get(IFLA_ADDRESS, b"").hex(":"), number(found[IFLA_MTU]),
                bool(flags & IFF_UP), bool(flags & IFF_LOWER_UP), number(found.get(IFLA_OPERSTATE, b"\0")),
                "" if mode is None else MODES.get(mode[0], str(mode[0])))


def read_address(data: bytes) -> Address:
    _, length, _, scope, index = struct.unpack_from("=BBBBI", data)
    found = attributes(data[8:])
    flags = number(found.get(IFA_FLAGS, data[2:3]))
    local = found.get(IFA_LOCAL, found.get(IFA_ADDRESS, b""))
    peer = found.get(IFA_ADDRESS, local)
    lives = struct.unpack_from("=II", found.get(IFA_CACHEINFO, b"\xff" * 8))
    rest = [f"scope {scope}"]
    if peer != local:
        rest.append(f"peer {ip_of(peer)}")
    if IFA_BROADCAST in found:
        rest.append(f"broadcast {ip_of(found[IFA_BROADCAST])}")
    if IFA_LABEL in found:
        rest.append(f"label {text_of(found[IFA_LABEL])}")
    if IFA_RT_PRIORITY in found:
        rest.append(f"metric {number(found[IFA_RT_PRIORITY])}")
    if lives != (0xFFFFFFFF, 0xFFFFFFFF):
        rest.append("lifetimes")
    steady = flags & ~(IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_SECONDARY)
    rest.append(f"flags {steady:#x}")
    rest.append(f"proto {number(found.get(IFA_PROTO, b''))}")
    return Address(index, ip_of(local), length, flags, ", ".join(rest))


def read_route(data: bytes) -> Route:
    family, length, _, tos, table, protocol, scope, kind, flags = struct.unpack_from("=BBBBBBBBI", data)
    found = attributes(data[12:])
    any_ip = "::" if family == socket.AF_INET6 else "0.0.0.0"
    index = number(found.get(RTA_OIF, b""))
    text = f"{ip_of(found[RTA_DST]) if RTA_DST in found else any_ip}/{length}"
    if RTA_GATEWAY in found:
        text += f" via {ip_of(found[RTA_GATEWAY])}"
    if RTA_PREFSRC in found:
        text += f" src {ip_of(found[RTA_PREFSRC])}"
    text += f" table {number(found.get(RTA_TABLE, bytes([table])))} protocol {protocol} scope {scope} type {kind}"
    if RTA_PRIORITY in found:
        text += f" metric {number(found[RTA_PRIORITY])}"
    return Route(index, text + (f" tos {tos}" if tos else ""))


def links() -> list[Link]:
    return [read_link(data) for data in dump(RTM_GETLINK, struct.pack("=BxHiII", 0, 0, 0, 0, 0))]


def addresses() -> list[Address]:
    return [read_address(data) for data in dump(RTM_GETADDR, struct.pack("=BBBBI", 0, 0, 0, 0, 0))]


def routes() -> list[Route]:
    found = []
    for family in (socket.AF_INET, socket.AF_INET6):
        for data in dump(RTM_GETROUTE, struct.pack("=BBBBBBBBI", family, 0, 0, 0, 0, 0, 0, 0, 0)):
            if not struct.unpack_from("=8xI", data)[0] & RTM_F_CLONED:
                found.append(read_route(data))
    return found


class Events:
    """What the kernel tells of links, addresses and routes of this namespace."""

    def __init__(self, groups: tuple[int, ...] = GROUPS) -> None:
        self.socket = open_socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        for group in groups:
            self.socket.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)
        self.socket.setblocking(False)

    def messages(self) -> Iterator[tuple[int, int, bytes]]:
        """Those since the last time."""
        while True:
            try:
                yield from messages(self.socket.recv(1 << 17))
            except BlockingIOError:
                return

    def take(self) -> int:
        """How many since the last time."""
        return sum(1 for _ in self.messages())

    def close(self) -> None:
        self.socket.close()
