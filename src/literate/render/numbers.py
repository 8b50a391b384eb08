"""The page that lists every number with its proof, and the line at a chapter's foot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from literate.claims import Judgement, Standing, judge
from literate.document import Document
from literate.render.marks import Marks, anchor
from literate.results import ChapterResult

__all__ = ["Listed", "foot", "numbers"]


@dataclass(frozen=True)
class Listed:
    """A chapter for the page of numbers: its title, its name in ids, its address from there."""

    document: Document
    result: ChapterResult
    title: str
    slug: str
    url: str


def foot(document: Document, result: ChapterResult, threads: int, date: str, rows: str) -> str:
    """How many numbers were checked, with what, how old the text is, and what the marks mean.

    Args:
        document: the page.
        result: what its blocks and claims gave.
        threads: how many it ran with.
        date: of the last change.
        rows: the address of the page of all numbers, up to a claim's own name in it.
    """
    judgements = [judge(claim, result) for claim in document.claims]
    checked = sum(judgement.standing.holds for judgement in judgements)
    cited = sum(judgement.standing is Standing.CITED for judgement in judgements)
    words = [f"{_count(checked, 'number')} on this page checked against the code, {cited} cited"]
    others = len(judgements) - checked - cited
    words += [f"{others} not checked in this build"] if others else []
    names = {"python": "Python", "torch": "PyTorch", "numpy": "NumPy"}
    versions = [
        f"{names[name]} {result.versions[name]}" for name in names if name in result.versions
    ]
    versions.append(_count(threads, "thread"))
    sentences = [", ".join(words) + ".", "Run with " + ", ".join(versions) + "."]
    sentences += [f"Last changed on {date}."] if date else []
    marks = "Dotted lines mark checked numbers, dashed ones cited, waves ones not checked."
    link = f' <a href="{escape(rows.partition("#")[0])}">All numbers</a>.' if rows else ""
    told = f' data-rows="{escape(rows)}"' if rows else ""
    return (
        f'<aside class="literate-foot" aria-label="How this page was checked"{told}>'
        f"<p>{escape(' '.join(sentences))}</p><p>{marks}{link}</p></aside>"
    )


def numbers(chapters: Sequence[Listed]) -> str:
    """The tables of the page of numbers, one a chapter."""
    return "".join(_table(chapter) for chapter in chapters)


def _table(chapter: Listed) -> str:
    """A chapter's numbers; each cell on a line of its own, which keeps words apart in search."""
    marks = Marks(chapter.document, chapter.result, chapter.slug)
    rows = []
    for claim in chapter.document.claims:
        judgement = judge(claim, chapter.result)
        place = escape(f"{chapter.url}#{anchor(claim)}")
        rows += [
            f'<tr id="{escape(marks.row(claim))}">',
            f'<th scope="row"><a href="{place}">{escape(claim.literal.text)}</a></th>',
            f"<td>{_proof(judgement)}</td>",
            f"<td>{escape(_value(judgement))}</td>",
            f"<td>line {claim.location.line}</td>",
            "</tr>",
        ]
    title = escape(chapter.title)
    names = ("Number", "Comes from", "Value", "Where")
    head = "\n".join(f'<th scope="col">{name}</th>' for name in names)
    body = "\n".join(rows)
    return (
        f'<h2 id="{escape(chapter.slug)}">{title}</h2>\n<table class="literate-numbers">\n'
        f"<thead>\n<tr>\n{head}\n</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
    )


def _proof(judgement: Judgement) -> str:
    expression = escape(judgement.claim.expression)
    return expression if judgement.standing is Standing.CITED else f"<code>{expression}</code>"


def _value(judgement: Judgement) -> str:
    if judgement.standing is Standing.CITED:
        return "cited"
    return judgement.computed if judgement.standing.holds else "not checked in this build"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
