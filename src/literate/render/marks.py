"""The quiet marks that checked numbers carry on the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from literate.claims import Judgement, Standing, judge
from literate.document import Claim, Document
from literate.render.origins import Origins
from literate.results import ChapterResult

__all__ = ["Marks", "anchor"]


def anchor(claim: Claim) -> str:
    """The id of a claim on its page."""
    return f"n-{claim.index + 1}"


class Marks:
    """Makes the HTML that opens and closes around a literal."""

    def __init__(self, document: Document, result: ChapterResult, slug: str) -> None:
        self._slug = slug
        self._result = result
        self._origins = Origins(document)

    def opening(self, claim: Claim) -> str:
        """The tag before the literal; the one behind it is ``</data>``."""
        judgement = judge(claim, self._result)
        attributes = {"class": _classes(judgement), "id": anchor(claim), **self._details(judgement)}
        written = " ".join(f'{name}="{_attribute(value)}"' for name, value in attributes.items())
        return f"<data {written}>"

    def origins(self, claims: Iterable[Claim]) -> set[int]:
        """The indexes of the blocks that claims are traced to."""
        blocks = (self._origins.of(claim) for claim in claims)
        return {block.index for block in blocks if block}

    def row(self, claim: Claim) -> str:
        """The id of a claim's row on the page of all numbers."""
        return f"{self._slug}-{anchor(claim)}"

    def _details(self, judgement: Judgement) -> dict[str, str]:
        claim = judgement.claim
        if judgement.standing is Standing.CITED:
            return {"value": claim.literal.text, "data-source": claim.expression}
        details = {"value": judgement.computed or claim.literal.text, "data-of": claim.expression}
        block = self._origins.of(claim)
        if block and not block.options.hide:
            details["data-at"] = f"#block-{block.index + 1}"
        if claim.tolerance:
            details["data-tol"] = claim.tolerance
        if not judgement.standing.holds:
            details["data-why"] = _reason(judgement, self._result)
        return details


def _classes(judgement: Judgement) -> str:
    if judgement.standing is Standing.CITED:
        return "literate-number literate-cited"
    if not judgement.standing.holds:
        return "literate-number literate-unchecked"
    if judgement.claim.kind == "assert":
        return "literate-number literate-claim"
    return "literate-number"


def _reason(judgement: Judgement, result: ChapterResult) -> str:
    """Why a number could not be vouched for in this build."""
    if judgement.standing is Standing.UNCHECKED:
        name = judgement.claim.needs
        return f"reported, not checked in this build: it needs {name}; {result.missing[name]}"
    if judgement.standing is Standing.NOT_RUN:
        return "reported, not checked in this build"
    if judgement.standing is Standing.FAILED and judgement.value:
        return f"not checked: {judgement.value.error}"
    return f"not so: the code gives {judgement.computed}"


def _attribute(text: str) -> str:
    """A value that a table's cells and an attribute's quotes leave whole."""
    return escape(text).replace("|", "&#124;")
