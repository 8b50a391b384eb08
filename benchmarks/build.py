"""What `literate` costs beside other tools, and beside running nothing at all.

    .venv/bin/python benchmarks/build.py
    .venv/bin/python benchmarks/build.py --rounds 5 --only preview

The same chapter of about 25 blocks and 6 figures is built by literate, markdown-exec and
mkdocs-jupyter. The floors are a plain Python script with the same code, and ``mkdocs build``
of the same page with nothing run. ``pip install markdown-exec sybil`` brings the peers that the
project does not need itself; those that are missing are left out, saying so.

Everything runs in children of this one process. A round measures every tool once, the order
changing from round to round, and a ratio is the median of the ratios within each round, so that
a busy spell falls out of it. Goals are printed beside the ratios; they are goals and not tests.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
from books import EDITION, LAST, PACKAGE, PROSE, write_book

CHAPTERS = 12
PATIENCE = 300.0
TOOLS = {
    "literate": "literate",
    "markdown-exec": "markdown_exec",
    "mkdocs-jupyter": "mkdocs_jupyter",
}
Measures = dict[str, list[float]]


class Book:
    """A book in a folder of its own, written for one tool."""

    def __init__(self, root: Path, kind: str, chapters: int = 1) -> None:
        self.kind = kind
        self.folder = root / f"{kind}-{chapters}"
        write_book(self.folder, kind, chapters)
        if kind == "literate":
            self.run("literate", "sync")

    @property
    def page(self) -> Path:
        """The source of the first chapter."""
        name = "chapter0.ipynb" if self.kind == "mkdocs-jupyter" else "index.md"
        return self.folder / "docs" / name

    def run(self, *words: str) -> float:
        """Run a module of Python in the folder and give its seconds."""
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{self.kind}: {words} failed:\n{done.stdout}{done.stderr}")
        return time.perf_counter() - started

    def build(self, *, cold: bool = False) -> float:
        """Build the site; cold is without anything that an earlier build left."""
        if cold:
            shutil.rmtree(self.folder / ".cache", ignore_errors=True)
        return self.run("mkdocs", "build", "--quiet")

    def scripts(self) -> float:
        """Run all scripts in one process."""
        names = sorted(path.stem for path in self.folder.glob("chapter*.py"))
        code = f"for name in {names!r}: __import__(name)"
        (self.folder / "all_of_them.py").write_text(code, "utf-8")
        return self.run("all_of_them")

    def edit(self, path: Path, old: str, new: str) -> None:
        """Replace a piece of a file that is there exactly once."""
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} in {path}"
        path.write_text(text.replace(old, new), "utf-8")


def environment() -> dict[str, str]:
    """One thread for every tool, as literate has it; all of them compiled, as installed tools are.

    Without byte code one that is installed from its own folder would be compiled in every run.
    """
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    found = {**os.environ, **threads, "NO_MKDOCS_2_WARNING": "1"}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def measure(rounds: int, actions: dict[str, Callable[[int], float]]) -> Measures:
    """Run every action once a round, in changing order; each is told the round's number."""
    found: Measures = {name: [] for name in actions}
    for number in range(rounds):
        for name in random.sample(list(actions), len(actions)):
            found[name].append(actions[name](number))
            print(f"  round {number + 1}, {name}: {found[name][-1]:.2f} s", file=sys.stderr)
    return found


def report(title: str, found: Measures, floor: str, goal: str) -> None:
    """Print the medians, and the ratios to the floor."""
    print(f"\n{title} (goal for literate: {goal})")
    for name, times in found.items():
        ratios = [mine / least for mine, least in zip(times, found[floor], strict=True)]
        ratio = statistics.median(ratios)
        print(f"  {name:16} {statistics.median(times):7.2f} s   {ratio:5.2f} x {floor}")


