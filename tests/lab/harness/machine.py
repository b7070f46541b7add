"""One QEMU process: the hardware of a virtual Spark, with its power switch and its ports."""

from __future__ import annotations

import ctypes
import re
import signal
import subprocess
import time
from pathlib import Path

from .image import Image
from .qmp import Qmp, QmpError

RAILS = (0, 1)
CAGES = (0, 1)
QEMU = {"amd64": "qemu-system-x86_64", "arm64": "qemu-system-aarch64"}

# Booting with these is a third faster under emulation, and changes nothing that is looked at.
KERNEL = "root=/dev/vda rw mitigations=off nokaslr"
# amd64 has one CPU, of two that may be: seen, not explained: where only one was possible, a virtio NIC hung at
# times when rdma_rxe sent from a kernel worker. arm64 is no `max`: emulating its pointer authentication is slow.
BOARD = {
    "amd64": ["-M", "q35", "-cpu", "max,la57=off,svm=off", "-smp", "1,maxcpus=2", "-m", "640"],
    "arm64": ["-M", "virt,gic-version=3", "-cpu", "cortex-a76", "-smp", "1", "-m", "768"],
}
BOARD_KERNEL = {"amd64": " tsc=reliable", "arm64": ""}


class MachineError(Exception):
    """The hardware did not do what was asked of it; what QEMU said is in the text."""


powered: set = set()  # machines and switches of this process


def power_cut_all() -> None:
    """Every machine of this process, so that what waits for one stops waiting."""
    for machine in list(powered):
        machine.power_cut()


def die_with_parent() -> None:
    """In the child: no QEMU outlives its harness, not even one that was killed.

    The parent, to the kernel, is the thread that starts it: that one has to live as long.
    """
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def join(qmp: Qmp, wire: str, netdev: dict, hub: int) -> None:
    """Joins a wire to a hub."""
    qmp("netdev_add", {"id": wire, **netdev})
    qmp("netdev_add", {"id": f"{wire}-port", "type": "hubport", "hubid": hub, "netdev": wire})


def part(qmp: Qmp, wire: str) -> None:
    qmp("netdev_del", {"id": f"{wire}-port"})
    qmp("netdev_del", {"id": wire})


def nic(cage: int, rail: int) -> str:
    return f"nic-c{cage}r{rail}"


def _card(number: int) -> list[dict]:
    """The ConnectX-7 as the PCI tree of a Spark has it: a rail is a bus, a cage is a function.

    Function 0 comes last: in a slot, it is what makes the others appear.
    """
    return [
        {
            "driver": "virtio-net-pci", "id": nic(cage, rail), "bus": f"rail{rail}",
            "addr": f"0.{cage}", "multifunction": "on", "netdev": f"port-c{cage}r{rail}",
            "mac": f"02:00:00:00:{number:02x}:{cage}{rail}", "host_mtu": "9978", "speed": "200000",
            "duplex": "full", "romfile": "", "rx_queue_size": "1024",
        }
        for rail in RAILS for cage in reversed(CAGES)
    ]  # fmt: skip


def _joined(options: dict) -> str:
    driver = options["driver"]
    return ",".join([driver, *(f"{k}={v}" for k, v in options.items() if k != "driver")])


def hardware(number: int, image: Image, overlay: Path, card: bool = True) -> list[str]:
    """The command line, less what does not change what the guest sees."""
    machine, console = image.platform.machine, image.platform.console
    arguments = [
        QEMU[machine], *BOARD[machine], "-accel", "tcg,thread=multi",
        "-nodefaults", "-no-user-config", "-display", "none",
        "-kernel", str(image.kernel), "-initrd", str(image.initrd),
        "-append", f"{KERNEL}{BOARD_KERNEL[machine]} console={console} systemd.machine_id={number:032x}",
        "-drive", f"file={overlay},if=none,id=disk,discard=unmap",
        "-device", "virtio-blk-pci,drive=disk,addr=3",
        "-device", "virtio-rng-pci,addr=4",
        # The way in. `restrict` leaves no way out: not to this machine, not to any other.
        "-netdev", f"user,id=management,restrict=on,ipv6=off,net=192.0.2.0/24,dhcpstart=192.0.2.{10 + number}"
                   ",hostfwd=tcp:127.0.0.1:0-:22",
        "-device", f"virtio-net-pci,netdev=management,addr=7,mac=02:00:00:00:{number:02x}:77,romfile=",
        "-device", "pcie-root-port,id=rail0,chassis=1,addr=1.0",
        "-device", "pcie-root-port,id=rail1,chassis=2,addr=2.0",
    ]  # fmt: skip
    for cage in CAGES:
        for rail in RAILS:
            arguments += ["-netdev", f"hubport,id=port-c{cage}r{rail},hubid={cage}"]
    if card:
        for options in _card(number):
            arguments += ["-device", _joined(options)]
    return arguments


