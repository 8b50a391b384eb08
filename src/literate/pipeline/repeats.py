"""Pages run twice, and what the second run gave otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from literate.errors import Finding
from literate.pipeline.chapters import Chapter
from literate.pipeline.runs import Page, Progress, run_chapters
from literate.results import BlockResult, ChapterResult, ClaimValue
from literate.settings import Site

__all__ = ["run_twice"]

_TODO = "seed what draws at random and sort what has no order, or mark the block volatile"
_LONGEST = 60


def run_twice(chapters: Sequence[Chapter], site: Site, progress: Progress) -> list[Page]:
    """Run every chapter twice, each time from the beginning, and hold the results together.

    The pages are those of the first run; what differs in the second is among their findings.

    Args:
        chapters: what to run; the pages come back in this order.
        site: whose folder the code runs in.
        progress: told of each block that begins.
    """
    first = run_chapters(chapters, site, progress, fresh=True)
    second = run_chapters(chapters, site, progress, fresh=True)
    return [_held(page, again.result) for page, again in zip(first, second, strict=True)]


def _held(page: Page, again: ChapterResult) -> Page:
    found = [*_blocks(page, again), *_claims(page, again)]
    return replace(page, findings=tuple(sorted([*page.findings, *found], key=_place)))


def _place(finding: Finding) -> tuple[int, int]:
    return finding.where.line, finding.where.column


def _blocks(page: Page, again: ChapterResult) -> Iterator[Finding]:
    for block in page.chapter.document.blocks:
        one, other = page.result.blocks.get(block.index), again.blocks.get(block.index)
        if one != other and not block.options.volatile:
            what = f"two runs gave {_shown(one)} and {_shown(other)}"
            if one and other and one.text == other.text and not (one.failure or other.failure):
                what = "two runs drew or showed something else"
            yield Finding(block.location, "not-repeatable", what, _TODO)


def _claims(page: Page, again: ChapterResult) -> Iterator[Finding]:
    for claim in page.chapter.document.claims:
        one, other = page.result.claims.get(claim.index), again.claims.get(claim.index)
        if one != other:
            what = f"{claim.expression} is {_value(one)} in one run and {_value(other)} in another"
            yield Finding(claim.location, "not-repeatable", what, _TODO)


def _shown(result: BlockResult | None) -> str:
    if result is None:
        return "nothing, as it did not run"
    text = result.failure.what if result.failure else repr(result.text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _value(value: ClaimValue | None) -> str:
    return "unknown" if value is None else value.error or value.text
