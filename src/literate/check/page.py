"""Everything to put right on a page."""

from __future__ import annotations

from collections.abc import Iterator

from literate.check.blocks import check_blocks
from literate.check.claims import check_claims
from literate.document import Document, Formula
from literate.errors import Finding
from literate.mathematics import MathematicsError, to_mathml
from literate.results import ChapterResult

__all__ = ["check"]


def check(
    document: Document, result: ChapterResult, mathematics: bool = False
) -> tuple[Finding, ...]:
    """Everything to put right on a page, in the order of its lines.

    Args:
        document: the page.
        result: what its blocks and claims gave.
        mathematics: whether the site turns formulas into MathML.
    """
    found = [*document.findings, *check_blocks(document, result), *check_claims(document, result)]
    found += _formulas(document) if mathematics else ()
    return tuple(sorted(found, key=lambda finding: finding.where))


def _formulas(document: Document) -> Iterator[Finding]:
    """The formulas that cannot become MathML."""
    for node in document.nodes:
        if not isinstance(node, Formula):
            continue
        try:
            to_mathml(node.tex, display=node.display)
        except MathematicsError as error:
            at = node.span.start + (2 if node.display else 1) + (error.offset or 0)
            where = document.source.location(at)
            yield Finding(where, "formula", error.message, "mend the formula")
