"""Pages forked from one process: nothing shows on them of that."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import literate
from literate import pipeline
from literate.environment import NO_BYTECODE
from literate.execute import Limits, Outcome, Workers, run
from literate.pipeline import Page
from literate.pipeline.chapters import modules_to_preload
from literate.worker.shelf import Shelf

FRONT = "---\nliterate: true\n---\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")

Many = Callable[..., list[Page]]


def block(*lines: str) -> str:
    return "```python\n" + "\n".join(lines) + "\n```\n\n"


@pytest.fixture
def run_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Many:
    """Run pages of these texts, fresh."""
    monkeypatch.chdir(tmp_path)

    def run(*bodies: str, **settings: object) -> list[Page]:
        paths = [tmp_path / f"page{number}.md" for number in range(len(bodies))]
        for path, body in zip(paths, bodies, strict=True):
            path.write_text(FRONT + body)
        site = pipeline.find_site(tmp_path)
        site = replace(site, settings=replace(site.settings, **settings))  # type: ignore[arg-type]
        chapters = pipeline.find_chapters(paths, site)
        return pipeline.run_chapters(chapters, site, pipeline.Progress(print), fresh=True)

    return run


def texts(page: Page) -> list[str]:
    return [item.text for item in page.result.blocks.values()]


SEES = block(
    "import sys",
    "print([name for name in ('torch', 'numpy', 'matplotlib') if name in sys.modules])",
    "print(sys.argv[1:], __name__)",
)


@linux
def test_page_sees_only_the_packages_that_it_imports(run_many: Many) -> None:
    imports = block("import torch, matplotlib.pyplot", "print(matplotlib.pyplot.get_fignums())")
    heavy, light = run_many(imports + SEES, SEES, preload=("torch", "matplotlib.pyplot"))
    assert texts(heavy) == ["[]", "['torch', 'numpy', 'matplotlib']\n[] __main__"]
    assert texts(light) == ["[]\n[] __main__"]
    assert {"torch", "numpy", "matplotlib"} <= set(heavy.result.versions)
    assert set(light.result.versions) == {"python"}


def test_worker_compiles_what_is_its_own_once_and_pages_leave_nothing(
    run_many: Many, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "elsewhere"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(literate.__file__).parent, copy / "literate", ignore=ignored)
    monkeypatch.setenv("PYTHONPATH", str(copy))
    monkeypatch.delenv(NO_BYTECODE, raising=False)
    (tmp_path / "own.py").write_text("import sys\nprint(sys.dont_write_bytecode)\n")
    child = "print(subprocess.run([sys.executable, 'own.py'], capture_output=True).stdout)"
    [page] = run_many(block("import own, subprocess, sys", child))
    assert texts(page) == ["True\nb'True\\n'"]
    assert list(copy.glob("literate/worker/__pycache__/shell.*"))
    assert not (tmp_path / "__pycache__").exists()


BODIES = [
    block("import torch", "torch.manual_seed(0)", "torch.rand(3)") + block("torch.rand(2)"),
    block("import random", "random.seed(3)", "random.random()") + block("random.random()"),
    block("import numpy as np", "np.random.seed(1)", "np.random.rand(2)"),
    "```python\nx = 1\nx.y\n```\n",
    "```python\nimport matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\n```\n",
    block("import numpy", "numpy.__spec__.loader.__class__.__name__, numpy.__spec__.name"),
    block("import sys, numpy", "sys.modules['numpy'] is numpy, numpy.linalg.norm([3, 4])"),
    block("from torch.nn import functional", "functional.__name__, functional.__spec__.name"),
]


@linux
@pytest.mark.parametrize("body", BODIES)
def test_forked_page_gives_what_a_process_of_its_own_gives(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapter = pipeline.chapter_of_text(FRONT + body, "page.md", pipeline.Site(tmp_path, tmp_path))
    assert chapter is not None
    document, alone = chapter.document, import_module("literate.execute.run")
    preload = modules_to_preload([chapter])
    with Workers(tmp_path) as workers:
        workers.preload(preload)
        forked = run(document, Limits(), workers)
        monkeypatch.setattr(alone, "CAN_FORK", False)
        started: Outcome = run(document, Limits(), workers)
    assert forked.result == started.result
    assert forked.result.blocks


@linux
def test_unseeded_random_numbers_differ_from_page_to_page(run_many: Many) -> None:
    body = block(
        "import random, numpy, torch",
        "print(random.random(), numpy.random.rand(), torch.rand(()).item())",
    )
    pages = run_many(body, body)
    assert len({word for page in pages for word in texts(page)[0].split()}) == 6


@linux
def test_package_with_threads_has_pages_run_in_processes_of_their_own(
    run_many: Many, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "threaded.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    pages = run_many(block("import threaded, threading", "threading.active_count()"), block("7"),
                     preload=("threaded",))  # fmt: skip
    assert [texts(page) for page in pages] == [["2"], ["7"]]


@linux
def test_what_only_known_pages_import_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "heavy.py").write_text("open('imported', 'a').write('x')\n")
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.chdir(tmp_path)
    known, new = tmp_path / "known.md", tmp_path / "new.md"
    known.write_text("---\nliterate: {preload: [heavy]}\n---\n" + block("1"))
    site = pipeline.Site(tmp_path, tmp_path)
    for text, times in (("2", 1), ("3", 1)):
        new.write_text(FRONT + block(text))
        pages = pipeline.run_chapters(
            pipeline.find_chapters([known, new], site), site, pipeline.Progress(print)
        )
        assert [texts(page) for page in pages] == [["1"], [text]]
        assert len((tmp_path / "imported").read_text()) == times
    assert [page.kept for page in pages] == [True, False]


def test_module_of_the_project_is_taken_before_one_that_is_installed(
    run_many: Many, tmp_path: Path
) -> None:
    (tmp_path / "numpy.py").write_text("MINE = 1\n")
    [page] = run_many(block("import numpy", "print(numpy.MINE)"))
    assert texts(page) == ["1"]


def test_spare_process_runs_a_page_where_none_can_be_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("run", "workers"):
        monkeypatch.setattr(import_module(f"literate.execute.{name}"), "CAN_FORK", False)
    body = block("import os, sys", "print('numpy' in sys.modules)")
    body += block("import random", "random.seed(1); random.random()")
    chapter = pipeline.chapter_of_text(FRONT + body, "page.md", pipeline.Site(tmp_path, tmp_path))
    assert chapter is not None
    with Workers(tmp_path) as workers:
        workers.preload(["numpy"])
        alone = run(chapter.document, Limits(), workers).result
        workers.make_ready()
        spared = run(chapter.document, Limits(), workers).result
        workers.make_ready()
    assert spared.blocks == alone.blocks
    assert spared.versions == alone.versions


def test_package_that_cannot_be_imported_fails_on_the_page_that_does(run_many: Many) -> None:
    broken, sound = run_many(block("import nosuchpackage"), block("1"), preload=("nosuchpackage",))
    assert "ModuleNotFoundError" in broken.findings[0].what
    assert texts(sound) == ["1"]


def test_pages_come_back_in_order_whatever_their_times(run_many: Many) -> None:
    bodies = [block("import time", f"time.sleep({wait}); print({wait})") for wait in (0.5, 0.2, 0)]
    assert [texts(page) for page in run_many(*bodies, jobs=3)] == [["0.5"], ["0.2"], ["0"]]


@pytest.mark.skipif(sys.platform == "win32", reason="asks the system for its processes")
def test_run_that_is_stopped_ends(tmp_path: Path) -> None:
    body = block("while True: pass")
    chapter = pipeline.chapter_of_text(FRONT + body, "page.md", pipeline.Site(tmp_path, tmp_path))
    assert chapter is not None
    stop = threading.Event()
    with Workers(tmp_path) as workers:
        outcome = run(chapter.document, Limits(), workers, lambda block: stop.set(), stop)
    assert outcome.result.failed is not None
    assert outcome.result.failed.failure is not None
    assert outcome.result.failed.failure.what == "the run was interrupted"


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return Shelf()


def test_shelved_package_brings_along_what_it_had_imported(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "under.py").write_text("")
    (tmp_path / "above.py").write_text("import under\n")
    for name in ("under", "above"):
        shelf.load(name)
    assert not {"under", "above"} & set(sys.modules)
    above = import_module("above")
    assert sys.modules["under"] is above.under
    assert above.__spec__ is not None
    assert above.__spec__.origin == str(tmp_path / "above.py")
