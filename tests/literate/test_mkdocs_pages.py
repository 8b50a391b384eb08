"""Pages rendered as soon as they have run, for a site that is not complete by then."""

from __future__ import annotations

from pathlib import Path

from mkdocs.structure.files import File, Files

from literate import pipeline
from literate.mkdocs_pages import SitePages

TEXT = """---
literate: true
---

```python
x = 4
x
```

The number is 4<!--= x -->.
"""


def made(name: str) -> File:
    return File(name, "docs", "site", use_directory_urls=True)


def run(folder: Path, text: str = TEXT) -> pipeline.Page:
    site = pipeline.Site(folder, folder)
    chapter = pipeline.chapter_of_text(text, "page.md", site)
    assert chapter is not None
    [page] = pipeline.run_chapters([chapter], site, pipeline.Progress(print))
    return page


def test_page_follows_the_list_of_numbers_wherever_it_is_by_then(tmp_path: Path) -> None:
    pages, file = SitePages(), made("page.md")
    pages.begin("all/numbers.md", "2026-01-02")
    files = Files([file])
    pages.adding([file], [file], files)(run(tmp_path))
    html = pages.markdown("", file, files)
    before = pages.content(html, file, files)
    files.append(made("all/numbers.md"))
    after = pages.content(html, file, files)
    assert before is not None
    assert after is not None
    assert "../all/numbers/" not in before
    assert "../all/numbers/" in after


def test_page_that_an_attempt_before_has_run_is_forgotten(tmp_path: Path) -> None:
    pages, file, other = SitePages(), made("page.md"), made("other.md")
    files = Files([file, other])
    pages.begin("", "")
    pages.adding([other], [other], files)(run(tmp_path))
    pages.adding([file], [file], files)(run(tmp_path))
    assert list(pages.ran) == ["other.md", "page.md"]
    pages.adding([file], [], files)
    assert list(pages.ran) == ["other.md"]
    assert pages.markdown("as it is", file, files) == "as it is"
    assert pages.content("as it is", file, files) is None


def test_listing_is_filled_with_the_numbers_of_all_pages(tmp_path: Path) -> None:
    pages, file, listing = SitePages(), made("page.md"), made("numbers.md")
    files = Files([file, listing])
    pages.begin("numbers.md", "")
    pages.adding([file], [file], files)(run(tmp_path))
    text = pages.markdown("# Numbers", listing, files)
    assert text.startswith("# Numbers")
    filled = pages.content('<div data-literate="numbers"></div>', listing, files)
    assert filled is not None
    assert "../page/" in filled
