"""What there is to run on a page, in order."""

from __future__ import annotations

from collections.abc import Container, Iterator

from literate.document import ClaimComment, CodeBlock, Document
from literate.jobs import Question, Step

__all__ = ["steps_of"]


def steps_of(document: Document, missing: Container[str] = ()) -> tuple[Step | Question, ...]:
    """The blocks that run and the claims that are evaluated, in the order of the page.

    Args:
        document: the page.
        missing: the resources that are not here; what needs one is left out.
    """
    return tuple(_steps(document, missing))


def _steps(document: Document, missing: Container[str]) -> Iterator[Step | Question]:
    for node in document.nodes:
        if isinstance(node, CodeBlock):
            options = node.options
            if not options.norun and options.needs not in missing:
                yield Step(node.index, node.code, node.code_line, options.raises, options.source)
            for comment in node.comments:
                yield from _questions(comment, missing)
        elif isinstance(node, ClaimComment):
            yield from _questions(node, missing)


def _questions(comment: ClaimComment, missing: Container[str]) -> Iterator[Question]:
    for claim in comment.claims:
        if claim.kind != "cite" and claim.needs not in missing:
            truth = claim.kind == "assert"
            yield Question(claim.index, claim.expression, claim.location.line, truth)
