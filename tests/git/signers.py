"""Cases: the file that says whose signatures count."""

import os
from collections.abc import Iterator

from cases import TAKEN, Outcome, harmless, hostile, refused
from world import World, public


@hostile(quick=True)
def signers_for_others_to_write(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.signers.chmod(0o664)
    world.commit()
    yield refused(38)
    world.signers.chmod(0o644)
    yield TAKEN


@hostile()
def directory_of_the_signers_for_others_to_write(world: World) -> Iterator[Outcome]:
    folder = world.root / "etc"
    folder.mkdir()
    world.signers.rename(folder / "signers")
    world.set(signers=str(folder / "signers"))
    world.commit()
    yield TAKEN
    folder.chmod(0o777)
    world.commit()
    yield refused(38)


@hostile()
def signers_of_somebody_else(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    os.chown(world.signers, 65534, 65534)
    world.commit()
    yield refused(38)


@hostile()
def signers_missing_or_a_link(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    elsewhere = world.root / "elsewhere"
    world.signers.rename(elsewhere)
    world.commit()
    yield refused(38)
    world.signers.symlink_to(elsewhere)
    yield refused(38)


@hostile(quick=True)
def signers_changed_so_that_the_accepted_one_counts_no_more(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.trust('bob@lab ' + public(world.keys["bob"]))
    yield refused(39)
    world.commit()
    yield refused(25)
    world.commit(key="bob")
    yield TAKEN


@harmless(quick=True)
def two_principals_on_one_line(world: World) -> Iterator[Outcome]:
    world.trust('nobody@lab,alice@lab namespaces="git" ' + public(world.keys["alice"]))
    world.commit()
    yield TAKEN


@hostile()
def lines_that_count_for_no_commit(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    alice = public(world.keys["alice"])
    for line in (alice, "alice@lab namespaces=git " + alice, 'alice@lab namespaces="file" ' + alice,
                 "alice@lab valid-before=20300101 " + alice, "alice lab " + alice):
        world.trust(line)
        world.commit()
        yield refused(41)
    world.trust("# alice@lab " + alice, 'bob@lab ' + public(world.keys["bob"]))
    world.commit()
    yield refused(25)


@harmless()
def key_rotation(world: World) -> Iterator[Outcome]:
    world.trust('alice@lab ' + public(world.keys["alice"]))
    world.commit()
    yield TAKEN
    world.trust('alice@lab ' + public(world.keys["alice"]), 'alice@lab ' + public(world.keys["bob"]))
    world.commit(key="bob")
    yield TAKEN
    world.trust('alice@lab ' + public(world.keys["bob"]))
    world.commit(key="bob")
    yield TAKEN


@harmless(quick=True, verify="none", signers=None)
def signers_named_later(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.set(verify="head", signers=str(world.signers))
    yield TAKEN
    assert world.record()["accepted"]["principal"] == "alice@lab", "it was not judged again"
