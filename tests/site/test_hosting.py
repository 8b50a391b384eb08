"""The site as it stands on a host, below a path of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HOME = "https://example.org/slowly/"


class Page(HTMLParser):
    """A page's addresses, by the tag that names them, and its description."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str]] = []
        self.canonical = self.description = ""
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if values.get("name") == "description":
            self.description = values["content"]
        if values.get("rel") == "canonical":
            self.canonical = values["href"]
        self.addresses += [(tag, values[name]) for name in ("href", "src") if name in values]


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site built for a host, as the publishing workflow does, but without running pages."""
    folder = tmp_path_factory.mktemp("hosted")
    config = {
        "INHERIT": str(ROOT / "mkdocs.yml"),
        "docs_dir": str(ROOT / "docs"),
        "hooks": [str(ROOT / "scripts" / "mkdocs_hooks.py")],
        "theme": {"custom_dir": str(ROOT / "overrides")},
        "plugins": [
            "search",
            {"literate": {"execute": False, "notebooks": "notebooks"}},
            {"mkdocs-jupyter": {"include": ["*.ipynb"], "cache": False}},
        ],
    }
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config), "utf-8")
    site = folder / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)]
    environment = os.environ | {"SITE_URL": HOME.rstrip("/"), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return site


def pages(site: Path) -> dict[str, Page]:
    """The pages by their paths below the site, without the one for errors."""
    files = [path for path in site.rglob("*.html") if path.name != "404.html"]
    found = {path.relative_to(site).as_posix().removesuffix("index.html"): path for path in files}
    return {name: Page(path) for name, path in sorted(found.items())}


def test_every_page_says_which_address_is_its_own(hosted: Path) -> None:
    found = pages(hosted)
    assert "chapters/attention/" in found
    assert {name: page.canonical for name, page in found.items()} == {
        name: HOME + name for name in found
    }


def test_sitemap_lists_every_page_and_no_other(hosted: Path) -> None:
    tree = ElementTree.parse(hosted / "sitemap.xml")
    listed = [place.text for place in tree.iterfind(".//{*}loc")]
    assert sorted(filter(None, listed)) == sorted(HOME + name for name in pages(hosted))


def test_page_for_errors_finds_all_it_needs_below_the_sites_own_path(hosted: Path) -> None:
    """It is sent for any address, so that what is relative to it leads nowhere."""
    page = Page(hosted / "404.html")
    inside = [(tag, link) for tag, link in page.addresses if not link.startswith("#")]
    assert {"a", "link", "script"} <= {tag for tag, _ in inside}
    lost = []
    for _, link in inside:
        path = link.removeprefix(HOME.rstrip("/")).removeprefix("/slowly")
        file = hosted / path.split("#")[0].strip("/")
        if path == link or not (file / "index.html" if file.is_dir() else file).is_file():
            lost.append(link)
    assert not lost


def test_page_for_errors_links_every_page(hosted: Path) -> None:
    content = (hosted / "404.html").read_text("utf-8").split("<article")[1].split("</article")[0]
    linked = set(re.findall(r'<li><a href="/slowly/([^"#]*)"', content))
    assert {name or "." for name in linked} == {name or "." for name in pages(hosted)}


def test_every_page_has_a_description_of_its_own(site: Path) -> None:
    found = {name: page.description for name, page in pages(site).items()}
    assert all(found.values()), found
    assert len(set(found.values())) == len(found), found
