"""What apt accepts and refuses."""

import hashlib
import lzma
import pathlib
import re
import shutil
from collections.abc import Callable

from machine import Machine, Release, each_machine
from world import DAY, NOW, accepted, expect, flip_a_byte, refused, replace_in

XZ = b"\xfd7zXZ"


def apt_takes_each_package_from_each_suite(release: Release) -> None:
    for suite, architecture, machine in each_machine(release.world, release.repository):
        accepted(machine.update())
        packages = release.packages_for(suite, architecture)
        expect(machine.versions() == [path.name.split("_")[1] for path in packages], f"{suite}: {machine.versions()}")
        if not packages:
            continue
        (package,) = packages
        (version,) = machine.versions()
        accepted(machine.download())
        expect(machine.downloaded() == {hashlib.sha256(package.read_bytes()).hexdigest()}, f"{package}: other bytes")
        if release.made:
            said = accepted(machine.apt("apt-get", "install", "--simulate", "spark-reconcile"))
            expect(f"Inst spark-reconcile ({version} " in said and f"[{architecture}]" in said, said)


def apt_refuses(release: Release, change: Callable[[pathlib.Path], object], reason: str, *,
                at_download: bool = False, key: pathlib.Path | None = None) -> None:
    """The repository as it is passes; once changed it does not."""
    repository = release.repository_copy()
    before = Machine(release.world, repository, "bookworm", "amd64")
    accepted(before.update())
    accepted(before.download())
    change(repository)
    after = Machine(release.world, repository, "bookworm", "amd64", key)
    if at_download:
        accepted(after.update())
        refused(after.download(), reason)
    else:
        refused(after.update(), reason)
        refused(after.download(), "Unable to locate package|No packages found")
    expect(not after.downloaded(), "apt kept what it refused")


def apt_refuses_a_changed_byte_in_a_package(release: Release) -> None:
    apt_refuses(release, lambda repository: flip_a_byte(release.package_in(repository)), "Hash Sum mismatch",
                at_download=True)


def apt_refuses_a_changed_byte_in_an_index(release: Release) -> None:
    def change(repository: pathlib.Path) -> None:
        for path in (repository / "dists/bookworm/main/binary-amd64").rglob("*"):
            if path.is_file():
                flip_a_byte(path)

    apt_refuses(release, change, "Hash Sum mismatch")


def apt_refuses_a_package_that_an_index_was_made_to_fit(release: Release) -> None:
    def change(repository: pathlib.Path) -> None:
        package = release.package_in(repository)
        sums = [hashlib.sha256(package.read_bytes()).hexdigest()]
        flip_a_byte(package)
        sums.append(hashlib.sha256(package.read_bytes()).hexdigest())
        folder = repository / "dists/bookworm/main/binary-amd64"
        replace_in(folder / "Packages", *sums)
        plain = (folder / "Packages").read_bytes()
        for path in (path for path in folder.rglob("*") if path.is_file()):
            packed = path.read_bytes().startswith(XZ)
            path.unlink()
            path.write_bytes(lzma.compress(plain) if packed else plain)

    apt_refuses(release, change, "Hash Sum mismatch|unexpected size")


def apt_refuses_a_repository_past_its_date(release: Release) -> None:
    last_day, a_day_late = release.world.fresh("repository"), release.world.fresh("repository")
    accepted(release.sign(last_day, release.packages, epoch=NOW - 179 * DAY))
    machine = Machine(release.world, last_day, "bookworm", "amd64")
    accepted(machine.update())
    accepted(release.sign(a_day_late, release.packages, epoch=NOW - 181 * DAY))
    refused(Machine(release.world, a_day_late, "bookworm", "amd64").update(), r"Release file .* is expired")
    # And the command of "Signing again" is what helps.
    accepted(release.sign(a_day_late))
    accepted(Machine(release.world, a_day_late, "bookworm", "amd64").update())


def apt_refuses_another_key(release: Release) -> None:
    apt_refuses(release, lambda _: None, "NO_PUBKEY|Missing key", key=release.other_public)


def apt_refuses_what_another_key_signed(release: Release) -> None:
    def change(repository: pathlib.Path) -> None:
        forged = release.world.fresh("forged")
        accepted(release.sign(forged, release.packages, key="Somebody else", public=release.other_public))
        shutil.rmtree(repository / "dists")
        shutil.copytree(forged / "dists", repository / "dists")

    apt_refuses(release, change, "NO_PUBKEY|Missing key")


def signed_part(signed: str) -> str:
    return signed.split("\n\n", 1)[1].split("-----BEGIN PGP SIGNATURE-----")[0]


def apt_refuses_a_repository_without_a_signature(release: Release) -> None:
    def change(repository: pathlib.Path) -> None:
        signed = repository / "dists/bookworm/InRelease"
        (signed.parent / "Release").write_text(signed_part(signed.read_text()))
        signed.unlink()

    apt_refuses(release, change, "is not signed")


def apt_refuses_a_removed_signature(release: Release) -> None:
    def change(repository: pathlib.Path) -> None:
        signed = repository / "dists/bookworm/InRelease"
        text = signed_part(signed.read_text())
        signed.unlink()
        signed.write_text(text)

    apt_refuses(release, change, "NOSPLIT|is not signed")


def apt_refuses_a_later_date_under_the_old_signature(release: Release) -> None:
    def change(repository: pathlib.Path) -> None:
        signed = repository / "dists/bookworm/InRelease"
        (year,) = re.findall(r"^Valid-Until: .* (\d{4}) ", signed.read_text(), re.MULTILINE)
        replace_in(signed, f" {year} ", f" {int(year) + 1} ")

    apt_refuses(release, change, "BADSIG|[Bb]ad signature|Message has been manipulated")


CASES = (
    apt_takes_each_package_from_each_suite,
    apt_refuses_a_changed_byte_in_a_package,
    apt_refuses_a_changed_byte_in_an_index,
    apt_refuses_a_package_that_an_index_was_made_to_fit,
    apt_refuses_a_repository_past_its_date,
    apt_refuses_another_key,
    apt_refuses_what_another_key_signed,
    apt_refuses_a_repository_without_a_signature,
    apt_refuses_a_removed_signature,
    apt_refuses_a_later_date_under_the_old_signature,
)
