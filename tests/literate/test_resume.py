"""Pages in the live preview, edited again and again, held against runs from the beginning."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from literate import pipeline
from literate.cache import Digests
from literate.document import CodeBlock, Document
from literate.execute import Limits, Outcome, Session, Workers, run
from literate.worker.checkpoints import enough_memory

FRONT = "---\nliterate: true\n---\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="goes on by forks, on Linux only")


class Editor:
    """A page that is edited, a session that follows, and runs from the beginning."""

    def __init__(self, folder: Path, workers: Workers) -> None:
        self.folder, self.workers = folder, workers
        self.session = Session(workers, folder, Digests(folder).of, worth=0.0)
        self.began: list[int] = []

    def document(self, *pieces: str) -> Document:
        """A page of these blocks; a piece that begins with ``<`` or ``#`` is prose."""
        prose = ("<", "#", "0")
        blocks = [
            text if text.startswith(prose) else f"```python\n{text}\n```\n" for text in pieces
        ]
        site = pipeline.Site(self.folder, self.folder)
        chapter = pipeline.chapter_of_text(FRONT + "\n".join(blocks), "page.md", site)
        assert chapter is not None
        return chapter.document

    def save(self, *pieces: str, limits: Limits | None = None) -> Outcome:
        """What the preview shows after an edit."""
        self.began = []
        document = self.document(*pieces)
        return self.session.play(document, limits or Limits(), progress=self._note)

    def _note(self, block: CodeBlock) -> None:
        # A block that goes on running is told of again.
        if block.index not in self.began:
            self.began.append(block.index)

    def fresh(self, *pieces: str) -> Outcome:
        """What a build gives."""
        return run(self.document(*pieces), Limits(), self.workers)

    def agrees(self, *pieces: str) -> None:
        """Hold the preview against a build."""
        assert self.save(*pieces).result == self.fresh(*pieces).result, pieces


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with Workers(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture
def editor(workers: Workers) -> Iterator[Editor]:
    folder = workers.root
    for path in folder.iterdir():
        path.unlink()
    made = Editor(folder, workers)
    yield made
    made.session.end()


# Where a run goes on ------------------------------------------------------------------


def test_edit_runs_again_from_the_first_block_that_changed(editor: Editor) -> None:
    editor.save("a = 1", "b = a + 1", "c = b + 1", "print(a, b, c)")
    assert editor.began == [0, 1, 2, 3]
    last = editor.save("a = 1", "b = a + 1", "c = b + 1", "print(a, b, -c)")
    assert editor.began == [3]
    assert last.result.blocks[3].text == "1 2 -3"
    editor.save("a = 1", "b = a + 2", "c = b + 1", "print(a, b, -c)")
    assert editor.began == [1, 2, 3]


def test_prose_above_moves_nothing_and_runs_nothing(editor: Editor) -> None:
    pieces = ["def f(): return 1", "import inspect; print(inspect.getsource(f))"]
    before = editor.save(*pieces)
    after = editor.save("# Title\n\nand much\n\nmore\n", *pieces)
    assert editor.began == []
    assert after.result == before.result
    editor.agrees("# T\n", *pieces, "f.missing")


def test_failure_names_the_lines_of_the_page_as_it_is_now(editor: Editor) -> None:
    pieces = ["def f(): 1 / 0", "x = 1"]
    editor.save(*pieces)
    editor.agrees("# Title\n\nwords\n", *pieces, "f()")
    editor.agrees("# Title\n", *pieces, "f()")
    editor.agrees("# Title\n", *pieces, "x")


def test_blocks_that_are_added_and_taken_away_agree(editor: Editor) -> None:
    pieces = ["a = []", "a.append(1); a", "a.append(2); a"]
    editor.agrees(*pieces)
    editor.agrees(*pieces, "a.append(3); a")
    editor.agrees(*pieces, "a.append(3); a", "a.append(4); a")
    editor.agrees(*pieces[:2], "a.append(3); a")
    editor.agrees(pieces[0], "a.append(7)", *pieces[1:])
    editor.agrees()


def test_claims_go_on_as_blocks_do(editor: Editor) -> None:
    editor.agrees("a = 3", "0.5<!--= a / 6 -->\n", "b = 2", "0.5<!--= b / 4 -->\n")
    editor.agrees("a = 3", "0.5<!--= a / 6 -->\n", "b = 2", "0.2<!--= b / 8 -->\n")
    assert editor.began == []
    editor.agrees("a = 3", "0.7<!--= a / 4 -->\n", "b = 2", "0.2<!--= b / 8 -->\n")


def test_changed_module_and_file_run_again_from_the_block_that_reads_them(editor: Editor) -> None:
    (editor.folder / "inner.py").write_text("VALUE = 1\n")
    (editor.folder / "outer.py").write_text("import inner\n")
    (editor.folder / "data.txt").write_text("data")
    pieces = ["a = 1", "import outer", "text = open('data.txt').read()",
              "print(a, outer.inner.VALUE, text)"]  # fmt: skip
    editor.save(*pieces)
    (editor.folder / "data.txt").write_text("other")
    editor.agrees(*pieces)
    assert editor.began == [2, 3]
    (editor.folder / "inner.py").write_text("VALUE = 22\n")
    editor.agrees(*pieces)
    assert editor.began == [1, 2, 3]
    (editor.folder / "data.txt").touch()
    editor.save(*pieces)
    assert editor.began == []


@pytest.mark.parametrize(
    "deed",
    [
        "open('count.txt', 'a').write('x')",
        "import subprocess; child = subprocess.Popen(['cat'], stdin=-1, stdout=-1)",
        "import threading; threading.Thread(target=threading.Event().wait, args=(9,)).start()",
        "import os; reader, writer = os.pipe()",
        "import mmap; shared = mmap.mmap(-1, 4096)",
        "import asyncio; await asyncio.sleep(0)",
        "import signal; signal.setitimer(signal.ITIMER_VIRTUAL, 500)",
        "import signal; signal.alarm(500)",
        "import ctypes as c; c.CDLL('librt.so.1').timer_create(1, None, c.byref(c.c_void_p()))",
        "import os; os.register_at_fork(before=print)",
        "import os, signal as s; s.pthread_sigmask(s.SIG_BLOCK, {10}); os.kill(os.getpid(), 10)",
        "import fcntl; f = open('/etc/hosts'); fcntl.flock(f, fcntl.LOCK_SH)",
        "import fcntl; f = open('/etc/hosts'); fcntl.lockf(f, fcntl.LOCK_SH)",
        "import os; f = os.open('/', os.O_RDONLY)",
        "import os; f = os.memfd_create('held')",
        "import select; f = select.epoll()",
        "import socket; f = socket.socketpair()",
    ],
)
def test_what_a_copy_would_share_is_done_again(editor: Editor, deed: str) -> None:
    pieces = ["a = 1", deed, "b = 2", "c = 3"]
    editor.save(*pieces)
    editor.save(*pieces, "print(1)")
    assert editor.began == [4]
    editor.save(*pieces, "print(2)")
    assert editor.began == [1, 2, 3, 4]


def test_signal_to_all_processes_of_a_page_is_heard_once(editor: Editor) -> None:
    pieces = [
        "import os, signal\nheard = []\nsignal.signal(10, lambda *_: heard.append(1))",
        "x = 1",
        "signal.pthread_sigmask(signal.SIG_BLOCK, [])\nos.kill(0, 10)\nprint(heard)",
    ]
    editor.agrees(*pieces)
    editor.agrees(*pieces[:2], pieces[2] + "; print(2)")


def test_file_that_is_read_in_parts_is_read_on_from_its_place(editor: Editor) -> None:
    (editor.folder / "data.txt").write_text("one\ntwo\nthree\nfour\n")
    pieces = ["import os; f = os.open('data.txt', 0)", "print(os.read(f, 4))"]
    editor.agrees(*pieces, "print(os.read(f, 4))", "print(os.read(f, 6))")
    editor.agrees(*pieces, "print(os.read(f, 2))", "print(os.read(f, 6))")
    editor.agrees(*pieces, "print(os.read(f, 2))", "print(os.read(f, 7))")


def test_page_that_dies_goes_on_when_it_is_mended(editor: Editor) -> None:
    pieces = ["a = 1", "b = 2"]
    for harm in ("import os; os._exit(3)", "import os; os.kill(os.getpid(), 9)", "1 / 0"):
        editor.agrees(*pieces, harm, "4")
        editor.agrees(*pieces, "3", "4")
    editor.save(*pieces, "while True: pass", limits=Limits(timeout=0.5))
    editor.agrees(*pieces, "a + b")
    assert editor.began == [2]


def test_run_that_is_overtaken_goes_on_from_where_it_was(editor: Editor) -> None:
    pieces = ["a = 1", "b = 2", "while True: pass"]
    stop = threading.Event()
    threading.Timer(1.0, stop.set).start()
    editor.session.play(editor.document(*pieces), Limits(), stop=stop)
    editor.agrees(*pieces[:2], "a + b")
    assert editor.began == [2]


def test_page_that_is_killed_for_want_of_memory_has_all_there_is(editor: Editor) -> None:
    # The first time, beside its checkpoints, it is killed; the second time it is alone.
    code = "import os\nif not os.path.exists('tried'):\n    open('tried', 'w').close()\n"
    code += "    os.kill(os.getpid(), 9)\nprint('alone')"
    shown = editor.save("a = 1", "b = 2", code)
    assert shown.result.blocks[2].text == "alone"


@pytest.mark.parametrize(("available", "enough"), [(500, True), (100, False)])
def test_checkpoints_leave_memory_free(available: int, enough: bool) -> None:
    text = f"MemTotal: 1000 kB\nMemFree: 50 kB\nMemAvailable: {available} kB\n"
    assert enough_memory(text) is enough


def test_ended_session_leaves_no_process(editor: Editor, ends: Callable[[int], bool]) -> None:
    shown = editor.save("import os; print(os.getpid())", "print(os.getpid())", "1")
    editor.session.end()
    numbers = [int(item.text) for item in shown.result.blocks.values()]
    assert all(ends(number) for number in numbers[:2])


def test_first_edit_finds_checkpoints_though_the_cache_had_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page, code = tmp_path / "page.md", "import time; time.sleep(1)"
    site = pipeline.Site(tmp_path, tmp_path)

    def build(preview: pipeline.Preview, last: str) -> pipeline.Page:
        page.write_text(f"{FRONT}```python\n{code}\n```\n\n```python\n{last}\n```\n")
        chapters = pipeline.find_chapters([page], site)
        said = pipeline.Progress(print)
        [built] = pipeline.run_chapters(chapters, site, said, preview=preview)
        return built

    first = pipeline.Preview(tmp_path)
    assert build(first, "1").blocks_run == 2
    first.end()
    second = pipeline.Preview(tmp_path)
    assert build(second, "1").blocks_kept == 2
    second.finish_rest(30)
    started = time.monotonic()
    assert build(second, "2").result.blocks[1].text == "2"
    assert time.monotonic() - started < 1
    second.end()


# At random ----------------------------------------------------------------------------

SMALL = [
    "x = {n}", "x += {n}", "x = [{n}]", "print(x)", "x", "y = x", "y", "del x", "print({n})",
    "import random; random.seed({n})", "random.random()", "print('a' * {n}, end='')",
    "def f(): return {n}", "f()", "1 / (x - {n})", "_", "import helper; helper.VALUE",
    "open('data.txt').read()", "x = x * 2 if isinstance(x, int) else 0", "raise SystemExit",
    "<!-- words {n} -->", "# Title {n}\n", "0.5<!--= x / 2 -->\n", "0.5<!--= x / 0 -->\n",
]  # fmt: skip


def edited(draw: random.Random, pieces: list[str]) -> list[str]:
    """The pieces of a page after one edit."""
    pieces = list(pieces)
    new = draw.choice(SMALL).format(n=draw.randrange(4))
    at = draw.randrange(len(pieces) + 1)
    kind = draw.choice(["insert", "insert", "change", "remove"])
    pieces[at : at + (kind != "insert")] = [] if kind == "remove" else [new]
    return pieces


@pytest.mark.parametrize("seed", range(4))
def test_random_edits_agree(editor: Editor, seed: int) -> None:
    draw = random.Random(seed)
    pieces = ["x = 1"]
    (editor.folder / "helper.py").write_text("VALUE = 0\n")
    (editor.folder / "data.txt").write_text("0")
    for number in range(60):
        if draw.random() < 0.15:
            name, text = draw.choice([("helper.py", "VALUE = {}\n"), ("data.txt", "{}")])
            (editor.folder / name).write_text(text.format(number))
        pieces = edited(draw, pieces)[-9:]
        editor.agrees(*pieces)


TORCH = [
    "import torch", "torch.manual_seed({n})", "x = torch.rand(3)", "x.add_({n}); x", "print(x)",
    "import numpy as np; np.random.seed({n}); np.random.rand(2)", "np.random.rand(1)",
    "layer = torch.nn.Linear(3, 2); layer(x)", "layer(x).sum().backward(); layer.weight.grad",
]  # fmt: skip


def test_random_edits_with_torch_agree(tmp_path: Path) -> None:
    draw = random.Random(1)
    with Workers(tmp_path) as workers:
        workers.preload(["torch", "numpy"])
        editor = Editor(tmp_path, workers)
        edit_torch(editor, draw)
        editor.session.end()


def edit_torch(editor: Editor, draw: random.Random) -> None:
    pieces = [text.format(n=1) for text in TORCH]
    for _ in range(12):
        at = draw.randrange(1, len(pieces))
        pieces[at] = draw.choice(TORCH).format(n=draw.randrange(4))
        editor.agrees("import torch, numpy as np", "torch.manual_seed(0)",
                      "np.random.seed(0)", *pieces)  # fmt: skip


def test_checkpoint_is_made_where_work_or_an_edit_makes_it_worth_it(tmp_path: Path) -> None:
    work = "import time\nt = time.process_time()\nwhile time.process_time() < t + 0.3: pass"
    with Workers(tmp_path) as workers:
        editor = Editor(tmp_path, workers)
        editor.session.end()
        editor.session = Session(workers, tmp_path, Digests(tmp_path).of)
        pieces = ["a = 1", "b = 1", work, "c = 1", "d = 1", "e = 1", "f = 1"]
        began = []
        for at, new in ((5, "e = 2"), (5, "e = 3"), (1, "b = 2"), (6, "f = 2")):
            editor.save(*pieces)
            pieces[at] = new
            editor.save(*pieces)
            began.append(editor.began)
        editor.session.end()
    assert began == [[3, 4, 5, 6], [5, 6], [0, 1, 2, 3, 4, 5, 6], [6]]


def test_going_on_takes_much_less_than_beginning(editor: Editor) -> None:
    pieces = ["import time; time.sleep(1.5)", "x = 1"]
    editor.save(*pieces)
    started = time.monotonic()
    editor.save(*pieces[:1], "x = 2")
    assert time.monotonic() - started < 1.0
