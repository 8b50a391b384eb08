"""Two documents to what differs between them: claims and outputs, found again."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

from literate.diff.pairing import Pairing
from literate.document import Claim, Document

__all__ = ["ClaimPair", "Difference", "OutputPair", "Quote", "Shown", "compare"]

_BREAK = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t]*")
_LINE = re.compile(r"[^\r\n]*")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)")
_ID = re.compile(r"\{[^{}]*#(?P<id>[\w-]+)[^{}]*\}\s*\Z")

# Half of the words and signs in common make a changed text of the same thing.
_ALIKE = 0.5


@dataclass(frozen=True)
class Quote:
    """A claim as one version of its page has it; ``proof`` is its comment's text."""

    line: int
    section: str
    literal: str
    kind: str
    expression: str
    proof: str


@dataclass(frozen=True)
class Shown:
    """A block as one version of its page has it, and what the page says it prints.

    ``line`` is that of the first line of ``text``, the output; without one ``text`` is
    None and ``line`` is the block's.
    """

    line: int
    section: str
    code: str
    text: str | None

    @property
    def lines(self) -> list[str]:
        """The output's lines; how far apart their words stand does not count."""
        return [" ".join(line.split()) for line in (self.text or "").rstrip().split("\n")]


ClaimPair: TypeAlias = tuple[Quote | None, Quote | None]
OutputPair: TypeAlias = tuple[Shown | None, Shown | None]


@dataclass(frozen=True)
class Difference:
    """What differs between two versions of a page, in the page's order.

    ``before`` is the old path where it is another, ``state`` what became of the page
    as a whole. In a pair, old before new, None is what one version lacks.
    """

    path: str
    before: str = ""
    state: str = ""
    claims: tuple[ClaimPair, ...] = ()
    outputs: tuple[OutputPair, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.claims or self.outputs)

    @property
    def numbers(self) -> list[tuple[Quote, Quote]]:
        """Claims with another literal, whether or not with another expression."""
        return [(old, new) for old, new in self._both() if old.literal != new.literal]

    @property
    def expressions(self) -> list[tuple[Quote, Quote]]:
        """Claims with the same literal and another expression or option."""
        return [(old, new) for old, new in self._both() if old.literal == new.literal]

    @property
    def added(self) -> list[Quote]:
        """Claims that only the new version has."""
        return [new for old, new in self.claims if new and not old]

    @property
    def removed(self) -> list[Quote]:
        """Claims that only the old version has."""
        return [old for old, new in self.claims if old and not new]

    def _both(self) -> Iterator[tuple[Quote, Quote]]:
        return ((old, new) for old, new in self.claims if old and new)


def compare(old: Document | None, new: Document | None) -> Difference:
    """What differs between two versions of a page; None for one that is not there.

    Raises:
        ValueError: neither is there.
    """
    page = new or old
    if page is None:
        raise ValueError("there is no version to compare")
    names = _renamed(old, new) if old and new else {}
    moved = old is not None and old.source.path != page.source.path
    return Difference(
        path=page.source.path,
        before=old.source.path if old and moved else "",
        state=_state(old, new),
        claims=_claims(_quotes(old, names), _quotes(new, {})),
        outputs=_outputs(_shown(old, names), _shown(new, {})),
    )


def _state(old: Document | None, new: Document | None) -> str:
    if old is None:
        return "new"
    if new is None:
        return "deleted"
    if old.settings is None and new.settings is not None:
        return "not literate before"
    return "no longer literate" if new.settings is None and old.settings is not None else ""


def _claims(old: list[Quote], new: list[Quote]) -> tuple[ClaimPair, ...]:
    pairing = Pairing(old, new)
    pairing.anywhere(lambda it: (it.section, it.kind, it.expression), lambda it: it.literal)
    pairing.in_order(lambda it: (it.kind, it.expression))
    pairing.anywhere(lambda it: (it.kind, it.expression), lambda it: it.literal)
    pairing.similar(lambda it: (it.section, it.literal), lambda it: it.expression, 0)
    pairing.similar(lambda it: (it.section, it.kind), lambda it: it.expression, _ALIKE)
    pairs: list[ClaimPair] = [
        pair
        for pair in pairing.pairs
        if (pair[0].literal, pair[0].proof) != (pair[1].literal, pair[1].proof)
    ]
    pairs += [(quote, None) for quote in pairing.old]
    pairs += [(None, quote) for quote in pairing.new]
    return tuple(sorted(pairs, key=_line))


