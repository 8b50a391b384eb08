"""A claim held against what its expression gave: whether it stands, and what would."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from literate.document import Claim
from literate.numbers import Verdict, compare, find, read, same_text, within, write
from literate.results import ChapterResult, ClaimValue

__all__ = ["Judgement", "Standing", "judge", "rewritten"]


class Standing(Enum):
    """What became of a claim in one run."""

    TRUE = "true"
    BOUNDARY = "boundary"
    """True, and another machine's last bits may make it false."""
    FALSE = "false"
    FAILED = "failed"
    """Its expression gave no value."""
    CITED = "cited"
    UNCHECKED = "unchecked"
    """It needs a resource that is not here."""
    NOT_RUN = "not run"

    @property
    def holds(self) -> bool:
        """Whether the claim was checked and is true."""
        return self in {Standing.TRUE, Standing.BOUNDARY}


@dataclass(frozen=True)
class Judgement:
    """A claim, its standing, and the value: a number at full precision, or text."""

    claim: Claim
    standing: Standing
    value: ClaimValue | None = None

    @property
    def computed(self) -> str:
        """The value as a message shows it."""
        if self.value is None:
            return ""
        if self.value.kind == "number" and len(self.value.text) > 12:
            return f"{float(self.value.text):.10g}"
        return self.value.text if len(self.value.text) <= 80 else self.value.text[:79] + "…"


def judge(claim: Claim, result: ChapterResult) -> Judgement:
    """What became of a claim in a run."""
    if claim.kind == "cite":
        return Judgement(claim, Standing.CITED)
    if claim.needs in result.missing:
        return Judgement(claim, Standing.UNCHECKED)
    value = result.claims.get(claim.index)
    if value is None:
        return Judgement(claim, Standing.NOT_RUN)
    if value.error:
        return Judgement(claim, Standing.FAILED, value)
    if claim.kind == "assert":
        standing = Standing.TRUE if value.text == "True" else Standing.FALSE
        return Judgement(claim, standing, value)
    try:
        return Judgement(claim, _compare(claim, value), value)
    except ValueError as error:
        return Judgement(claim, Standing.FAILED, replace(value, error=str(error)))


def _compare(claim: Claim, value: ClaimValue) -> Standing:
    """Hold a literal against a value: numbers by the rule for equal, the rest as text."""
    text = claim.literal.text
    literal = read(text.strip())
    if value.kind == "number" and literal is not None:
        if claim.tolerance:
            near = within(literal, value.text, claim.tolerance)
            return Standing.TRUE if near else Standing.FALSE
        return _standing(compare(literal, value.text))
    if claim.literal.form == "number":
        return Standing.FALSE
    standings = []
    for form in value.forms:
        comparison = same_text(text, form)
        if comparison.equal:
            standings.append(Standing.BOUNDARY if comparison.boundary else Standing.TRUE)
    return next(iter(standings), Standing.FALSE)


def _standing(verdict: Verdict) -> Standing:
    return {
        Verdict.EQUAL: Standing.TRUE,
        Verdict.BOUNDARY: Standing.BOUNDARY,
        Verdict.DIFFERENT: Standing.FALSE,
    }[verdict]


def rewritten(judgement: Judgement) -> str:
    """The literal as it should be, in the form that it has.

    Raises:
        ValueError: the literal's form cannot show the value.
    """
    claim, value = judgement.claim, judgement.value
    if value is None or value.error or claim.kind not in {"=", "above"}:
        raise ValueError("there is no value to write")
    text = claim.literal.text
    literal = read(text.strip())
    if value.kind == "number" and literal is not None:
        return write(literal, value.text)
    if claim.literal.form != "code":
        raise ValueError(f"{text!r} has no form that could show {judgement.computed}")
    new = _rewritten_text(text, _form(text, value))
    if not new.strip() or set(new) & set("\r\n`") or "-->" in new or ("|" in new) > ("|" in text):
        raise ValueError(f"no code span can hold {judgement.computed!r}")
    return new


def _form(shown: str, value: ClaimValue) -> str:
    """The value's form that is written as the text shown is: a string with or without quotes."""
    quoted = [form for form in value.forms if form[:1] in {"'", '"'}]
    bare = [form for form in value.forms if form[:1] not in {"'", '"'}]
    return next(iter(quoted + bare if shown[:1] in {"'", '"'} else bare + quoted))


def _rewritten_text(shown: str, computed: str) -> str:
    """A text with its numbers as computed, in their forms; else the computed text."""
    here, there = find(shown, output=True), find(computed, output=True)
    if len(here) != len(there):
        return computed
    pieces, position = [], 0
    for old, new in zip(here, there, strict=True):
        pieces.append(shown[position : old.start])
        try:
            same = compare(old.literal, str(new.literal.value)).passes
            pieces.append(old.literal.text if same else write(old.literal, str(new.literal.value)))
        except ValueError:
            return computed
        position = old.end
    text = "".join([*pieces, shown[position:]])
    return text if same_text(text, computed).equal else computed
