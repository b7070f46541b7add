"""Cables between cages, which can be pulled and plugged while the nodes run."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from pathlib import Path

from .machine import MachineError
from .node import Node
from .switch import Switch

_serial = itertools.count(1)


@dataclass(frozen=True)
class End:
    """A cage of a node, or a port of a switch: where a plug goes in."""

    node: Node | Switch
    cage: int

    def __str__(self) -> str:
        return f"{self.node.name}:{self.cage}"


class Cable:
    """Joins what both rails of a cage are connected to with the same at the other end.

    Carrier is there when the cable is plugged and both ends have power and a card, as with a real
    one: the other end notices a power cut.
    """

    def __init__(self, first: End, second: End, sockets: Path) -> None:
        self.ends = (first, second)
        self.plugged = False
        # A loop has both its ends in one machine: each has a name of its own.
        name = f"wire{next(_serial)}"
        self._names = {first: f"{name}a", second: f"{name}b"}
        self._socket = sockets / name
        self._attached: list[End] = []

    def __str__(self) -> str:
        return f"{self.ends[0]}={self.ends[1]}"

    def plug(self) -> None:
        self.plugged = True
        self.update()

    def pull(self) -> None:
        """No carrier on both rails of both ends."""
        self.plugged = False
        self.update()

    def take_out(self) -> None:
        """Pulled, and its cages are free for other cables: nothing passes between them any more."""
        self.pull()
        for end in self._attached:
            if end.node.machine.powered:
                end.node.machine.detach(self._names[end])
        self._attached = []

    def update(self) -> None:
        """Makes the ends as they should be after power, card or plug has changed at one of them."""
        live = self.plugged and all(e.node.machine.powered and e.node.machine.has_card for e in self.ends)
        if live and len(self._attached) < 2:
            self._attach()
        for end in self.ends:
            if end.node.machine.powered:
                end.node.machine.set_carrier(end.cage, live)

    def node_is_off(self, node: Node) -> None:
        """That node's QEMU is gone, and its end of the wire with it."""
        for end in self._attached:
            if end.node is not node and end.node.machine.powered:
                end.node.machine.detach(self._names[end])
        self._attached = []
        self.update()

    def _attach(self) -> None:
        """Returns when both ends are joined. QEMU listens and connects after it has answered the order,
        so the second may find nobody there yet: it is then told to connect again."""
        self._socket.unlink(missing_ok=True)
        client = self.ends[1].node.machine
        self._order(self.ends[0], server=True)
        self._order(self.ends[1], server=False)
        self._attached = list(self.ends)
        deadline = time.monotonic() + 20
        while not all(self._joined(end) for end in self.ends):
            if time.monotonic() > deadline:
                raise MachineError(f"{self}: the ends were not joined")
            name = self._names[self.ends[1]]
            if f"{name}: index=0,type=stream,connection error" in client.qmp.human("info network"):
                client.detach(name)
                self._order(self.ends[1], server=False)
            time.sleep(0.05)

    def _order(self, end: End, server: bool) -> None:
        address = {"type": "unix", "path": str(self._socket)}
        netdev = {"type": "stream", "server": server, "addr": address}
        end.node.machine.attach(end.cage, self._names[end], netdev)

    def _joined(self, end: End) -> bool:
        return f"{self._names[end]}: index=0,type=stream,unix:" in end.node.machine.qmp.human("info network")
