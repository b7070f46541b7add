"""What debian/release/repository and debian/release/sums do and refuse."""

import os
import pathlib
import re
import shutil
import signal
from collections.abc import Callable

from machine import Release, each_machine
from world import (DAY, ENDINGS, KEYS_MADE, NOW, RELEASE, SUITES, accepted, contents, expect, flip_a_byte,
                   make_package, make_packages, refused, replace_in)


def same_input_makes_the_same_bytes(release: Release) -> None:
    first, second = release.world.fresh("repository"), release.world.fresh("repository")
    accepted(release.sign(first, release.packages))
    copy = release.world.fresh("packages")
    shutil.copytree(release.packages, copy)
    accepted(release.sign(second, copy))
    expect(contents(first) == contents(second), "two repositories of one epoch differ")
    third = release.world.fresh("download")
    accepted(release.sums(third, *reversed(release.files())))
    expect(contents(third) == contents(release.download), "two downloads of one release differ")


def older_versions_and_indexes_stay(release: Release) -> None:
    repository = release.repository_copy()
    old_indexes = {path.name for path in (repository / "dists").rglob("by-hash/SHA256/*")}
    make_packages(release.world, added := release.world.fresh("packages"), "99.0")
    accepted(release.sign(repository, added, epoch=NOW + 1))
    for suite, architecture, machine in each_machine(release.world, repository):
        accepted(machine.update())
        older = [path.name.split("_")[1] for path in release.packages_for(suite, architecture)]
        expect(machine.versions() == [f"99.0{ENDINGS[suite]}", *older], f"{suite} has {machine.versions()}")
    indexes = {path.name for path in (repository / "dists").rglob("by-hash/SHA256/*")}
    expect(old_indexes < indexes, "an index that a machine may be about to read is gone")


def the_date_is_180_days_off(release: Release) -> None:
    repository = release.repository_copy()
    accepted(release.sign(repository, epoch=NOW + 5))
    for suite in SUITES:
        signed = (repository / f"dists/{suite}/InRelease").read_text()
        dates = [int(accepted(release.world.run("date", f"--date={date}", "+%s")))
                 for date in re.findall(r"^(?:Date|Valid-Until): (.*)$", signed, re.MULTILINE)]
        expect(dates == [NOW + 5, NOW + 5 + 180 * DAY], f"{suite}: {dates}")


def repository_refuses(release: Release, reason: str, repository: pathlib.Path, *folders: pathlib.Path,
                       epoch: int = NOW, key: str = "", public: pathlib.Path | None = None) -> None:
    """And leaves everything as it was."""
    before, beside = contents(repository), sorted(release.world.scratch.iterdir())
    refused(release.sign(repository, *folders, key=key, public=public, epoch=epoch), reason)
    expect(contents(repository) == before, "a refused run changed the repository")
    expect(sorted(release.world.scratch.iterdir()) == beside, "a refused run left something beside it")


def repository_refuses_keys_that_nobody_trusts(release: Release) -> None:
    repository = release.repository_copy()
    repository_refuses(release, "no secret key 'Nobody'", repository, key="Nobody")
    nothing = release.world.scratch / "none"
    repository_refuses(release, "there is no .*docs/dev/releasing.md", repository, public=nothing)
    repository_refuses(release, "is not in .*no machine would trust", repository, key="Somebody else")
    repository_refuses(release, "InRelease is not signed by a key of", repository, key="Somebody else",
                       public=release.other_public)


def repository_refuses_packages_that_are_not_ours(release: Release) -> None:
    world, repository = release.world, release.repository_copy()
    for reason, version, architecture, more in (
        ("'other' of source 'spark-reconcile' is not a package of ours", "1.0", "amd64", {"name": "other"}),
        ("of source 'other' is not a package of ours", "1.0", "amd64", {"source": "other"}),
        ("architecture 'riscv64' is not one of", "1.0", "riscv64", {}),
        ("no suite is for version '1.0\\+deb99'", "1.0+deb99", "amd64", {}),
    ):
        folder = make_package(world, world.fresh("packages"), version, architecture, **more).parent
        repository_refuses(release, reason, repository, folder)
    folder = world.fresh("packages")
    folder.mkdir()
    repository_refuses(release, "no package is in", repository, folder)
    (folder / "spark-reconcile_1.0_amd64.deb").write_text("this is no package\n")
    repository_refuses(release, "read .*not a Debian format archive", repository, folder)


def repository_refuses_one_name_with_two_contents(release: Release) -> None:
    world, repository = release.world, release.repository_copy()
    first, second = (make_package(world, world.fresh("packages"), "1.0", "amd64", seed=seed).parent for seed in "ab")
    repository_refuses(release, "are both spark-reconcile_1.0_amd64.deb and differ", repository, first, second)
    accepted(release.sign(repository, first))
    accepted(release.sign(repository, first))
    repository_refuses(release, "are both spark-reconcile_1.0_amd64.deb and differ", repository, second)


