"""The inside of a paragraph: code spans, formulas, comments, and prose between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from literate.source import Span

__all__ = ["RawInline", "pieces_of", "scan_inline", "without_comments"]

_SPECIAL = re.compile(r"[`$<\\]")
_TICKS = re.compile(r"`+")
_DISPLAY = re.compile(r"\$\$(?P<tex>(?:\\[\s\S]|[^\\$])+)\$\$")
_INLINE = re.compile(r"\$(?!\s)(?P<tex>(?:\\[\s\S]|[^\\$])+)(?<!\s)\$")


@dataclass(frozen=True)
class RawInline:
    """Something inside prose: ``code``, ``formula``, ``display`` or ``comment``."""

    kind: str
    span: Span
    inner: Span


def scan_inline(text: str, region: Span) -> Iterator[RawInline]:
    """Find what is not plain prose in ``region``, from left to right."""
    ticks = _tick_runs(text, region)
    comments = True
    position = region.start
    while found := _SPECIAL.search(text, position, region.end):
        start, position = found.start(), found.end()
        item: RawInline | None = None
        if found.group() == "\\":
            # A backslash does not keep a comment from being one.
            escaped = text[start + 1 : start + 2] != "<"
            position = min(start + 1 + escaped, region.end)
        elif found.group() == "`":
            item, position = _code_span(text, start, region, ticks)
        elif found.group() == "$":
            item, position = _formula(text, start, region)
        elif comments and text.startswith("<!--", start):
            item = _comment(text, start, region)
            comments = item is not None
        if item:
            yield item
            position = item.span.end


def _tick_runs(text: str, region: Span) -> dict[int, list[int]]:
    """Where runs of backticks start, by length, the last first."""
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text, region.start, region.end):
        runs.setdefault(len(run.group()), []).append(run.start())
    return {length: starts[::-1] for length, starts in runs.items()}


def _code_span(
    text: str, start: int, region: Span, runs: dict[int, list[int]]
) -> tuple[RawInline | None, int]:
    """The code span that opens at ``start``, else where to read on."""
    opening = _TICKS.match(text, start, region.end)
    assert opening is not None
    length = len(opening.group())
    closings = runs.get(length, [])
    while closings and closings[-1] < opening.end():
        closings.pop()
    if not closings:
        return None, opening.end()
    inner = Span(opening.end(), closings[-1])
    return RawInline("code", Span(start, inner.end + length), inner), inner.end


def _formula(text: str, start: int, region: Span) -> tuple[RawInline | None, int]:
    """The formula that opens at ``start``, by the rules of pymdownx.arithmatex."""
    for kind, pattern in (("display", _DISPLAY), ("formula", _INLINE)):
        if found := pattern.match(text, start, region.end):
            inner = Span(*found.span("tex"))
            return RawInline(kind, Span(start, found.end()), inner), found.end()
    return None, start + (2 if text.startswith("$$", start) else 1)


def _comment(text: str, start: int, region: Span) -> RawInline | None:
    end = text.find("-->", start + 4, region.end)
    if end < 0:
        return None
    return RawInline("comment", Span(start, end + 3), Span(start + 4, end))


def pieces_of(region: Span, items: list[RawInline]) -> Iterator[tuple[Span, bool]]:
    """The parts of a region in which literals may stand, and which are formulas."""
    position = region.start
    for item in items:
        yield Span(position, item.span.start), False
        if item.kind in {"formula", "display"}:
            yield item.inner, True
        position = item.span.end
    yield Span(position, region.end), False


def without_comments(text: str) -> str:
    """A caption as it is read; a comment that nothing closes stays."""
    pieces: list[str] = []
    position = 0
    while (begin := text.find("<!--", position)) >= 0:
        end = text.find("-->", begin + 4)
        if end < 0:
            break
        pieces.append(text[position:begin])
        position = end + 3
    return "".join([*pieces, text[position:]])
