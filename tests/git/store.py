"""Cases: the fetching user was taken over, and writes whatever it likes where the judge reads."""

import json
import os
import shutil
import subprocess
import zlib
from collections.abc import Iterator

import packs
import servers
from cases import TAKEN, Outcome, fault, harmless, hostile, judged, waits
from paths import lay_lures
from repository import Repository, commit_bytes, signed_commit
from world import World, expect, listing


def fetched_store(world: World) -> Repository:
    """What was fetched, with each object in a file of its own."""
    store = Repository.__new__(Repository)
    store.path = world.fetched / "repository"
    for pack in list((store.path / "objects/pack").glob("*.pack")):
        moved = world.root / "marker/pack"
        pack.rename(moved)
        for rest in (store.path / "objects/pack").glob(pack.stem + ".*"):
            rest.unlink()
        with moved.open("rb") as content:
            subprocess.run(["git", "-C", str(store.path), "unpack-objects", "-q"], stdin=content, check=True, timeout=20,
                           env={"PATH": os.environ["PATH"]})
        moved.unlink()
    return store


def offer_head(world: World, head: str, **also: object) -> None:
    path = world.fetched / "offer.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "head": head, **also}))


def content_of(world: World, name: str) -> tuple[str, bytes]:
    head, content = zlib.decompress(world.up.loose(name).read_bytes()).split(b"\0", 1)
    return head.split()[0].decode(), content


def read_by_the_judge(world: World) -> dict[str, str]:
    """Commit, tree and file of the head, with another of the same kind for each."""
    tree = content_of(world, world.head)[1].split()[1].decode()
    blob = content_of(world, tree)[1].split(b"\0", 1)[1].hex()
    other_blob = world.up.blob("version: 1\n# of somebody else\n")
    other_tree = world.up.tree({"cluster.yaml": ("100644", other_blob)})
    return {world.head: world.up.commit(other_tree, [world.head], world.keys["mallory"]),
            tree: other_tree, blob: other_blob}


def replaced(world: World, put: object, file: int = 21) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit()
    for number in range(3):
        world.commit()
        world.fetch()
        store = fetched_store(world)
        name, other = list(read_by_the_judge(world).items())[number]
        assert callable(put)
        put(store, name, *content_of(world, other))
        yield judged(file if number == 2 else 21)
        shutil.rmtree(store.path)
        yield TAKEN


@hostile(quick=True)
def each_object_replaced_by_another(world: World) -> Iterator[Outcome]:
    yield from replaced(world, lambda store, name, kind, content: store.put(kind, content, name))


@hostile()
def each_object_replaced_in_a_pack(world: World) -> Iterator[Outcome]:
    def put(store: Repository, name: str, kind: str, content: bytes) -> None:
        packs.write(store.path / "objects/pack", [(name, kind, content)])
    yield from replaced(world, put)


@hostile()
def each_object_garbage(world: World) -> Iterator[Outcome]:
    yield from replaced(world, lambda store, name, kind, content: (
        store.loose(name).unlink(), store.loose(name).write_bytes(b"\x78\x9c garbage " + content)), file=34)


@hostile()
def each_object_cut_short(world: World) -> Iterator[Outcome]:
    def put(store: Repository, name: str, _kind: str, _content: bytes) -> None:
        good = store.loose(name).read_bytes()
        store.loose(name).unlink()
        store.loose(name).write_bytes(good[:len(good) // 2])
    yield from replaced(world, put)


@hostile()
def each_object_longer_than_it_says(world: World) -> Iterator[Outcome]:
    def put(store: Repository, name: str, kind: str, content: bytes) -> None:
        store.loose(name).unlink()
        store.loose(name).write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content + b"more"))
    yield from replaced(world, put)


