"""A theme's templates: compiled once, and never older than what they are made from."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CONFIG = """\
site_name: Small
theme:
  name: mkdocs
  custom_dir: own
plugins:
  - literate: {settings}
"""
COUNT = """\
import sys
import jinja2
from mkdocs.__main__ import cli

count, generate = 0, jinja2.Environment._generate
def counted(*words, **named):
    global count
    count += 1
    return generate(*words, **named)
jinja2.Environment._generate = counted
try:
    cli(["build", "--strict"])
finally:
    print("compiled", count, file=sys.stderr)
"""
Built = tuple[int, str, str]
"""How many templates were compiled, the site's first page, and what was logged."""


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Built]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Page\n")
    own = tmp_path / "own"
    own.mkdir()
    (own / "main.html").write_text(
        '{% extends "base.html" %}{% block content %}own 1{% endblock %}'
    )

    def run(settings: str = "{}", more: str = "") -> Built:
        (tmp_path / "mkdocs.yml").write_text(CONFIG.replace("{settings}", settings) + more)
        done = subprocess.run(
            [sys.executable, "-c", COUNT],
            cwd=tmp_path,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "1700000000"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        count = int(done.stderr.rpartition("compiled ")[2])
        return count, (tmp_path / "site" / "index.html").read_text("utf-8"), done.stderr

    return run


def kept(folder: Path) -> list[Path]:
    return list((folder / ".cache" / "literate").glob("templates-*.bin"))


def test_second_build_compiles_nothing(build: Callable[..., Built], tmp_path: Path) -> None:
    first, page, _ = build()
    assert first > 1
    assert len(kept(tmp_path)) == 1
    second, again, _ = build()
    assert (second, again) == (0, page)


def test_changed_template_is_compiled_and_the_old_one_forgotten(
    build: Callable[..., Built], tmp_path: Path
) -> None:
    build()
    size = kept(tmp_path)[0].stat().st_size
    main = tmp_path / "own" / "main.html"
    for number in (2, 3):
        main.write_text(main.read_text().replace("own", f"text {number}, own"))
        count, page, _ = build()
        assert count == 1
        assert f"text {number}" in page
    assert kept(tmp_path)[0].stat().st_size < 1.1 * size


def test_filter_of_the_project_is_never_an_old_one(
    build: Callable[..., Built], tmp_path: Path
) -> None:
    (tmp_path / "own" / "main.html").write_text("{{ 'word' | marked }}")
    hook = "def on_env(env, **others):\n    env.filters['marked'] = lambda text: text + 'MARK'\n"
    for mark in ("!", "?"):
        (tmp_path / "hooks.py").write_text(hook.replace("MARK", mark))
        assert build(more="hooks: [hooks.py]\n")[1] == f"word{mark}"
    assert kept(tmp_path) == []


def test_damaged_file_is_dropped_with_a_warning(
    build: Callable[..., Built], tmp_path: Path
) -> None:
    _, page, _ = build()
    [file] = kept(tmp_path)
    data = file.read_bytes()
    file.write_bytes(data[:-3] + b"xyz")
    count, again, log = build()
    assert count > 1
    assert again == page
    assert "is damaged and was dropped" in log
    assert build()[0] == 0


def test_folder_that_cannot_be_written_is_a_warning(
    build: Callable[..., Built], tmp_path: Path
) -> None:
    (tmp_path / ".cache").write_text("a file")
    assert "cannot be written, and is made anew" in build()[2]


def test_nothing_is_kept_where_no_cache_is_wanted(
    build: Callable[..., Built], tmp_path: Path
) -> None:
    assert build('{cache: ""}')[0] == build('{cache: ""}')[0] > 1
    assert not (tmp_path / ".cache").exists()


def test_templates_go_with_the_cache(build: Callable[..., Built], tmp_path: Path) -> None:
    build()
    command = [sys.executable, "-m", "literate", "cache", "--clear"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "0 results dropped" in done.stdout
    assert kept(tmp_path) == []


def test_folder_of_others_gets_no_templates(build: Callable[..., Built], tmp_path: Path) -> None:
    (tmp_path / ".cache" / "literate").mkdir(parents=True)
    (tmp_path / ".cache" / "literate" / "notes.txt").write_text("mine")
    _, _, log = build()
    assert kept(tmp_path) == []
    assert "holds other files" in log