def changed(book: Book, path: Path, old: str, build: Callable[[], float]) -> Callable[[int], float]:
    """Build after an edit, and take the edit back."""

    def action(number: int) -> float:
        book.edit(path, old, f"{old}  # {number}" if path.suffix == ".py" else f"{old} {number}.")
        try:
            return build()
        finally:
            book.edit(
                path, f"{old}  # {number}" if path.suffix == ".py" else f"{old} {number}.", old
            )

    return action


def builds(root: Path, rounds: int, kinds: list[str]) -> None:
    """Cold, with nothing changed, after a word of prose, after a change of the package."""
    books = {kind: Book(root, kind) for kind in kinds}
    plain, bare = Book(root, "plain"), Book(root, "bare")
    script = {"plain run": lambda number: plain.scripts()}
    cold = {k: lambda number, book=b: book.build(cold=True) for k, b in books.items()}
    report("cold build", measure(rounds, script | cold), "plain run", "at most 1.1")

    nothing = {"bare": lambda number: bare.build()}
    again = {k: lambda number, book=b: book.build() for k, b in books.items()}
    report("nothing changed", measure(rounds, nothing | again), "bare", "at most 1.15")

    prose = {k: changed(b, b.page, PROSE, b.build) for k, b in books.items()}
    found = measure(rounds, {"bare": changed(bare, bare.page, PROSE, bare.build)} | prose)
    report("a word of prose changed", found, "bare", "at most 1.15")

    line = "return x.shape[-1] ** -0.5"
    package = {k: changed(b, b.folder / PACKAGE, line, b.build) for k, b in books.items()}
    report("the package changed", measure(rounds, script | package), "plain run", "at most 1.1")


def library(root: Path, rounds: int, kinds: list[str]) -> None:
    """Twelve chapters, cold."""
    plain = Book(root, "plain", CHAPTERS)
    books = {kind: Book(root, kind, CHAPTERS) for kind in kinds}
    actions = {"plain run": lambda number: plain.scripts()}
    actions |= {k: lambda number, book=b: book.build(cold=True) for k, b in books.items()}
    found = measure(rounds, actions)
    report(f"{CHAPTERS} chapters, cold, {os.cpu_count()} cores", found, "plain run", "at most 0.6")


def doctests(root: Path, rounds: int) -> None:
    """The chapter as tests, from a clean state.

    With the one plugin that is measured: what else is installed costs any run of pytest its
    part, hypothesis alone half a second.
    """
    plain, book = Book(root, "plain"), Book(root, "literate")
    words = ("pytest", "-q", "-p", "no:cacheprovider", "docs")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    actions: dict[str, Callable[[int], float]] = {
        "plain run": lambda number: plain.scripts(),
        "literate": lambda number: book.run(*words, "-p", "literate.pytest_plugin"),
    }
    if importlib.util.find_spec("sybil"):
        sybil = Book(root, "bare")
        (sybil.folder / "docs" / "conftest.py").write_text(SYBIL, "utf-8")
        actions["sybil"] = lambda number: sybil.run(*words)
    report("pytest docs", measure(rounds, actions), "plain run", "at most 1.1")


SYBIL = """\
import sys

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

sys.path.insert(0, ".")
pytest_collect_file = Sybil([PythonCodeBlockParser()], patterns=["*.md"]).pytest()
"""


# The preview ------------------------------------------------------------------------------------


