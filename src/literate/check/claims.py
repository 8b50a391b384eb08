"""Findings about the numbers and claims of the prose."""

from __future__ import annotations

from collections.abc import Iterator

from literate.claims import Judgement, Standing, judge, rewritten
from literate.document import Document
from literate.errors import Finding, Level
from literate.results import ChapterResult

__all__ = ["check_claims"]


def check_claims(document: Document, result: ChapterResult) -> Iterator[Finding]:
    """What is wrong with the page's claims; those that did not run say nothing."""
    for claim in document.claims:
        judgement = judge(claim, result)
        if judgement.standing is Standing.FALSE:
            yield _false(document, judgement)
        elif judgement.standing is Standing.FAILED:
            error = judgement.value.error if judgement.value else ""
            what = f"the claim {claim.expression!r} has no value: {error}"
            yield Finding(claim.location, "claim-failed", what, "mend the expression")
        elif judgement.standing is Standing.BOUNDARY:
            where = document.source.location(claim.literal.span.start)
            what = f"boundary: {claim.literal.text} quoted, {judgement.computed} computed"
            todo = "quote fewer digits"
            yield Finding(where, "boundary", what, todo, Level.WARNING)


def _false(document: Document, judgement: Judgement) -> Finding:
    claim = judgement.claim
    where = document.source.location(claim.literal.span.start)
    if claim.kind == "assert":
        what = f"{claim.literal.text!r} is claimed, and {claim.expression} is not true"
        return Finding(where, "false-claim", what, "change the words, or mend the code")
    computed = f"{judgement.computed} computed by {claim.expression}"
    what = f"{claim.literal.text} quoted, {computed}"
    try:
        rewritten(judgement)
    except ValueError as error:
        return Finding(where, "false-claim", what, f"change it by hand: {error}")
    return Finding(where, "stale-number", what, 'run "literate sync"')
