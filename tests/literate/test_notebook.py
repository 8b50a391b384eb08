"""Pages as notebooks: their cells, their outputs, and what mkdocs-jupyter's page keeps of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from literate import pipeline
from literate.mkdocs_notebooks import Notebooks
from literate.notebook import notebook
from literate.notebook_page import slim
from literate.pipeline import Page

Run = Callable[..., Page]


def cells(page: Page, install: str = "") -> list[dict[str, Any]]:
    text = notebook(page.chapter.document, page.result, install)
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    return found


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def prose(page: Page) -> str:
    return "\n\n".join(source(cell) for cell in cells(page) if cell["cell_type"] == "markdown")


def code(page: Page) -> dict[str, Any]:
    """The page's only code cell."""
    [cell] = [cell for cell in cells(page) if cell["cell_type"] == "code"]
    return cell


def test_notebook_is_valid_and_has_the_pages_cells(run_page: Run) -> None:
    body = "# Title\n\nOne.\n\n```python\nprint(6 * 7)\n```\n\n```output\n42\n```\n\nTwo.\n"
    page = run_page(body)
    text = pipeline.notebook(page)
    nbformat.validate(nbformat.reads(text, 4))
    kinds = [(cell["cell_type"], source(cell)) for cell in cells(page)]
    assert kinds == [
        ("markdown", "# Title\n\nOne."),
        ("code", "print(6 * 7)"),
        ("markdown", "Two."),
    ]
    assert code(page)["outputs"] == [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}]
    assert code(page)["execution_count"] == 1


def test_same_page_gives_the_same_bytes(run_page: Run) -> None:
    page = run_page("```python\nprint(1)\n```\n\n```output\n1\n```\n")
    assert pipeline.notebook(page) == pipeline.notebook(page)


def test_comments_are_kept(run_page: Run) -> None:
    page = run_page("Seven is 7.0<!--= 7 -->. <!-- a note -->\n")
    assert prose(page) == "Seven is 7.0<!--= 7 -->. <!-- a note -->"


def test_boxes_become_bold_lines_with_their_content(run_page: Run) -> None:
    page = run_page(
        '??? question "Exercise"\n\n    How much?\n\n    ??? success "Answer"\n\n'
        "        This much:\n\n        ```python\n        print(1)\n        ```\n\n"
        "        ```output\n        1\n        ```\n\n        - If you got 2, look again.\n\n"
        "    Back in the box.\n\nOutside.\n\n!!! note\n\n    Said.\n"
    )
    assert prose(page) == (
        "**Exercise**\n\nHow much?\n\n**Answer**\n\nThis much:\n\n"
        "- If you got 2, look again.\n\nBack in the box.\n\nOutside.\n\n**Note**\n\nSaid."
    )
    assert source(code(page)) == "print(1)"


def test_code_stays_as_it_is(run_page: Run) -> None:
    body = (
        "```bash\n# run with ${HOME}\n# install {fast}\n```\n\n"
        "~~~ markdown\n!!! note\n    # Title { #id }\n~~~\n\n"
        "```python norun\n# shape {B, T}\n```\n\n"
        "<!--\n!!! note\n# Title { #id }\n-->\n\n"
        "!!! note\n\n    ```text\n    # a {b}\n      deeper\n    ```\n\nAfter.\n"
    )
    shown = prose(run_page(body))
    inside = "```text\n# a {b}\n  deeper\n```"
    start = body.index("!!! note\n\n")
    opening = body[:start].replace("```python norun", "```python norun")
    assert shown == f"{opening}**Note**\n\n{inside}\n\nAfter."


def test_title_of_a_box_may_hold_quotes_or_be_empty(run_page: Run) -> None:
    page = run_page('!!! note "The "best" way"\n\n    One.\n\n!!! tip ""\n\n    Two.\n')
    assert prose(page) == '**The "best" way**\n\nOne.\n\n\nTwo.'


def test_footnotes_become_links_to_numbered_lines(run_page: Run) -> None:
    page = run_page("As told.[^b] And again.[^a][^b]\n\n[^a]: One.\n[^b]: Two. `[^b]` is code.\n")
    assert prose(page) == (
        "As told.[[1]](#footnote-b) And again.[[2]](#footnote-a)[[1]](#footnote-b)\n\n"
        '<a id="footnote-a"></a>**[2]** One.\n<a id="footnote-b"></a>**[1]** Two. `[^b]` is code.'
    )


def test_id_of_a_heading_stays_to_be_linked_to(run_page: Run) -> None:
    page = run_page("## Why { #reason .large }\n\nSee [why](#reason).\n")
    assert prose(page) == '<a id="reason"></a>\n\n## Why\n\nSee [why](#reason).'


