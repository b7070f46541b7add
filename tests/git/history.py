"""Cases: how the branch's head descends, and its date."""

import time
from collections.abc import Iterator

from cases import STAYS, TAKEN, Outcome, fault, harmless, hostile, refused, waits
from repository import NOBODY
from world import World

HOUR, DAY = 3600, 24 * 3600


@hostile(quick=True)
def rewind(world: World) -> Iterator[Outcome]:
    first = world.commit()
    yield TAKEN
    second = world.commit()
    text = world.text
    yield TAKEN
    world.push(first)
    yield refused(22)
    world.push(second, text)
    yield STAYS


@hostile(quick=True)
def fork(world: World) -> Iterator[Outcome]:
    first = world.commit()
    yield TAKEN
    world.commit()
    yield TAKEN
    world.commit(parents=[first])
    yield refused(23)


@hostile()
def amended_and_pushed_with_force(world: World) -> Iterator[Outcome]:
    first = world.commit()
    yield TAKEN
    second = world.commit()
    yield TAKEN
    world.commit(text=world.text, parents=[first], when=int(time.time()) + 5)
    assert world.head != second
    yield refused(23)


@hostile()
def unrelated_history(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(parents=[])
    yield refused(23)


@hostile(quick=True)
def branch_deleted(world: World) -> Iterator[Outcome]:
    head = world.commit()
    yield TAKEN
    world.up.delete_ref("refs/heads/main")
    world.up.set_ref("refs/heads/other", head)
    yield fault(8)


@hostile()
def empty_repository(world: World) -> Iterator[Outcome]:
    yield fault(8)
    world.commit()
    yield TAKEN


@hostile(quick=True)
def backdated_by_two_days(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(when=int(time.time()) - 23 * HOUR)  # a clock may be wrong
    yield TAKEN
    world.commit(when=int(time.time()) - 2 * DAY)
    yield refused(30)
    world.commit()
    yield TAKEN


@hostile(quick=True)
def from_the_future(world: World) -> Iterator[Outcome]:
    world.commit(when=int(time.time()) + 9 * 60)
    yield TAKEN
    world.commit(when=int(time.time()) + HOUR)
    yield waits(31)
    world.commit()
    yield TAKEN


@hostile(verify="none", signers=None)
def from_the_end_of_time(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(when=2**63 - 1)
    yield waits(31)


@hostile(verify="range", quick=True)
def unsigned_inside_the_range(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit()
    world.commit()
    yield TAKEN
    world.commit(key=None)
    world.commit()
    yield refused(24)


@hostile(verify="range")
def parents_of_the_merge_exchanged(world: World) -> Iterator[Outcome]:
    base = world.commit()
    yield TAKEN
    side = world.commit(push=False)
    world.commit()
    world.commit(parents=[world.head, side])
    yield TAKEN
    base = world.head
    world.commit(parents=[world.commit(parents=[], push=False), base])
    yield refused(23)


@hostile()
def parent_that_is_nowhere(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(parents=["1" * 40])
    yield fault(7)


@hostile()
def parent_of_zeros(world: World) -> Iterator[Outcome]:
    world.commit()
    yield TAKEN
    world.commit(parents=[NOBODY])
    yield fault(7)


@hostile()
def begins_elsewhere(world: World) -> Iterator[Outcome]:
    """`from` says where this machine began to follow."""
    first = world.commit()
    world.set(**{"from": first})
    yield TAKEN
    world.commit(parents=[])
    yield refused(23)
    world.set(**{"from": world.head})
    yield TAKEN


@harmless(quick=True)
def accepted_by_hand_after_a_rewind(world: World) -> Iterator[Outcome]:
    first = world.commit()
    text = world.text
    yield TAKEN
    world.commit()
    yield TAKEN
    world.push(first, text)
    world.set(**{"from": first})
    yield TAKEN
    world.commit()
    yield TAKEN


@hostile()
def accepted_by_hand_while_nothing_is_fetched(world: World) -> Iterator[Outcome]:
    """What was written by hand counts when there is something to judge again."""
    first = world.commit()
    text = world.text
    yield TAKEN
    world.commit()
    yield TAKEN
    world.push(first, text)
    world.set(**{"from": first})
    offer = world.fetched / "offer.json"
    offer.rename(world.root / "marker/offer")
    yield waits(1, fetches=False)
    yield TAKEN


@harmless(verify="range")
def unsigned_side_branch_with_a_signed_merge(world: World) -> Iterator[Outcome]:
    base = world.commit()
    yield TAKEN
    side = world.commit(key=None, push=False)
    side = world.commit(key=None, parents=[side], push=False)
    world.commit(parents=[base, side])
    yield TAKEN
    world.set(verify="head")
    side = world.commit(key="mallory", push=False)
    world.commit(parents=[world.head, side])
    yield TAKEN


@harmless()
def accepted_commit_is_the_second_parent(world: World) -> Iterator[Outcome]:
    base = world.commit()
    yield TAKEN
    world.commit(parents=[world.commit(parents=[], push=False), base])
    yield TAKEN


@harmless(quick=True)
def unsigned_below_a_signed_head(world: World) -> Iterator[Outcome]:
    world.commit(key=None)
    world.commit()
    yield TAKEN
    world.commit(key=None)
    world.commit()
    yield TAKEN
