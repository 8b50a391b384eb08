"""Pages given to a site, or to any other reader of Markdown."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from literate import render
from literate.document import Document, FrontMatter
from literate.errors import shortened
from literate.history import last_change
from literate.mathematics import replace_formulas
from literate.notebook import notebook as write_notebook
from literate.notebook_page import slim
from literate.pipeline.runs import Page
from literate.render import Listed, Plain, Rendered, fill

__all__ = [
    "Plain",
    "Rendered",
    "fill",
    "formulas",
    "last_change",
    "links_from",
    "list_numbers",
    "local_path",
    "notebook",
    "notebook_page",
    "plain",
    "rendered",
]

_ATTRIBUTES = re.compile(r"\{[^{}]*\}\s*\Z")


def rendered(page: Page, uri: str = "", numbers_url: str = "", date: str = "") -> Rendered:
    """The page for an MkDocs site.

    Args:
        page: a page that has run.
        uri: its path below the folder of the site's Markdown.
        numbers_url: where the page of all numbers is, seen from this one.
        date: of the last change.
    """
    settings = page.chapter.settings
    frame = render.Frame(
        executed=settings.execute,
        kept=page.kept,
        threads=settings.threads,
        slug=_slug(uri),
        numbers_url=numbers_url,
        date=date,
    )
    return render.site(page.chapter.document, page.result, frame)


def list_numbers(pages: Sequence[tuple[Page, str, str]]) -> str:
    """The HTML that lists every number: pages with their paths and addresses from there."""
    listed = [
        Listed(page.chapter.document, page.result, _title(page.chapter.document), _slug(uri), url)
        for page, uri, url in pages
    ]
    return render.numbers(listed)


def _slug(uri: str) -> str:
    return re.sub(r"[^\w-]+", "-", uri.removesuffix(".md")) or "page"


def _title(document: Document) -> str:
    """A page's title: that of its front matter, else its first heading, else its name."""
    for node in document.nodes:
        if isinstance(node, FrontMatter) and "title" in node.values:
            title = node.values["title"]
            return shortened(title) if isinstance(title, list | dict) else str(title)
    for heading in document.headings[:1]:
        line = document.source.text[heading.offset :].splitlines()[0]
        return _ATTRIBUTES.sub("", line).strip("# ")
    return document.source.path


def plain(page: Page) -> Plain:
    """The page as Markdown and image files for any renderer."""
    return render.plain(page.chapter.document, page.result)


def formulas(html: str) -> tuple[str, list[str]]:
    """The page's HTML with MathML for its formulas, and what could not be converted."""
    converted, problems = replace_formulas(html)
    return converted, [str(problem) for problem in problems]


def notebook(page: Page, resolve: Callable[[str], str] = lambda target: target) -> str:
    """The page as an executed notebook's JSON.

    Args:
        page: a page that has run.
        resolve: the target of a link as it is to stand in the notebook.
    """
    chapter = page.chapter
    return write_notebook(chapter.document, page.result, chapter.settings.install, resolve)


def local_path(target: str) -> str:
    """The path of a link that leads to a file of the same site; empty for any other."""
    try:
        parts = urlsplit(target)
    except ValueError:
        # Brackets where only an address may have them.
        return ""
    elsewhere = parts.scheme or parts.netloc or parts.path.startswith("/")
    return "" if elsewhere else unquote(parts.path)


def links_from(page: Page, place: Path, written: Mapping[Path, Path]) -> Callable[[str], str]:
    """What links of a page are to be in a file that is written elsewhere.

    Args:
        page: the page.
        place: the file.
        written: what else is written, by the pages that it is made of.
    """

    def resolve(target: str) -> str:
        path = local_path(target)
        # What can be no name of a file, and on Windows what is on another drive, stays.
        with contextlib.suppress(ValueError, OSError):
            file = (page.chapter.file.parent / path).resolve()
            found = written.get(file, file)
            if path and (found in written.values() or found.exists()):
                there = Path(os.path.relpath(found.resolve(), place.resolve().parent))
                return urlunsplit(urlsplit(target)._replace(path=quote(there.as_posix())))
        return target

    return resolve


def notebook_page(html: str, resolve: Callable[[str], str]) -> str:
    """What mkdocs-jupyter made of a notebook, in the elements of the site's other pages."""
    return slim(html, resolve)
