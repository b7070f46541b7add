"""The package that every node has installed, and the list of a node's files from before that."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

from .image import CHECKOUT, BuildError
from .node import Node
from .platform import Platform

FILE = "/var/tmp/spark-reconcile.deb"
FILES_BEFORE = "/var/tmp/files-before"
RELEASE_BEFORE = "d7413c35660a3e16bbf67b15a9c622177a078d57"  # 0.2.0

# Each file with its mode, owner, size and time; without what dpkg and the daemons of the system keep for themselves,
# and the lists of users: the package makes two, and Debian's packages leave theirs when they go.
LIST_FILES = (
    "find / -xdev \\( -path /proc -o -path /sys -o -path /run -o -path /dev -o -path /tmp -o -path /var/tmp"
    " -o -path /var/log -o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/systemd -o -path /var/lib/private"
    " -o -path /var/lib/NetworkManager -o -path /root/.ssh -o -path '/etc/passwd*' -o -path '/etc/group*'"
    " -o -path '/etc/shadow*' -o -path '/etc/gshadow*' -o -path /etc/.pwd.lock \\) -prune -o \\( -type f -printf '%p %m %U %s %T@\\n' -o"
    " ! -type f -printf '%p %m %U %l\\n' \\) | LC_ALL=C sort"
)


def path(platform: Platform) -> Path:
    """The package that SPARK_PACKAGE names; else the one of tests/package/build, which is built where there is none."""
    if "SPARK_PACKAGE" in os.environ:
        return Path(os.environ["SPARK_PACKAGE"])
    folder = CHECKOUT / "build" / "package" / platform.suite
    return _newest(platform, folder) or _built(platform, folder, CHECKOUT)


def release_before(platform: Platform) -> Path:
    """The package of RELEASE_BEFORE, built where there is none yet."""
    folder = CHECKOUT / "build" / "package" / f"before-{platform.suite}"
    if _newest(platform, folder):
        return _newest(platform, folder)
    git = ["git", "-C", CHECKOUT]
    if subprocess.run([*git, "cat-file", "-e", RELEASE_BEFORE]).returncode != 0:
        raise BuildError(f"this clone has no commit {RELEASE_BEFORE}: git fetch --unshallow")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as tree:
        subprocess.run([*git, "worktree", "add", "--force", "--detach", tree, RELEASE_BEFORE], check=True)
        try:
            return _built(platform, folder, Path(tree))
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", tree], check=True)


def _newest(platform: Platform, folder: Path) -> Path | None:
    files = folder.glob(f"spark-reconcile_*_{platform.machine}.deb")
    return max(files, key=lambda file: file.stat().st_mtime, default=None)


def _built(platform: Platform, folder: Path, tree: Path) -> Path:
    print(f"(building the package of {tree}, once; minutes)", flush=True)
    subprocess.run([tree / "tests" / "package" / "build", platform.suite, platform.machine, folder], check=True)
    return _newest(platform, folder)


def digest(platform: Platform) -> str:
    try:
        return hashlib.sha256(path(platform).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise BuildError(str(error)) from error


def put_on(node: Node) -> None:
    """On a node that has never had it: notes its files, and installs the package as its owner does."""
    node.run(f"{LIST_FILES} > {FILES_BEFORE}")
    node.put(path(node.platform), FILE)
    install(node, FILE)


def install(node: Node, file: str) -> str:
    """What dpkg and the package say while the package is installed, or replaces another version of it."""
    return node.run(f"dpkg --install {file} 2>&1", 300)  # it unpacks on an emulated processor


def put_version(node: Node, version: str) -> str:
    """Puts the same package with another version number on the node: where it lies there."""
    target = f"/var/tmp/{version}.deb"
    with tempfile.TemporaryDirectory() as folder:
        content, other = f"{folder}/content", f"{folder}/other.deb"
        subprocess.run(["dpkg-deb", "--raw-extract", path(node.platform), content], check=True)
        control = Path(content, "DEBIAN", "control")
        control.write_text(re.sub(r"(?m)^Version: .*", f"Version: {version}", control.read_text()))
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", content, other], stdout=subprocess.DEVNULL, check=True)
        node.put(Path(other), target)
    return target
