"""Findings for people, for code hosts and for programs; resources that are missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from literate.cli import main
from literate.errors import Finding, Level
from literate.report import as_github, as_text
from literate.source import Location

Write = Callable[..., Path]

STALE = "```python\nprint(2)\n```\n\n```output\n1\n```\n"


def test_json_is_what_its_documentation_says(
    write_page: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_page(STALE)
    assert main(["check", "page.md", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    [page] = report.pop("pages")
    assert report == {"version": 1, "status": 1}
    [finding] = page.pop("findings")
    assert page == {"page": "page.md", "blocks_run": 1, "blocks_kept": 0}
    assert finding.pop("detail").splitlines()[-2:] == ["-1", "+2"]
    assert finding == {
        "path": "page.md",
        "line": 8,
        "column": 1,
        "level": "error",
        "rule": "stale-output",
        "what": "1 shown, 2 computed (line 1 of the output)",
        "todo": 'run "literate sync"',
    }


def test_annotations_of_a_code_host_are_escaped(
    write_page: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_page(STALE)
    assert main(["check", "page.md", "--format", "github"]) == 1
    assert capsys.readouterr().out.splitlines()[0] == (
        "::error file=page.md,line=8,col=1,title=literate%3A stale-output::"
        '1 shown, 2 computed (line 1 of the output); run "literate sync"'
    )
    odd = Finding(Location("a,b:c.md", 2, 3), "r", "50%\nof it", "", Level.WARNING)
    assert as_github(odd) == (
        "::warning file=a%2Cb%3Ac.md,line=2,col=3,title=literate%3A r::50%25%0Aof it"
    )


def test_text_has_the_traceback_of_a_failure_only() -> None:
    where = Location("a.md", 2)
    failure = Finding(where, "r", "what", "todo", Level.FAILURE, "one\ntwo")
    assert as_text(failure) == "a.md:2:1: what; todo\n    one\n    two"
    assert as_text(Finding(where, "r", "what", "", Level.ERROR, "one")) == "a.md:2:1: what"


RESOURCES = """\
site_name: s
plugins:
  - literate:
      resources:
        gpt2: {path: data/gpt2.json, how: "python scripts/record.py"}
"""
NEEDY = """\
```python needs="gpt2"
print(open("data/gpt2.json").read())
```

```output
7
```

It is 7<!--= 7; needs=gpt2 -->, and 8<!--= 8 -->.
"""


def test_what_needs_a_missing_resource_does_not_run(
    write_page: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mkdocs.yml").write_text(RESOURCES)
    write_page(NEEDY)
    assert main(["check", "page.md"]) == 0
    assert capsys.readouterr().out == "1 page, 0 blocks ran: clean\n"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "gpt2.json").write_text("8")
    assert main(["check", "page.md"]) == 1
    assert "7 shown, 8 computed" in capsys.readouterr().out


def test_need_that_no_setting_declares_is_a_finding(
    write_page: Write,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mkdocs.yml").write_text(RESOURCES)
    write_page("1<!--= 1; needs=gpt3 -->\n")
    assert main(["check", "page.md"]) == 1
    assert "no setting says what the resource 'gpt3' is; declare it; declared: gpt2" in (
        capsys.readouterr().out
    )