@contextmanager
def served(book: Book) -> Iterator[str]:
    """The address of a running preview."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mkdocs", "serve", "--quiet", "-a", f"127.0.0.1:{port}"]
    process = subprocess.Popen(
        command,
        cwd=book.folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    place = "chapter0/" if book.kind == "mkdocs-jupyter" else ""
    address = f"http://127.0.0.1:{port}/{place}"
    try:
        until_shown(address, "Chapter 0")
        time.sleep(3)  # what a tool still does in the background after the first page
        yield address
    finally:
        process.terminate()
        process.wait()


def until_shown(address: str, text: str) -> float:
    """Wait until a page shows a text; the seconds that this took."""
    started = time.perf_counter()
    while time.perf_counter() - started < PATIENCE:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                if text in answer.read().decode("utf-8"):
                    return time.perf_counter() - started
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.01)
    raise SystemExit(f"{address} never showed {text!r}")


def saved(book: Book, address: str, path: Path, old: str, shown: str) -> Callable[[int], float]:
    """Save an edit and wait for the page that has it."""
    state = {"now": old}

    def action(number: int) -> float:
        new = f"{shown}{time.monotonic_ns()}"
        book.edit(path, state["now"], new)
        state["now"] = new
        seconds = until_shown(address, new.split()[-1])
        time.sleep(1)
        return seconds

    return action


def previews(root: Path, rounds: int, kinds: list[str]) -> None:
    """From a save to the new page: a word of prose, the last block, the package."""
    plain = Book(root, "plain")
    books = [Book(root, kind) for kind in ("bare", *kinds)]
    words: dict[str, Callable[[int], float]] = {}
    last: dict[str, Callable[[int], float]] = {}
    module: dict[str, Callable[[int], float]] = {"plain run": lambda number: plain.scripts()}
    with ExitStack() as stack:
        # All previews at once, so that a busy spell hits all of them; those not saved to are idle.
        for book in books:
            address = stack.enter_context(served(book))
            words[book.kind] = saved(book, address, book.page, PROSE, "Words-")
            last[book.kind] = saved(book, address, book.page, LAST, "finish = ")
            if book.kind == "literate":
                # The others go on to show the old result, and there is no time to measure.
                file = book.folder / PACKAGE
                module[book.kind] = saved(book, address, file, EDITION, "edition = ")
        prose, block = measure(rounds, words), measure(rounds, last)
        package = measure(rounds, module)
    report("preview: a word of prose saved", prose, "bare", "at most 0.6")
    own = "0.6 and the block's own time"
    report("preview: the last block saved", block, "bare", own)
    report("preview: the package saved", package, "plain run", "right, at most 1")


# Memory -----------------------------------------------------------------------------------------


def peak(action: Callable[[], float]) -> float:
    """The most memory that this process's children had together, in MB, unshared pages in full."""
    most, done = 0.0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.05):
            total = 0
            for child in psutil.Process().children(recursive=True):
                try:
                    information = child.memory_full_info()
                except psutil.Error:
                    continue
                # Shared pages are split among those who share them, where the system tells.
                total += getattr(information, "pss", information.uss)
            most = max(most, total / 1e6)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        action()
    finally:
        done.set()
        watcher.join()
    return most


def memory(root: Path, kinds: list[str]) -> None:
    """One chapter, cold."""
    plain = Book(root, "plain")
    least = peak(plain.scripts)
    print("\nmemory of one chapter, cold (goal for literate: at most 1.2)")
    print(f"  {'plain run':16} {least:7.0f} MB")
    for book in (Book(root, kind) for kind in kinds):
        most = peak(lambda book=book: book.build(cold=True))
        print(f"  {book.kind:16} {most:7.0f} MB  {most / least:5.2f} x plain run")


def main() -> None:
    """Measure what is asked for, and print it."""
    parts = ("builds", "library", "doctests", "previews", "memory")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--only", choices=parts, help="one part instead of all")
    options = parser.parse_args()
    kinds = [name for name, module in TOOLS.items() if importlib.util.find_spec(module)]
    for name in TOOLS.keys() - kinds:
        print(f"{name} is not installed and takes no part", file=sys.stderr)
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory(prefix="literate-benchmark-") as folder:
        root = Path(folder)
        run: dict[str, Callable[[Path], None]] = {
            "builds": lambda at: builds(at, options.rounds, kinds),
            "library": lambda at: library(at, options.rounds, kinds),
            "doctests": lambda at: doctests(at, options.rounds),
            "previews": lambda at: previews(at, options.rounds, kinds),
            "memory": lambda at: memory(at, kinds),
        }
        for name in [options.only] if options.only else parts:
            place = root / name
            place.mkdir()
            run[name](place)


if __name__ == "__main__":
    main()
