"""The same small book for several tools: about 25 blocks and 6 figures a chapter."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

__all__ = ["EDITION", "LAST", "PACKAGE", "PROSE", "write_book"]

PACKAGE = "shelf/parts.py"
"""The module, two imports deep, that a benchmark changes."""

PROSE = "The last words of this chapter."
"""A sentence of every chapter, which a benchmark changes."""

LAST = "finish = 1"
"""A line of the last block, which a benchmark changes."""

EDITION = "edition = 1"
"""A line of that module whose value the last block shows."""

_MODULES = {
    "shelf/__init__.py": "from shelf.layers import attend\n",
    "shelf/layers.py": textwrap.dedent("""\
        import torch

        from shelf.parts import scale


        def attend(x):
            scores = x @ x.transpose(-2, -1) * scale(x)
            return torch.softmax(scores, dim=-1) @ x
        """),
    PACKAGE: f"{EDITION}\n\n\ndef scale(x):\n    return x.shape[-1] ** -0.5\n",
}
_FIRST = """\
import matplotlib.pyplot as plt
import torch

from shelf import attend

torch.manual_seed({seed})
x = torch.randn(8, 256, 128)
print(x.shape)"""
_STEP = """\
for _ in range(12):
    x = attend(x)
    x = x / x.std()
print(f"step {step}: {{x.shape[-1]}} numbers")"""
_FIGURE = """\
fig, ax = plt.subplots(figsize=(4, 2))
ax.plot(x[0, :64, {step}].numpy())
ax.set(xlabel="position", ylabel="entry {step}")"""
_END = f"""\
{LAST}
from shelf import parts
print(finish, attend(x).shape, parts.edition)"""


def _blocks(seed: int) -> Iterator[tuple[str, bool]]:
    """The code of a chapter's blocks, and whether each draws a figure."""
    yield _FIRST.format(seed=seed), False
    for step in range(18):
        yield _STEP.format(step=step), False
        if step % 3 == 2:
            yield _FIGURE.format(step=step), True
    yield _END, False


def _prose(number: int) -> str:
    return (
        f"Paragraph {number} of the chapter says in plain words what the next block does, and "
        "why one would want to know, in two lines of text as a chapter has them."
    )


def write_book(folder: Path, kind: str, chapters: int = 1) -> None:
    """Write a book for one tool.

    Args:
        folder: where to.
        kind: ``plain`` for scripts, ``bare`` for pages that run nothing, else the tool.
        chapters: how many.
    """
    for name, text in _MODULES.items():
        _write(folder / name, text)
    for seed in range(chapters):
        name, text = _page(kind, seed)
        _write(folder / name, text)
    if kind != "plain":
        _write(folder / "mkdocs.yml", json.dumps(_config(kind)))
        if kind == "mkdocs-jupyter":
            _write(folder / "docs/index.md", "# Book\n")


def _page(kind: str, seed: int) -> tuple[str, str]:
    if kind == "plain":
        return f"chapter{seed}.py", _script(seed)
    if kind == "mkdocs-jupyter":
        return f"docs/chapter{seed}.ipynb", _notebook(seed)
    name = "index" if seed == 0 else f"chapter{seed}"
    return f"docs/{name}.md", _markdown(kind, seed)


def _script(seed: int) -> str:
    """All blocks one after the other; figures are drawn as SVG, as the tools draw them."""
    pieces = ["import io\nimport matplotlib\nmatplotlib.use('Agg')"]
    for code, figure in _blocks(seed):
        pieces.append(code)
        if figure:
            pieces.append("fig.savefig(io.StringIO(), format='svg')\nplt.close(fig)")
    return "\n\n".join(pieces) + "\n"


def _markdown(kind: str, seed: int) -> str:
    front = "---\nliterate: true\n---\n\n" if kind == "literate" else ""
    pieces = [f"{front}# Chapter {seed}"]
    for number, (code, figure) in enumerate(_blocks(seed)):
        pieces += [_prose(number), _fenced(kind, code, figure, seed)]
    return "\n\n".join([*pieces, PROSE]) + "\n"


def _fenced(kind: str, code: str, figure: bool, seed: int) -> str:
    opening = "python"
    if kind == "literate" and figure:
        opening += ' alt="A line."'
    if kind == "markdown-exec":
        opening += f' exec="1" source="above" session="s{seed}"'
        opening += ' html="1"' if figure else ' result="text"'
        if figure:
            code += (
                "\nimport io\nout = io.StringIO()\nfig.savefig(out, format='svg')\n"
                "plt.close(fig)\nprint(out.getvalue())"
            )
    return f"```{opening}\n{code}\n```"


def _notebook(seed: int) -> str:
    cells = [new_markdown_cell(f"# Chapter {seed}")]
    for number, (code, _) in enumerate(_blocks(seed)):
        cells += [new_markdown_cell(_prose(number)), new_code_cell(code)]
    cells.append(new_markdown_cell(PROSE))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.writes(new_notebook(cells=cells, metadata={"kernelspec": kernel}))


def _config(kind: str) -> dict[str, object]:
    """The settings of a site; JSON is YAML."""
    plugins: list[object] = ["search"]
    if kind == "literate":
        plugins.append({"literate": {"watch": ["shelf"]}})
    elif kind == "markdown-exec":
        plugins.append("markdown-exec")
    elif kind == "mkdocs-jupyter":
        plugins.append({"mkdocs-jupyter": {"include": ["*.ipynb"], "execute": True}})
    return {
        "site_name": "Book",
        "theme": {"name": "material", "font": False},
        "plugins": plugins,
        "markdown_extensions": ["pymdownx.superfences", "pymdownx.highlight"],
        "watch": ["shelf"],
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
