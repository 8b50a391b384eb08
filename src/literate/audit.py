"""Which numbers of the prose have a proof, and which nobody checked; pure."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from literate.document import Claim, CodeBlock, Document, Formula, Prose
from literate.numbers import Literal, find
from literate.source import Location, Span

__all__ = ["STATUSES", "Coverage", "Mention", "audit"]

STATUSES = ("computed", "shown", "cited", "unchecked", "unbound")

_SECTION = 2
"""Headings of this level and above begin a section."""

_MARKUP = re.compile(
    r"""
    \]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)     # the target of a link
  | <[A-Za-z/!?][^<>]*>                       # a tag, with its attributes, or an address
  | \{[:.\#][^{}\n]*\}|\{[ ][:.\#][^{}\n]*\}    # attributes
  | ^[ \t]*\[(?!\^)[^\]\n]+\]:.*$               # where a reference leads
    """,
    re.VERBOSE | re.MULTILINE,
)
# A length begins where its digits do: each place is looked at once, and nothing is given back.
_TEX_LENGTHS = re.compile(
    r"\\[hv]space\*?\{[^{}]*\}|\\\\\*?\[[^\[\]]*\]|\\(?:kern|hskip|mskip|mkern)\s*"
    r"|(?:-|(?<![\d.]))[\d.]++\s*+(?:em|ex|pt|mu|cm|mm|in)\b"
)
_BREAK = re.compile(r"\n(?=\n)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_AFTER_NAME = re.compile(
    r"(?:\b(?!(?:In|By|Since|From|Of|At|On|Until|After|Before|The|For|About|Around)\b)"
    r"[A-Z][\w’'.-]+|et al\.),?[ \n]\(?\Z"
)
_FOOTNOTE = re.compile(r"^[ \t]*\[\^[^\]\n]+\]:", re.MULTILINE)


@dataclass(frozen=True)
class Mention:
    """A number of the prose, its place, and what stands behind it."""

    text: str
    where: Location
    status: str
    claim: Claim | None = None


@dataclass(frozen=True)
class Coverage:
    """The mentions of one page, in order."""

    name: str
    mentions: tuple[Mention, ...]

    def count(self, status: str) -> int:
        """How many mentions have a status."""
        return sum(mention.status == status for mention in self.mentions)

    @property
    def unbound(self) -> tuple[Mention, ...]:
        """The numbers that nobody checked."""
        return tuple(mention for mention in self.mentions if mention.status == "unbound")

    def to_json(self) -> dict[str, Any]:
        """A value of lists, mappings and plain values."""
        return {
            "page": self.name,
            **{status: self.count(status) for status in STATUSES},
            "unbound_numbers": [
                {"text": item.text, "line": item.where.line, "column": item.where.column}
                for item in self.unbound
            ],
        }


def audit(document: Document, missing: dict[str, str] | None = None) -> Coverage:
    """Say of every claim, and of every other checkable number, what stands behind it.

    Args:
        document: the page.
        missing: the resources that are not here.
    """
    return Coverage(document.source.path, tuple(_Auditor(document, missing or {}).mentions()))


class _Auditor:
    def __init__(self, document: Document, missing: dict[str, str]) -> None:
        self.document = document
        self.missing = missing
        self.text = document.source.text
        self.sections = [h.offset for h in document.headings if h.level <= _SECTION]
        self.bound = {claim.literal.span.start: claim for claim in document.claims}
        self.shown = self._shown()
        self.breaks = [found.start() for found in _BREAK.finditer(self.text)]
        self.footnotes = [Span(*found.span()) for found in _FOOTNOTE.finditer(self.text)]

    def mentions(self) -> list[Mention]:
        found = [(claim.literal.span.start, self._claimed(claim)) for claim in self.document.claims]
        for start, literal in self._numbers():
            if start not in self.bound and literal.checkable:
                found.append((start, self._free(start, literal)))
        return [mention for _, mention in sorted(found, key=lambda pair: pair[0])]

    def _claimed(self, claim: Claim) -> Mention:
        status = "cited" if claim.kind == "cite" else "computed"
        if claim.needs in self.missing:
            status = "unchecked"
        where = self.document.source.location(claim.literal.span.start)
        return Mention(claim.literal.text, where, status, claim)

    def _free(self, start: int, literal: Literal) -> Mention:
        shown = self.shown.get(self._section(start), set())
        status = "shown" if (literal.value, literal.percent != "") in shown else "unbound"
        return Mention(literal.text, self.document.source.location(start), status)

    def _section(self, offset: int) -> int:
        return bisect.bisect_right(self.sections, offset)

    def _shown(self) -> dict[int, set[tuple[Any, bool]]]:
        """The numbers of the output blocks, by section."""
        shown: dict[int, set[tuple[Any, bool]]] = {}
        for output in self.document.outputs.values():
            numbers = shown.setdefault(self._section(output.span.start), set())
            numbers |= {
                (found.literal.value, found.literal.percent != "")
                for found in find(output.text, output=True)
            }
        return shown

    def _numbers(self) -> Iterator[tuple[int, Literal]]:
        """Every number of the prose, formulas and captions, with its offset."""
        for piece, in_formula in self._pieces():
            text = self.document.source.slice(piece)
            blanked = (_TEX_LENGTHS if in_formula else _MARKUP).sub(_blank, text)
            for found in find(blanked):
                start = piece.start + found.start
                if in_formula or not self._is_year(start, found.literal):
                    yield start, found.literal

    def _pieces(self) -> Iterator[tuple[Span, bool]]:
        for node in self.document.nodes:
            if isinstance(node, Prose):
                yield node.span, False
            elif isinstance(node, Formula):
                marks = 2 if node.display else 1
                yield Span(node.span.start + marks, node.span.end - marks), True
            elif isinstance(node, CodeBlock) and node.caption:
                yield from self._caption(node, node.caption)

    def _caption(self, block: CodeBlock, caption: Span) -> Iterator[tuple[Span, bool]]:
        position = caption.start
        for comment in block.comments:
            yield Span(position, comment.span.start), False
            position = comment.span.end
        yield Span(position, caption.end), False

    def _is_year(self, start: int, literal: Literal) -> bool:
        """Whether it is a year: in a footnote, or after a name."""
        if not _YEAR.fullmatch(literal.text):
            return False
        before = self.text[max(0, start - 80) : start]
        if _AFTER_NAME.search(before):
            return True
        return self._in_footnote(start)

    def _in_footnote(self, offset: int) -> bool:
        """Whether a footnote begins between the paragraph's beginning and this place."""
        after = bisect.bisect_right(self.breaks, offset - 2)
        begin = self.breaks[after - 1] if after else 0
        later = bisect.bisect_right(self.footnotes, offset, key=lambda span: span.end)
        return later > 0 and self.footnotes[later - 1].start >= begin


def _blank(found: re.Match[str]) -> str:
    """As many blanks: what stands behind keeps its place."""
    return re.sub(r"[^\n]", " ", found.group())
