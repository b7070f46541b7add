"""What the line of docs/howto/install.md accepts and refuses."""

import hashlib
import pathlib
import shutil
from collections.abc import Callable

from machine import Release
from world import Done, accepted, allow, expect, flip_a_byte, marked, refused, replace_in


def line(release: Release, folder: pathlib.Path) -> Done:
    """On a machine that has a shell, ssh-keygen and sha256sum."""
    tools = release.world.scratch / "tools"
    if not tools.exists():
        tools.mkdir()
        for tool in ("ssh-keygen", "sha256sum"):
            (tools / tool).symlink_to(shutil.which(tool) or "")
    (command,) = marked("docs/howto/install.md", "check-release")
    return release.world.run("/bin/sh", "-c", command, cwd=folder,
                             environment={"PATH": str(tools), "HOME": str(folder)})


def downloaded(release: Release, name: str = "*") -> pathlib.Path:
    target = release.world.fresh("downloads")
    shutil.copytree(release.download, target)
    for path in target.iterdir():
        if not path.match(name) and not path.name.startswith("SHA256SUMS"):
            path.unlink()
    shutil.copyfile(release.allowed, target / "allowed_signers")
    return target


def line_refuses(release: Release, change: Callable[[pathlib.Path], object], reason: str) -> None:
    folder = downloaded(release)
    accepted(line(release, folder))
    change(folder)
    refused(line(release, folder), reason)


def line_takes_one_package_or_all(release: Release) -> None:
    for name in ("*", "spark-reconcile_*_amd64.deb"):
        folder = downloaded(release, name)
        said = accepted(line(release, folder))
        for path in folder.iterdir():
            expect(f"{path.name}: OK" in said or path.name in ("SHA256SUMS", "SHA256SUMS.sig", "allowed_signers"),
                   f"{path.name} was not checked:\n{said}")


def line_refuses_a_changed_byte_in_a_package(release: Release) -> None:
    line_refuses(release, lambda folder: flip_a_byte(min(folder.glob("spark-reconcile_*.deb"))), r"\.deb: FAILED")


def line_refuses_changed_sums(release: Release) -> None:
    def change(folder: pathlib.Path) -> None:
        package = min(folder.glob("spark-reconcile_*.deb"))
        old = hashlib.sha256(package.read_bytes()).hexdigest()
        flip_a_byte(package)
        replace_in(folder / "SHA256SUMS", old, hashlib.sha256(package.read_bytes()).hexdigest())

    line_refuses(release, change, "incorrect signature|Could not verify signature")


def line_refuses_another_key(release: Release) -> None:
    def change(folder: pathlib.Path) -> None:
        forged = release.world.fresh("forged")
        accepted(release.sums(forged, *release.files(), key=release.other_ssh,
                              allowed=allow(release.other_ssh, release.world.fresh("allowed"))))
        shutil.copyfile(forged / "SHA256SUMS.sig", folder / "SHA256SUMS.sig")

    line_refuses(release, change, "Could not verify signature|no principal matched")


def line_refuses_a_signature_for_something_else(release: Release) -> None:
    """The same key signs tags: what it signed as one is no release."""
    def change(folder: pathlib.Path) -> None:
        (folder / "SHA256SUMS.sig").unlink()
        sign = ("ssh-keygen", "-q", "-Y", "sign", "-f", release.ssh, "-n", "git")
        accepted(release.world.run(*sign, folder / "SHA256SUMS"))

    line_refuses(release, change, "namespace|Could not verify signature")


def line_refuses_a_removed_signature(release: Release) -> None:
    line_refuses(release, lambda folder: (folder / "SHA256SUMS.sig").unlink(), "No such file")


def line_refuses_a_folder_without_a_file_of_the_release(release: Release) -> None:
    def change(folder: pathlib.Path) -> None:
        for path in folder.glob("spark-reconcile*"):
            path.rename(folder / f"other-{path.name}")

    line_refuses(release, change, "no file was verified")


def line_refuses_the_keys_of_a_project_that_has_none(release: Release) -> None:
    def change(folder: pathlib.Path) -> None:
        (folder / "allowed_signers").write_text("# none yet\n")

    line_refuses(release, change, "Could not verify signature|no principal matched")


CASES = (
    line_takes_one_package_or_all,
    line_refuses_a_changed_byte_in_a_package,
    line_refuses_changed_sums,
    line_refuses_another_key,
    line_refuses_a_signature_for_something_else,
    line_refuses_a_removed_signature,
    line_refuses_a_folder_without_a_file_of_the_release,
    line_refuses_the_keys_of_a_project_that_has_none,
)
