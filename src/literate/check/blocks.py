"""Findings about blocks, their outputs, listings and figures."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from literate.document import CodeBlock, Document, OutputBlock
from literate.errors import Finding, Level
from literate.names import defined_below
from literate.numbers import Difference, same_text
from literate.results import BlockResult, ChapterResult, Failure
from literate.source import Location

__all__ = ["check_blocks"]

SYNC = 'run "literate sync"'


def check_blocks(document: Document, result: ChapterResult) -> Iterator[Finding]:
    """What is wrong with the page's blocks and what they gave."""
    yield from _outputs_of_nothing(document)
    for block in document.blocks:
        outcome = result.blocks.get(block.index)
        if outcome is None:
            continue
        if outcome.failure:
            yield _failure(document, block, outcome.failure)
            continue
        yield from _listing(block, outcome)
        yield from _output(block, outcome, document.outputs.get(block.index))
        yield from _figures(block, outcome)


def _failure(document: Document, block: CodeBlock, failure: Failure) -> Finding:
    where = block.place(failure.line, failure.column)
    what = failure.what + defined_below(document, failure.what, block.span.start)
    return Finding(where, "block-failed", what, failure.todo, Level.FAILURE, failure.traceback)


def _outputs_of_nothing(document: Document) -> Iterator[Finding]:
    """Output blocks below blocks that keep none, so that nothing would check them."""
    for block in document.blocks:
        output = document.outputs.get(block.index)
        if output is None or block.options.keeps_output:
            continue
        flags = ("norun", "hide", "volatile")
        flag = next(flag for flag in flags if getattr(block.options, flag))
        what = f"the block above is {flag}, so nothing checks this output"
        yield Finding(output.location, "unchecked-output", what, f"{SYNC}, which removes it")


def _listing(block: CodeBlock, outcome: BlockResult) -> Iterator[Finding]:
    if outcome.listing is None or outcome.listing == block.code:
        return
    shown, computed = block.code.split("\n"), outcome.listing.split("\n")
    line = next(
        (i for i, (a, b) in enumerate(zip(shown, computed, strict=False)) if a != b),
        min(len(shown), len(computed)),
    )
    here = f"{shown[line].strip()!r} shown" if line < len(shown) else "nothing shown"
    there = f"{computed[line].strip()!r}" if line < len(computed) else "nothing"
    what = f"{here}, {there} in the source of {block.options.source}"
    where = Location(block.location.path, block.code_line + line)
    detail = _diff(block.code, outcome.listing)
    yield Finding(where, "stale-listing", what, SYNC, detail=detail)


def _output(
    block: CodeBlock, outcome: BlockResult, output: OutputBlock | None
) -> Iterator[Finding]:
    if not block.options.keeps_output:
        return
    if output is None:
        if outcome.text and not block.options.raises:
            first = outcome.text.strip().split("\n")[0]
            first = first if len(first) <= 80 else first[:79] + "…"
            what = f"this block prints {first!r} and no output block shows it"
            yield Finding(block.location, "missing-output", what, SYNC, detail=outcome.text)
        return
    comparison = same_text(output.text, outcome.text)
    if comparison.difference:
        detail = _diff(output.text, outcome.text)
        what = _difference(comparison.difference)
        yield Finding(output.location, "stale-output", what, SYNC, detail=detail)
    elif comparison.near:
        what = f"boundary: {_difference(comparison.near)}, next to where the last digit turns"
        yield Finding(output.location, "boundary", what, "quote fewer digits", Level.WARNING)


def _figures(block: CodeBlock, outcome: BlockResult) -> Iterator[Finding]:
    """Pictures without words, words without a picture, and pictures too large."""
    options, where = block.options, block.location
    if options.hide:
        return
    if not options.alt and any(item.is_figure for item in outcome.rich):
        what = "this block draws a figure and has no words for those who cannot see it"
        yield Finding(where, "figure-without-alt", what, 'say alt="…" on its opening line')
    if not outcome.rich:
        for name in ("alt", "caption"):
            if getattr(options, name):
                what = f"this block has {name}= and shows no figure"
                yield Finding(where, "option-without-figure", what, f"remove {name}=")
    for item in outcome.rich:
        if item.large:
            what = f"this figure is {item.large / 1e6:.1f} MB as SVG and stands as pixels"
            todo = "draw fewer points, or set rasterized=True on them"
            yield Finding(where, "figure-large", what, todo, Level.WARNING)


def _difference(found: Difference) -> str:
    shown, computed = found.shown or "nothing", found.computed or "nothing"
    return f"{shown} shown, {computed} computed (line {found.line} of the output)"


def _diff(shown: str, computed: str) -> str:
    lines = difflib.unified_diff(
        shown.split("\n"), computed.split("\n"), "shown", "computed", lineterm=""
    )
    return "\n".join(lines)
