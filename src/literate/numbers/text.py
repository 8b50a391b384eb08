"""Compares two texts number by number, as what a program prints is compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from literate.numbers.compare import Verdict, compare
from literate.numbers.literal import Literal
from literate.numbers.scan import find

__all__ = ["Difference", "TextComparison", "same_text"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_PIECE = re.compile(rf"(?P<end>[ \t]*(?:{_LINE_END.pattern}))|(?P<blank>[ \t]+)|[^ \t\r\n]+")
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two texts part: a number and its value, or the rest of both lines.

    ``line`` and ``column`` count from 1 within the text shown; ``shown`` or
    ``computed`` is empty where that text has ended or its line has.
    """

    shown: str
    computed: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class TextComparison:
    """What came of comparing a text shown with a text computed.

    ``difference`` is the first difference, ``near`` the first number that passes but
    whose value lies at a rounding boundary; it is not looked for behind a difference.
    """

    difference: Difference | None = None
    near: Difference | None = None

    @property
    def equal(self) -> bool:
        """Whether the text shown is true."""
        return self.difference is None

    @property
    def boundary(self) -> bool:
        """Whether a number lies at a rounding boundary."""
        return self.near is not None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A number, a run of blanks, a line end, or a run of other characters."""

    text: str
    start: int
    literal: Literal | None = None


def same_text(shown: str, computed: str) -> TextComparison:
    """Compare what a page shows with what its code put out, by the rule for equal.

    Each number shown is a literal, the number at the same place of the other text its
    value; fewer digits may be shown than were computed. Everything between the numbers
    must be the same. A run of blanks counts as one blank (so one blank is not none),
    and neither blanks at the end of a line nor blank lines at the end of the text
    count. Lines may end in LF, CR LF or CR.

    Args:
        shown: the text on the page.
        computed: the text that the code put out.

    Examples:
        >>> same_text("tensor([0.58,  1.])", "tensor([0.5764, 1.]) ").equal
        True
        >>> same_text("loss 0.17", "loss 0.1812").difference
        Difference(shown='0.17', computed='0.1812', line=1, column=6)
    """
    if shown.rstrip() == computed.rstrip():
        return TextComparison()
    near: Difference | None = None
    for here, there in zip_longest(_pieces(shown), _pieces(computed)):
        verdict = _compare(here, there)
        if verdict is Verdict.EQUAL:
            continue
        difference = _difference(shown, here, computed, there)
        if verdict is Verdict.DIFFERENT:
            return TextComparison(difference, near)
        near = near or difference
    return TextComparison(None, near)


def _pieces(text: str) -> list[_Piece]:
    """A text cut where numbers, blanks and lines begin and end."""
    pieces: list[_Piece] = []
    position = 0
    for found in find(text, output=True):
        pieces += _between(text, position, found.start)
        pieces.append(_Piece(found.literal.text, found.start, found.literal))
        position = found.end
    pieces += _between(text, position, len(text))
    while pieces and pieces[-1].text in (" ", "\n"):
        pieces.pop()
    return pieces


def _between(text: str, start: int, end: int) -> Iterator[_Piece]:
    for match in _PIECE.finditer(text, start, end):
        plain = "\n" if match["end"] else " " if match["blank"] else match[0]
        yield _Piece(plain, match.start())


def _compare(here: _Piece | None, there: _Piece | None) -> Verdict:
    if here is None or there is None:
        return Verdict.DIFFERENT
    if here.text == there.text:
        return Verdict.EQUAL
    literal, computed = here.literal, there.literal
    if literal is None or computed is None:
        return Verdict.DIFFERENT
    # The percent sign is text like any other, so 93% is not 0.93 here.
    if bool(literal.percent) != bool(computed.percent):
        return Verdict.DIFFERENT
    return compare(literal, str(computed.value))


def _difference(shown: str, here: _Piece | None, computed: str, there: _Piece | None) -> Difference:
    numbers = here and there and here.literal and there.literal
    start = here.start if here else len(shown.rstrip(" \t\r\n"))
    lines = [0, *(match.end() for match in _LINE_END.finditer(shown, 0, start))]
    return Difference(
        shown=here.text if here and numbers else _rest(shown, here),
        computed=there.text if there and numbers else _rest(computed, there),
        line=len(lines),
        column=start - lines[-1] + 1,
    )


def _rest(text: str, piece: _Piece | None) -> str:
    """The line from a piece on, cut where it gets long."""
    if piece is None:
        return ""
    end = _LINE_END.search(text, piece.start)
    line = text[piece.start : end.start() if end else len(text)].rstrip()
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
