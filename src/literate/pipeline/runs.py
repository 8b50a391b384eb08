"""Chapters run, several at a time, and checked."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from literate.check import check
from literate.document import CodeBlock, Document
from literate.errors import Finding
from literate.execute import Limits, run
from literate.pipeline.chapters import Chapter
from literate.results import ChapterResult
from literate.settings import Site

__all__ = ["Page", "Progress", "before_running", "end_on_request", "run_chapters"]


@dataclass(frozen=True)
class Page:
    """A chapter with what its blocks gave and what is to be put right."""

    chapter: Chapter
    result: ChapterResult
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        """How messages call the page."""
        return self.chapter.document.source.path

    @property
    def blocks_run(self) -> int:
        """How many blocks began to run."""
        return len(self.result.blocks)


def end_on_request() -> None:
    """Have a request to terminate end this process as an interrupt does, cleaning up.

    Left alone where the program has its own handler, or where signals cannot be handled.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


class Progress:
    """Says which block runs, at most every two seconds, from any thread."""

    EVERY = 2.0

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lock = threading.Lock()
        self._last = time.monotonic()

    def __call__(self, document: Document, block: CodeBlock) -> None:
        with self._lock:
            if time.monotonic() - self._last < self.EVERY:
                return
            self._last = time.monotonic()
        count = len(document.blocks)
        self._say(f"{block.location}: running block {block.index + 1} of {count}")


def run_chapters(
    chapters: Sequence[Chapter],
    site: Site,
    progress: Progress,
) -> list[Page]:
    """Run every chapter in a process of its own, several at a time, and check it.

    Args:
        chapters: what to run; the pages come back in this order.
        site: whose folder the code runs in.
        progress: told of each block that begins.
    """
    jobs = site.settings.jobs or os.cpu_count() or 1
    stop = threading.Event()
    with ThreadPoolExecutor(min(jobs, len(chapters)) or 1) as pool:
        runs = [pool.submit(_run, chapter, site, progress, stop) for chapter in chapters]
        try:
            return [done.result() for done in runs]
        except BaseException:
            # Whatever ended this one, an interrupt or a fault, ends the others too.
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _run(chapter: Chapter, site: Site, progress: Progress, stop: threading.Event) -> Page:
    document, settings = chapter.document, chapter.settings
    result = ChapterResult(missing=chapter.missing)
    if settings.execute:
        limits = Limits(settings.timeout, settings.threads, chapter.missing)
        result = run(document, limits, site.root, lambda block: progress(document, block), stop)
    return Page(chapter, result, check(document, result, settings.mathematics))


def before_running(chapter: Chapter) -> tuple[Finding, ...]:
    """What is to be put right that shows without running anything."""
    return check(chapter.document, ChapterResult(), chapter.settings.mathematics)