def repository_refuses_folders_that_are_not_as_it_signed_them(release: Release) -> None:
    world = release.world
    changes: list[tuple[str, Callable[[pathlib.Path], object]]] = [
        ("has 'others', which is no part", lambda folder: (folder / "others").mkdir()),
        ("is in no signed index", lambda folder: shutil.copy(release.package_in(folder), folder / "pool/other.deb")),
        (r"_amd64\.deb is not what was signed", lambda folder: flip_a_byte(release.package_in(folder))),
        (r"_amd64\.deb is not what was signed", lambda folder: release.package_in(folder).unlink()),
        ("Packages is not what was signed", lambda folder: flip_a_byte(
            folder / "dists/noble/main/binary-amd64/Packages")),
        ("InRelease is not signed by a key of", lambda folder: replace_in(
            folder / "dists/noble/InRelease", "Suite: noble", "Suite: sid")),
        ("has the suite 'sid'", lambda folder: (folder / "dists/noble").rename(folder / "dists/sid")),
    ]
    accepted(release.sign(release.repository_copy(), release.packages))
    for reason, change in changes:
        repository = release.repository_copy()
        change(repository)
        repository_refuses(release, reason, repository, release.packages)
    other = world.fresh("folder")
    other.mkdir()
    (other / "letter").touch()
    repository_refuses(release, "exists and is not a repository", other, release.packages)


def repository_refuses_dates_that_apt_would_ignore(release: Release) -> None:
    repository = release.repository_copy()
    repository_refuses(release, "apt ignores one with an earlier date", repository, epoch=NOW - DAY)
    # The signature is the last thing that can fail: GnuPG signs nothing from before its key.
    repository_refuses(release, "sign the suite", release.world.scratch / "none", release.packages,
                       epoch=KEYS_MADE - DAY)


def killing(release: Release, tool: str, argument: str) -> str:
    """A PATH on which this tool, called with this argument, kills what called it."""
    folder = release.world.fresh("tools")
    folder.mkdir()
    wrapper = folder / tool
    wrapper.write_text(f'#!/bin/sh\ncase " $* " in *" {argument} "*) kill -KILL "$PPID" ;; esac\n'
                       f'exec {shutil.which(tool)} "$@"\n')
    wrapper.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def a_kill_leaves_what_was_there(release: Release) -> None:
    world, repository, download = release.world, release.repository_copy(), release.world.fresh("download")
    make_packages(world, added := world.fresh("packages"), "99.0")
    before = contents(repository)
    done = release.sign(repository, added, path=killing(release, "gpg", "--clearsign"))
    expect(done.code == -signal.SIGKILL and contents(repository) == before, f"repository: {done}")
    accepted(release.sign(repository, added))
    expect(contents(repository) != before, "nothing was added after the kill")
    done = release.sums(download, *release.files(), path=killing(release, "ssh-keygen", "sign"))
    expect(done.code == -signal.SIGKILL and not download.exists(), f"sums: {done}")
    accepted(release.sums(download, *release.files()))


def sums_refuses(release: Release, reason: str, *files: pathlib.Path, download: pathlib.Path | None = None,
                 key: pathlib.Path | None = None, allowed: pathlib.Path | None = None) -> None:
    target = download or release.world.fresh("download")
    before, beside = contents(target), sorted(release.world.scratch.iterdir())
    refused(release.sums(target, *files, key=key, allowed=allowed), reason)
    expect(contents(target) == before, "a refused run changed the folder")
    expect(sorted(release.world.scratch.iterdir()) == beside, "a refused run left something")


def sums_refuses_what_nobody_could_check(release: Release) -> None:
    world = release.world
    sums_refuses(release, "exists: a release is signed once", release.packages, download=release.download)
    sums_refuses(release, "no key '.*none'", release.packages, key=world.scratch / "none")
    sums_refuses(release, "has no line in", release.packages, key=release.other_ssh)
    sums_refuses(release, "has no line in", release.packages, allowed=RELEASE / "allowed_signers")
    sums_refuses(release, "there is no .*none", world.scratch / "none")
    sums_refuses(release, "there is no package in", release.repository / "spark-reconcile.asc")
    folder = make_package(world, world.fresh("packages"), "0.2.0", "amd64", seed="other").parent
    again = make_package(world, world.fresh("packages"), "0.2.0", "amd64").parent
    sums_refuses(release, "two files are 'spark-reconcile_0.2.0_amd64.deb' and differ", folder, again)
    (folder / "notes.txt").touch()
    sums_refuses(release, "notes.txt is no part of a release", folder)


CASES = (
    same_input_makes_the_same_bytes,
    older_versions_and_indexes_stay,
    the_date_is_180_days_off,
    repository_refuses_keys_that_nobody_trusts,
    repository_refuses_packages_that_are_not_ours,
    repository_refuses_one_name_with_two_contents,
    repository_refuses_folders_that_are_not_as_it_signed_them,
    repository_refuses_dates_that_apt_would_ignore,
    a_kill_leaves_what_was_there,
    sums_refuses_what_nobody_could_check,
)
