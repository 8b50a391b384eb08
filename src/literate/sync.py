"""A document and its results to edits of the source, no more than needed; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from literate.claims import Standing, judge, rewritten
from literate.document import CodeBlock, Document, Fence, OutputBlock
from literate.numbers import same_text
from literate.results import BlockResult, ChapterResult
from literate.source import Edit, Location, Span

__all__ = ["Change", "sync"]


@dataclass(frozen=True)
class Change:
    """One edit of the source, with what it is for.

    ``of_block`` is False for a number in the prose, which ``what`` shows whole.
    """

    where: Location
    what: str
    edit: Edit
    of_block: bool = True


def sync(document: Document, result: ChapterResult) -> tuple[Change, ...]:
    """The changes that make the page say what its code gives.

    A block that failed, or did not run, keeps what stands below it.
    """
    changes: list[Change] = []
    for block in document.blocks:
        output = document.outputs.get(block.index)
        outcome = result.blocks.get(block.index)
        if output and not block.options.keeps_output:
            changes.append(_removal(document, output))
        elif outcome and not outcome.failure:
            changes += _listing(document, block, outcome)
            changes += _output(document, block, outcome, output)
    changes += _numbers(document, result)
    return tuple(sorted(changes, key=lambda change: change.edit.span))


def _numbers(document: Document, result: ChapterResult) -> Iterator[Change]:
    """New digits for the stale literals of the prose."""
    for claim in document.claims:
        judgement = judge(claim, result)
        if judgement.standing is not Standing.FALSE:
            continue
        try:
            new = rewritten(judgement)
        except ValueError:
            continue
        where = document.source.location(claim.literal.span.start)
        what = f"{claim.literal.text} → {new}  {claim.expression}"
        yield Change(where, what, Edit(claim.literal.span, new), of_block=False)
        if claim.echo:
            where = document.source.location(claim.echo.start)
            what = f"{claim.literal.text} → {new}  in the comment"
            yield Change(where, what, Edit(claim.echo, new), of_block=False)


def _listing(document: Document, block: CodeBlock, outcome: BlockResult) -> Iterator[Change]:
    if outcome.listing is not None and outcome.listing != block.code:
        what = f"listing of {block.options.source}"
        info = document.source.slice(block.fence.info)
        edit = _rewrite(document, block.fence, block.span, info, outcome.listing)
        yield Change(block.location, what, edit)


def _output(
    document: Document, block: CodeBlock, outcome: BlockResult, output: OutputBlock | None
) -> Iterator[Change]:
    if not block.options.keeps_output:
        return
    if output is None:
        if outcome.text and not block.options.raises:
            yield _insertion(document, block, outcome.text)
    elif not outcome.text.strip():
        if output.text.strip():
            yield _removal(document, output)
    elif not same_text(output.text, outcome.text).equal:
        yield _refresh(document, output, outcome.text)


def _insertion(document: Document, block: CodeBlock, text: str) -> Change:
    source, fence = document.source, block.fence
    newline = source.newline
    empty = fence.prefix.rstrip()
    mark = _mark(fence.mark[:3], text)
    lines = [empty, f"{fence.prefix}{mark}output"]
    written = newline.join(lines) + newline + _body(document, fence, text) + fence.prefix + mark
    at = block.span.end
    if source.text[:at].endswith(("\n", "\r")):
        written += newline
    else:
        written = newline + written
    return Change(block.location, "output added", Edit(Span(at, at), written))


def _removal(document: Document, output: OutputBlock) -> Change:
    """Take the output block away, and the blank line before it."""
    text, start = document.source.text, output.span.start
    before = re.compile(r"(?:\r\n|\n|\r)([> \t]*(?:\r\n|\n|\r))\Z")
    found = before.search(text, max(start - 200, 0), start)
    if found:
        start = found.start(1)
    return Change(output.location, "output removed", Edit(Span(start, output.span.end), ""))


def _refresh(document: Document, output: OutputBlock, text: str) -> Change:
    edit = _rewrite(document, output.fence, output.span, "output", text)
    return Change(output.location, "output", edit)


def _rewrite(document: Document, fence: Fence, span: Span, info: str, text: str) -> Edit:
    """Write new text; only a text that would close its fence needs new fences."""
    mark = _mark(fence.mark, text)
    body = _body(document, fence, text)
    if mark == fence.mark:
        return Edit(fence.body, body)
    newline = document.source.newline
    whole = f"{fence.prefix}{mark}{info}{newline}{body}{fence.prefix}{mark}"
    closed = document.source.slice(span).endswith(("\n", "\r"))
    return Edit(span, whole + (newline if closed else ""))


def _mark(mark: str, text: str) -> str:
    """A fence that the text does not close: one mark longer than any in it."""
    runs = re.findall(rf"^[ \t]*({re.escape(mark[0])}{{3,}})", text, re.M)
    longest = max(map(len, runs), default=0)
    return mark if longest < len(mark) else mark[0] * (longest + 1)


def _body(document: Document, fence: Fence, text: str) -> str:
    """The lines between the fences, with the container's prefix and line ends."""
    newline = document.source.newline
    lines = (fence.prefix + line if line else fence.prefix.rstrip() for line in _lines(text))
    return "".join(line.rstrip() + newline for line in lines)


def _lines(text: str) -> list[str]:
    return text.rstrip().split("\n")
