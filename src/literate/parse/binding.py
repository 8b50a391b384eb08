"""Which characters of the prose a claim is about."""

from __future__ import annotations

import re
from collections.abc import Iterable

from literate.document import Literal
from literate.numbers import find, read
from literate.source import Span

__all__ = ["Above", "left_of"]

_REACH = 200
"""How many characters to the left a literal may begin."""

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

    Occurrences of the same literal are bound from left to right.
    """

    def __init__(self, text: str, pieces: Iterable[tuple[Span, bool]], bound: set[int]) -> None:
        self._text = text
        self._pieces = list(pieces)
        self._bound = bound
        self._numbers: dict[str, list[tuple[Span, bool]]] | None = None

    def bind(self, literal: str) -> Literal | None:
        """The next occurrence of a literal, or None where there is none left."""
        if read(literal) is None:
            return self._bind_text(literal)
        if self._numbers is None:
            self._numbers = self._find_numbers()
        for span, in_formula in self._numbers.get(literal, []):
            if span.start not in self._bound:
                self._bound.add(span.start)
                return Literal(literal, span, "number", in_formula)
        return None

    def _find_numbers(self) -> dict[str, list[tuple[Span, bool]]]:
        numbers: dict[str, list[tuple[Span, bool]]] = {}
        for piece, in_formula in self._pieces:
            for found in find(self._text[piece.start : piece.end]):
                span = Span(piece.start + found.start, piece.start + found.end)
                numbers.setdefault(found.literal.text, []).append((span, in_formula))
        return numbers

    def _bind_text(self, literal: str) -> Literal | None:
        for piece, in_formula in self._pieces:
            start = self._text.find(literal, piece.start, piece.end)
            while start >= 0 and start in self._bound:
                start = self._text.find(literal, start + 1, piece.end)
            if start >= 0:
                self._bound.add(start)
                span = Span(start, start + len(literal))
                return Literal(literal, span, "code", in_formula)
        return None
