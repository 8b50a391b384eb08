"""The Markdown of a site to the Markdown that every notebook reader knows; pure."""

from __future__ import annotations

import re
from typing import TypeAlias

__all__ = ["Piece", "unboxed"]

_BOX = re.compile(
    r"^ *(?:!!!|\?\?\?\+?|===[!+]{0,2})[ \t]+(?P<kind>[\w-]+(?: [\w-]+)*)?[ \t]*"
    r"(?:\"(?P<title>.*)\")?[ \t]*$"
)
_HEADING = re.compile(r"^(?P<text>#{1,6} .*?)[ \t]*\{(?P<attributes>[^{}]*)\}[ \t]*$")
_ID = re.compile(r"#([\w-]+)")
_UNDERLINED = re.compile(r"^(?P<text>[^ \t].*?)[ \t]+\{(?P<attributes>[^{}]*)\}[ \t]*$")
_RULE = re.compile(r"^(?:=+|-+) *$")
_NOTE = re.compile(r'<a id="footnote-[^"]*"></a>\*\*\[\d+\]\*\*')

Piece: TypeAlias = tuple[str, int | None]
"""A text, and from which of its lines on it is no Markdown, if it is not."""


def unboxed(pieces: list[Piece], depth: int) -> str:
    """Markdown without boxes, footnotes that are indented, and attributes of headings.

    Args:
        pieces: what stands between two blocks.
        depth: in how many containers it begins.
    """
    text, kept = "", set[int]()
    for piece, first in pieces:
        before = text.count("\n")
        text += piece.replace("\r\n", "\n").replace("\r", "\n")
        if first is not None:
            after = text.removesuffix("\n").count("\n")
            kept |= set(range(before + first, after + 1))
    lines: list[str] = []
    source = text.split("\n")
    for number, line in enumerate(source):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and not (number in kept and number - 1 in kept):
            depth = min(depth, indent // 4)
        if number in kept:
            lines.append(line[min(indent, 4 * depth) :])
            continue
        box = _BOX.match(line)
        if box and indent // 4 == depth:
            lines += _title(box)
            depth += 1
            continue
        below = source[number + 1] if number + 1 < len(source) and number + 1 not in kept else ""
        lines += _heading(line[4 * depth :] if line.strip() else "", below[4 * depth :])
        # What is indented below is more of the footnote, and no code.
        depth += bool(_NOTE.match(lines[-1]))
    return "\n".join(lines)


def _title(box: re.Match[str]) -> list[str]:
    """The bold line for a box's title; none for a box that has an empty one."""
    if box["title"] == "":
        return []
    title = box["title"] or (box["kind"] or "").capitalize()
    return [f"**{title}**".replace(r"\"", '"')]


def _heading(line: str, below: str) -> list[str]:
    """A line, a heading's ids as anchors before it; the line below it may be its rule."""
    heading = _HEADING.match(line) or (_RULE.match(below) and _UNDERLINED.match(line))
    if not heading:
        return [line]
    names = _ID.findall(heading["attributes"])
    return [*(f'<a id="{name}"></a>\n' for name in names), heading["text"]]
