"""Other people's sites, without the attention package and without PyTorch."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

# Read by every Python that starts with its folder on PYTHONPATH, the workers too.
BLOCKER = """\
import sys


class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"torch", "attention"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Absent())
"""
FRONT = "---\nliterate: true\n---\n"
OUTPUTS = re.compile(r'<div class="literate-output[^>]*>.*?<code>(.*?)</code>', re.S)


class Site:
    """A site in a folder of its own, built where neither package can be imported."""

    def __init__(self, folder: Path, config: str) -> None:
        self.folder = folder
        self.write("absent/sitecustomize.py", BLOCKER)
        self.write("mkdocs.yml", f"site_name: Gardens\n{textwrap.dedent(config)}")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        paths = [str(self.folder / "absent"), os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "NO_MKDOCS_2_WARNING": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def build(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "mkdocs", "build", *words)

    def page(self, name: str = "") -> str:
        return (self.folder / "site" / name / "index.html").read_text("utf-8")


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup)).rstrip("\n")


def outputs(page: str) -> list[str]:
    """What a page shows of what its blocks put out, as text."""
    return [text_of(output) for output in OUTPUTS.findall(page)]


def codes(page: str) -> list[str]:
    """The code that a page shows, as text."""
    code = re.findall(r"<pre[^>]*>.*?<code[^>]*>(.*?)</code>", OUTPUTS.sub("", page), re.S)
    return [text_of(text) for text in code]


def fenced(code: str, output: str, opening: str = "python") -> str:
    return f"```{opening}\n{code}\n```\n\n```output\n{output}\n```\n\n"


# A site with nothing but `literate` switched on -----------------------------------------------


@pytest.mark.parametrize("name", ["torch", "attention"])
def test_package_cannot_be_imported_there(tmp_path: Path, name: str) -> None:
    done = Site(tmp_path, "").python("-c", f"import {name}")
    assert f"No module named '{name}'" in done.stderr


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_unrelated_site_is_built_strictly(tmp_path: Path, theme: str) -> None:
    site = Site(tmp_path, f"plugins: [literate]\ntheme: {{name: {theme}}}\n")
    area = "def area(a, b):\n    return a * b"
    site.write("garden.py", f"{area}\n")
    body = (
        f'# Beds\n\n```python source="garden.area"\n{area}\n```\n\n'
        + fenced("print('roses', area(2, 3))\narea(2.5, 2.5)", "roses 6\n6.25")
        + "A bed of 6.25<!--= area(2.5, 2.5) --> square metres.\n\n"
        + '```python raises="ModuleNotFoundError"\nimport attention\n```\n'
    )
    site.write("docs/index.md", FRONT + body)
    site.write("docs/plain.md", "# Plain\n\n```python\nimport torch\n```\n")
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    page = site.page()
    assert outputs(page)[0] == "roses 6\n6.25"
    assert "A bed of 6.25 square metres." in text_of(page)
    assert codes(page)[0] == area
    assert outputs(site.page("plain")) == []
    assert "literate.css" in page


IN_LIST = "- A bed:\n\n" + textwrap.indent(fenced("1 + 1", "2"), "    ")
NEEDY = {
    "list": IN_LIST,
    "box": IN_LIST.replace("- A bed:", "!!! note"),
    "tab": IN_LIST.replace("- A bed:", '=== "A bed"'),
    "quote": textwrap.indent(fenced("1 + 1", "2"), "> ", lambda line: True),
    "title": fenced("1 + 1", "2", 'python title="bed.py"'),
}


@pytest.mark.parametrize("body", NEEDY.values(), ids=NEEDY)
def test_block_that_the_sites_markdown_would_not_see_is_refused(tmp_path: Path, body: str) -> None:
    site = Site(tmp_path, "plugins: [literate]\nmarkdown_extensions: [admonition]\n")
    site.write("docs/index.md", FRONT + body)
    done = site.build()
    assert done.returncode == 1
    said = re.sub(r"\s+", " ", done.stdout + done.stderr)
    assert re.search(r"index\.md:\d+:\d+: a block (in|with) .* needs pymdownx\.superfences", said)
    assert "add pymdownx.superfences to markdown_extensions" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("extension", ["pymdownx.superfences", "pymdownx.extra"])
@pytest.mark.parametrize("body", NEEDY.values(), ids=NEEDY)
def test_superfences_alone_is_enough(tmp_path: Path, body: str, extension: str) -> None:
    extensions = f"[admonition, pymdownx.tabbed, {extension}]"
    site = Site(tmp_path, f"plugins: [literate]\nmarkdown_extensions: {extensions}\n")
    site.write("docs/index.md", FRONT + body)
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr
    assert codes(site.page()) == ["1 + 1"]
    assert outputs(site.page()) == ["2"]


@pytest.mark.parametrize("opening", ["python", "py fold", 'python hl_lines="1"', "{ .python }"])
def test_plain_blocks_need_no_extension(tmp_path: Path, opening: str) -> None:
    site = Site(tmp_path, "plugins: [literate]\n")
    site.write("docs/index.md", FRONT + fenced("1 + 1", "2", opening))
    done = site.build("--strict")
    assert codes(site.page()) == ["1 + 1"], done.stderr


def test_nothing_of_ours_on_another_site_knows_about_attention(tmp_path: Path) -> None:
    site = Site(tmp_path, "plugins: [literate]\n")
    site.write("docs/index.md", FRONT + fenced("1 + 1", "2"))
    assert site.build("--strict").returncode == 0
    ours = [*tmp_path.glob("site/**/*.html"), *tmp_path.glob("site/assets/*literate*.css")]
    assert len(ours) > 1
    assert [path.name for path in ours if "attention" in path.read_text("utf-8").lower()] == []


def test_page_that_imports_torch_fails_there_with_its_place(tmp_path: Path) -> None:
    site = Site(tmp_path, "plugins: [literate]\n")
    site.write("docs/index.md", FRONT + "# Beds\n\n```python\nx = 1\nimport torch\n```\n")
    done = site.build()
    assert done.returncode == 3
    assert "docs/index.md:8:1: the block raised ModuleNotFoundError" in done.stderr
    assert "No module named 'torch'" in done.stderr
    assert not (tmp_path / "site").exists()


# Together with others -------------------------------------------------------------------------

CONFIG = """\
plugins:
  - search
{macros}
  - mkdocs-jupyter:
      execute: true
      execute_ignore: ["*.ipynb"]
  - literate
