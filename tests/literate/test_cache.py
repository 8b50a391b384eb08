"""What runs again and what does not, and a cache in bad hands."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from literate import pipeline
from literate.cli import main
from literate.pipeline import Page

FRONT = "---\nliterate: true\n---\n"
BODY = """\
# Title

Some prose, and a half: 0.5<!--= half -->.

```python
import sys
sys.path.insert(0, "src")
import outer
half = outer.half()
print(half, open("data.txt").read().strip())
```

```output
0.5 data
```
"""


class Project:
    """A site of one page, which imports a module that imports another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.write("src/outer.py", "import inner\n\ndef half():\n    return inner.HALF\n")
        self.write("src/inner.py", "HALF = 0.5\n")
        self.write("src/unused.py", "")
        self.write("data.txt", "data\n")
        self.write("page.md", FRONT + BODY)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text("utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def run(self, fresh: bool = False, **settings: object) -> Page:
        site = pipeline.find_site(self.folder)
        site = replace(site, settings=replace(site.settings, **settings))  # type: ignore[arg-type]
        chapters = pipeline.find_chapters([self.folder / "page.md"], site)
        progress = pipeline.Progress(self.said.append)
        [page] = pipeline.run_chapters(chapters, site, progress, fresh)
        return page

    @property
    def entries(self) -> list[Path]:
        return sorted(self.folder.glob(".cache/literate/*/*/*.json"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose page's claim stands behind the block."""
    monkeypatch.chdir(tmp_path)
    made = Project(tmp_path)
    claim = "Some prose, and a half: 0.5<!--= half -->.\n\n"
    made.edit("page.md", claim, "")
    made.write("page.md", (tmp_path / "page.md").read_text() + "\n" + claim)
    return made


def ran(page: Page) -> bool:
    return page.blocks_run > 0


def test_second_build_runs_nothing_and_gives_the_same(project: Project) -> None:
    first, second = project.run(), project.run()
    assert (ran(first), ran(second)) == (True, False)
    assert first.result == second.result
    assert first.findings == second.findings == ()
    assert project.said == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("page.md", "Some prose", "Other\n\n\nprose"),
        ("page.md", "```python\n", '```python title="a.py" fold\n'),
        ("page.md", "```python\n", "```python timeout=30\n"),
        ("page.md", "# Title", "# Title\n\n0.1<!--cite: somebody -->\n\n```python norun\n1\n```"),
        ("src/unused.py", "", "CHANGED = 1\n"),
    ],
)
def test_what_the_code_does_not_see_runs_nothing(
    project: Project, name: str, old: str, new: str
) -> None:
    project.run()
    project.edit(name, old, new)
    page = project.run()
    assert not ran(page)
    assert page.findings == ()
    assert page.result == project.run(fresh=True).result


def test_touched_file_runs_nothing(project: Project) -> None:
    project.run()
    for file in ("src/inner.py", "data.txt", "page.md"):
        os.utime(project.folder / file, (1, 1))
    assert not ran(project.run())


@pytest.mark.parametrize(
    ("name", "old", "new", "printed"),
    [
        ("page.md", "print(half", "print(half + 1", "1.5 data"),
        ("src/inner.py", "0.5", "0.25", "0.25 data"),
        ("data.txt", "data", "more", "0.5 more"),
        ("page.md", "half -->", "half * 1 -->", "0.5 data"),
        ("inner.py", "", "HALF = 0.125\n", "0.5 data"),
    ],
)
def test_what_the_code_sees_runs_again(
    project: Project, name: str, old: str, new: str, printed: str
) -> None:
    project.run()
    if not (project.folder / name).exists():
        project.write(name, "")
    project.edit(name, old, new)
    page = project.run()
    assert ran(page) == (name != "inner.py")
    assert page.result.blocks[0].text == printed


def test_module_that_would_now_be_taken_instead_runs_the_page_again(project: Project) -> None:
    project.edit("page.md", 'sys.path.insert(0, "src")', 'sys.path.append("src")')
    assert ran(project.run())
    assert not ran(project.run())
    project.write("inner.py", "HALF = 0.125\n")
    assert project.run().result.blocks[0].text == "0.125 data"


def test_file_and_folder_that_were_not_there_are_seen_when_they_come(project: Project) -> None:
    code = "from pathlib import Path\n"
    code += "try:\n    open('late.txt')\nexcept OSError:\n    print('none')\n"
    code += "print(sorted(p.name for p in Path('parts').iterdir()))"
    (project.folder / "parts").mkdir()
    project.write("page.md", f"{FRONT}```python\n{code}\n```\n")
    assert project.run().result.blocks[0].text == "none\n[]"
    assert not ran(project.run())
    project.write("late.txt", "")
    assert project.run().result.blocks[0].text == "[]"
    project.write("parts/one.txt", "")
    assert project.run().result.blocks[0].text == "['one.txt']"


def test_older_state_finds_its_older_result(project: Project) -> None:
    old = project.run().result
    project.edit("src/inner.py", "0.5", "0.25")
    assert ran(project.run())
    project.edit("src/inner.py", "0.25", "0.5")
    page = project.run()
    assert not ran(page)
    assert page.result == old


def test_settings_that_count_run_again_and_others_do_not(project: Project) -> None:
    project.run()
    assert not ran(project.run(timeout=9.0, jobs=1))
    assert ran(project.run(threads=2))
    assert ran(project.run(depends=("src",)))
    assert not ran(project.run(depends=("src",)))
    project.edit("src/unused.py", "", "CHANGED = 1\n")
    assert ran(project.run(depends=("src",)))


def test_file_that_another_process_was_told_of_is_seen(project: Project) -> None:
    code = "import subprocess, sys\n"
    code += "print(subprocess.run([sys.executable, 'tool.py'], capture_output=True).stdout)"
    project.write("tool.py", "print(1)")
    project.write("page.md", f"{FRONT}```python\n{code}\n```\n")
    project.run()
    assert not ran(project.run())
    project.write("tool.py", "print(2)")
    assert ran(project.run())


def test_file_that_the_page_makes_is_made_again_when_it_is_gone(project: Project) -> None:
    code = "open('made.txt', 'w').write('made');"
    project.write("page.md", f"{FRONT}```python\n{code}\n```\n")
    project.run()
    assert not ran(project.run())
    (project.folder / "made.txt").unlink()
    assert ran(project.run())
    assert (project.folder / "made.txt").exists()


def test_page_that_overwrites_what_it_read_is_not_kept(project: Project) -> None:
    code = "n = int(open('count').read())\nopen('count', 'w').write(str(n + 1))\nprint(n)"
    project.write("count", "1")
    project.write("page.md", f"{FRONT}```python\n{code}\n```\n")
    assert [project.run().result.blocks[0].text for _ in range(2)] == ["1", "2"]


@pytest.mark.parametrize("code", ["1 / 0", "import os; os._exit(3)", "while True: pass"])
def test_failed_run_is_not_kept(project: Project, code: str) -> None:
    project.write("page.md", f"{FRONT}```python timeout=1\n{code}\n```\n")
    assert ran(project.run())
    assert ran(project.run())
    assert project.entries == []


def test_volatile_result_is_kept_as_the_first_build_made_it(project: Project) -> None:
    project.write("page.md", f"{FRONT}```python volatile\nimport os; os.urandom(8)\n```\n")
    assert project.run().result == project.run().result


@pytest.mark.parametrize("harm", ["cut", "turned", "emptied", "other", "older"])
def test_damaged_entry_is_a_miss_with_a_warning(project: Project, harm: str) -> None:
    first = project.run()
    [entry] = project.entries
    data = entry.read_bytes()
    head, _, body = data.partition(b"\n")
    harmed = {
        "cut": data[:-9],
        "turned": head + b"\n" + body[:-9] + bytes([body[-9] ^ 1]) + body[-8:],
        "emptied": b"",
        "other": b"[]\n{}",
        "older": json.dumps({"dependencies": [["file"]]}).encode() + b"\n{}",
    }
    entry.write_bytes(harmed[harm])
    page = project.run()
    assert ran(page)
    assert page.result == first.result
    [warning] = project.said
    assert "is damaged and was dropped" in warning
    assert not ran(project.run())


def test_fresh_ignores_what_is_kept_and_keeps_what_it_made(project: Project) -> None:
    assert ran(project.run(fresh=True))
    assert not ran(project.run())
    assert ran(project.run(fresh=True))


def test_cache_that_cannot_be_written_is_a_warning(project: Project) -> None:
    project.write("file", "")
    assert ran(project.run(cache="file"))
    assert "cannot be written" in project.said[0]


def test_empty_setting_keeps_nothing(project: Project) -> None:
    project.run(cache="")
    assert ran(project.run(cache=""))
    assert not (project.folder / ".cache").exists()


def test_two_builds_at_once_leave_one_whole_entry(project: Project) -> None:
    pages: list[Page] = []
    builds = [threading.Thread(target=lambda: pages.append(project.run())) for _ in range(3)]
    for build in builds:
        build.start()
    for build in builds:
        build.join()
    assert len({json.dumps(page.result.blocks[0].text) for page in pages}) == 1
    assert len(project.entries) == 1
    assert not ran(project.run())


def test_caches_merge_by_copying_files(project: Project, tmp_path: Path) -> None:
    project.run(cache="one")
    shutil.copytree(tmp_path / "one", tmp_path / "two" / "nested")
    shutil.copytree(tmp_path / "two" / "nested", tmp_path / ".cache" / "literate")
    assert not ran(project.run())


def test_cache_is_hidden_from_version_control(project: Project) -> None:
    project.run()
    assert (project.folder / ".cache" / "literate" / ".gitignore").read_text() == "*\n"


def test_size_is_bounded_and_what_was_used_last_stays(project: Project) -> None:
    values = ["0.5", "0.25", "0.125"]
    for old, new in itertools.pairwise(values):
        project.run()
        project.edit("src/inner.py", old, new)
    oldest, newest = sorted(project.entries, key=lambda path: path.stat().st_mtime_ns)
    project.run(cache_size=2 * newest.stat().st_size + 100)
    assert not oldest.exists()
    assert newest.exists()


def test_commands_look_after_the_cache(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.run()
    assert main(["cache"]) == 0
    size = r"cache/literate: 1 result, [1-9][\d.]* k?B of at most 256 MB"
    assert re.search(size, capsys.readouterr().out.replace(os.sep, "/"))
    assert main(["cache", "--prune"]) == 0
    assert len(project.entries) == 1
    assert main(["cache", "--clear"]) == 0
    assert project.entries == []
    assert "1 results dropped" in capsys.readouterr().out


def test_check_runs_all_on_a_server(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)
    said = []
    for environment in ("", "", "true"):
        monkeypatch.setenv("CI", environment)
        assert main(["check", "page.md", "--cache-dir", "kept"]) == 0
        said.append(capsys.readouterr().out)
    assert [("kept" in text) for text in said] == [False, True, False]
    assert main(["check", "page.md", "--cache-dir", "kept", "--fresh"]) == 0
    assert "1 block ran" in capsys.readouterr().out


def test_shards_share_the_pages_out(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"page{number}.md" for number in range(5)]
    for name in names:
        project.write(name, f"{FRONT}words\n")
    shown = []
    for part in ("1/2", "2/2"):
        assert main(["check", "--shard", part, "--jobs", "1", *names]) == 0
        shown.append(capsys.readouterr().out)
    assert [text.split(",")[0] for text in shown] == ["3 pages", "2 pages"]
    assert main(["check", "--shard", "3/2", *names]) == 2
    assert main(["check", "--jobs", "0", *names]) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="takes the right to write from a folder")
def test_reading_needs_no_right_to_write(project: Project) -> None:
    project.run()
    folder = project.entries[0].parent
    folder.chmod(0o500)
    try:
        assert not ran(project.run())
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize("words", [["cache", "--clear"], ["cache", "--prune"], ["check"]])
def test_files_of_others_in_the_caches_folder_stay(project: Project, words: list[str]) -> None:
    project.write("docs/en/index.md", "# Home\n")
    project.write("docs/de/data/x.json", "{}")
    project.write(
        "mkdocs.yml", "site_name: x\nplugins:\n  - literate: {cache: docs, cache_size: 1}\n"
    )
    before = sorted(path for path in (project.folder / "docs").rglob("*"))
    assert main([*words, *(["page.md"] if words == ["check"] else [])]) == 0
    assert sorted(path for path in (project.folder / "docs").rglob("*")) == before


@pytest.mark.parametrize("damage", ["[" * 200_000, None])
def test_entry_that_cannot_be_read_or_dropped_is_a_miss(
    project: Project, damage: str | None
) -> None:
    project.run()
    [entry] = project.entries
    entry.unlink()
    if damage is None:
        entry.mkdir()
    else:
        entry.write_text(damage)
    assert ran(project.run())
    assert any("damaged" in said for said in project.said)
