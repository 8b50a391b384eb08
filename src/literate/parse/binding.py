"""Which characters of the prose a claim is about."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable

from literate.document import Literal
from literate.numbers import find, read
from literate.source import Span

__all__ = ["Above", "left_of"]

_REACH = 200
"""How many characters to the left a literal may begin."""

_LONGEST = 50_000
"""How many characters of a paragraph are searched for a literal that is no number.

Every such literal costs a search, so that this bounds what a page can cost.
"""

_EMPHASIS = "*_"
_TICKS = re.compile(r"`+\Z")
_WORD = re.compile(r"[^\s|>*_]+\Z")


def left_of(text: str, left: int, end: int) -> Literal | None:
    """The literal that ends where a comment begins; closing marks are skipped.

    Args:
        text: the chapter.
        left: where the paragraph begins.
        end: where the comment begins.
    """
    while end > left and text[end - 1] in _EMPHASIS:
        end -= 1
    if ticks := _TICKS.search(text, max(left, end - 20), end):
        return _code(text, left, ticks.start(), ticks.group())
    if text[max(left, end - 1) : end] == "$":
        inner = end - 2 if text[max(left, end - 2) : end] == "$$" else end - 1
        return _number(text, left, inner, in_formula=True)
    return _number(text, left, end) or _word(text, left, end)


def _code(text: str, left: int, end: int, ticks: str) -> Literal | None:
    start = text.rfind(ticks, left, end)
    if start < 0:
        return None
    return Literal(text[start + len(ticks) : end], Span(start + len(ticks), end), "code")


def _number(text: str, left: int, end: int, in_formula: bool = False) -> Literal | None:
    """The number that ends at ``end``."""
    start = max(left, end - _REACH)
    comment = text.rfind("-->", start, end)
    start = comment + 3 if comment >= 0 else start
    for found in reversed(find(text[start:end])[-1:]):
        if start + found.end == end:
            span = Span(start + found.start, end)
            return Literal(found.literal.text, span, "number", in_formula)
    return None


def _word(text: str, left: int, end: int) -> Literal | None:
    found = _WORD.search(text, max(left, end - _REACH), end)
    return Literal(found.group(), Span(*found.span()), "text") if found else None


class Above:
    """The paragraph, table or formula above a comment, with what is not bound in it yet.

    Occurrences of the same literal are bound from left to right. What is bound stays so:
    each search for a literal goes on where the last one ended.
    """

    def __init__(self, text: str, pieces: Iterable[tuple[Span, bool]], bound: set[int]) -> None:
        self._text = text
        self._pieces = list(pieces)
        self._bound = bound
        self._numbers: dict[str, list[tuple[Span, bool]]] | None = None
        self._words: _Words | None = None

    def bind(self, literal: str) -> Literal | None:
        """The next occurrence of a literal, or None where there is none left."""
        if read(literal) is None:
            return self._bind_text(literal)
        if self._numbers is None:
            self._numbers = self._find_numbers()
        left = self._numbers.get(literal, [])
        while left:
            span, in_formula = left.pop()
            if span.start not in self._bound:
                self._bound.add(span.start)
                return Literal(literal, span, "number", in_formula)
        return None

    def _find_numbers(self) -> dict[str, list[tuple[Span, bool]]]:
        """Where each literal stands, the last place first."""
        numbers: dict[str, list[tuple[Span, bool]]] = {}
        for piece, in_formula in self._pieces:
            for found in find(self._text[piece.start : piece.end]):
                span = Span(piece.start + found.start, piece.start + found.end)
                numbers.setdefault(found.literal.text, []).append((span, in_formula))
        return {literal: places[::-1] for literal, places in numbers.items()}

    def _bind_text(self, literal: str) -> Literal | None:
        if self._words is None:
            self._words = _Words(self._text, self._pieces)
        while place := self._words.next(literal):
            start, in_formula = place
            if start not in self._bound:
                self._bound.add(start)
                return Literal(literal, Span(start, start + len(literal)), "code", in_formula)
        return None


class _Words:
    """The pieces of a paragraph as one text, to look for words in all of them at once."""

    def __init__(self, text: str, pieces: list[tuple[Span, bool]]) -> None:
        self._pieces = pieces
        self._starts: list[int] = []
        self._found: dict[str, int] = {}
        parts: list[str] = []
        length = 0
        for piece, _ in pieces:
            if length > _LONGEST:
                break
            self._starts.append(length)
            parts.append(text[piece.start : min(piece.end, piece.start + _LONGEST)])
            length += len(parts[-1]) + 1
        # No literal goes over a line's end, so none is found over the seam of two pieces.
        self._text = "\n".join(parts)

    def next(self, literal: str) -> tuple[int, bool] | None:
        """Where in the source the next occurrence begins, and whether in a formula."""
        at = self._text.find(literal, self._found.get(literal, 0))
        if at < 0:
            self._found[literal] = len(self._text)
            return None
        self._found[literal] = at + 1
        index = bisect.bisect_right(self._starts, at) - 1
        piece, in_formula = self._pieces[index]
        return piece.start + at - self._starts[index], in_formula
