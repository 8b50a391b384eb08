"""Lines and the containers (quotes, lists, admonitions, tabs) they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["INDENT", "Container", "Line", "Rest", "enter", "indentation", "split"]

INDENT = 4
"""Columns that Python-Markdown asks of the content of a list or an admonition."""

_LINE = re.compile(r"[^\r\n]*(\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line by its offsets: ``end`` is before the line end, ``next`` behind it."""

    start: int
    end: int
    next: int


@dataclass(frozen=True, eq=False)
class Container:
    """A block that holds blocks: ``quote``, ``list`` or ``box`` (admonition, tab).

    Two containers are the same only if they are one, not if they are alike.
    """

    kind: str


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of a line inside its containers.

    ``offset`` is where it starts, ``column`` its virtual column with tabs at
    every fourth, ``matched`` how many containers the line stands in.
    """

    offset: int
    column: int
    matched: int


def split(text: str, start: int = 0) -> Iterator[Line]:
    """The lines of ``text`` from ``start`` on, without a last empty one."""
    position = start
    while position < len(text):
        found = _LINE.match(text, position)
        assert found is not None
        yield Line(position, found.start(1), found.end())
        position = found.end()


def indentation(text: str, offset: int, end: int, column: int) -> tuple[int, int]:
    """Walk over blanks from ``offset``; the offset and the column behind them."""
    while offset < end and text[offset] in " \t":
        column += INDENT - column % INDENT if text[offset] == "\t" else 1
        offset += 1
    return offset, column


def enter(text: str, line: Line, containers: list[Container]) -> Rest:
    """Take the containers' marks off the front of a line, as far as they stand."""
    offset, column = line.start, 0
    for matched, container in enumerate(containers):
        inner, inner_column = indentation(text, offset, line.end, column)
        if container.kind == "quote":
            if inner_column - column > 3 or text[inner : inner + 1] != ">":
                return Rest(offset, column, matched)
            offset, column = after_quote_mark(text, inner, inner_column)
        elif inner == line.end:
            offset, column = inner, inner_column
        elif inner_column - column < INDENT:
            return Rest(offset, column, matched)
        else:
            offset, column = _take(text, offset, column)
    return Rest(offset, column, len(containers))


def after_quote_mark(text: str, offset: int, column: int) -> tuple[int, int]:
    """The offset and column behind ``>`` and the blank that may follow it."""
    blank = text[offset + 1 : offset + 2] == " "
    return offset + 1 + blank, column + 1 + blank


def _take(text: str, offset: int, column: int) -> tuple[int, int]:
    """Take four columns of blanks, which the caller knows to be there."""
    goal = column + INDENT
    while column < goal:
        column += INDENT - column % INDENT if text[offset] == "\t" else 1
        offset += 1
    return offset, column