@pytest.mark.parametrize("rule", ["===", "-"])
def test_id_of_an_underlined_heading_stays_to_be_linked_to(run_page: Run, rule: str) -> None:
    page = run_page(f"Text.\n\nWhy {{ #reason }}\n{rule}\n\nSee {{why}}\n\n---\n")
    assert prose(page) == f'Text.\n\n<a id="reason"></a>\n\nWhy\n{rule}\n\nSee {{why}}\n\n---'


def test_paragraphs_of_a_footnote_are_text(run_page: Run) -> None:
    page = run_page(
        "As told.[^a]\n\n[^a]: One.\n\n    Two, 7.0<!--= 7 -->.\n\n        code\n\n"
        "!!! note\n\n    So.[^b]\n\n    [^b]: Three.\n\n        Four.\n\n    Five.\n"
    )
    assert prose(page) == (
        'As told.[[1]](#footnote-a)\n\n<a id="footnote-a"></a>**[1]** One.\n\n'
        "Two, 7.0<!--= 7 -->.\n\n    code\n\n**Note**\n\nSo.[[2]](#footnote-b)\n\n"
        '<a id="footnote-b"></a>**[2]** Three.\n\nFour.\n\nFive.'
    )


def test_mark_of_a_footnote_before_a_colon_is_no_footnote(run_page: Run) -> None:
    page = run_page("So[^a]: 7.0<!--= 7 -->[^a]: more.\n\n[^a]: One.\n")
    assert prose(page) == (
        "So[[1]](#footnote-a): 7.0<!--= 7 -->[[1]](#footnote-a): more.\n\n"
        '<a id="footnote-a"></a>**[1]** One.'
    )


def test_links_lead_where_they_are_resolved_to(run_page: Run) -> None:
    page = run_page("[a](b.md#c) `[a](b.md)` ![d](e.png) [f](<g.md>)\n\n[h]: i.md\n")
    text = notebook(page.chapter.document, page.result, resolve=str.upper)
    [cell] = json.loads(text)["cells"]
    assert source(cell) == "[a](B.MD#C) `[a](b.md)` ![d](E.PNG) [f](<G.MD>)\n\n[h]: I.MD"


def test_listing_is_shown_and_its_object_imported(run_page: Run, tmp_path: Path) -> None:
    (tmp_path / "things.py").write_text('def one():\n    """One."""\n    return 1\n')
    page = run_page(
        '```python source="things.one"\ndef one():\n    """One."""\n    return 1\n```\n'
    )
    assert prose(page) == '```python\ndef one():\n    """One."""\n    return 1\n```'
    assert [source(cell) for cell in cells(page) if cell["cell_type"] == "code"] == [
        "# Run elsewhere, this notebook needs its packages first.\n"
        "from importlib.util import find_spec\n\nneeded = ['things']\n"
        "missing = [name for name in needed if find_spec(name) is None]\nif missing:\n    raise "
        'ImportError(f"install {missing} first, from the project that this notebook belongs to")',
        "from things import one",
    ]


def test_listing_of_a_method_imports_its_class(run_page: Run, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more/__init__.py").write_text("")
    (tmp_path / "more/kinds.py").write_text("class A:\n    def one(self):\n        return 1\n")
    method = "def one(self):\n    return 1"
    page = run_page(
        f'```python source="more.kinds.A.one"\n{method}\n```\n\n'
        '```python source="more.kinds"\nclass A:\n    def one(self):\n        return 1\n```\n'
    )
    codes = [source(cell) for cell in cells(page) if cell["cell_type"] == "code"]
    assert codes[1:] == ["from more.kinds import A", "from more import kinds"]


def test_first_cell_installs_what_the_page_imports(run_page: Run) -> None:
    page = run_page(
        "```python\nimport json, numpy.linalg\nfrom matplotlib import pyplot as plt\n```\n\n"
        "```python norun\nimport nowhere\n```\n"
    )
    setup = source(cells(page, "numpy>=2 matplotlib")[0])
    assert "needed = ['numpy', 'matplotlib']" in setup
    assert setup.endswith('if missing:\n    %pip install --quiet "numpy>=2" "matplotlib"')


def test_promised_exception_is_an_error_output_that_stops_nothing(run_page: Run) -> None:
    page = run_page('```python raises="ValueError"\nraise ValueError("no: not so")\n```\n')
    [output] = code(page)["outputs"]
    assert (output["ename"], output["evalue"]) == ("ValueError", "no: not so")
    assert code(page)["metadata"]["tags"] == ["raises-exception"]


def test_hidden_and_folded_code_is_folded_and_marked(run_page: Run) -> None:
    page = run_page("```python hide\nprint(1)\n```\n\n```python fold volatile\nprint(2)\n```\n")
    hidden, folded = cells(page)
    assert hidden["metadata"] == {"jupyter": {"source_hidden": True}, "tags": ["hide"]}
    assert hidden["outputs"] == []
    assert folded["metadata"]["tags"] == ["fold", "volatile"]
    assert folded["outputs"][0]["text"] == ["2\n"]


def test_block_whose_resource_is_not_here_is_shown_with_how_to_get_it(
    run_page: Run, tmp_path: Path
) -> None:
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: x\nplugins:\n  - literate:\n      resources:\n"
        "        w: {path: w.bin, how: 'make it'}\n        here: {path: mkdocs.yml, how: ''}\n"
    )
    page = run_page('```python needs="w"\na = 1\n```\n\n```python needs="here"\nb = 2\n```\n')
    assert prose(page) == "```python\na = 1\n```\n\n*Not run: it needs w; make it.*"
    assert source(code(page)) == "b = 2"
    assert code(page)["execution_count"] == 1
    assert code(page)["metadata"]["tags"] == ["raises-exception"]


