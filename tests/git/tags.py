"""Cases: what counts where tags are signed (verify: tag)."""

from collections.abc import Iterator

from cases import STAYS, TAKEN, Outcome, fault, harmless, hostile, refused
from repository import object_id
from world import World, expect, public

TAGS = {"verify": "tag", "tag": "v*"}


def first_release(world: World) -> Iterator[Outcome]:
    world.commit(key=None)
    world.tag("v1")
    yield TAKEN


@hostile(quick=True, **TAGS)
def lightweight_tag(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.commit()
    world.up.set_ref("refs/tags/v2", world.head)
    yield refused(24)
    world.tag("v3")
    yield TAKEN


@hostile(**TAGS)
def unsigned_tag(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.commit()
    world.tag("v2", key=None)
    yield refused(24)


@hostile(quick=True, **TAGS)
def tag_renamed(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.commit()
    beta = world.tag("beta")
    yield STAYS
    world.up.set_ref("refs/tags/v2", beta)
    yield refused(36)
    world.tag("v2")
    yield TAKEN


@hostile(quick=True, **TAGS)
def tags_outside_the_pattern(world: World) -> Iterator[Outcome]:
    """They are not fetched, count towards no limit, and have nothing taken, however well they are signed."""
    yield from first_release(world)
    world.commit()
    for name in ("beta", "xv2", "lab/v2", "V2"):
        world.tag(name)
    other = world.tag("other")
    for number in range(600):
        world.up.set_ref(f"refs/tags/other-{number}", other)
    yield STAYS
    offered = [tag["name"] for tag in world.offer()["tags"]]
    expect(offered == ["v1"], f"fetched beside the pattern: {offered}")
    (world.up.path / "refs/tags/beta").unlink()
    yield STAYS
    world.commit(key=None)
    yield STAYS
    world.tag("v2")
    yield TAKEN


@hostile(quick=True, **TAGS)
def tag_moved(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.commit()
    world.tag("v1")
    yield refused(37)


@hostile(quick=True, **TAGS)
def tag_deleted(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.up.delete_ref("refs/tags/v1")
    yield STAYS


@hostile(**TAGS)
def tag_on_a_commit_that_is_not_on_the_branch(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.tag("v2", commit=world.commit(push=False))
    yield STAYS
    world.tag("v3", commit=world.commit(parents=[], push=False))
    yield STAYS


@hostile(quick=True, **TAGS)
def tag_of_an_unknown_key(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.commit()
    world.tag("v2", key="mallory")
    yield refused(25)
    world.commit()
    world.tag("v3")
    yield TAKEN


@hostile(**TAGS)
def tag_of_a_tag(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.commit()
    inner = world.tag("inner")
    world.tag("v2", commit=inner, kind="tag")
    yield refused(21)
    world.tag("v2")
    yield TAKEN


@hostile(**TAGS)
def tag_of_a_file(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.tag("v2", commit=object_id("blob", world.text.encode()), kind="blob")
    yield refused(21)


@hostile(**TAGS)
def new_tag_on_an_older_commit(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    first = world.head
    world.commit()
    world.tag("v2")
    yield TAKEN
    world.tag("v3", commit=first)
    yield STAYS


@hostile(**TAGS)
def no_tag_yet(world: World) -> Iterator[Outcome]:
    world.commit()
    yield refused(35)
    world.tag("v1")
    yield TAKEN
    world.commit()
    yield STAYS


@hostile(**TAGS)
def branch_rewound_below_the_tag(world: World) -> Iterator[Outcome]:
    first = world.commit()
    world.commit()
    world.tag("v1")
    yield TAKEN
    world.push(first)
    yield refused(22)


@hostile(**TAGS)
def too_many_tags(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    for number in range(500):
        world.up.set_ref(f"refs/tags/v9.{number}", world.head)
    yield fault(10)


@hostile(**TAGS)
def key_of_the_tag_counts_no_more(world: World) -> Iterator[Outcome]:
    yield from first_release(world)
    world.trust("bob@lab " + public(world.keys["bob"]))
    yield refused(39)
    world.commit()
    world.tag("v2", key="bob")
    yield TAKEN


@harmless(quick=True, **TAGS)
def tag_below_the_head(world: World) -> Iterator[Outcome]:
    world.commit()
    world.tag("v1")
    released, text = world.head, world.text
    later = world.commit(key=None)
    world.head, world.text = released, text
    yield TAKEN
    world.head = later
    world.commit()
    world.tag("v2")
    released, text = world.head, world.text
    world.commit(key=None)
    world.head, world.text = released, text
    yield TAKEN


@harmless(**TAGS)
def old_tags_that_would_not_count(world: World) -> Iterator[Outcome]:
    """They lie below what is in force."""
    world.commit()
    world.up.set_ref("refs/tags/v0.1", world.head)
    world.tag("v0.2", key="mallory")
    world.commit()
    world.tag("v1")
    yield TAKEN
    yield TAKEN


@harmless(**TAGS)
def many_long_names(world: World) -> Iterator[Outcome]:
    world.commit()
    for number in range(400):
        world.up.set_ref(f"refs/tags/v0.{number}.{'x' * 180}", world.head)
    world.tag("v9." + "y" * 180)
    yield TAKEN


@harmless(**TAGS)
def names_with_escapes(world: World) -> Iterator[Outcome]:
    world.commit()
    for name in ('v"\'$(touch marker)', "v;touch", "vé\u202e\u200b", "v\\\\", "v`x`", "v&|<>"):
        if not set(name) & set("\\ "):  # git takes none of these
            world.up.set_ref(f"refs/tags/{name}", world.head)
    world.tag("v9")
    yield TAKEN
