"""The notebooks of a site: one for each literate page, to read and to download."""

from __future__ import annotations

import posixpath
import re
import tempfile
from collections.abc import Callable, Mapping
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote, urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs.utils import get_relative_url

from literate import pipeline

__all__ = ["Notebooks"]

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" '
    'aria-hidden="true">'
    '<path d="M5 20h14v-2H5m14-9h-4V3H9v6H5l7 7 7-7Z"/></svg>'
)


_PREVIEW = " A preview shows it as it was when the preview started."
_HEADING = re.compile(
    r'<h(?P<level>[1-3]) [^>]*\bid="(?P<id>[^"]*)"[^>]*>(?P<text>.*?)</h(?P=level)>', re.DOTALL
)
_TAG = re.compile(r"<[^>]*>")


class Notebooks:
    """Writes notebooks beside the site's own files and puts them where readers look.

    mkdocs-jupyter makes pages of them where the site has it. The files themselves are
    always there to be downloaded.
    """

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._chapters: dict[str, str] = {}
        self._slim: dict[str, tuple[str, str]] = {}
        self._serving = False

    def close(self) -> None:
        """Take the written files away."""
        if self._folder:
            self._folder.cleanup()
            self._folder = None

    def add(
        self,
        pages: Mapping[str, pipeline.Page],
        files: Files,
        config: MkDocsConfig,
        serving: bool = False,
    ) -> None:
        """Write the notebooks of pages, by their paths, and add them to the site's files.

        A preview writes them once: to show them anew takes longer than all the rest of a
        rebuild, and would keep every edit waiting. Their pages say so.
        """
        self._serving = serving
        self._chapters = {
            _uri(page.chapter.settings.notebooks, name): name
            for name, page in pages.items()
            if page.chapter.settings.notebooks and files.get_file_from_path(name)
        }
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="literate-notebooks-")
        for uri, name in self._chapters.items():
            path = Path(self._folder.name) / uri
            if not (serving and path.exists()):
                path.parent.mkdir(parents=True, exist_ok=True)
                resolve = self._targets(uri, files, config)
                path.write_text(pipeline.notebook(pages[name], resolve), "utf-8", newline="\n")
            file = File(uri, self._folder.name, config.site_dir, config.use_directory_urls)
            files.append(file)

    def _targets(self, uri: str, files: Files, config: MkDocsConfig) -> Callable[[str], str]:
        """Where the links of a notebook's chapter lead from the notebook.

        It may be opened anywhere, so they are whole addresses where the site has one. Else
        they lead to what lies in the same folders: to the notebook of another chapter, and
        to the page of the site that the notebook is a part of.
        """
        name, base = self._chapters[uri], config.site_url or ""
        notebooks = {chapter: notebook for notebook, chapter in self._chapters.items()}

        def resolve(target: str) -> str:
            file, fragment = _linked(name, files, target)
            if file is None:
                return target
            if base:
                return urljoin(base, file.url) + fragment
            path = notebooks.get(file.src_uri, file.dest_uri)
            return quote(posixpath.relpath(path, posixpath.dirname(uri) or ".")) + fragment

        return resolve

    def describe(self, page: SitePage) -> None:
        """Give a notebook's page what other pages have in their front matter."""
        chapter = self._chapters.get(page.file.src_uri)
        if chapter is not None:
            page.meta.setdefault("description", f"{chapter} as an executed Jupyter notebook")
            # Search would find every sentence twice.
            page.meta.setdefault("search", {"exclude": True})

    def links(self, name: str, page: SitePage, files: Files) -> str:
        """The HTML at a chapter's head that leads to its notebook; none if it has none."""
        uri = next((uri for uri, chapter in self._chapters.items() if chapter == name), "")
        file = files.get_file_from_path(uri) if uri else None
        if file is None:
            return ""
        download = escape(get_relative_url(uri, page.file.url))
        words = "Download this page as a notebook"
        return (
            f'<a class="md-content__button md-icon literate-download" href="{download}" '
            f'download title="{words}" aria-label="{words}">{_ICON}</a>'
        )

    def content(self, html: str, page: SitePage, files: Files, config: MkDocsConfig) -> str:
        """A notebook's page without what it does not need; any other page as it is."""
        name = self._chapters.get(page.file.src_uri)
        chapter = files.get_file_from_path(name) if name else None
        if chapter is None:
            return html
        uri, base = page.file.src_uri, config.site_url or ""
        pages = {file.dest_uri: file for file in files}

        def resolve(target: str) -> str:
            if base:
                path = target.removeprefix(base)
                return target if path == target else get_relative_url(path, page.file.url)
            path, fragment = _path(uri, target)
            chapter = self._chapters.get(path)
            file = files.get_file_from_path(chapter) if chapter else pages.get(path)
            return get_relative_url(file.url, page.file.url) + fragment if file else target

        # In a preview most notebooks are as they were, and this takes a second each.
        before, slim = self._slim.get(uri, ("", ""))
        if html != before:
            slim = pipeline.notebook_page(html, resolve)
            self._slim[uri] = html, slim
        page.toc = _contents(slim)
        back = chapter.url_relative_to(page.file)
        download = get_relative_url(uri, page.file.url)
        return (
            f'<p class="literate-note">This is <a href="{escape(back)}">the chapter</a> as an '
            f'executed notebook: <a href="{escape(download)}" download>download it</a>.'
            f"{_PREVIEW if self._serving else ''}</p>\n{slim}"
        )

    def copy(self, config: MkDocsConfig) -> None:
        """Put the files themselves into the site, also where they became pages."""
        for uri in self._chapters if self._folder else ():
            assert self._folder is not None
            target = Path(config.site_dir) / uri
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((Path(self._folder.name) / uri).read_bytes())


def _uri(folder: str, chapter: str) -> str:
    return posixpath.join(folder.strip("/"), f"{posixpath.splitext(chapter)[0]}.ipynb")


def _contents(html: str) -> TableOfContents:
    """The headings of a page. mkdocs-jupyter's own list ends where it misreads a fence."""
    roots: list[AnchorLink] = []
    above: list[AnchorLink] = []
    for found in _HEADING.finditer(html):
        title = unescape(_TAG.sub("", found["text"])).rstrip("¶ ")
        heading = AnchorLink(title, found["id"], int(found["level"]))
        while above and above[-1].level >= heading.level:
            above.pop()
        (above[-1].children if above else roots).append(heading)
        above.append(heading)
    return TableOfContents(roots)


def _path(uri: str, target: str) -> tuple[str, str]:
    """The path that a link in a file of the site names, and its fragment; "" for elsewhere."""
    path = pipeline.local_path(target)
    if not path:
        return "", ""
    _, mark, fragment = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(uri), path))
    return path, mark + fragment if fragment else ""


def _linked(uri: str, files: Files, target: str) -> tuple[File | None, str]:
    """The file of the site to which a link leads, and the link's fragment."""
    path, fragment = _path(uri, target)
    return (files.get_file_from_path(path) if path else None), fragment
