"""The root disk and the kernel of a virtual Spark: built once, kept under a digest of all that goes into it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .platform import GROUPS, SUITES, Platform

LAB = Path(__file__).resolve().parent.parent
CHECKOUT = LAB.parent.parent
BUILD = CHECKOUT / "build" / "lab"
SOURCES = LAB / "image"

DISK_MIB = 2400


class BuildError(Exception):
    """The image could not be built; the text is for a person."""


@dataclass(frozen=True)
class Image:
    """What a virtual Spark boots from. Never written to: each node has an overlay of its own."""

    folder: Path
    platform: Platform

    def __str__(self) -> str:
        wanted = self.platform.kernels()[0].removeprefix("linux-image-")
        instead = "" if wanted in (self.release, self.platform.machine) else f", since there is no {wanted} any more"
        return f"{self.platform.machine}, {self.platform.suite}, kernel {self.release}{instead}"

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
    def release(self) -> str:
        """Of the kernel, as `uname -r` says it."""
        return (self.folder / "release").read_text().strip()

    @property
    def key(self) -> Path:
        """The ssh key whose public half root has in its authorized_keys."""
        return self.folder / "key"


def packages(platform: Platform) -> list[str]:
    """Those of image/packages that this platform has."""
    found = []
    for line in (SOURCES / "packages").read_text().splitlines():
        name, *marks = line.split("#")[0].split() or [""]
        unless = {f"<{group}>" for group in GROUPS if group not in platform.groups}
        unless |= {f"[{suite}]" for suite in SUITES if suite != platform.suite}
        if name and not unless & set(marks):
            found.append(name)
    return found


def digest(platform: Platform) -> str:
    """Of what it is made of, the files and this script: another one is another image."""
    made_of = [platform.machine, platform.root, *platform.kernels(), *packages(platform)]
    sha = hashlib.sha256(" ".join(made_of).encode())
    for path in sorted([Path(__file__), *SOURCES.rglob("*")]):
        if path.is_file():
            sha.update(f"{path.relative_to(LAB)} {path.stat().st_mode & 0o777:o}\0".encode())
            sha.update(path.read_bytes())
    return sha.hexdigest()[:16]


def drop_old(pattern: str, kept: int) -> None:
    """Leaves that many folders of BUILD, those that were used last."""
    for old in sorted(BUILD.glob(pattern), key=lambda folder: folder.stat().st_mtime, reverse=True)[kept:]:
        shutil.rmtree(old, ignore_errors=True)


def get(platform: Platform, say=print) -> Image:
    """The image of these sources, built now if there is none yet. One process builds, others wait."""
    folder = BUILD / f"image-{digest(platform)}"
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "image.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _build(folder, platform, say)
        os.utime(folder)
    return Image(folder, platform)


def _build(folder: Path, platform: Platform, say) -> None:
    if os.geteuid() != 0:
        raise BuildError("making the image of the virtual Sparks needs root, once: run it with sudo")
    say(f"building the {platform.machine} image of the virtual Sparks, once; some minutes (build/lab/log/image.log)")
    drop_old("image-*", 2)
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
        image = Image(work, platform)
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", image.key)
        tests = CHECKOUT / "tests"
        emulated = [tests / "emulate"] if platform.machine == "arm64" else []
        run(*emulated, tests / "bare-root", platform.root, root, "--variant=minbase",
            f"--architectures={platform.machine}",
            "--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
            "--dpkgopt=path-exclude=/usr/share/man/*",
            "--dpkgopt=path-exclude=/usr/bin/py3compile", "--dpkgopt=path-exclude=/usr/lib/python3*/py_compile.py",
            f"--include={','.join(packages(platform))}",
            f"--essential-hook={SOURCES}/begin \"$1\"",
            f"--customize-hook={SOURCES}/kernel \"$1\" {work} {' '.join(platform.kernels())}",
            f"--customize-hook={SOURCES}/finish \"$1\" {image.key}.pub {platform.console}")
        run("mke2fs", "-q", "-t", "ext4", "-L", "spark", "-d", root, image.disk, f"{DISK_MIB}M")
        shutil.rmtree(root)
    work.rename(folder)
