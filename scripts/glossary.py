"""A hook of MkDocs: the first use of a term in each section leads to the glossary.

The glossary is a page of headings, each with its definition in the paragraph below.
The chapters' Markdown knows nothing of it. Python-Markdown's abbreviations find the
terms; this hook keeps the first of each section and makes it a link with the
definition as its tooltip.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

GLOSSARY, CHAPTERS = "glossary.md", "chapters/"

COMMON = {"attention", "spread", "tensor", "token", "value", "weight"}
"""Words of nearly every paragraph: the glossary has them, and links would only be noise."""

ENTRY = re.compile(r"^## (?P<term>.+?) \{ #(?P<id>[\w-]+) \}\n\n(?P<text>.+)$", re.M)
FOUND = re.compile(
    r"(?P<whole><h[1-6]\b.*?</h[1-6]>|<a\b.*?</a>|<(?:figure|pre|code|summary)\b.*?</(?:figure|pre|code|summary)>"
    r'|<div class="footnote">.*)'
    r'|(?P<italic><em>)?<abbr title="(?P<title>[^"]*)">(?P<word>[^<]*)</abbr>(?(italic)(?:</em>)?)',
    re.DOTALL,
)
ABBR = re.compile(r"</?abbr\b[^>]*>")


@dataclass(frozen=True)
class Entry:
    """A term of the glossary, the anchor of its heading, and what it means."""

    term: str
    anchor: str
    meaning: str

    @property
    def forms(self) -> tuple[str, ...]:
        """The term as it may stand in a text: singular and plural, small and large."""
        plural = f"{self.term[:-1]}ies" if self.term.endswith("y") else f"{self.term}s"
        return tuple(form for word in (self.term, plural) for form in (word, word.capitalize()))


def entries(text: str) -> list[Entry]:
    """The entries of the glossary's Markdown."""
    return [Entry(found["term"], found["id"], found["text"]) for found in ENTRY.finditer(text)]


def with_abbreviations(markdown: str, found: list[Entry]) -> str:
    """A page with every term as an abbreviation; its title says which term it is."""
    marked = [entry for entry in found if entry.term not in COMMON]
    lines = [f"*[{form}]: {entry.anchor}" for entry in marked for form in entry.forms]
    return "\n".join([markdown, "", *lines, ""])


def first_uses(html: str, found: list[Entry], url: str) -> str:
    """A page's HTML with links in place of the first use of each term in a section.

    Headings, links and captions stay free of them. A term in italics is being explained
    there and needs no link, nor does what follows in the same section.

    Args:
        html: the page, with every term as an abbreviation.
        found: the entries.
        url: the glossary, seen from the page.
    """
    meanings = {entry.anchor: entry.meaning for entry in found}
    seen: set[str] = set()

    def link(match: re.Match[str]) -> str:
        whole, title = match["whole"], match["title"]
        plain = ABBR.sub("", match[0])
        if (whole or "").startswith("<h2"):
            seen.clear()
        if whole or title in seen:
            return plain
        if title not in meanings:
            return match[0]
        seen.add(title)
        if match["italic"]:
            return plain
        meaning = escape(meanings[title])
        return f'<a class="term" href="{url}#{title}" title="{meaning}">{match["word"]}</a>'

    return FOUND.sub(link, html)


def on_page_markdown(markdown: str, *, page: Page, config: Any, files: Files) -> str:
    """Have Python-Markdown find the terms of a chapter."""
    glossary = _glossary(page, files)
    return with_abbreviations(markdown, entries(glossary.content_string)) if glossary else markdown


def on_page_content(html: str, *, page: Page, config: Any, files: Files) -> str:
    """Keep the first use of each term in a section."""
    glossary = _glossary(page, files)
    if glossary is None:
        return html
    url = glossary.url_relative_to(page.file)
    return first_uses(html, entries(glossary.content_string), url)


def _glossary(page: Page, files: Files) -> File | None:
    """The glossary, for the pages that it serves."""
    return files.get_file_from_path(GLOSSARY) if page.file.src_uri.startswith(CHAPTERS) else None
