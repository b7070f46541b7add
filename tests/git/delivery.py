"""Cases: bundles on a stick; and each way by which a good repository comes here."""

import subprocess
from collections.abc import Iterator

import packs
import servers
from cases import TAKEN, Outcome, fault, harmless, hostile, refused
from world import World, expect, listing


def bundle(world: World, *what: str) -> None:
    world.up.git("bundle", "create", "-q", str(world.root / "marker/new.bundle"), *what)
    (world.root / "marker/new.bundle").rename(world.root / "marker/lab.bundle")
    world.set(url=f"file://{world.root}/marker/lab.bundle")


@hostile(quick=True)
def bundle_cut_short(world: World) -> Iterator[Outcome]:
    world.commit()
    bundle(world, "main")
    yield TAKEN
    world.commit()
    bundle(world, "main")
    path = world.root / "marker/lab.bundle"
    path.write_bytes(path.read_bytes()[:-30])
    yield fault(7)
    bundle(world, "main")
    yield TAKEN


@hostile()
def bundle_on_top_of_what_is_not_here(world: World) -> Iterator[Outcome]:
    world.commit()
    bundle(world, "main")
    yield TAKEN
    middle = world.commit()
    world.commit()
    bundle(world, f"{middle}..main")
    yield fault(1)


@hostile()
def bundle_of_another_branch(world: World) -> Iterator[Outcome]:
    head = world.commit()
    bundle(world, "main")
    yield TAKEN
    world.up.set_ref("refs/heads/other", head)
    bundle(world, "other")
    yield fault(8)


@hostile()
def unsigned_in_a_bundle(world: World) -> Iterator[Outcome]:
    world.commit()
    bundle(world, "main")
    yield TAKEN
    world.commit(key=None)
    bundle(world, "main")
    yield refused(24)


def unchanged(world: World) -> None:
    """A poll of what has not changed changes no file."""
    before = listing(world.fetched) | listing(world.judged)
    world.poll()
    after = listing(world.fetched) | listing(world.judged)
    expect(before == after, f"an unchanged poll wrote: {sorted(set(before.items()) ^ set(after.items()))}")


def twice(world: World) -> Iterator[Outcome]:
    world.traced = True
    world.commit()
    yield TAKEN
    unchanged(world)
    world.commit()
    yield TAKEN
    unchanged(world)


@harmless(quick=True)
def two_fetches_at_once(world: World) -> Iterator[Outcome]:
    """systemd starts one at a time. Where somebody starts another beside it, none of the two leaves what is not so."""
    world.commit()
    yield TAKEN
    words = [str(word) for word in (world.programs.fetch, world.write_settings(), world.fetched, world.scratch[0])]
    for _ in range(5):
        world.commit()
        both = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL) for _ in range(2)]
        for one in both:
            one.wait(timeout=60)
        world.judge()
        expect(not world.record().get("refused"), f"half a fetch was judged: {world.record()}")
        yield TAKEN


@harmless(quick=True)
def by_file(world: World) -> Iterator[Outcome]:
    yield from twice(world)


@harmless(quick=True)
def by_https(world: World) -> Iterator[Outcome]:
    servers.https(world)
    yield from twice(world)


@harmless(quick=True)
def by_ssh_with_a_deploy_key(world: World) -> Iterator[Outcome]:
    servers.ssh(world)
    yield from twice(world)


@harmless()
def by_bundle(world: World) -> Iterator[Outcome]:
    world.commit()
    bundle(world, "main")
    yield TAKEN
    unchanged(world)
    former = world.head
    world.commit()
    bundle(world, f"{former}..main")
    yield TAKEN
    unchanged(world)


@harmless()
def another_url_of_the_same_history(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    servers.https(world)
    world.commit()
    yield TAKEN


PACKS = "repository/objects/pack"


def add_packs(world: World) -> None:
    for number in range(201):
        packs.write(world.fetched / PACKS, [(f"{number:040x}", "blob", f"{number}".encode())])


def expect_one_pack(world: World) -> None:
    expect(len(list((world.fetched / PACKS).glob("*.pack"))) == 1, "the packs are still there")
    expect(not (world.fetched / "repository.new").exists(), "the former repository is still there")


@harmless()
def two_hundred_packs(world: World) -> Iterator[Outcome]:
    """Fetched again, into one, in the same run."""
    world.commit()
    yield TAKEN
    add_packs(world)
    world.commit()
    yield TAKEN
    expect_one_pack(world)


@hostile(quick=True)
def two_hundred_packs_and_a_server_that_closes(world: World) -> Iterator[Outcome]:
    """What is there stays until all of it was fetched again."""
    servers.https(world)
    world.commit()
    yield TAKEN
    add_packs(world)
    before = listing(world.fetched / "repository")
    world.commit()
    servers.misbehaving(world, lambda connection: None, with_tls=False)
    yield fault(1)
    expect(listing(world.fetched / "repository") == before, "the repository changed")
    servers.https(world)
    yield TAKEN
    expect_one_pack(world)


@hostile()
def another_url_that_nobody_serves(world: World) -> Iterator[Outcome]:
    """The repository of the former URL stays, and what is followed there is taken again."""
    world.commit()
    yield TAKEN
    before = listing(world.fetched / "repository")
    former = str(world.settings["url"])
    world.set(url="file:///srv/nothing.git")
    world.fetch()
    expect(world.offer()["fault"]["id"] == "SR-GIT-001", f"a repository that is not there: {world.offer()}")
    expect(listing(world.fetched / "repository") == before, "the repository changed")
    world.set(url=former)
    yield TAKEN
    world.up.delete_ref("refs/heads/main")
    yield fault(8)


@harmless(quick=True)
def locks_of_a_fetch_that_was_killed(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    store = world.fetched / "repository"
    for name in ("refs/offer/head.lock", "packed-refs.lock", "config.lock", "HEAD.lock", "shallow.lock",
                 "objects/pack/tmp_pack_abcdef", "objects/pack/pack-0123.keep"):
        (store / name).write_text("half")
    world.commit()
    yield TAKEN
    left = [path for pattern in ("*.lock", "tmp_*", "*.keep") for path in store.rglob(pattern)]
    expect(not left, f"a leftover is still there: {left}")


@harmless(quick=True)
def emptied_by_a_power_cut(world: World) -> Iterator[Outcome]:
    """git syncs neither references nor the files of a new repository."""
    for name in ("refs/offer/head", "config", "HEAD"):
        world.commit()
        yield TAKEN
        (world.fetched / "repository" / name).write_text("")
    world.commit()
    yield TAKEN
    pack, = (world.fetched / "repository/objects/pack").glob("*.pack")
    pack.unlink()
    world.commit()
    yield TAKEN
