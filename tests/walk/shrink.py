"""A failing walk made short: leaves out all that it fails without (delta debugging, Zeller 1999)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shrunk(steps: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """A part of `steps`, in their order, that fails still, and of which no single step can be left out."""
    kept = list(steps)
    parts = 2
    while len(kept) > 1:
        size = -(-len(kept) // parts)
        rest = next((rest for at in range(0, len(kept), size)
                     if fails(rest := kept[:at] + kept[at + size:])), None)
        if rest is not None:
            kept, parts = rest, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(2 * parts, len(kept))
    return kept


def simplified(steps: Sequence[T], simpler: Callable[[T], Sequence[T]], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """Each step replaced by the first simpler one with which it fails still."""
    kept = list(steps)
    for at in range(len(kept)):
        for other in simpler(kept[at]):
            if fails([*kept[:at], other, *kept[at + 1:]]):
                kept[at] = other
                break
    return kept