hooks: [include.py]
extra: {{plant: rose}}
exclude_docs: parts/
markdown_extensions:
  - admonition
  - pymdownx.superfences
  - pymdownx.snippets: {{base_path: docs/parts, check_paths: true}}
"""

# Fills in early, as plugins that include files do.
INCLUDE = """\
from mkdocs.plugins import event_priority


@event_priority(200)
def on_page_markdown(markdown, **kwargs):
    return markdown.replace("INCLUDE", "*included* words")
"""

CODE = """\
plant = "rose"
print(f"{{{plant}}} {{page.title}}", "{{ page.title }}", "{% raw %}", '--8<-- "part.md"')
lines = '''
--8<-- "part.md"
  two blanks at the end:\N{SPACE}\N{SPACE}

# --8<-- [start:here]
INCLUDE {# no comment #} {{ undefined | nofilter }}
'''
print(lines.strip())"""
OUTPUT = """\
{rose} {page.title} {{ page.title }} {% raw %} --8<-- "part.md"
--8<-- "part.md"
  two blanks at the end:\N{SPACE}\N{SPACE}

# --8<-- [start:here]
INCLUDE {# no comment #} {{ undefined | nofilter }}"""
PROSE = '# A {{ plant }}\n\nThis {{ plant }} is red.\n\n--8<-- "part.md"\n\nINCLUDE\n\n'
NOTE = textwrap.indent("!!! note\n\n" + fenced(CODE, OUTPUT), "    ").lstrip()
NOTEBOOK = """\
jupyter:
  kernelspec: {name: python3, display_name: Python 3, language: python}
"""
ONCE = "with open('runs.txt', 'a') as file:\n    file.write('run ')"


def together(folder: Path, macros: bool) -> Site:
    """A site with everything in one `mkdocs.yml`, built."""
    site = Site(folder, "")
    on = "  - macros: {on_error_fail: true}" if macros else ""
    site.write("mkdocs.yml", "site_name: Gardens\n" + CONFIG.format(macros=on))
    site.write("include.py", INCLUDE)
    site.write("docs/parts/part.md", "A part with *words*.\n")
    site.write("docs/index.md", FRONT + PROSE + fenced(CODE, OUTPUT) + NOTE)
    front = "---\nliterate: true\nrender_macros: false\n---\n"
    site.write("docs/unrendered.md", front + PROSE + fenced(CODE, OUTPUT))
    front = f"---\nliterate: true\n{NOTEBOOK}---\n"
    page = f"# Paired\n\n```python\n{ONCE};\n```\n\n" + fenced("6 * 7", "42")
    site.write("docs/paired.md", front + page)
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# Of Jupyter\n"]}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    site.write("docs/notes.ipynb", json.dumps(notebook))
    done = site.build("--strict")
    assert done.returncode == 0, done.stderr + done.stdout
    return site


@pytest.fixture(scope="module", params=[True, False], ids=["with macros", "without macros"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Site:
    if request.param and importlib.util.find_spec("mkdocs_macros") is None:
        pytest.skip("mkdocs-macros-plugin is missing: pip install -r requirements.txt")
    return together(tmp_path_factory.mktemp("together"), request.param)


def has_macros(site: Site) -> bool:
    return "macros" in (site.folder / "mkdocs.yml").read_text("utf-8")


@pytest.mark.parametrize("name", ["", "unrendered"])
def test_code_and_output_stand_as_they_ran(site: Site, name: str) -> None:
    page = site.page(name)
    assert set(codes(page)) == {CODE}
    assert set(outputs(page)) == {OUTPUT}
    assert len(codes(page)) == len(outputs(page)) == (1 if name else 2)


def test_macros_in_the_prose_of_a_literate_page_work(site: Site) -> None:
    shown = "rose" if has_macros(site) else "{{ plant }}"
    assert f"This {shown} is red." in site.page()
    assert "This {{ plant }} is red." in site.page("unrendered")


def test_snippets_and_includes_in_the_prose_of_a_literate_page_work(site: Site) -> None:
    assert "A part with <em>words</em>." in site.page()
    assert "<p><em>included</em> words</p>" in site.page()


def test_literate_page_is_no_notebook_even_if_jupytext_can_read_it(site: Site) -> None:
    page = site.page("paired")
    assert codes(page) == [f"{ONCE};", "6 * 7"]
    assert outputs(page) == ["42"]
    assert "jp-Cell" not in page
    assert (site.folder / "runs.txt").read_text("utf-8") == "run "


def test_notebooks_beside_literate_pages_are_shown_as_ever(site: Site) -> None:
    assert "jp-Cell" in site.page("notes")
    assert "Of Jupyter" in site.page("notes")