@hostile()
def commit_and_tree_larger_than_allowed(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit()
    world.fetch()
    store = fetched_store(world)
    tree = content_of(world, world.head)[1].split()[1].decode()
    content = commit_bytes(tree, [world.head], message="x" * 300 * 1024)
    large = store.put("commit", signed_commit(content, world.keys["alice"]))
    offer_head(world, large)
    yield judged(21)
    entry = b"100644 cluster.yaml\0" + bytes.fromhex(store.blob("version: 1\n"))
    large_tree = store.put("tree", entry * 120_000)
    offer_head(world, store.put("commit", signed_commit(commit_bytes(large_tree, [world.head]), world.keys["alice"])))
    yield judged(21)


@hostile()
def malformed_commits(world: World) -> Iterator[Outcome]:
    """Signed ones that no fetch lets pass."""
    world.commit()
    yield TAKEN
    tree = content_of(world, world.head)[1].split()[1].decode()
    for old, new in ((b" +0000\n", b"\n"), (b"committer ", b"commiter "), (b"author ", b"auth\0or "),
                     (b"tree ", b"tree  "), (b"\n\n", b"\n"), (b"parent ", b"parent 00")):
        content = commit_bytes(tree, [world.head]).replace(old, new)
        signed = signed_commit(content, world.keys["alice"]) if b"\n\n" in content else content
        offer_head(world, fetched_store(world).put("commit", signed))
        yield judged(21)
    for when in (-1, -(2**63), 2**63, 10**30, "x", ""):
        content = signed_commit(commit_bytes(tree, [world.head], when=when), world.keys["alice"])
        offer_head(world, fetched_store(world).put("commit", content))
        yield judged(21)
    large = fetched_store(world).put("commit", signed_commit(
        commit_bytes(tree, [world.head], when=2**63 - 1), world.keys["alice"]))
    offer_head(world, large)
    yield waits(31, fetches=False)


@hostile(quick=True)
def head_that_is_no_commit(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    for name in (*list(read_by_the_judge(world))[1:], world.tag("v1"), "0" * 40, "1" * 39, "1" * 41, "1" * 64,
                 world.head.upper(), world.head + "\n" + world.head, "main", "HEAD", "--help", "\x1b[31m"):
        offer_head(world, name)
        yield judged(21)


@hostile(quick=True)
def offer_that_is_none(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    offer = world.fetched / "offer.json"
    good = offer.read_text()
    for text in ("", "garbage", "[" * 900_000, good + " " * 2_000_000, good.replace("offer/v1", "offer/v2"),
                 good.replace("file://", "https://"), good.replace('"head"', '"tail"'), '{"schema": 1}',
                 good.replace('"tags": []', '"tags": [1]')):
        offer.write_text(text)
        yield waits(1, fetches=False)
    offer.unlink()
    offer.symlink_to(world.settings_file)
    yield waits(1, fetches=False)
    offer.unlink()
    os.mkfifo(offer)
    yield waits(1, fetches=False)
    offer.unlink()
    offer.mkdir()
    yield waits(1, fetches=False)
    offer.rmdir()
    yield TAKEN


@hostile(verify="tag", tag="v*")
def broken_tags_beside_a_good_one(world: World) -> Iterator[Outcome]:
    """A broken object ends git's reader; the judge has to live on, and to say so."""
    world.commit()
    world.tag("v1")
    yield TAKEN
    world.commit()
    world.tag("v2")
    tags = {name: world.tag(name) for name in ("v3", "v4", "v5")}
    world.fetch()
    store = fetched_store(world)
    for name in tags.values():
        good = store.loose(name).read_bytes()
        store.loose(name).unlink()
        store.loose(name).write_bytes(good[:len(good) // 2])
    yield judged(21)


@hostile(verify="tag", tag="v*")
def one_tag_offered_ten_thousand_times(world: World) -> Iterator[Outcome]:
    world.commit()
    world.tag("v1")
    yield TAKEN
    world.commit()
    world.tag("v2", key="mallory")
    world.fetch()
    offer = json.loads((world.fetched / "offer.json").read_text())
    offer_head(world, world.head, tags=offer["tags"] * 5000)
    yield judged(10)


@hostile()
def alternates_that_lead_elsewhere(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit()
    world.fetch()
    store = fetched_store(world)
    elsewhere = Repository(world.root / "marker/elsewhere.git")
    elsewhere.put(*content_of(world, list(read_by_the_judge(world).values())[0]), world.head)
    store.loose(world.head).unlink()
    (store.path / "objects/info").mkdir(exist_ok=True)
    (store.path / "objects/info/alternates").write_text(f"{elsewhere.path}/objects\n/etc\n/proc/self/fd\n")
    yield judged(21)


@hostile(slow=True)
def objects_that_hang(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit()
    world.fetch()
    world.patience = 75
    store = fetched_store(world)
    store.loose(world.head).unlink()
    os.mkfifo(store.loose(world.head))
    yield judged(21)


@hostile()
def store_that_leads_elsewhere(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit()
    world.fetch()
    objects = world.fetched / "repository/objects"
    shutil.rmtree(objects)
    yield judged(21)
    objects.symlink_to("/")
    yield judged(21)
    objects.unlink()
    objects.write_text("no directory")
    yield judged(21)
    shutil.rmtree(world.fetched / "repository")
    yield TAKEN


@hostile()
def small_object_on_a_large_base(world: World) -> Iterator[Outcome]:
    """Its size is small, and to make it git needs all of its base."""
    world.commit()
    yield TAKEN
    world.commit()
    world.fetch()
    store = fetched_store(world)
    name = list(read_by_the_judge(world))[2]
    store.loose(name).unlink()
    packs.write_shrinking(store.path / "objects/pack", name, 900 * 1024 * 1024)
    yield judged(21)


@hostile(quick=True)
def emptied_by_a_power_cut_and_a_server_that_closes(world: World) -> Iterator[Outcome]:
    """What was accepted stays so: the objects are there."""
    servers.https(world)
    for name in ("refs/offer/head", "config", "HEAD"):
        world.commit()
        yield TAKEN
        (world.fetched / "repository" / name).write_text("")
        servers.misbehaving(world, lambda connection: None, with_tls=False)
        yield fault(1)
        servers.https(world)
    world.commit()
    yield TAKEN


@hostile(quick=True)
def corrupt_pack_and_good_objects_before(world: World) -> Iterator[Outcome]:
    """Of what came with a fault nothing stays, and all that was there does."""
    servers.https(world)
    world.commit()
    yield TAKEN
    before = listing(world.fetched / "repository/objects")
    servers.misbehaving(world, servers.sending_pack("1" * 40, lambda: packs.finished([packs.plain("blob", b"something else")])))
    yield fault(7)
    after = listing(world.fetched / "repository/objects")
    expect(before.keys() == after.keys(), f"other files: {sorted(before.keys() ^ after.keys())}")


@harmless(quick=True)
def half_a_repository_of_a_fetch_that_was_killed(world: World) -> Iterator[Outcome]:
    world.commit()
    (world.fetched / "repository.new/objects").mkdir(parents=True)
    yield TAKEN
    expect(not (world.fetched / "repository.new").exists(), "a leftover is still there")


@harmless(quick=True)
def graphs_and_indexes_that_lie(world: World) -> Iterator[Outcome]:
    """And the settings and hooks of the fetched repository."""
    world.commit()
    yield TAKEN
    world.commit()
    world.fetch()
    store = fetched_store(world)
    store.git("commit-graph", "write", "--reachable")
    graph = store.path / "objects/info/commit-graph"
    graph.chmod(0o644)
    graph.write_bytes(graph.read_bytes().replace(bytes.fromhex(world.head), bytes(20)))
    (store.path / "objects/pack/multi-pack-index").write_bytes(b"MIDX" + bytes(2000))
    (store.path / "shallow").write_text(world.head + "\n")
    (store.path / "info").mkdir(exist_ok=True)
    (store.path / "info/grafts").write_text(world.head + "\n")
    store.set_ref(f"refs/replace/{world.head}", world.head)
    real, world.up = world.up, store
    shutil.rmtree(store.path / "hooks", ignore_errors=True)
    lay_lures(world)
    world.up = real
    yield Outcome("taken", fetches=False)