def test_drawing_carries_its_words(run_page: Run) -> None:
    page = run_page(
        "```python hide\nclass Dot:\n    def _repr_svg_(self):\n        return "
        '\'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>\'\n'
        '```\n\n```python alt="A dot." caption="Small."\nDot()\n```\n'
    )
    shown, caption = cells(page)[-2:]
    [output] = shown["outputs"]
    assert output["data"]["text/plain"] == ["A dot."]
    assert 'aria-label="A dot."' in "".join(output["data"]["image/svg+xml"])
    assert output["metadata"]["image/svg+xml"] == {"needs_background": "light"}
    assert source(caption) == "*Small.*"


def test_command_writes_notebooks_in_the_shape_of_the_docs(
    tmp_path: Path, run_page: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs/part").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    page = "---\nliterate: true\n---\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n"
    (tmp_path / "docs/part/a.md").write_text(page)
    (tmp_path / "docs/bad.md").write_text(page.replace("print(1)", "1 / 0"))
    done = literate(tmp_path, "notebook", "--out", "out")
    assert done.returncode == 3, done.stderr
    assert (tmp_path / "out/part/a.ipynb").is_file()
    assert not (tmp_path / "out/bad.ipynb").exists()


def test_links_of_notebooks_lead_to_where_they_led_from_the_page(tmp_path: Path) -> None:
    (tmp_path / "docs/part").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    (tmp_path / "docs/a picture.png").write_bytes(b"")
    (tmp_path / "docs/plain.md").write_text("# Plain\n")
    (tmp_path / "docs/b.md").write_text("---\nliterate: true\n---\n\n[up](part/a.md#x)\n")
    long = "a" * 300
    targets = {
        "../b.md#two": "../b.ipynb#two", "../plain.md": "../../docs/plain.md",
        "../a%20picture.png": "../../docs/a%20picture.png", "a.md?q=1": "a.ipynb?q=1",
        "nowhere.md": "nowhere.md", "#here": "#here", "/b.md": "/b.md",
        "https://example.org/b.md": "https://example.org/b.md", "//[x": "//[x",
        "b%00.md": "b%00.md", long: long,
    }  # fmt: skip
    links = "\n\n".join(f"[t]({target})" for target in targets)
    (tmp_path / "docs/part/a.md").write_text(f"---\nliterate: true\n---\n\n{links}\n")
    done = literate(tmp_path, "notebook", "--out", "out")
    assert done.returncode == 0, done.stderr
    [cell] = json.loads((tmp_path / "out/part/a.ipynb").read_text())["cells"]
    assert "".join(cell["source"]).split() == [f"[t]({target})" for target in targets.values()]
    [cell] = json.loads((tmp_path / "out/b.ipynb").read_text())["cells"]
    assert cell["source"] == ["[up](part/a.ipynb#x)"]


def literate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "literate", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


# The page that mkdocs-jupyter makes --------------------------------------------------------------

SITE = """\
site_name: x
site_url: https://example.org/book/
plugins:
  - literate: {mathematics: true, notebooks: books}
  - mkdocs-jupyter: {include: ["*.ipynb"], cache: false}
"""
CHAPTER = """\
---
literate: true
---

# The title

## Half { #half }

The half of $1 < 2$ is $\\frac{1}{2}$, see [the other](other.md#there) and [above](#half).

$$ a_1 < b $$

It costs 5$ and `$x$` is code. <!-- a note -->

```python
print("<b> $1$ & $2$")
```

```output
<b> $1$ & $2$
```

```python volatile
print("now")
```
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jupyter")
    (folder / "docs").mkdir()
    (folder / "mkdocs.yml").write_text(SITE)
    (folder / "docs/chapter.md").write_text(CHAPTER)
    (folder / "docs/index.md").write_text("# Home\n")
    (folder / "docs/other.md").write_text("# Other\n\n## There { #there }\n")
    command = [sys.executable, "-m", "mkdocs", "-q", "build", "--strict"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def shown(built: Path) -> str:
    return (built / "books/chapter/index.html").read_text("utf-8")


def test_page_of_a_notebook_has_no_styles_scripts_or_copies(shown: str) -> None:
    inside = shown[shown.index('class="literate-notebook"') : shown.rindex("literate-output")]
    assert not re.search(r"<style|<script|clipboard|jp-Cell|<!--", inside)
    assert "mathjax" not in shown.lower()


def test_formulas_of_a_notebook_are_mathml(shown: str) -> None:
    assert shown.count("<math") == 3
    assert 'class="math-block"' in shown
    assert "<mfrac>" in shown
    assert "It costs 5$ and" in shown
    assert "<code>$x$</code>" in shown


def test_output_of_a_notebook_is_text(shown: str) -> None:
    assert "&lt;b&gt; $1$ &amp; $2$" in shown
    assert "not compared" in shown


def test_links_of_a_notebooks_page_stay_within_the_site(shown: str, built: Path) -> None:
    assert 'href="../../other/#there"' in shown
    assert 'href="#half"' in shown
    book = (built / "books/chapter.ipynb").read_text("utf-8")
    assert "https://example.org/book/other/#there" in book


def test_links_lead_beside_the_notebook_where_the_site_has_no_address(tmp_path: Path) -> None:
    (tmp_path / "docs/part").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text(SITE.replace("site_url", "# site_url"))
    links = (
        "[a](other.md#there), [b](next%20one.md#half), [c](#half), [d](https://x.org/other.md), "
        "![e](../e.png), [f](/f/).\n"
    )
    (tmp_path / "docs/part/chapter.md").write_text(CHAPTER.replace("[the other]", f"{links}[g]"))
    (tmp_path / "docs/part/next one.md").write_text(CHAPTER)
    (tmp_path / "docs/part/other.md").write_text("# Other\n\n## There { #there }\n")
    (tmp_path / "docs/index.md").write_text("# Home\n")
    (tmp_path / "docs/e.png").write_bytes(b"")
    command = [sys.executable, "-m", "mkdocs", "-q", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    books = tmp_path / "site/books/part"
    book = (books / "chapter.ipynb").read_text("utf-8")
    for target in (
        "../../part/other/index.html#there",
        "next%20one.ipynb#half",
        "#half",
        "https://x.org/other.md",
        "../../e.png",
        "/f/",
    ):
        assert f"]({target})" in book
        if not target.startswith(("/", "#", "http")):
            assert (books / target.split("#")[0].replace("%20", " ")).exists()
    shown = (books / "chapter/index.html").read_text("utf-8")
    for target in ("../../../part/other/#there", "../../../part/next%20one/#half", "#half"):
        assert f'href="{target}"' in shown


def test_chapter_and_notebook_lead_to_each_other(shown: str, built: Path) -> None:
    page = (built / "chapter/index.html").read_text("utf-8")
    assert 'href="../books/chapter.ipynb" download' in page
    assert 'href="../../chapter/"' in shown
    assert 'href="../chapter.ipynb" download' in shown


def test_notebook_is_there_to_download_without_mkdocs_jupyter(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: x\nplugins:\n  - literate: {notebooks: books, install: a==1}\n"
    )
    (tmp_path / "docs/index.md").write_text(CHAPTER.replace("[the other](other.md#there)", ""))
    command = [sys.executable, "-m", "mkdocs", "-q", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    nbformat.validate(nbformat.read(tmp_path / "site/books/index.ipynb", 4))
    assert not (tmp_path / "site/books/index/index.html").exists()


def test_page_that_is_no_notebook_loses_nothing_by_being_empty() -> None:
    assert slim("") == '<div class="literate-notebook">\n\n</div>'


def test_preview_writes_a_notebook_once_and_a_build_every_time(
    run_page: Run, tmp_path: Path
) -> None:
    def written(body: str, serving: bool) -> str:
        page = run_page(body)
        settings = replace(page.chapter.settings, notebooks="books")
        page = replace(page, chapter=replace(page.chapter, settings=settings))
        files = Files([File("page.md", str(tmp_path), str(tmp_path / "site"), True)])
        notebooks.add({"page.md": page}, files, MkDocsConfig(), serving)
        file = files.get_file_from_path("books/page.ipynb")
        assert file
        return file.content_string

    notebooks = Notebooks()
    try:
        first = written("One.\n", serving=True)
        assert written("Two.\n", serving=True) == first
        assert "Two." in written("Two.\n", serving=False)
    finally:
        notebooks.close()
