"""Pages written into a folder of their own, and what comes of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from literate import pipeline
from literate.pipeline import Page

FRONT = "---\nliterate: true\n---\n"


@pytest.fixture
def ends() -> Callable[[int], bool]:
    """Whether a process is gone, or goes within five seconds; a zombie is gone."""

    def ends(number: int) -> bool:
        for _ in range(50):
            try:
                os.kill(number, 0)
            except ProcessLookupError:
                return True
            status = Path(f"/proc/{number}/stat")
            if status.exists() and status.read_text().split(")")[-1].split()[0] == "Z":
                return True
            time.sleep(0.1)
        return False

    return ends


@pytest.fixture
def write_page(tmp_path: Path) -> Callable[..., Path]:
    """Write a literate page; its first line of text is line 4."""

    def write(body: str, name: str = "page.md", front: str = FRONT) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((front + body).encode())
        return path

    return write


@pytest.fixture
def run_page(
    write_page: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Page]:
    """Write a literate page, run it and check it."""
    monkeypatch.chdir(tmp_path)

    def run(body: str, front: str = FRONT) -> Page:
        path = write_page(body, front=front)
        site = pipeline.find_site(tmp_path)
        [chapter] = pipeline.find_chapters([path], site)
        [page] = pipeline.run_chapters([chapter], site, pipeline.Progress(print))
        return page

    return run
