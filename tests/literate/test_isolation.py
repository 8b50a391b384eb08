"""Blocks that do harm: each is named, nothing of it stays, and other pages are built."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from literate import pipeline
from literate.pipeline import Page

FRONT = "---\nliterate: true\n---\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="a means of Linux")
posix = pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")

Ends = Callable[[int], bool]
Run = Callable[..., Page]


def block(*lines: str, opening: str = "python") -> str:
    return f"```{opening}\n" + "\n".join(lines) + "\n```\n\n"


ESCAPE = [
    "import os, subprocess, sys",
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],",
    "                         start_new_session=True)",
    "print(child.pid)",
    "grandchild = os.fork()",
    "if grandchild == 0:",
    "    os.setsid()",
    "    if os.fork():",
    "        os._exit(0)",
    "    open('far', 'w').write(str(os.getpid()))",
    "    import time; time.sleep(600)",
    "os.waitpid(grandchild, 0)",
    "import time",
    "while not (os.path.exists('far') and open('far').read()): time.sleep(0.01)",
]


@linux
@pytest.mark.parametrize("last", ["print('end')", "os._exit(1)", "while True: pass"])
def test_process_in_a_session_of_its_own_ends_with_its_page(
    run_page: Run, tmp_path: Path, ends: Ends, last: str
) -> None:
    page = run_page(block(*ESCAPE, last, opening="python timeout=4"))
    near = int(page.result.blocks[0].text.split()[0])
    assert ends(near)
    assert ends(int((tmp_path / "far").read_text()))


@linux
def test_processes_that_fork_and_end_without_end_are_ended(run_page: Run, tmp_path: Path) -> None:
    # They would end by themselves after 20 seconds.
    page = run_page(
        block(
            "import os, time",
            "for chain in range(3):",
            "    if os.fork() == 0:",
            "        last = time.monotonic() + 20",
            "        while time.monotonic() < last:",
            "            if os.fork(): os._exit(0)",
            "            os.setsid()",
            "            open(f'alive{chain}', 'w').write(str(time.monotonic()))",
            "            time.sleep(0.003)",
            "        os._exit(0)",
            "time.sleep(600)",
            opening="python timeout=2",
        )
    )
    assert "longer than the 2 seconds" in page.findings[0].what
    alive = sorted(tmp_path.glob("alive*"))
    before = [path.read_text() for path in alive]
    assert len(before) == 3
    time.sleep(0.5)
    assert [path.read_text() for path in alive] == before


@linux
def test_page_that_kills_its_supervisor_leaves_nothing(run_page: Run, ends: Ends) -> None:
    page = run_page(
        block(
            "import os, signal, subprocess, sys",
            "child = subprocess.Popen(['sleep', '600'], start_new_session=True)",
            "print(child.pid, os.getpid(), flush=True)",
            "os.kill(os.getppid(), signal.SIGKILL)",
            "import time; time.sleep(600)",
            opening="python timeout=20",
        )
    )
    [finding] = page.findings
    assert "the block's process is gone" in finding.what
    assert all(ends(int(number)) for number in page.result.blocks[0].text.split())


def test_thread_that_is_waited_for_is_ended_with_its_block(run_page: Run) -> None:
    page = run_page(
        block(
            "import threading, time",
            "thread = threading.Thread(target=time.sleep, args=(600,))",
            "thread.start(); thread.join()",
            opening="python timeout=1",
        )
    )
    assert "longer than the 1 seconds" in page.findings[0].what


def test_thread_that_is_left_behind_does_not_hold_the_page(run_page: Run) -> None:
    page = run_page(
        block("import threading, time", "threading.Thread(target=time.sleep, args=(600,)).start()")
    )
    assert page.findings == ()


def test_block_that_prints_without_end_is_ended(run_page: Run) -> None:
    page = run_page(block("while True: print('x' * 10**6)"))
    assert "the block printed more than 64 MB" in page.findings[0].what
    assert len(page.result.blocks[0].text) <= 2**20


def test_block_that_changes_the_folder_changes_no_other_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = block("import os", "print(os.path.basename(os.getcwd()))")
    (tmp_path / "a.md").write_text(FRONT + block("import os", "os.chdir('/')") + shown)
    (tmp_path / "b.md").write_text(FRONT + shown)
    site = pipeline.find_site(tmp_path)
    chapters = pipeline.find_chapters([tmp_path], site)
    first, second = pipeline.run_chapters(chapters, site, pipeline.Progress(print))
    assert first.result.blocks[1].text == ""
    assert second.result.blocks[0].text == tmp_path.name


HARM = [
    ("1 / 0", "ZeroDivisionError"),
    ("import os; os._exit(5)", "ended its process with status 5"),
    ("import os; os.abort()", "killed by SIGABRT"),
    (
        "import os; os.closerange(3, 200); print(1)",
        "closed the line between its process and literate",
    ),
    ("import builtins; builtins.print = None; print(1)", "TypeError"),
    ("import ctypes; ctypes.string_at(0)", "killed by SIGSEGV"),
    ("def f(): f()\nf()", "RecursionError"),
    ("import sys; sys.exit('done')", "left with SystemExit: done"),
]


@posix
@pytest.mark.parametrize(("code", "words"), HARM)
def test_harm_is_named_and_the_other_page_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text(FRONT + block(code))
    (tmp_path / "b.md").write_text(FRONT + block("7"))
    site = pipeline.find_site(tmp_path)
    chapters = pipeline.find_chapters([tmp_path], site)
    harmed, sound = pipeline.run_chapters(chapters, site, pipeline.Progress(print))
    [finding] = harmed.findings
    assert words in finding.what
    assert finding.where.line >= 4
    assert sound.result.blocks[0].text == "7"


LIMITED = "---\nliterate:\n  memory: 300 MB\n---\n"


@posix
@pytest.mark.parametrize(
    "said",
    [
        '{"event": "end", "result": {}}',
        '{"event": "answer"}',
        '{"event": "end", "result": {"index": 0, "parts": []}}\\n{"event": "done", "versions": {}}',
        '{"event": "done", "versions": {}}',
        '{"event": "ended"}',
        '{"event": "unsafe"}',
        "[1]",
    ],
)
def test_block_that_writes_to_descriptors_of_others_is_named(run_page: Run, said: str) -> None:
    page = run_page(
        block(
            "import os",
            "for number in range(3, 40):",
            "    try:",
            f"        os.write(number, b'\\n{said}\\n')",
            "    except OSError:",
            "        pass",
            "print(1)",
        )
        + "```output\n1\n```\n"
    )
    whats = [finding.what for finding in page.findings]
    # Words that mean nothing to literate are passed over.
    assert whats == [] if said == "[1]" else "not its own" in whats[0]


@linux
def test_memory_is_refused_beyond_its_limit_with_the_line(run_page: Run) -> None:
    page = run_page(block("x = 1", "held = bytearray(10**9)"), front=LIMITED)
    [finding] = page.findings
    assert finding.where.line == 7
    assert "the block raised MemoryError" in finding.what
    assert "300 MB" in finding.todo


@linux
def test_memory_of_all_processes_of_a_page_counts(run_page: Run) -> None:
    code = "held = bytearray(b'x') * (200 * 2**20); import time; time.sleep(600)"
    page = run_page(
        block(
            "import subprocess, sys, time",
            f"children = [subprocess.Popen([sys.executable, '-c', {code!r}]) for _ in range(2)]",
            "time.sleep(600)",
        ),
        front=LIMITED,
    )
    [finding] = page.findings
    assert "the block took more than the 300 MB it is allowed" in finding.what


@linux
@pytest.mark.parametrize(
    "held",
    [
        "held = mmap.mmap(-1, 400 * 2**20)",
        "file = tempfile.TemporaryFile(dir='/dev/shm'); file.truncate(400 * 2**20)\n"
        "held = mmap.mmap(file.fileno(), 0)",
    ],
)
def test_shared_memory_counts(run_page: Run, held: str) -> None:
    page = run_page(
        block(
            "import mmap, tempfile, time",
            held,
            "for place in range(0, len(held), 4096): held[place] = 1",
            "time.sleep(600)",
        ),
        front=LIMITED,
    )
    [finding] = page.findings
    assert "the block took more than the 300 MB it is allowed" in finding.what


@linux
def test_memory_that_processes_of_a_page_share_counts_once(run_page: Run) -> None:
    page = run_page(
        block(
            "import mmap, os, time",
            "own, shared = bytearray(b'x') * (50 * 2**20), mmap.mmap(-1, 80 * 2**20)",
            "for _ in range(2):",
            "    if os.fork() == 0:",
            "        for place in range(0, len(shared), 4096): shared[place] = 1",
            "        time.sleep(600)",
            "for place in range(0, len(shared), 4096): shared[place] = 1",
            "time.sleep(0.5)",
        ),
        front=LIMITED,
    )
    assert page.findings == ()


def test_page_within_its_memory_runs(run_page: Run) -> None:
    page = run_page(block("len(bytearray(10**7))"), front=LIMITED)
    assert page.result.blocks[0].text == "10000000"


@linux
def test_build_that_is_killed_leaves_no_process(tmp_path: Path, ends: Ends) -> None:
    code = (
        "import os, pathlib, subprocess, time\n"
        "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "pathlib.Path('pids').write_text(f'{os.getpid()} {os.getppid()} {child.pid}')\n"
        "time.sleep(600)"
    )
    (tmp_path / "page.md").write_text(f"{FRONT}```python\n{code}\n```\n")
    command = [sys.executable, "-m", "literate", "check", "page.md"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
        pids = tmp_path / "pids"
        deadline = time.monotonic() + 60
        while not (pids.exists() and pids.read_text().count(" ") == 2):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        assert process.wait(30) == -signal.SIGKILL
    assert all(ends(int(number)) for number in pids.read_text().split())
    assert not list(tmp_path.glob(".cache/**/.new-*"))
