"""A switch: what goes into one of its ports comes out of all others."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .machine import die_with_parent, join, part, powered
from .qmp import Qmp


class Switch:
    """A QEMU without a machine, and in it one hub. It is an end of a cable as a node's machine is: always on, with
    ports enough, and nobody who would look at a carrier."""

    has_card = True

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.machine = self
        folder.mkdir(parents=True)
        socket = folder / "qmp"
        command = ["qemu-system-x86_64", "-M", "none", "-nodefaults", "-no-user-config", "-display", "none"]
        command += ["-qmp", f"unix:{socket},server=on,wait=off"]
        with open(folder / "qemu.log", "a") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=die_with_parent,
            )  # fmt: skip
        powered.add(self)
        self.qmp = Qmp(socket, lambda: self.powered)

    @property
    def powered(self) -> bool:
        return self._process.poll() is None

    def attach(self, _cage: int, wire: str, netdev: dict) -> None:
        join(self.qmp, wire, netdev, hub=0)

    def detach(self, wire: str) -> None:
        part(self.qmp, wire)

    def set_carrier(self, _cage: int, up: bool) -> None:
        """It has none."""

    def power_cut(self) -> None:
        powered.discard(self)
        self._process.kill()
        self._process.wait()
        self.qmp.close()
