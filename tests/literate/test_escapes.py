"""Blocks that turn against the processes above their own, or against literate itself."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from literate import pipeline
from literate.execute import Limits, Workers, steps_of
from literate.execute.kin import Kin
from literate.execute.listener import Listener
from literate.parse import parse
from literate.pipeline import Page
from literate.results import BlockResult
from literate.source import Source

FRONT = "---\nliterate: true\n---\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="a means of Linux")

Ends = Callable[[int], bool]
Run = Callable[..., Page]
Many = Callable[..., list[Page]]


def block(*lines: str, opening: str = "python") -> str:
    return f"```{opening}\n" + "\n".join(lines) + "\n```\n\n"


@pytest.fixture
def run_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Many:
    """Run pages of these texts at the same time."""
    monkeypatch.chdir(tmp_path)

    def run(*bodies: str) -> list[Page]:
        paths = [tmp_path / f"page{number}.md" for number in range(len(bodies))]
        for path, body in zip(paths, bodies, strict=True):
            path.write_text(FRONT + body)
        site = pipeline.find_site(tmp_path)
        site = replace(site, settings=replace(site.settings, jobs=len(bodies)))
        chapters = pipeline.find_chapters(paths, site)
        return pipeline.run_chapters(chapters, site, pipeline.Progress(print), fresh=True)

    return run


ANCESTORS = [
    "import os, signal, subprocess, time",
    "def parent(number):",
    "    return int(open(f'/proc/{number}/stat').read().rpartition(')')[2].split()[1])",
    "supervisor = os.getppid()",
    "nursery = parent(supervisor)",
    "child = subprocess.Popen(['sleep', '600'], start_new_session=True, env={})",
    "open('pids', 'a').write(f'{os.getpid()} {supervisor} {nursery} {child.pid} ')",
]


@linux
def test_page_that_kills_what_pages_come_from_is_named_and_leaves_nothing(
    run_many: Many, tmp_path: Path, ends: Ends
) -> None:
    other = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        slow = block("import time; time.sleep(1); print(7)") + "```output\n7\n```\n"
        kill = block(*ANCESTORS, "os.kill(nursery, signal.SIGKILL); time.sleep(600)")
        harmed, sound = run_many(kill, slow)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
    [finding] = harmed.findings
    assert "the block killed the process that its page came from" in finding.what
    assert finding.where.line == 4
    assert sound.findings == ()
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 8
    assert all(ends(int(number)) for number in pids)


@linux
@pytest.mark.parametrize("stopped", ["nursery", "supervisor", "nursery supervisor"])
def test_page_that_stops_the_processes_above_it_is_ended_in_its_time(
    run_many: Many, tmp_path: Path, ends: Ends, stopped: str
) -> None:
    kill = [f"os.kill({name}, signal.SIGSTOP)" for name in stopped.split()]
    started = time.monotonic()
    harm = block(*ANCESTORS, *kill, "time.sleep(600)", opening="python timeout=2")
    harmed, sound = run_many(harm, block("import time; time.sleep(1); print(7)"))
    assert time.monotonic() - started < 20
    [finding] = harmed.findings
    assert "the block took longer than the 2 seconds" in finding.what
    assert sound.result.blocks[0].text == "7"
    assert all(ends(int(number)) for number in (tmp_path / "pids").read_text().split())


BROKEN = [
    ("import os; os.closerange(3, 1000)", "closed the line between its process and literate"),
    ("import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (3, 3))", "broke what literate needs"),
    ("import builtins; builtins.len = None", "broke what literate needs"),
    ("import time; time.perf_counter = None", "broke what literate needs"),
    ("import sys; sys.modules.clear()", "took away what all that follows needs: sys.modules"),
    ("import sys; sys.stderr = None", "took away what all that follows needs: sys.stderr"),
    ("import sys; sys.stdout.close()", "took away what all that follows needs: sys.stdout"),
    ("import sys; sys.stdout = None", ""),
    ("import json, os; json.dumps = os.write = None", ""),
]


@linux
@pytest.mark.parametrize(("code", "words"), BROKEN)
def test_block_that_breaks_what_literate_needs_is_named_at_its_place(
    run_page: Run, code: str, words: str
) -> None:
    page = run_page(block("1;") + block(code) + block("2;"))
    assert [words in finding.what for finding in page.findings] == [True] * bool(words)
    assert all(finding.where.line == 8 for finding in page.findings)


@linux
def test_orphans_come_here_until_the_last_who_wants_them_has_ended(tmp_path: Path) -> None:
    def adopts() -> bool:
        answer = ctypes.c_int()
        ctypes.CDLL(None).prctl(37, ctypes.byref(answer), 0, 0, 0)
        return bool(answer.value)

    assert not adopts()
    with Workers(tmp_path) as first:
        first.make_ready()
        with Workers(tmp_path) as second:
            second.make_ready()
            first.end()
            assert adopts()
    assert not adopts()


@linux
def test_only_orphans_with_the_mark_are_ended() -> None:
    kin = Kin()
    with (
        subprocess.Popen(["sleep", "600"]) as other,
        subprocess.Popen(["sleep", "600"]) as worker,
    ):
        kin.add(worker.pid)
        kin.end_orphans()
        assert (other.poll(), worker.poll()) == (None, None)
        kin.end()
        assert other.poll() is None
        assert worker.wait(5) is not None
        other.kill()


class _Said:
    """A line on which a worker says these events."""

    def __init__(self, *events: dict[str, object]) -> None:
        self._events = list(events)

    def event(self, seconds: float) -> dict[str, object]:
        return self._events.pop(0)


BEGUN = {"event": "begin", "number": 0, "process": 0}
ANSWERED = {"event": "end", "result": BlockResult(0).to_json()}
DONE = {"event": "done", "versions": {}}


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ([BEGUN, ANSWERED, BEGUN | {"number": 1}, ANSWERED, DONE], True),
        ([BEGUN, ANSWERED, BEGUN | {"number": 1}, DONE], False),
        ([BEGUN, ANSWERED, DONE], False),
        ([BEGUN, ANSWERED, ANSWERED, DONE], False),
        ([BEGUN | {"number": 1}, ANSWERED, DONE], False),
        ([DONE], False),
    ],
)
def test_page_is_whole_only_when_its_steps_were_answered_in_turn(
    tmp_path: Path, said: list[dict[str, object]], whole: bool
) -> None:
    document = parse(Source("page.md", FRONT + block("1") + block("2")))
    (tmp_path / "stdout").touch()
    link, steps, stop = _Said(*said), steps_of(document, {}), threading.Event()
    listener = Listener(  # type: ignore[arg-type]
        link, document, steps, Limits(), tmp_path / "stdout", lambda block: None, stop
    )
    assert listener.listen() == whole


@linux
def test_command_without_a_place_for_errors_runs_pages(tmp_path: Path) -> None:
    page = block("print(1, file=__import__('sys').stderr)") + block("1;")
    (tmp_path / "page.md").write_text(FRONT + page)
    command = f"exec {sys.executable} -m literate check page.md 2>&-"
    ended = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stdout
