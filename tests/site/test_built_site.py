"""The files of the built site: links, what pages load, their size."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

LARGEST = 60_000
"""Bytes that a compressed page may have."""

LOADED = ("src", "srcset", "data", "poster", "href", "xlink:href")
NOT_LOADED = ("a", "area", "base")
NOT_LOADED_LINKS = {"canonical", "alternate", "author", "license", "next", "prev", "edit"}
HOST = re.compile(r"(?:https?:)?//[\w.-]+", re.I)
STYLE_LOADS = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[\w.-]+)", re.I)


@dataclass
class Page(HTMLParser):
    """What a page loads, what it links to, and which ids it has."""

    path: Path
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    ids: Counter[str] = field(default_factory=Counter)
    scripts: str = ""
    styles: str = ""
    inside: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.inside = tag
        self.ids.update([values["id"]] if "id" in values else [])
        self.styles += values.get("style", "")
        if tag in NOT_LOADED:
            self.links += [values["href"]] if "href" in values else []
        elif tag != "link" or not NOT_LOADED_LINKS & set(values.get("rel", "").split()):
            self.loads += [values[name] for name in LOADED if name in values]

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            self.scripts += data
        elif self.inside == "style":
            self.styles += data


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    """The site's pages by their files."""
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def target(site: Path, page: Path, link: str) -> Path:
    """The file that a link within the site leads to."""
    path = unquote(urlsplit(link).path)
    start = site if path.startswith("/") else page.parent
    file = (start / path.lstrip("/")).resolve() if path else page
    return file / "index.html" if file.is_dir() else file


def is_internal(link: str) -> bool:
    parts = urlsplit(link)
    return not parts.scheme and not parts.netloc


def test_site_has_its_home_its_chapter_and_a_page_for_errors(pages: dict[Path, Page]) -> None:
    names = {"/".join(path.parts[-3:]) for path in pages}
    assert "chapters/attention/index.html" in names
    assert {path.name for path in pages} == {"index.html", "404.html"}


def test_every_internal_link_leads_to_a_page_and_a_place_in_it(
    site: Path, pages: dict[Path, Page]
) -> None:
    broken, checked = [], 0
    for path, page in pages.items():
        for link in filter(is_internal, page.links):
            checked += 1
            file, place = target(site, path, link), unquote(urlsplit(link).fragment)
            if not file.is_file() or not file.is_relative_to(site.resolve()):
                broken.append(f"{path.relative_to(site)}: {link} leads nowhere")
            elif place and file.suffix == ".html" and place not in pages[file].ids:
                broken.append(f"{path.relative_to(site)}: no place for {link}")
    assert checked > 0
    assert not broken, "\n".join(broken)


def test_every_file_that_a_page_loads_is_there(site: Path, pages: dict[Path, Page]) -> None:
    missing = [
        f"{path.relative_to(site)}: {link}"
        for path, page in pages.items()
        for link in filter(is_internal, page.loads)
        if not target(site, path, link).is_file()
    ]
    assert not missing, "\n".join(missing)


def test_no_id_stands_twice_on_a_page(site: Path, pages: dict[Path, Page]) -> None:
    twice = [
        f"{path.relative_to(site)}: {name}"
        for path, page in pages.items()
        for name, count in page.ids.items()
        if count > 1
    ]
    assert not twice, "\n".join(twice)


def test_no_page_names_another_host_to_load_from(site: Path, pages: dict[Path, Page]) -> None:
    named = [
        f"{path.relative_to(site)}: {found}"
        for path, page in pages.items()
        for found in [link for link in page.loads if HOST.match(link.strip())]
        + STYLE_LOADS.findall(page.styles)
        + HOST.findall(page.scripts)
    ]
    assert not named, "\n".join(named)


def test_no_style_sheet_or_script_names_another_host_to_load_from(site: Path) -> None:
    """The theme's own scripts are watched in the browser: they name hosts they never ask."""
    named = []
    for path in sorted(site.rglob("*.css")):
        named += [f"{path.name}: {found}" for found in STYLE_LOADS.findall(path.read_text("utf-8"))]
    for path in sorted(site.rglob("*.js")):
        if "assets/javascripts" not in path.as_posix():
            named += [f"{path.name}: {found}" for found in HOST.findall(path.read_text("utf-8"))]
    assert not named, "\n".join(named)


def test_no_compressed_page_is_larger_than_promised(site: Path, pages: dict[Path, Page]) -> None:
    sizes = {
        path.relative_to(site).as_posix(): len(gzip.compress(path.read_bytes(), 6))
        for path in pages
    }
    assert max(sizes.values()) <= LARGEST, sizes
