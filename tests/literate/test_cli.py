"""The command line as a person meets it: what it prints, where, and its status."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from literate.cli import main

Write = Callable[..., Path]

TRUE = "```python\nprint(2)\n```\n\n```output\n2\n```\n"
STALE = TRUE.replace("output\n2", "output\n1")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_check_of_a_clean_page_says_so(
    write_page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page(TRUE)
    assert main(["check", "page.md"]) == 0
    streams = capsys.readouterr()
    assert streams.out == "1 page, 1 block ran: clean\n"
    assert streams.err == ""


def test_check_names_file_line_and_both_values(
    write_page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_page(STALE)
    before = path.read_bytes()
    assert main(["check", "page.md"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        'page.md:8:1: 1 shown, 2 computed (line 1 of the output); run "literate sync"',
        "1 page, 1 block ran: 1 finding",
    ]
    assert path.read_bytes() == before


def test_check_with_diff_shows_what_sync_would_do_and_writes_nothing(
    write_page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_page(STALE)
    before = path.read_bytes()
    assert main(["check", "--diff", "page.md"]) == 1
    out = capsys.readouterr().out
    assert "--- page.md\n+++ page.md (synced)\n" in out
    assert "\n-1\n+2\n" in out
    assert path.read_bytes() == before


def test_sync_shows_what_it_changes_and_is_idempotent(
    write_page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_page(STALE)
    assert main(["sync", "page.md"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("page.md:8:1: output\n--- page.md\n")
    assert "\n-1\n+2\n" in out
    assert path.read_text().endswith(TRUE)
    stamp = path.stat().st_mtime_ns
    assert main(["sync", "page.md"]) == 0
    assert capsys.readouterr().out == "1 page, 1 block kept from an earlier run: clean\n"
    assert path.stat().st_mtime_ns == stamp


def test_conflict_on_one_page_leaves_the_others_to_be_mended(
    write_page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrites = "with open('a.md', 'a') as page: page.write('more');"
    write_page(f"```python\n{rewrites}\nprint(1)\n```\n", "a.md")
    path = write_page(STALE, "b.md")
    assert main(["sync", "a.md", "b.md"]) == 1
    streams = capsys.readouterr()
    assert "a.md: the file changed since it was read, and was left alone" in streams.err
    assert path.read_text().endswith(TRUE)


def test_folder_with_odd_files_is_read_all_the_same(
    write_page: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page(TRUE, "pages/a.md")
    (tmp_path / "pages" / "folder.md").mkdir()
    (tmp_path / "pages" / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "pages" / ".hidden.md").write_bytes(b"\xff")
    assert main(["check", "pages"]) == 0
    assert capsys.readouterr().out == "1 page, 1 block ran: clean\n"


def test_sync_reports_what_it_cannot_mend(
    write_page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page("0.5 <!--= 0.5 -->\n")
    assert main(["sync", "page.md"]) == 1
    assert "page.md:4:5: nothing touches this claim" in capsys.readouterr().out


def test_failed_block_has_its_own_status_and_its_traceback(
    write_page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page("```python\nx = {}\nx['k']\n```\n")
    assert main(["check", "page.md"]) == 3
    out = capsys.readouterr().out
    assert out.startswith("page.md:6:1: the block raised KeyError: 'k'; mend the code")
    assert '      File "page.md", line 6, in <module>\n' in out


def test_site_pages_are_taken_when_no_path_is_given(
    write_page: Write,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: s\ndocs_dir: text\nx: !ENV [A, b]\ny: !!python/name:a.b\n"
        "plugins:\n  - search\n  - literate:\n      timeout: 5\n"
    )
    write_page(TRUE, "text/deep/a.md")
    write_page("plain", "text/b.md", front="")
    write_page(STALE, "other/c.md")
    monkeypatch.chdir(tmp_path / "text")
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "1 page, 1 block ran: clean\n"


def test_render_writes_plain_markdown(
    write_page: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page(
        'a 2<!--= 1 + 1 -->\n\n```python title="t" fold\nprint(2)\n```\n\n```output\n2\n```\n'
    )
    assert main(["render", "page.md", "--out", "out"]) == 0
    text = (tmp_path / "out" / "page.md").read_text()
    assert text == 'a 2\n\n```python title="t"\nprint(2)\n```\n\n```text\n2\n```\n'
    assert capsys.readouterr().out.splitlines()[0] == str(Path("out/page.md"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "missing.md"], "missing.md: No such file or directory; name a Markdown file"),
        (["check", "plain.md"], "plain.md does not opt in; add `literate: true`"),
        (
            ["check", "bytes.md"],
            "bytes.md:2:3: this is not UTF-8: byte 0xff; save the file as UTF-8",
        ),
        (["check", "empty"], "no literate page in empty"),
        (["render", "page.md", "--out", "."], "page.md is the source itself"),
        (
            ["render", "page.md", "sub/page.md", "--out", "o"],
            "page.md and sub/page.md would both be",
        ),
    ],
)
def test_usage_error_goes_to_stderr_with_status_2(
    write_page: Write, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    write_page("a")
    write_page("a", "sub/page.md")
    write_page("a", "plain.md", front="")
    write_page("a", "bytes.md").write_bytes(b"a\nb \xff")
    Path("empty").mkdir()
    Path("mkdocs.yml").write_text("site_name: s\ndocs_dir: docs\n")
    assert main(arguments) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert words in streams.err


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("timeout: -1", "timeout: -1 is not a number of seconds above 0"),
        ("threads: true", "threads: True is not a whole number above 0"),
        ("tiemout: 3", "literate has no setting 'tiemout'; use one of cache, cache_size, depends"),
    ],
)
def test_wrong_setting_of_the_site_is_a_usage_error(
    write_page: Write, capsys: pytest.CaptureFixture[str], settings: str, words: str
) -> None:
    write_page("a")
    Path("mkdocs.yml").write_text(f"site_name: s\nplugins:\n  - literate:\n      {settings}\n")
    assert main(["check", "page.md"]) == 2
    assert words in capsys.readouterr().err


def test_settings_may_stand_in_pyproject(
    write_page: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write_page("```python\nimport time; time.sleep(30)\n```\n")
    Path("mkdocs.yml").write_text("site_name: s\nplugins:\n  - literate\n")
    Path("pyproject.toml").write_text("[tool.literate]\ntimeout = 0.5\n")
    assert main(["check", "page.md"]) == 3
    assert "longer than the 0.5 seconds" in capsys.readouterr().out


def test_wrong_words_have_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["chek"], ["render", "page.md"], []):
        with pytest.raises(SystemExit) as left:
            main(words)
        assert left.value.code == 2
        assert "usage: literate" in capsys.readouterr().err


def test_module_runs_as_a_command(write_page: Write) -> None:
    write_page(TRUE)
    command = [sys.executable, "-m", "literate", "check", "page.md"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 page, 1 block ran: clean\n", "")


@pytest.mark.parametrize("command", [[], ["check"], ["sync"], ["render"]])
def test_help_says_what_the_statuses_mean(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])
    assert left.value.code == 0
    assert "3 a block failed" in capsys.readouterr().out
