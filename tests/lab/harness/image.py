"""The root disk of a virtual Spark: built once, kept under a digest of all that goes into it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

LAB = Path(__file__).resolve().parent.parent
CHECKOUT = LAB.parent.parent
BUILD = CHECKOUT / "build" / "lab"
SOURCES = LAB / "image"

DISK_MIB = 1600

# Parts of the stock kernel's modules that no virtual Spark can have: they are half of the image.
NO_SUCH_HARDWARE = (
    "kernel/drivers/gpu", "kernel/drivers/media", "kernel/sound", "kernel/drivers/net/wireless",
    "kernel/drivers/staging", "kernel/drivers/iio", "kernel/drivers/isdn", "kernel/drivers/infiniband/hw",
    "kernel/drivers/scsi", "kernel/drivers/hid", "kernel/drivers/usb", "kernel/drivers/platform",
)


class BuildError(Exception):
    """The image could not be built; the text is for a person."""


@dataclass(frozen=True)
class Image:
    """What a virtual Spark boots from. Never written to: each node has an overlay of its own."""

    folder: Path

    @property
    def disk(self) -> Path:
        return self.folder / "root.ext4"

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinuz"

    @property
    def initrd(self) -> Path:
        return self.folder / "initrd"

    @property
    def key(self) -> Path:
        """The ssh key whose public half root has in its authorized_keys."""
        return self.folder / "key"


def packages() -> list[str]:
    lines = (SOURCES / "packages").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def digest() -> str:
    """Of the package list, the files and this script: another one is another image."""
    sha = hashlib.sha256()
    for path in sorted([Path(__file__), *SOURCES.rglob("*")]):
        if path.is_file():
            sha.update(f"{path.relative_to(LAB)} {path.stat().st_mode & 0o777:o}\0".encode())
            sha.update(path.read_bytes())
    return sha.hexdigest()[:16]


def get(say=print) -> Image:
    """The image of these sources, built now if there is none yet. One process builds, others wait."""
    folder = BUILD / f"image-{digest()}"
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "image.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _build(folder, say)
    return Image(folder)


def _build(folder: Path, say) -> None:
    if os.geteuid() != 0:
        raise BuildError("making the image of the virtual Sparks needs root, once: run it with sudo")
    say("building the image of the virtual Sparks, once; some minutes (build/lab/log/image.log)")
    for old in BUILD.glob("image-*"):
        shutil.rmtree(old)
    work = BUILD / "image.part"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    (BUILD / "log").mkdir(exist_ok=True)
    with open(BUILD / "log" / "image.log", "w") as log:

        def run(*command: str | Path) -> None:
            try:
                subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=True)
            except (subprocess.CalledProcessError, FileNotFoundError) as error:
                raise BuildError(f"{error}; see {log.name}") from error

        root = work / "root"
        image = Image(work)
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", image.key)
        drop = [f"--dpkgopt=path-exclude=/lib/modules/*/{part}/*" for part in NO_SUCH_HARDWARE]
        run(CHECKOUT / "tests" / "bare-root", "bookworm", root, "--variant=minbase", *drop,
            "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
            "--dpkgopt=path-exclude=/usr/share/man/*",
            f"--include={','.join(packages())}",
            f"--essential-hook=cp -r --no-preserve=ownership {SOURCES}/root/. \"$1\"",
            f"--customize-hook={SOURCES}/finish \"$1\" {image.key}.pub")
        for name in ("vmlinuz", "initrd.img"):
            run("cp", "--dereference", root / name, work / name.removesuffix(".img"))
        run("mke2fs", "-q", "-t", "ext4", "-L", "spark", "-d", root, image.disk, f"{DISK_MIB}M")
        shutil.rmtree(root)
    work.rename(folder)