class Machine:
    """Powered or not; its disk stays. `folder` holds the overlay, the sockets and the console."""

    def __init__(self, number: int, image: Image, folder: Path, base: Path | None = None) -> None:
        """`base` is what the overlay lies on: a disk that nobody writes to."""
        self.number = number
        self.image = image
        self.folder = folder
        self.overlay = folder / "disk.qcow2"
        self.console = folder / "console.log"
        self.has_card = True
        self.clock: str | None = None  # UTC when the power comes, 1970-01-01 or 2026-01-01T12:00:00; none: as here
        self._process: subprocess.Popen | None = None
        self._qmp: Qmp | None = None
        folder.mkdir(parents=True, exist_ok=True)
        below = ("qcow2", base) if base else ("raw", image.disk)
        subprocess.run(
            ["qemu-img", "create", "-q", "-f", "qcow2", "-F", below[0], "-b", below[1], self.overlay],
            check=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    @property
    def powered(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def qmp(self) -> Qmp:
        if self._qmp is None:
            raise MachineError("the machine is off")
        return self._qmp

    def power_on(self, state: Path | None = None) -> None:
        """Boots from the disk or, with the `state` of a running machine, goes on from there.

        No cage has a carrier until a cable is plugged.
        """
        socket = self.folder / "qmp"
        socket.unlink(missing_ok=True)
        command = hardware(self.number, self.image, self.overlay, self.has_card)
        command += ["-S", "-qmp", f"unix:{socket},server=on,wait=off"]
        command += ["-chardev", f"file,id=console,path={self.console},append=on", "-serial", "chardev:console"]
        if self.clock:
            command += ["-rtc", f"base={self.clock}"]
        if state:
            command += ["-incoming", f"exec:exec cat '{state}'"]
        with open(self.folder / "qemu.log", "a") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=die_with_parent,
            )  # fmt: skip
        powered.add(self)
        try:
            self._qmp = Qmp(socket, lambda: self.powered)
            if state:
                self._wait_for_migration("paused", "inmigrate", deadline=60)
            for cage in CAGES:
                self.set_carrier(cage, False)
            self.qmp("cont")
        except QmpError as error:
            said = (self.folder / "qemu.log").read_text()[-2000:]
            raise MachineError(f"{error}\n{said}") from error

    def power_cut(self) -> None:
        """The plug is pulled: what the guest had not written to its disk is gone."""
        powered.discard(self)
        if self._process:
            self._process.kill()
            self._process.wait()
        if self._qmp:
            self._qmp.close()
        self._process = self._qmp = None

    def save(self, state: Path) -> None:
        """Writes down the running machine and ends it; its overlay is then one with that state."""
        self.qmp("stop")
        self.qmp("migrate-set-parameters", {"max-bandwidth": 1 << 40})
        self.qmp("migrate", {"uri": f"exec:exec cat > '{state}'"})
        end = time.monotonic() + 120
        while (status := self.qmp("query-migrate")["status"]) != "completed":
            if status == "failed" or time.monotonic() > end:
                raise MachineError(f"saving the state: {status}")
            time.sleep(0.1)
        self.qmp("quit")
        self._process.wait(20)
        self.power_cut()

    def management_port(self) -> int:
        """The port of 127.0.0.1 behind which the guest's sshd is."""
        found = re.search(r"HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)", self.qmp.human("info usernet"))
        if not found:
            raise MachineError("no port forwarded to the guest")
        return int(found[1])

    def set_carrier(self, cage: int, up: bool) -> None:
        """Both rails of the cage, as a cable does it. Nothing to do where the card is gone."""
        if self.has_card:
            for rail in RAILS:
                self.qmp("set_link", {"name": nic(cage, rail), "up": up})

    def set_management(self, up: bool) -> None:
        """The network that people and this lab reach the node by, as its switch does it that reboots."""
        self.qmp("set_link", {"name": "management", "up": up})

    def remove_card(self) -> None:
        """The ConnectX-7 leaves the PCI bus, as on a Spark that powers it off."""
        self.qmp.forget_events()
        for rail in RAILS:
            self.qmp("device_del", {"id": nic(0, rail)})  # takes the other function with it
        gone: set[str] = set()
        while len(gone) < len(RAILS) * len(CAGES):
            data = self.qmp.wait_event("DEVICE_DELETED", deadline=60)["data"]
            gone.add(data.get("device", ""))
            gone.discard("")
        self.has_card = False

    def insert_card(self) -> None:
        for options in _card(self.number):
            self.qmp("device_add", options)
        self.has_card = True
        for cage in CAGES:
            self.set_carrier(cage, False)

    def attach(self, cage: int, wire: str, netdev: dict) -> None:
        """Joins a wire to what both rails of the cage are connected to."""
        join(self.qmp, wire, netdev, hub=cage)

    def detach(self, wire: str) -> None:
        part(self.qmp, wire)

    def _wait_for_migration(self, *states: str, deadline: float) -> None:
        end = time.monotonic() + deadline
        while (status := self.qmp("query-status")["status"]) == "inmigrate":
            if not self.powered or time.monotonic() > end:
                raise QmpError("the saved state was not taken up")
            time.sleep(0.02)
        if status not in states:
            raise QmpError(f"the saved state left the machine {status}")
