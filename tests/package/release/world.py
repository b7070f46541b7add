"""A scratch world: commands with an environment of their own, keys to throw away, packages, a web server."""

import functools
import hashlib
import http.server
import os
import pathlib
import random
import re
import shutil
import subprocess
import threading
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
RELEASE = ROOT / "debian/release"
# How the versions of each suite's packages end.
ENDINGS = {"bookworm": "", "noble": "", "trixie": "+deb13"}
SUITES = tuple(ENDINGS)
ARCHITECTURES = ("amd64", "arm64")
DAY = 86400
COMMAND_S = 60
PASSPHRASE = "rehearsal"
NOW = int(time.time())
# Older than any date that a test signs with.
KEYS_MADE = NOW - 400 * DAY


class Wrong(Exception):
    """What was to be shown is not so."""


class Done(NamedTuple):
    code: int
    said: str  # stdout and stderr


def expect(what: bool, message: str) -> None:
    if not what:
        raise Wrong(message)


def accepted(done: Done) -> str:
    expect(done.code == 0, f"exit {done.code}, where 0 was due:\n{done.said}")
    return done.said


def refused(done: Done, reason: str) -> None:
    expect(done.code != 0, f"accepted, where '{reason}' was due:\n{done.said}")
    expect(re.search(reason, done.said) is not None, f"refused, and not for '{reason}':\n{done.said}")


def marked(page: str, marker: str) -> list[str]:
    """The blocks of commands that follow <!-- marker -->, without the indent of a list."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"^( *)<!-- {re.escape(marker)} -->\n\1```sh\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL)
    expect(bool(blocks), f"{page} has no block after '<!-- {marker} -->'")
    return [re.sub(rf"^{indent}", "", block, flags=re.MULTILINE) for indent, block in blocks]


def flip_a_byte(path: pathlib.Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.unlink()
    path.write_bytes(content)


def replace_in(path: pathlib.Path, old: str, new: str) -> None:
    text = path.read_text()
    expect(old in text, f"{path} has no '{old}'")
    path.unlink()
    path.write_text(text.replace(old, new))


def contents(folder: pathlib.Path) -> dict[str, str]:
    """Of each file its sum, of anything else what it is."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        is_file = path.is_file() and not path.is_symlink()
        name = str(path.relative_to(folder))
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if is_file else f"{path.lstat().st_mode:o}"
    return found


class World:
    """A scratch folder with a GnuPG of its own, a web server, and what scripts are run with."""

    def __init__(self, scratch: pathlib.Path) -> None:
        self.scratch = scratch
        self.numbers = iter(range(1_000_000))
        self.home = scratch / "home"
        (self.home / ".ssh").mkdir(parents=True, mode=0o700)
        # The keys of the rehearsal have passphrases, as those of a maintainer have, and nobody is there to type them.
        gnupg = self.home / ".gnupg"
        gnupg.mkdir(mode=0o700)
        (gnupg / "passphrase").write_text(f"{PASSPHRASE}\n")
        (gnupg / "gpg.conf").write_text("batch\npinentry-mode loopback\n"
                                        f"passphrase-file {gnupg}/passphrase\nfaked-system-time {KEYS_MADE}\n")
        # Passphrases that are quick to try protect nothing, and need not.
        (gnupg / "gpg-agent.conf").write_text("s2k-count 65536\n")
        askpass = self.home / "askpass"
        askpass.write_text(f"#!/bin/sh\necho {PASSPHRASE}\n")
        askpass.chmod(0o755)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "GNUPGHOME": str(gnupg), "LC_ALL": "C.UTF-8",
            "SSH_ASKPASS": str(askpass), "SSH_ASKPASS_REQUIRE": "force", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Rehearsal", "GIT_AUTHOR_EMAIL": "rehearsal@example.org",
            "GIT_COMMITTER_NAME": "Rehearsal", "GIT_COMMITTER_EMAIL": "rehearsal@example.org",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.site = scratch / "site"
        self.site.mkdir()
        handler = functools.partial(Quiet, directory=str(self.site))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.uri = f"http://127.0.0.1:{self.server.server_port}/apt"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.run("gpgconf", "--kill", "all")

    def fresh(self, name: str) -> pathlib.Path:
        return self.scratch / f"{name}-{next(self.numbers)}"

    def run(self, *command: str | pathlib.Path, cwd: pathlib.Path | None = None,
            environment: dict[str, str] | None = None, **more: str) -> Done:
        done = subprocess.run([str(part) for part in command], cwd=cwd or self.scratch, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMMAND_S, check=False,
                              env={**(self.environment if environment is None else environment), **more})
        return Done(done.returncode, done.stdout.decode(errors="replace"))

    def serve(self, repository: pathlib.Path) -> None:
        (self.site / "apt").unlink(missing_ok=True)
        (self.site / "apt").symlink_to(repository)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def make_package(world: World, folder: pathlib.Path, version: str, architecture: str, *,
                 name: str = "spark-reconcile", source: str = "spark-reconcile", seed: str = "") -> pathlib.Path:
    tree = world.fresh("tree")
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        f"Package: {name}\nSource: {source}\nVersion: {version}\nArchitecture: {architecture}\n"
        "Maintainer: Rehearsal <rehearsal@example.org>\nDescription: made by tests/package/repository\n")
    content = tree / "usr/share/doc" / name / "content"
    content.parent.mkdir(parents=True)
    content.write_bytes(random.Random(f"{name}{version}{architecture}{seed}").randbytes(4096))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}_{version}_{architecture}.deb"
    accepted(world.run("dpkg-deb", "--root-owner-group", "--build", tree, target, SOURCE_DATE_EPOCH=str(KEYS_MADE)))
    shutil.rmtree(tree)
    return target


def make_packages(world: World, folder: pathlib.Path, version: str) -> pathlib.Path:
    """As tests/package/run leaves them."""
    for suite in ("bookworm", "trixie"):
        for architecture in ARCHITECTURES:
            for name in ("spark-reconcile", "spark-reconcile-dbgsym"):
                make_package(world, folder / suite, f"{version}{ENDINGS[suite]}", architecture, name=name)
    return folder


def make_key(world: World, user: str) -> pathlib.Path:
    """The file with its public half."""
    accepted(world.run("gpg", "--no-options", "--batch", "--passphrase=", f"--faked-system-time={KEYS_MADE}",
                       "--quick-generate-key", user, "ed25519", "sign", "never"))
    public = world.fresh("key").with_suffix(".asc")
    accepted(world.run("gpg", "--armor", "--output", public, "--export", user))
    return public


def make_ssh_key(world: World) -> pathlib.Path:
    key = world.fresh("ssh")
    accepted(world.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key))
    return key


def allow(key: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    public = key.with_suffix(".pub").read_text()
    target.write_text(f'spark-reconcile namespaces="spark-reconcile-release,git" {public}')
    return target
