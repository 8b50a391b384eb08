"""The chapters' notebooks, run from top to bottom and held against the pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from literate.environment import environment

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ["attention", "trained"]
PATIENCE = 120
"""Seconds that one cell may take."""


@pytest.mark.parametrize("name", CHAPTERS)
def test_notebook_run_elsewhere_gives_what_the_page_shows(
    site: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = nbformat.read(site / f"notebooks/chapters/{name}.ipynb", 4)
    shown = [outcome(cell) for cell in code(book)]
    # The same threads and hash seed as the page had; Jupyter draws in its own way.
    for variable, value in environment(1, tmp_path).items():
        if not variable.startswith(("MPL", "MATPLOTLIB", "IPYTHON")):
            monkeypatch.setenv(variable, value)
    client = NotebookClient(book, timeout=PATIENCE, kernel_name="python3")
    client.execute(cwd=str(ROOT))
    ran = [outcome(cell) for cell in code(book)]
    assert len(ran) > 10
    for cell, before, after in zip(code(book), shown, ran, strict=True):
        if not {"volatile", "hide"} & set(cell.metadata.get("tags", [])):
            assert after == before, cell.source


def code(book: Any) -> list[Any]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def outcome(cell: Any) -> dict[str, Any]:
    """What a cell put out: text, HTML, how many pictures, and what it raised."""
    text, markup, pictures, raised = "", [], 0, ""
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "error":
            raised = f"{output.ename}: {output.evalue}"
        elif "text/html" in data:
            markup.append(data["text/html"])
        elif any(kind.startswith("image/") for kind in data):
            pictures += 1
        elif output.get("name", "stdout") == "stdout":
            text += output.get("text") or f"{data['text/plain']}\n"
    return {
        "text": re.sub(r"[ \t]+(?=\n)", "", text).strip(),
        "html": markup,
        "pictures": pictures,
        "raised": raised,
    }
