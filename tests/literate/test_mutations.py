"""The chapter with one thing wrong in it: whatever the thing, the check goes red.

The chapter runs once. `check` is pure, so a wrong digit only needs its own part of the
document checked again; that a page with that digit in its source comes to the same is
tested too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from literate import pipeline
from literate.check import check
from literate.document import ClaimComment, CodeBlock, Document
from literate.errors import Finding, Level
from literate.parse import parse
from literate.pipeline import Page
from literate.source import Edit, Source, Span, apply

ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "docs" / "chapters" / "attention.md"
ALPHABETS = ("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

DIVISION, MASK = " / 2 ** 0.5", "diagonal=1"


@dataclass(frozen=True)
class Mutation:
    """One digit of the chapter changed.

    ``part`` is a document of the page's source that holds no more than what the digit
    belongs to, ``edits`` make the same change in the source.
    """

    part: Document
    edits: tuple[Edit, ...]
    bound_by: str

    def __str__(self) -> str:
        [edit, *_] = self.edits
        source = self.part.source
        return f"{source.location(edit.span.start)}: {source.slice(edit.span)} → {edit.text}"


def read(text: str) -> pipeline.Chapter:
    chapter = pipeline.chapter_of_text(text, "chapter.md", pipeline.find_site(ROOT))
    assert chapter is not None
    return chapter


def with_code(document: Document, old: str, new: str) -> str:
    """The chapter with a piece of its blocks' code exchanged, up to the end of that section.

    Blocks that draw a figure keep theirs: nothing in the source says what a figure shows.
    """
    source = document.source
    blocks = [block for block in document.blocks if old in block.code]
    blocks = [block for block in blocks if not (block.options.source or block.options.alt)]
    bodies = [block.fence.body for block in blocks]
    edits = [Edit(body, source.slice(body).replace(old, new)) for body in bodies]
    ends = [heading.offset for heading in document.headings if heading.level == 2]
    rest = Span(next(end for end in ends if end > bodies[-1].end), len(source.text))
    return apply(source.text, [*edits, Edit(rest, "")])


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    """The chapter as it is, and with its code changed; all of them have run."""
    as_is = read(CHAPTER.read_text("utf-8"))
    chapters = {
        "as it is": as_is,
        "no division": read(with_code(as_is.document, DIVISION, "")),
        "mask too wide": read(with_code(as_is.document, MASK, "diagonal=0")),
        "mask too narrow": read(with_code(as_is.document, MASK, "diagonal=2")),
    }
    progress = pipeline.Progress(lambda text: None)
    ran = pipeline.run_chapters(list(chapters.values()), pipeline.find_site(ROOT), progress)
    return dict(zip(chapters, ran, strict=True))


@pytest.fixture(scope="module")
def page(pages: dict[str, Page]) -> Page:
    """The chapter as it is."""
    return pages["as it is"]


@pytest.fixture(scope="module")
def mutations(page: Page) -> list[Mutation]:
    """Every digit of the chapter that stands in proof of something, changed to every other."""
    document = page.chapter.document
    return [*wrong_claims(page, document), *wrong_outputs(page, document)]


def wrong_claims(page: Page, document: Document) -> Iterator[Mutation]:
    for node in document.nodes:
        comments = node.comments if isinstance(node, CodeBlock) else [node]
        for comment in comments:
            if isinstance(comment, ClaimComment):
                yield from wrong_literals(page, document, comment)


def wrong_literals(page: Page, document: Document, comment: ClaimComment) -> Iterator[Mutation]:
    for claim in comment.claims:
        checked = claim.index in page.result.claims
        if claim.kind not in {"=", "above"} or claim.tolerance or not checked:
            continue
        spans = [claim.literal.span, *([claim.echo] if claim.echo else [])]
        for text in with_one_digit_changed(claim.literal.text):
            wrong = replace(claim, literal=replace(claim.literal, text=text))
            part = replace(document, nodes=(replace(comment, claims=(wrong,)),), findings=())
            yield Mutation(part, tuple(Edit(span, text) for span in spans), claim.kind)


def wrong_outputs(page: Page, document: Document) -> Iterator[Mutation]:
    for block in document.blocks:
        output = document.outputs.get(block.index)
        if output is None or block.index not in page.result.blocks:
            continue
        body = document.source.slice(output.fence.body)
        wrong_bodies = with_one_digit_changed(body)
        for text, wrong_body in zip(with_one_digit_changed(output.text), wrong_bodies, strict=True):
            wrong = replace(output, text=text)
            part = replace(document, nodes=(block, wrong), findings=())
            yield Mutation(part, (Edit(output.fence.body, wrong_body),), "output")


def with_one_digit_changed(text: str) -> Iterator[str]:
    for position, character in enumerate(text):
        for alphabet in ALPHABETS:
            if character in alphabet:
                for digit in alphabet.replace(character, ""):
                    yield text[:position] + digit + text[position + 1 :]


def new_findings(page: Page, document: Document) -> set[Finding]:
    """What is found in a document and was not in the page, if it makes the check red.

    A warning counts as long as it is about a number at a rounding boundary.
    """
    found = set(check(document, page.result)) - set(page.findings)
    return {each for each in found if each.level is not Level.WARNING or each.rule == "boundary"}


def test_chapter_as_it_is_has_nothing_wrong(page: Page) -> None:
    assert [finding for finding in page.findings if finding.level is not Level.WARNING] == []
    assert page.result.failed is None


def test_every_wrong_digit_is_found(page: Page, mutations: list[Mutation]) -> None:
    survivors = [str(each) for each in mutations if not new_findings(page, each.part)]
    assert survivors == []


def test_every_kind_of_number_was_made_wrong(page: Page, mutations: list[Mutation]) -> None:
    document = page.chapter.document
    bound = [claim for claim in document.claims if claim.kind in {"=", "above"}]
    assert {each.bound_by for each in mutations} == {"=", "above", "output"}
    assert len({each.edits[0].span for each in mutations}) >= len(bound)


def test_wrong_digit_in_the_source_is_found_like_one_in_the_document(
    page: Page, mutations: list[Mutation]
) -> None:
    source = page.chapter.document.source
    for each in mutations[:: len(mutations) // 25]:
        text = apply(source.text, each.edits)
        found = new_findings(page, parse(Source(source.path, text)))
        if re.match(r"0\D\d{3}", each.edits[0].text):
            # No number begins so: the claim is then about the digits behind.
            assert found, each
        elif each.bound_by == "above":
            # A number above may now be taken for another one there, so what is said differs.
            assert found, each
            only_above = apply(source.text, each.edits[:1])
            assert new_findings(page, parse(Source(source.path, only_above))), each
        else:
            assert found == new_findings(page, each.part), each


@pytest.mark.parametrize("position", range(4))
@pytest.mark.parametrize("shift", [1, 5, 9])
def test_wrong_digits_do_not_change_how_the_source_is_read(
    page: Page, position: int, shift: int
) -> None:
    document = page.chapter.document
    edits: dict[Span, str] = {}
    for claim in document.claims:
        if claim.kind in {"=", "above"}:
            text = shifted(claim.literal.text, position, shift)
            if text.startswith("0,"):
                continue  # no number begins like this, and the one behind the comma is wrong too
            edits[claim.literal.span] = text
            if claim.echo:
                edits[claim.echo] = text
    for output in document.outputs.values():
        text = document.source.slice(output.fence.body)
        edits[output.fence.body] = shifted(text, position, shift)
    wrong = apply(document.source.text, [Edit(span, text) for span, text in edits.items()])
    again = parse(Source(document.source.path, wrong))
    expected = [edits.get(claim.literal.span, claim.literal.text) for claim in document.claims]
    assert [claim.literal.text for claim in again.claims] == expected
    assert [claim.expression for claim in again.claims] == [
        claim.expression for claim in document.claims
    ]
    assert [output.text for output in again.outputs.values()] == [
        shifted(output.text, position, shift) for output in document.outputs.values()
    ]


def shifted(text: str, position: int, shift: int) -> str:
    """A text with one of its digits, counted from the last, moved on."""
    places = [place for place, each in enumerate(text) if each in ALPHABETS[0]]
    if position >= len(places):
        return text
    place = places[-1 - position]
    return text[:place] + str((int(text[place]) + shift) % 10) + text[place + 1 :]


def test_every_dropped_division_is_found_before_the_next(pages: dict[str, Page]) -> None:
    lines = changed_lines(pages, "no division")
    untrue = untrue_lines(pages["no division"])
    assert len(lines) >= 2
    for line, end in zip(lines, [*lines[1:], lines[-1] + 30], strict=True):
        assert any(line < each < end for each in untrue), f"line {line}"


@pytest.mark.parametrize("name", ["mask too wide", "mask too narrow"])
def test_moved_mask_is_found(pages: dict[str, Page], name: str) -> None:
    [line] = changed_lines(pages, name)
    assert any(line < each < line + 10 for each in untrue_lines(pages[name]))


def changed_lines(pages: dict[str, Page], name: str) -> list[int]:
    before, after = (
        pages[each].chapter.document.source.text.splitlines() for each in ("as it is", name)
    )
    pairs = enumerate(zip(before, after, strict=False), 1)
    return [line for line, (old, new) in pairs if old != new]


def untrue_lines(page: Page) -> list[int]:
    """The lines of what a page says and is not so; a block that failed says nothing."""
    return [each.where.line for each in page.findings if each.level is Level.ERROR]
