"""Cases: what lies at the path, and what a repository brings along."""

import os
from collections.abc import Iterator

from cases import TAKEN, Outcome, fault, harmless, hostile, refused, waits
from repository import MIB, Tree
from world import FILE, LONG, World



def at_the_path(world: World, mode: str, content: str, number: int) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(files={"cluster.yaml": (mode, content)})
    yield refused(number)


@hostile(quick=True)
def symbolic_link(world: World) -> Iterator[Outcome]:
    yield from at_the_path(world, "120000", world.up.blob("/etc/shadow"), 33)


@hostile()
def directory(world: World) -> Iterator[Outcome]:
    yield from at_the_path(world, "40000", world.up.tree({"a": ("100644", world.up.blob("a"))}), 33)


@hostile()
def submodule(world: World) -> Iterator[Outcome]:
    yield from at_the_path(world, "160000", "1" * 40, 33)


@hostile()
def executable_file(world: World) -> Iterator[Outcome]:
    yield from at_the_path(world, "100755", world.up.blob(FILE), 33)


@hostile(quick=True)
def absent(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(files={"other.yaml": ("100644", world.up.blob(FILE))})
    yield refused(32)


@hostile(path="lab/a/cluster.yaml")
def something_else_on_the_way(world: World) -> Iterator[Outcome]:
    text = FILE + "# below\n"
    plain = ("100644", world.up.blob(text))
    folder = ("40000", world.up.tree({"cluster.yaml": plain}))
    world.commit(files={"lab": ("40000", world.up.tree({"a": folder}))}, text=text)
    yield TAKEN
    link = ("120000", world.up.blob("b"))
    world.commit(files={"lab": ("40000", world.up.tree({"a": link, "b": folder}))})
    yield refused(33)
    world.commit(files={"lab": plain})
    yield refused(33)
    world.commit(files={})
    yield refused(32)


def of_kib(kib: int, rest: int = 0) -> str:
    return FILE + "#" * (kib * 1024 + rest - len(FILE) - 1) + "\n"


@hostile(quick=True)
def file_of_257_kib(world: World) -> Iterator[Outcome]:
    world.commit(text=of_kib(256))
    yield TAKEN
    world.commit(text=of_kib(256, 1))
    yield refused(34)
    world.commit(text=of_kib(257))
    yield refused(34)


@hostile()
def file_of_257_kib_without_filter(world: World) -> Iterator[Outcome]:
    world.up.configure("", allow_filter=False)
    world.commit(text=of_kib(256))
    yield TAKEN
    world.commit(text=of_kib(256, 1))
    yield refused(34)


@hostile()
def path_that_is_there_twice(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    entry = b"100644 cluster.yaml\0" + bytes.fromhex(world.up.blob(FILE))
    other = b"100644 cluster.yaml\0" + bytes.fromhex(world.up.blob(FILE + "# other\n"))
    tree = world.up.put("tree", entry + other)
    world.push(world.up.commit(tree, [world.head], world.keys["alice"]))
    yield fault(7)


def random_blob(world: World, mib: int) -> str:
    return world.up.large_blob(mib * MIB, os.urandom, 0)


# The server's git is a child too where the URL is a file: its settings keep it small.
LARGE = "[core]\n\tcompression = 0\n\tbigFileThreshold = 1m\n"


@hostile()
def pack_of_300_mib(world: World) -> Iterator[Outcome]:
    world.up.configure(LARGE, allow_filter=False)
    world.commit()
    yield TAKEN
    world.commit(files={"cluster.yaml": ("100644", world.up.blob(FILE)),
                        "big": ("100644", random_blob(world, 300))})
    yield fault(6)


@hostile()
def pack_of_300_mib_in_all(world: World) -> Iterator[Outcome]:
    """Each fetch within the bounds of a file, and more than 1 GiB in all."""
    world.up.configure(LARGE, allow_filter=False)
    world.commit()
    yield TAKEN
    files: Tree = {}
    for number in range(5):
        files[f"big{number}"] = ("100644", random_blob(world, 240))
        text = f"{FILE}# with {number}\n"
        world.commit(files={**files, "cluster.yaml": ("100644", world.up.blob(text))}, text=text)
        yield TAKEN if number < 4 else fault(6)


def with_zeros(world: World, mib: int, allow_filter: bool) -> Iterator[Outcome]:
    world.patience = LONG
    world.up.configure("[core]\n\tbigFileThreshold = 1m\n", allow_filter)
    world.commit()
    yield TAKEN
    world.files["zeros"] = ("100644", world.up.large_blob(mib * MIB, bytes, 1))
    world.commit()
    yield TAKEN


@harmless(quick=True)
def zeros_of_30_mib(world: World) -> Iterator[Outcome]:
    yield from with_zeros(world, 30, allow_filter=True)


@harmless()
def zeros_of_1_gib(world: World) -> Iterator[Outcome]:
    yield from with_zeros(world, 1024, allow_filter=True)


@harmless()
def zeros_of_1_gib_without_filter(world: World) -> Iterator[Outcome]:
    yield from with_zeros(world, 1024, allow_filter=False)


@harmless()
def zeros_of_511_mib_without_filter(world: World) -> Iterator[Outcome]:
    """git holds what is smaller than 512 MiB in memory unless told otherwise."""
    yield from with_zeros(world, 511, allow_filter=False)


@harmless()
def chain_of_deltas(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    for number in range(300):
        world.commit(key=None, text=of_kib(8, number))
    world.commit()
    world.up.git("repack", "-adfq", "--depth=4000", "--window=10")
    yield TAKEN


@harmless()
def path_changed(world: World) -> Iterator[Outcome]:
    text = FILE + "# the other\n"
    both = {"cluster.yaml": ("100644", world.up.blob(FILE)), "lab.yaml": ("100644", world.up.blob(text))}
    world.commit(files=both, text=FILE)
    yield TAKEN
    world.set(path="lab.yaml")
    world.text = text
    yield TAKEN


@hostile()
def path_changed_while_nothing_is_fetched(world: World) -> Iterator[Outcome]:
    text = FILE + "# the other\n"
    both = {"cluster.yaml": ("100644", world.up.blob(FILE)), "lab.yaml": ("100644", world.up.blob(text))}
    world.commit(files=both, text=FILE)
    yield TAKEN
    world.set(path="lab.yaml")
    world.text = text
    (world.fetched / "offer.json").unlink()
    yield waits(1, fetches=False)
    yield TAKEN


LURE = """#!/bin/sh
touch {marker}
exit 0
"""
CONFIG = """[core]
	fsmonitor = {touch}
	sshCommand = {touch}
	hooksPath = {path}/hooks
	pager = {touch}
	editor = {touch}
	gitProxy = {touch}
	alternateRefsCommand = {touch}
[uploadpack]
	packObjectsHook = {touch}
[filter "lure"]
	smudge = {touch}
	clean = {touch}
	process = {touch}
[diff "lure"]
	textconv = {touch}
	command = {touch}
[credential]
	helper = !{touch}
[gpg]
	program = {lure}
[gpg "ssh"]
	program = {lure}
	defaultKeyCommand = {touch}
[alias]
	fetch = !{touch}
	cat-file = !{touch}
"""


def lay_lures(world: World) -> None:
    lure = world.up.path / "lure"
    lure.write_text(LURE.format(marker=world.marker))
    lure.chmod(0o755)
    hooks = world.up.path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "pre-auto-gc", "post-update", "post-receive", "update",
                 "pre-receive", "post-upload-pack", "fsmonitor-watchman", "post-merge", "proc-receive", "sendemail-validate"):
        (hooks / name).write_text(LURE.format(marker=world.marker))
        (hooks / name).chmod(0o755)
    world.up.configure(CONFIG.format(touch=f"touch {world.marker}", lure=lure, path=world.up.path))


@harmless(quick=True)
def hooks_filters_and_drivers(world: World) -> Iterator[Outcome]:
    world.traced = True
    lay_lures(world)
    blob = world.up.blob
    world.files = {
        ".gitattributes": ("100644", blob("* filter=lure diff=lure merge=lure ident export-subst working-tree-encoding=UTF-16\n")),
        ".gitmodules": ("100644", blob('[submodule "a"]\n\tpath = a\n\turl = ./a\n\tupdate = checkout\n')),
        "a": ("160000", "1" * 40)}
    world.commit()
    yield TAKEN
    world.commit()
    yield TAKEN


@hostile()
def submodule_that_looks_like_an_option(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    modules = f'[submodule "a"]\n\tpath = a\n\turl = --upload-pack=touch {world.marker}\n'
    world.files = {".gitmodules": ("100644", world.up.blob(modules))}
    world.commit()
    yield fault(7)


@hostile()
def file_named_dot_git(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.files = {".git": ("100644", world.up.blob("gitdir: /\n"))}
    world.commit()
    yield fault(7)


@hostile()
def objects_that_are_elsewhere(world: World) -> Iterator[Outcome]:
    """The server's git would fetch what is missing, with the commands of the repository's settings (CVE-2024-32004)."""
    world.commit()
    yield TAKEN
    lay_lures(world)
    config = (world.up.path / "config").read_text().replace("repositoryformatversion = 0", "repositoryformatversion = 1")
    (world.up.path / "config").write_text(
        config + "[extensions]\n\tpartialClone = evil\n[remote \"evil\"]\n\tpromisor = true\n"
        f"\turl = ssh://evil/x\n\tuploadpack = touch {world.marker}\n")
    world.commit()
    world.up.loose(world.up.blob(world.text)).unlink()
    yield fault(7)
