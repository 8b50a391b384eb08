"""The comments that tie numbers to code: read whole, or refused with a reason."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

from literate.document import Claim, Literal
from literate.errors import Finding
from literate.parse.binding import Above, left_of
from literate.source import Source, Span

__all__ = ["Place", "Reading", "read_comment"]

_RESEMBLES = re.compile(r"-*\s*(?:=|assert|cite|above)", re.I)
_TOLERANCE = re.compile(r"[0-9]*\.?[0-9]+(?:e[+-]?[0-9]{1,4})?")
_TAG = re.compile(r"<[A-Za-z]")
_FORM = re.compile(r"(?P<kind>=(?!=)|assert:|cite:|above(?=[ \t]*[\r\n]))")
_OPTION = re.compile(r";[ \t\r\n]*(?P<name>tol|needs)[ \t]*=[ \t]*(?P<value>[^;\s]+)\s*\Z")
_LINE = re.compile(r"[^\r\n]+")
_MARKUP_REACH = 500
"""How many characters before a claim the words of an image, or a tag, may begin."""

_FORMS = "<!--= expression -->, <!--assert: expression -->, <!--cite: source --> or <!--above"


@dataclass(frozen=True)
class Reading:
    """What a comment turned out to be."""

    claims: tuple[Claim, ...] = ()
    findings: tuple[Finding, ...] = ()


class MalformedError(Exception):
    """A comment that means to be a claim and is none; ``offset`` is in the text."""

    def __init__(self, offset: int, what: str, todo: str) -> None:
        super().__init__(what)
        self.offset, self.what, self.todo = offset, what, todo


@dataclass
class Place:
    """Where a comment stands, and what it may be about.

    ``left`` is where its paragraph begins, ``first`` the index of its first claim.
    """

    source: Source
    span: Span
    left: int
    first: int
    above: Above
    bound: set[int]
    in_table: bool = False

    @property
    def inner(self) -> Span:
        """What stands between the comment's marks."""
        return Span(self.span.start + 4, self.span.end - 3)


def read_comment(place: Place) -> Reading:
    """Read a comment: its claims, or what keeps it from being one."""
    text = place.source.slice(place.inner)
    if not _RESEMBLES.match(text):
        return Reading()
    try:
        return Reading(tuple(_claims(place, text)))
    except MalformedError as problem:
        where = place.source.location(problem.offset)
        return Reading((), (Finding(where, "malformed-claim", problem.what, problem.todo),))


def _claims(place: Place, text: str) -> Iterator[Claim]:
    form = _FORM.match(text)
    span, start = place.span, place.inner.start
    if form is None:
        todo = f"write {_FORMS} without a blank before it, or begin the comment with another word"
        raise MalformedError(span.start, "this comment is nearly a claim, but not one", todo)
    kind = form["kind"].removesuffix(":")
    if kind == "above":
        yield from _above(place, Span(start + form.end(), place.inner.end))
        return
    if place.in_table and "|" in text:
        what = "a claim in a table row may not contain |, which ends the cell"
        raise MalformedError(start + text.index("|"), what, "compute the value in a block")
    literal = _touched(place)
    yield _claim(place, kind, start + form.end(), text[form.end() :], span.start, literal)
    place.bound.add(literal.span.start)


def _touched(place: Place) -> Literal:
    """The literal right before the comment; a blank between them is refused."""
    start = max(place.left, place.span.start - _MARKUP_REACH)
    if _in_markup(place.source.text[start : place.span.start]):
        what = "inside the words of an image, or inside a tag, nothing is a claim"
        raise MalformedError(place.span.start, what, "say the number in the text")
    literal = left_of(place.source.text, place.left, place.span.start)
    if literal is None:
        what = "nothing touches this claim from the left"
        todo = "put the comment right behind the literal, without a blank"
        raise MalformedError(place.span.start, what, todo)
    return literal


def _in_markup(before: str) -> bool:
    """Whether a text ends inside the words of an image, or inside a tag."""
    if "![" in before[before.rfind("]") + 1 :]:
        return True
    last = max(before.rfind("<"), before.rfind(">"), 0)
    return _TAG.match(before, last) is not None


def _claim(place: Place, kind: str, offset: int, text: str, at: int, literal: Literal) -> Claim:
    """One claim; ``offset`` is where ``text`` stands, ``at`` where the claim does."""
    options: dict[str, str] = {}
    while kind != "cite" and (option := _OPTION.search(text)):
        if option["name"] in options:
            where = offset + option.start("name")
            raise MalformedError(where, f"{option['name']} stands twice", "keep one of them")
        options[option["name"]] = option["value"]
        text = text[: option.start()]
    expression = text.strip()
    where = offset + len(text) - len(text.lstrip())
    if not expression:
        what = "this claim has no source" if kind == "cite" else "this claim has no expression"
        raise MalformedError(at, what, "write it, or remove the comment")
    if kind != "cite":
        _parses(expression, where)
    if "tol" in options:
        _is_tolerance(options["tol"], kind, literal, where)
    return Claim(
        index=place.first,
        kind=kind,
        expression=expression,
        location=place.source.location(at),
        literal=literal,
        tolerance=options.get("tol", ""),
        needs=options.get("needs", ""),
    )


def _above(place: Place, lines: Span) -> Iterator[Claim]:
    """The claims of an ``above`` comment: a literal, ``=`` and an expression a line."""
    count = 0
    for line in _LINE.finditer(place.source.text, lines.start, lines.end):
        text = line.group()
        bare = text.lstrip(" \t>")
        if not bare.strip():
            continue
        start = line.start() + len(text) - len(bare)
        shown, sign, expression = bare.partition("=")
        if not sign or not shown.strip():
            what = f"{bare.strip()!r} is not of the form literal = expression"
            raise MalformedError(start, what, "write one literal = expression a line")
        literal = place.above.bind(shown.strip())
        if literal is None:
            what = f"{shown.strip()} does not stand, still unbound, in what is right above"
            raise MalformedError(start, what, "copy the literal as it stands there")
        claim = _claim(place, "above", start + len(shown) + 1, expression, start, literal)
        echo = Span(start, start + len(shown.rstrip()))
        yield replace(claim, index=place.first + count, echo=echo)
        count += 1
    if not count:
        what = "this comment claims nothing about what stands above it"
        raise MalformedError(lines.start, what, "write one literal = expression a line")


def _parses(expression: str, offset: int) -> None:
    """Refuse what is not a Python expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        what = f"{expression!r} is not a Python expression: {reason}"
        raise MalformedError(offset, what, "write one expression") from error


def _is_tolerance(text: str, kind: str, literal: Literal, offset: int) -> None:
    value = float(text) if _TOLERANCE.fullmatch(text) else -1.0
    if kind == "assert" or literal.form != "number" or not 0 < value < float("inf"):
        what = f"tol={text} is no tolerance here"
        raise MalformedError(offset, what, "give a number above 0, behind a number")
