"""The literate pages of a site, as they stand in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mkdocs.structure.files import File, Files

from literate import pipeline

__all__ = ["SitePages"]


class SitePages:
    """What pages gave, by their paths below the folder of the site's Markdown.

    A page is rendered as soon as it has run, while others still do; and again where a
    plugin has given it another address since.
    """

    def __init__(self) -> None:
        self.ran: dict[str, pipeline.Page] = {}
        self.codes: dict[str, str] = {}
        """The code of all pages, by the words that stand for it in their Markdown."""
        self._rendered: dict[str, tuple[str, pipeline.Rendered]] = {}
        self._listing = ""
        self._date = ""

    def begin(self, listing: str, date: str) -> None:
        """Forget all pages, at the beginning of a build.

        Args:
            listing: the page that lists all numbers; empty for none.
            date: of the last change.
        """
        self.ran.clear()
        self.codes.clear()
        self._rendered.clear()
        self._listing, self._date = listing, date

    def adding(
        self, which: Iterable[File], literate: Iterable[File], files: Files
    ) -> Callable[[pipeline.Page], None]:
        """What takes in the pages that came of some of the site's files, in their order.

        Args:
            which: the files; what an attempt before made of them is forgotten.
            literate: those of them that are literate; asked only when a page comes.
            files: all of the site's.
        """
        for file in which:
            self.ran.pop(file.src_uri, None)
        waiting = iter(literate)

        def add(page: pipeline.Page) -> None:
            file = next(waiting)
            self.ran[file.src_uri] = page
            self._rendered.pop(file.src_uri, None)
            self._render(file, files)

        return add

    def markdown(self, markdown: str, file: File, files: Files) -> str:
        """A page's Markdown with placeholders for what goes into it; others as they are."""
        if file.src_uri == self._listing:
            return f'{markdown}\n\n<div data-literate="numbers"></div>\n'
        return self._render(file, files).markdown if file.src_uri in self.ran else markdown

    def content(self, html: str, file: File, files: Files) -> str | None:
        """A page's HTML with all that goes into it in its place; None for other pages."""
        if file.src_uri == self._listing:
            return pipeline.fill(html, {"numbers": self._numbers(file, files)})
        if file.src_uri not in self.ran:
            return None
        rendered = self._render(file, files)
        return pipeline.fill(html, rendered.inserts) + rendered.foot

    def _render(self, file: File, files: Files) -> pipeline.Rendered:
        listing = files.get_file_from_path(self._listing) if self._listing else None
        url = listing.url_relative_to(file) if listing else ""
        name = file.src_uri
        known = self._rendered.get(name)
        if known is None or known[0] != url:
            rendered = pipeline.rendered(self.ran[name], name, url, self._date)
            self.codes |= rendered.codes
            known = self._rendered[name] = url, rendered
        return known[1]

    def _numbers(self, here: File, files: Files) -> str:
        """The tables of all numbers, with links from the page that lists them."""
        found = ((name, files.get_file_from_path(name)) for name in self.ran)
        pages = [(self.ran[name], name, file.url_relative_to(here)) for name, file in found if file]
        return pipeline.list_numbers(pages)