def _outputs(old: list[Shown], new: list[Shown]) -> tuple[OutputPair, ...]:
    pairing = Pairing(old, new)
    pairing.in_order(lambda it: it.code)
    pairing.anywhere(lambda it: it.code, lambda it: it.text)
    pairing.similar(lambda it: it.section, lambda it: it.code, _ALIKE)
    pairs: list[OutputPair] = [*pairing.pairs]
    pairs += [(shown, None) for shown in pairing.old]
    pairs += [(None, shown) for shown in pairing.new]
    silent = [(_without(old), _without(new)) for old, new in pairs]
    changed = [
        (before, after)
        for before, after in silent
        if (before.lines if before else []) != (after.lines if after else [])
    ]
    return tuple(sorted(changed, key=_line))


def _without(shown: Shown | None) -> Shown | None:
    """A block that has an output; one without is none to compare."""
    return shown if shown and shown.text is not None and shown.text.strip() else None


def _line(pair: ClaimPair | OutputPair) -> int:
    old, new = pair
    present = new or old
    return present.line if present else 0


def _quotes(document: Document | None, names: Mapping[str, str]) -> list[Quote]:
    if document is None:
        return []
    sections = _Sections(document, names)
    return [
        Quote(
            line=document.source.location(claim.literal.span.start).line,
            section=sections.at(claim.literal.span.start),
            literal=_BREAK.sub(" ", claim.literal.text),
            # Whether a line below a formula says it or a comment in the text is layout.
            kind="=" if claim.kind == "above" else claim.kind,
            expression=_BREAK.sub(" ", claim.expression),
            proof=_proof(claim),
        )
        for claim in document.claims
    ]


def _proof(claim: Claim) -> str:
    kind = "" if claim.kind in {"=", "above"} else f"{claim.kind}: "
    options = {"tol": claim.tolerance, "needs": claim.needs}
    after = "".join(f"; {name}={value}" for name, value in options.items() if value)
    return kind + _BREAK.sub(" ", claim.expression) + after


def _shown(document: Document | None, names: Mapping[str, str]) -> list[Shown]:
    if document is None:
        return []
    sections = _Sections(document, names)
    blocks = []
    for block in document.blocks:
        output = document.outputs.get(block.index)
        line = output.location.line + 1 if output else block.location.line
        section = sections.at(block.span.start)
        blocks.append(Shown(line, section, block.code, output.text if output else None))
    return blocks


class _Sections:
    """The sections of a page by their headings' ids, else their titles."""

    def __init__(self, document: Document, renamed: Mapping[str, str]) -> None:
        self._starts = [heading.offset for heading in document.headings]
        self._names = [renamed.get(name, name) for name in _titles(document)]

    def at(self, offset: int) -> str:
        """The section in which an offset lies; empty before the first heading."""
        index = bisect.bisect_right(self._starts, offset)
        return self._names[index - 1] if index else ""


def _titles(document: Document) -> list[str]:
    titles = []
    for heading in document.headings:
        line = _LINE.match(document.source.text, heading.offset)
        title = _COMMENT.sub("", line.group() if line else "")
        found = _ID.search(title)
        titles.append(f"#{found['id']}" if found else title.strip("# \t"))
    return titles


def _renamed(old: Document, new: Document) -> dict[str, str]:
    """Headings that stand where others stood: the new name by the old one."""
    here, there = _titles(old), _titles(new)
    renamed: dict[str, str] = {}
    matcher = SequenceMatcher(None, here, there, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag != "replace" or i_end - i != j_end - j:
            continue
        for name, name_now in zip(here[i:i_end], there[j:j_end], strict=True):
            if name not in there and name_now not in here:
                renamed[name] = name_now
    return renamed
