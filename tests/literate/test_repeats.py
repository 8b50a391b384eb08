"""Results that are the same in every run, and those that are not, named."""

from __future__ import annotations

from pathlib import Path

import pytest

from literate import pipeline
from literate.cli import main

FRONT = "---\nliterate: true\n---\n"


def block(code: str, opening: str = "python hide") -> str:
    return f"```{opening}\n{code}\n```\n\n"


@pytest.mark.parametrize(
    ("code", "same"),
    [
        ("print({'a', 'b', 'c'}, hash('a'))", True),
        ("import random; random.seed(1); random.random()", True),
        ("import random; random.random()", False),
        ("import numpy; print(numpy.random.rand())", False),
        ("import torch; print(torch.rand(1))", False),
        ("import os; print(os.getpid())", False),
        ("print(object())", False),
        ("import time; print(time.time_ns())", False),
        ("import os\nif not os.path.exists('was'): open('was', 'w').close(); 1 / 0", False),
    ],
)
def test_what_differs_in_a_second_run_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    same: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.md").write_text(FRONT + block("1") + block(code))
    main(["check", "--twice", "page.md"])
    assert ("page.md:8:1: two runs gave" in capsys.readouterr().out) is not same


def test_volatile_block_may_differ_and_a_claim_may_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    volatile = block("import random; x = random.random(); x", "python volatile")
    (tmp_path / "page.md").write_text(FRONT + volatile)
    assert main(["check", "--twice", "page.md"]) == 0
    (tmp_path / "page.md").write_text(FRONT + volatile + "0.5<!--= x; tol=1 -->\n")
    assert main(["check", "--twice", "page.md"]) == 1
    assert "page.md:8:4: x is 0." in capsys.readouterr().out


def test_pages_are_the_same_on_any_number_of_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        code = f"import random; random.seed({number}); [random.random() for _ in range(3)]"
        (tmp_path / f"page{number}.md").write_text(FRONT + block(code))
    site = pipeline.find_site(tmp_path)
    results = []
    for jobs, columns in (("1", "40"), ("3", "200")):
        monkeypatch.setenv("COLUMNS", columns)
        chosen = pipeline.Site(site.root, site.docs, pipeline.Settings(jobs=int(jobs), cache=""))
        chapters = pipeline.find_chapters([tmp_path], chosen)
        pages = pipeline.run_chapters(chapters, chosen, pipeline.Progress(print))
        results.append([page.result for page in pages])
    assert results[0] == results[1]


def test_block_that_goes_on_running_is_named_less_and_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline.Progress, "EVERY", 0.3)
    chapter = pipeline.chapter_of_text(
        FRONT + block("import time; time.sleep(2)"), "page.md", pipeline.Site(tmp_path, tmp_path)
    )
    assert chapter is not None
    said: list[str] = []
    site = pipeline.Site(tmp_path, tmp_path, pipeline.Settings(cache=""))
    pipeline.run_chapters([chapter], site, pipeline.Progress(said.append))
    assert set(said) == {"page.md:4:1: running block 1 of 1"}
    assert 2 <= len(said) <= 4
