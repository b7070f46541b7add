"""Freshly booted Sparks with the package installed, kept: each is booted once, written down, and taken up again in a
second."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import package
from .image import BUILD, Image, drop_old
from .machine import QEMU, Machine, hardware
from .node import Node

# Programs that every case starts: what they page in is kept with the state.
WARM_UP = (
    "ip -br link; rdma link; nmcli device; arping -V; ping -V; ib_write_bw --version; ethtool enP7s7;"
    "spark-reconcile version; systemd-run --quiet --wait true; journalctl --lines=1; timeout 1 ip monitor link"
)


@dataclass(frozen=True)
class Fresh:
    """A disk that nobody writes to and the memory that goes with it."""

    disk: Path
    state: Path

    @property
    def commit(self) -> str:
        """Of which the package was built."""
        return (self.disk.parent / "commit").read_text()


def _digest(image: Image) -> str:
    """Saved memory fits one QEMU, one set of hardware and one package alone."""
    version = subprocess.run([QEMU[image.platform.machine], "--version"], capture_output=True, check=True).stdout
    parts = [image.folder.name, version.decode(), hardware(1, image, Path("disk")), WARM_UP, package.digest(image.platform)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def get(number: int, image: Image, say=print) -> Fresh:
    """Spark number `number` just after boot, no cable plugged. Booted now if there is none yet."""
    everyone = BUILD / f"fresh-{_digest(image)}"
    folder = everyone / str(number)
    fresh = Fresh(folder / "disk.qcow2", folder / "state")
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / f"fresh-{number}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            everyone.mkdir(exist_ok=True)
            os.utime(everyone)
            drop_old("fresh-*/", 2)
            say(f"booting virtual Spark {number}, once")
            _boot_and_save(number, image, folder)
    return fresh


def _boot_and_save(number: int, image: Image, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="spark-lab.") as temporary:
        machine = Machine(number, image, Path(temporary))
        node = Node(f"fresh{number}", machine)
        try:
            node.boot()
            package.put_on(node)
            commit = json.loads(node.run("spark-reconcile version --json"))["commit"]
            node.ask(WARM_UP)
            node.run("sync")
            node.disconnect()
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            (part / "commit").write_text(commit)
            machine.save(part / "state")
            shutil.move(machine.overlay, part / "disk.qcow2")
            part.rename(folder)
        except BaseException:
            node.keep_logs(BUILD / "log" / "fresh")
            raise
        finally:
            node.power_cut()
