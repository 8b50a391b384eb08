"""The parts of a page that can be told apart: blocks, outputs, claims, early findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from literate.errors import Finding
from literate.pipeline.chapters import Chapter
from literate.pipeline.runs import Page, before_running
from literate.source import Location

__all__ = ["Part", "by_part", "parts_of", "stopped_at"]


@dataclass(frozen=True)
class Part:
    """Something of a page that is so or not, on the lines from ``where`` to ``last``.

    Attributes:
        kind: ``block``, ``output`` or ``claim``, or ``finding`` for what is wrong
            before the page runs.
        label: what a person knows it by.
        where: its place; a claim stands where its literal does.
        last: its last line.
        index: that of the block, for an output too, or of the claim.
        lacking: the resource that it needs and that is not here, with how to get it.
        comment: where a claim's comment is.
        finding: of the kind ``finding``.
    """

    kind: str
    label: str
    where: Location
    last: int
    index: int = 0
    lacking: str = ""
    comment: Location | None = None
    finding: Finding | None = field(default=None, compare=False)


def parts_of(chapter: Chapter) -> tuple[Part, ...]:
    """The parts of a page that has not run, in the order of its lines.

    A block that is ``norun``, an output that nothing compares and a claim that cites
    are none.
    """
    found = [*_early(chapter), *_blocks(chapter), *_claims(chapter)]
    return tuple(sorted(found, key=lambda part: part.where))


def _early(chapter: Chapter) -> Iterator[Part]:
    for finding in before_running(chapter):
        yield Part("finding", finding.rule, finding.where, finding.where.line, finding=finding)


def _blocks(chapter: Chapter) -> Iterator[Part]:
    document = chapter.document
    for block in document.blocks:
        options = block.options
        if options.norun:
            continue
        lines = (line.strip() for line in block.code.split("\n"))
        shown = f"source={options.source}" if options.source else next(filter(None, lines), "")
        label = f"block, {shown}" if shown else "block"
        last = document.source.location(block.span.end - 1).line
        lacking = _lacking(chapter, options.needs)
        yield Part("block", label, block.location, last, block.index, lacking)
        output = document.outputs.get(block.index)
        if output and options.keeps_output:
            last = document.source.location(output.span.end - 1).line
            yield Part("output", "output", output.location, last, block.index, lacking)


def _claims(chapter: Chapter) -> Iterator[Part]:
    for claim in chapter.document.claims:
        if claim.kind == "cite":
            continue
        label = f"{claim.literal.text} = {claim.expression}"
        if claim.kind == "assert":
            label = f"assert {claim.expression}"
        where = chapter.document.source.location(claim.literal.span.start)
        lacking = _lacking(chapter, claim.needs)
        yield Part("claim", label, where, where.line, claim.index, lacking, claim.location)


def _lacking(chapter: Chapter, name: str) -> str:
    return f"{name}: {chapter.missing[name]}" if name in chapter.missing else ""


def by_part(page: Page, among: Sequence[Part]) -> dict[Part, list[Finding]]:
    """What a run found, by the part that it is about, which is one ``among`` these."""
    candidates = [part for part in among if part.kind != "finding"]
    early = set(before_running(page.chapter))
    found: dict[Part, list[Finding]] = {}
    for finding in page.findings:
        if finding not in early and candidates:
            found.setdefault(_at(finding.where, candidates), []).append(finding)
    return found


def _at(where: Location, among: Sequence[Part]) -> Part:
    """The part at a place, else around its line, else before it."""
    for part in among:
        if where in (part.where, part.comment):
            return part
    around = [part for part in among if part.where.line <= where.line <= part.last]
    before = [part for part in among if part.where <= where]
    return (around or before[-1:] or among)[0]


def stopped_at(page: Page, part: Part, among: Sequence[Part]) -> Part | None:
    """The part at which a page stopped before it came to this one; None if it came to it.

    It is the part itself where nobody can know.
    """
    result = page.result
    failed = result.failed
    if part.kind == "claim":
        came = part.index in result.claims
    elif part.kind == "output":
        outcome = result.blocks.get(part.index)
        came = outcome is not None and outcome.failure is None
    else:
        came = part.index in result.blocks
    if came:
        return None
    errors = [index for index, value in result.claims.items() if value.error]
    kind, index = ("block", failed.index) if failed else ("claim", errors[-1] if errors else -1)
    return next((other for other in among if (other.kind, other.index) == (kind, index)), part)
