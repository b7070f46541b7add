"""The commands of docs/dev/releasing.md, as they stand there, from no key to the second release and a new key."""

import pathlib
import re
import shutil

from by_line import line
from machine import Machine, Release, each_machine
from world import DAY, NOW, RELEASE, ROOT, World, accepted, expect, make_packages, marked


class Checkout:
    """A checkout with the scripts and no key, its origin, and a host that rsync reaches."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.folder, self.host = world.scratch / "checkout", world.scratch / "host"
        shutil.copytree(RELEASE, self.folder / "debian/release", ignore=shutil.ignore_patterns("__pycache__", "*.asc"))
        shutil.copyfile(RELEASE / "allowed_signers", self.folder / "debian/release/allowed_signers")
        (self.folder / ".gitignore").write_text("build/\n")
        self.host.mkdir()
        self.variables = {"SPARK_KEY": "spark-reconcile releases 2026", "SPARK_URI": world.uri,
                          "SPARK_PUBLISHED": str(self.host)}
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("init", "--quiet", "--bare", str(world.scratch / "origin.git"))
        self.git("remote", "add", "origin", str(world.scratch / "origin.git"))
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "as it is before the first release")

    def git(self, *command: str) -> str:
        return accepted(self.world.run("git", *command, cwd=self.folder))

    def clone(self, tag: str) -> pathlib.Path:
        """As somebody else has it: without our settings."""
        target = self.world.fresh("clone")
        self.git("clone", "--quiet", "--branch", tag, str(self.world.scratch / "origin.git"), str(target))
        return target

    def rehearse(self, *names: str, cwd: pathlib.Path | None = None, **variables: str) -> None:
        """In the page's order."""
        for name in names:
            for block in marked("docs/dev/releasing.md", f"rehearsed: {name}"):
                done = self.world.run("bash", "-euo", "pipefail", "-c", block, cwd=cwd or self.folder,
                                      **self.variables, **variables)
                expect(done.code == 0, f"docs/dev/releasing.md, {name}: exit {done.code}\n{block}\n{done.said}")

    def require_all_of(self, names: set[str]) -> None:
        """No block of the page is marked and not run."""
        text = (ROOT / "docs/dev/releasing.md").read_text(encoding="utf-8")
        found = set(re.findall(r"^ *<!-- rehearsed: (\w+) -->$", text, re.MULTILINE))
        expect(found == names, f"docs/dev/releasing.md marks {found}, and {names} are run")


def releasing_is_rehearsed(release: Release) -> None:
    world = release.world
    checkout = Checkout(world)
    checkout.require_all_of({"keys", "release", "fetch", "publish", "clone", "again", "rotate"})
    checkout.rehearse("keys")
    published = checkout.host / "apt"
    old_key = checkout.folder / "debian/release/spark-reconcile.asc"

    for version, days_ago in (("0.2.0", 200), ("0.3.0", 170)):
        then = {"VERSION": version, "SOURCE_DATE_EPOCH": str(NOW - days_ago * DAY)}
        packages = checkout.folder / "build/package"
        shutil.rmtree(packages, ignore_errors=True)
        make_packages(world, packages, version)
        if version != "0.2.0":
            checkout.rehearse("fetch", **then)
        checkout.rehearse("release", "publish", **then)
    for _, _, machine in each_machine(world, published):
        accepted(machine.update())
        expect(len(machine.versions()) == 2, "a machine does not see both releases")
        accepted(machine.download())

    checkout.rehearse("clone", cwd=checkout.clone("v0.3.0"), VERSION="0.3.0")

    download = checkout.host / "download/0.3.0"
    shutil.copyfile(checkout.folder / "debian/release/allowed_signers", download / "allowed_signers")
    said = accepted(line(release, download))
    # What the page puts where apt looks for it has been checked.
    (commands,) = marked("docs/howto/install.md", "add-repository")
    for name in re.findall(r"^sudo cp (\S+) /etc/apt/", commands, re.MULTILINE):
        expect(f"{name}: OK" in said, f"docs/howto/install.md copies {name}, which no sum covers:\n{said}")

    signed = published / "dists/noble/InRelease"
    before = signed.read_text()
    checkout.rehearse("fetch", "again", "publish", SOURCE_DATE_EPOCH=str(NOW))
    expect(signed.read_text() != before, "the new signature was not published")
    accepted(Machine(world, published, "noble", "arm64").update())

    known = world.fresh("key")
    shutil.copyfile(old_key, known)
    checkout.rehearse("fetch", "rotate", "publish")
    for key in (known, published / "spark-reconcile.asc"):
        accepted(Machine(world, published, "trixie", "amd64", key).update())
    expect(checkout.git("status", "--porcelain") == "", "something is not committed")


CASES = (
    releasing_is_rehearsed,
)
