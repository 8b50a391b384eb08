"""Finds again in a new version what an old one had, from the surest sign to the least."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Generic, TypeAlias, TypeVar

__all__ = ["Pairing"]

T = TypeVar("T")
Key: TypeAlias = Callable[[T], Hashable]

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Pairing(Generic[T]):
    """Items of two versions; each step pairs some of those that no step before it did.

    ``old`` and ``new`` are the items still alone, in the order of their version.
    """

    def __init__(self, old: Iterable[T], new: Iterable[T]) -> None:
        self.old, self.new = list(old), list(new)
        self.pairs: list[tuple[T, T]] = []

    def in_order(self, key: Key[T]) -> None:
        """Pair items of one key along the longest runs that both versions share."""
        self._take(_aligned(self.old, self.new, key, {"equal"}))

    def anywhere(self, key: Key[T], sign: Key[T]) -> None:
        """Pair items of one key wherever they stand, first with first.

        Where one version has more of them, those with the same ``sign`` hold the others
        in their places, so that one more at the front does not move all of them on.
        """
        pairs: list[tuple[T, T]] = []
        for old, new in self._groups(key):
            if len(old) == len(new):
                pairs += zip(old, new, strict=True)
            else:
                pairs += _aligned(old, new, sign, {"equal", "replace"})
        self._take(pairs)

    def similar(self, key: Key[T], text: Callable[[T], str], least: float) -> None:
        """Pair items of one key by how many words and signs their texts share.

        Args:
            key: what both must have in common.
            text: the text that is compared.
            least: the share, from 0 to 1, below which two texts are strangers.
        """
        pairs: list[tuple[T, T]] = []
        for old, new in self._groups(key):
            here, there = ([_tokens(text(item)) for item in items] for items in (old, new))
            scores = [
                (-_share(first, second), i, j)
                for i, first in enumerate(here)
                for j, second in enumerate(there)
            ]
            taken: tuple[set[int], set[int]] = set(), set()
            for score, i, j in sorted(scores):
                if -score >= least and i not in taken[0] and j not in taken[1]:
                    taken[0].add(i)
                    taken[1].add(j)
                    pairs.append((old[i], new[j]))
        self._take(pairs)

    def _groups(self, key: Key[T]) -> Iterator[tuple[list[T], list[T]]]:
        groups: dict[Hashable, tuple[list[T], list[T]]] = {}
        for side, items in enumerate((self.old, self.new)):
            for item in items:
                groups.setdefault(key(item), ([], []))[side].append(item)
        return (group for group in groups.values() if all(group))

    def _take(self, pairs: Iterable[tuple[T, T]]) -> None:
        found = list(pairs)
        taken = {id(item) for pair in found for item in pair}
        self.pairs += found
        self.old = [item for item in self.old if id(item) not in taken]
        self.new = [item for item in self.new if id(item) not in taken]


def _aligned(
    old: Sequence[T], new: Sequence[T], key: Key[T], tags: Container[str]
) -> Iterator[tuple[T, T]]:
    """The pairs of the stretches that difflib gives one of some tags."""
    here, there = [key(item) for item in old], [key(item) for item in new]
    matcher = SequenceMatcher(None, here, there, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag in tags:
            yield from zip(old[i:i_end], new[j:j_end], strict=False)


def _tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(text))


def _share(first: Counter[str], second: Counter[str]) -> float:
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0
