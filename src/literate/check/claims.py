"""Findings about the numbers and claims of the prose."""

from __future__ import annotations

from collections.abc import Iterator

from literate.claims import Judgement, Standing, judge, rewritten
from literate.document import Document
from literate.errors import Finding, Level
from literate.names import defined_below
from literate.results import ChapterResult

__all__ = ["check_claims"]


def check_claims(document: Document, result: ChapterResult) -> Iterator[Finding]:
    """What is wrong with the page's claims; those that did not run say nothing."""
    for claim in document.claims:
        judgement = judge(claim, result)
        if judgement.standing is Standing.FALSE:
            yield _false(document, judgement)
        elif judgement.standing is Standing.FAILED:
            yield _failed(document, judgement)
        elif judgement.standing is Standing.BOUNDARY:
            where = document.source.location(claim.literal.span.start)
            what = f"boundary: {claim.literal.text} quoted, {judgement.computed} computed"
            todo = "quote fewer digits"
            yield Finding(where, "boundary", what, todo, Level.WARNING)


def _failed(document: Document, judgement: Judgement) -> Finding:
    claim, value = judgement.claim, judgement.value
    error = value.error if value else ""
    what = f"the claim {_short(claim.expression)!r} has no value: {error}"
    if value and value.fatal:
        what += ", and what follows on the page did not run"
        level = Level.FAILURE
    else:
        level = Level.ERROR
    what += defined_below(document, error, claim.literal.span.start)
    return Finding(claim.location, "claim-failed", what, "mend the expression", level)


def _short(text: str) -> str:
    """A text on one line, cut where it gets long."""
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:99] + "…"


def _false(document: Document, judgement: Judgement) -> Finding:
    claim = judgement.claim
    where = document.source.location(claim.literal.span.start)
    if claim.kind == "assert":
        what = f"{claim.literal.text!r} is claimed, and {_short(claim.expression)} is not true"
        return Finding(where, "false-claim", what, "change the words, or mend the code")
    computed = f"{_short(judgement.computed)} computed by {_short(claim.expression)}"
    what = f"{claim.literal.text} quoted, {computed}"
    try:
        rewritten(judgement)
    except ValueError as error:
        return Finding(where, "false-claim", what, f"change it by hand: {error}")
    return Finding(where, "stale-number", what, 'run "literate sync"')
