"""The chapter's Markdown read by others: no engine, a plain renderer."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from literate.document import ClaimComment, Document
from literate.parse import parse
from literate.source import read

DOCS = Path(__file__).parents[2] / "docs"
CHAPTERS = sorted((DOCS / "chapters").glob("*.md"))


class VisibleText(HTMLParser):
    """What a reader sees: text, without tags and comments."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.in_code = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.in_code += tag in {"pre", "code"}

    def handle_endtag(self, tag: str) -> None:
        self.in_code -= tag in {"pre", "code"}

    def handle_data(self, data: str) -> None:
        if not self.in_code:
            self.text.append(data)


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.name)
def chapter(request: pytest.FixtureRequest) -> Document:
    return parse(read(request.param))


def test_there_is_a_chapter() -> None:
    assert CHAPTERS


def test_plain_renderer_shows_no_trace_of_the_comments(chapter: Document) -> None:
    body = re.sub(r"\A---\n.*?\n---\n", "", chapter.source.text, flags=re.S)
    seen = VisibleText()
    seen.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(body))
    text = "".join(seen.text)
    title = re.search(r"^# (.+)$", body, re.M)
    assert title
    assert title[1] in text
    assert "<!--" not in text
    assert "-->" not in text
    assert not re.search(r"\bassert:|\bcite:|^above$", text, re.M)


def test_no_comment_of_the_page_is_left_unread(chapter: Document) -> None:
    outside = "".join(
        chapter.source.slice(node.span)
        for node in chapter.nodes
        if not isinstance(node, ClaimComment)
    )
    fenced = re.sub(r"(`{3,}|~{3,}).*?\1", "", outside, flags=re.S)
    assert "<!--" not in fenced


def test_lines_of_code_fit_a_phone(chapter: Document) -> None:
    for block in chapter.blocks:
        for number, line in enumerate(block.code.split("\n")):
            assert len(line) <= 76, f"line {block.code_line + number} has {len(line)} columns"


def test_every_section_has_a_name_of_its_own(chapter: Document) -> None:
    for heading in chapter.headings:
        if heading.level == 2:
            line = chapter.source.text[heading.offset :].split("\n")[0]
            assert re.search(r"\{ #[a-z0-9-]+ \}$", line), line
