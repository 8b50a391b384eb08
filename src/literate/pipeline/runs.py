"""Chapters run, several at a time, and checked."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from literate.cache import Cache
from literate.check import check
from literate.document import CodeBlock, Document
from literate.errors import Finding
from literate.execute import Limits, Outcome, Workers, run, steps_of
from literate.pipeline.chapters import Chapter, modules_to_preload
from literate.pipeline.previews import Preview, Request
from literate.results import ChapterResult
from literate.settings import Site

__all__ = ["Page", "Progress", "before_running", "end_on_request", "open_cache", "run_chapters"]


@dataclass(frozen=True)
class Page:
    """A chapter with what its blocks gave and what is to be put right."""

    chapter: Chapter
    result: ChapterResult
    findings: tuple[Finding, ...]
    kept: bool = False
    """Whether the result is that of an earlier run, from the cache."""

    @property
    def name(self) -> str:
        """How messages call the page."""
        return self.chapter.document.source.path

    @property
    def blocks_run(self) -> int:
        """How many blocks began to run."""
        return 0 if self.kept else len(self.result.blocks)

    @property
    def blocks_kept(self) -> int:
        """How many blocks have the result of an earlier run."""
        return len(self.result.blocks) if self.kept else 0


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
    """Says which block runs, at most every two seconds, from any thread.

    A block that goes on running is named again after twice the time, and so on.
    """

    EVERY = 2.0

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lock = threading.Lock()
        self._last = time.monotonic()
        self._wait = self.EVERY
        self._named: object = None

    def warn(self, text: str) -> None:
        """Say at once that something is not as it should be, though no page is wrong."""
        with self._lock:
            self._say(f"warning: {text}")

    def __call__(self, document: Document, block: CodeBlock) -> None:
        named = document.source.path, block.index
        with self._lock:
            now = time.monotonic()
            if now - self._last < (self._wait if named == self._named else self.EVERY):
                return
            self._wait = self._wait * 2 if named == self._named else 2 * self.EVERY
            self._last, self._named = now, named
        count = len(document.blocks)
        self._say(f"{block.location}: running block {block.index + 1} of {count}")


def run_chapters(
    chapters: Sequence[Chapter],
    site: Site,
    progress: Progress,
    fresh: bool = False,
    preview: Preview | None = None,
) -> list[Page]:
    """Run every chapter in a process of its own, several at a time, and check it.

    Args:
        chapters: what to run; the pages come back in this order.
        site: whose folder the code runs in.
        progress: told of each block that begins, and of what is wrong with the cache.
        fresh: whether to run also what the cache has a result of.
        preview: in a live preview, what it keeps from one rebuild to the next; by
            default every page that runs does so in a clean process.

    Raises:
        OvertakenError: in a preview, something was saved that pages depend on.
    """
    jobs = site.settings.jobs or os.cpu_count() or 1
    stop = threading.Event()
    with contextlib.ExitStack() as stack:
        if preview:
            preview.prepare(chapters)
            run_page: Run = preview.run
        else:
            workers = Workers(site.root, modules_to_preload(chapters))
            run_page = functools.partial(_run_clean, stack.enter_context(workers))
        runner = _Runner(site, run_page, progress, stop, fresh)
        pool = stack.enter_context(ThreadPoolExecutor(min(jobs, len(chapters)) or 1))
        runs = [pool.submit(runner.page, chapter) for chapter in chapters]
        try:
            pages = [done.result() for done in runs]
        except BaseException:
            # Whatever ended this one, an interrupt or a fault, ends the others too.
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
        runner.tidy()
        if preview:
            preview.rest([runner.request(page.chapter) for page in pages if page.kept])
        return pages


Run = Callable[[Request, Callable[[CodeBlock], None], threading.Event], Outcome]
"""Runs a page that the cache has no result of."""


def _run_clean(
    workers: Workers,
    request: Request,
    progress: Callable[[CodeBlock], None],
    stop: threading.Event,
) -> Outcome:
    return run(request.chapter.document, request.limits, workers, progress, stop)


def open_cache(site: Site, warn: Callable[[str], None]) -> Cache | None:
    """The site's cache of results; None where it keeps none.

    Args:
        site: whose settings say where it is.
        warn: told what is wrong with it.
    """
    settings = site.settings
    if not settings.cache:
        return None
    return Cache(site.root / settings.cache, site.root, settings.cache_size, warn)


class _Runner:
    """Makes pages of chapters: from the cache, or by running them."""

    def __init__(
        self, site: Site, run_page: Run, progress: Progress, stop: threading.Event, fresh: bool
    ) -> None:
        self._site, self._run_page = site, run_page
        self._progress, self._stop, self._fresh = progress, stop, fresh
        self._cache = open_cache(site, progress.warn)

    def page(self, chapter: Chapter) -> Page:
        """A chapter's page."""
        document, settings = chapter.document, chapter.settings
        result, kept = ChapterResult(missing=chapter.missing), False
        if settings.execute:
            result, kept = self._result(chapter)
        return Page(chapter, result, check(document, result, settings.mathematics), kept)

    def tidy(self) -> None:
        """Bring the cache back to its size."""
        if self._cache:
            self._cache.tidy()

    def request(self, chapter: Chapter) -> Request:
        """What is asked for when a chapter is to run."""
        settings, resources = chapter.settings, self._site.settings.resources
        limits = Limits(settings.timeout, settings.threads, settings.memory, chapter.missing)
        needs = {block.options.needs for block in chapter.document.blocks}
        needs |= {claim.needs for claim in chapter.document.claims}
        paths = [resources[name].path for name in needs - {""} if name in resources]
        return Request(chapter, limits, tuple(sorted({*settings.depends, *paths})))

    def _result(self, chapter: Chapter) -> tuple[ChapterResult, bool]:
        """What a chapter gives, and whether that is from an earlier run."""
        cache, steps = self._cache, steps_of(chapter.document, chapter.missing)
        request = self.request(chapter)
        if cache is None or not steps:
            return self._run(request).result, False
        path, depends = chapter.document.source.path, request.depends
        key = cache.key(steps, path, chapter.settings.threads, depends)
        found = None if self._fresh else cache.find(key, steps)
        if found:
            return replace(found, missing=chapter.missing), True
        outcome = self._run(request)
        cache.keep(key, steps, outcome.result, outcome.touched, depends)
        return outcome.result, False

    def _run(self, request: Request) -> Outcome:
        tell = functools.partial(self._progress, request.chapter.document)
        return self._run_page(request, tell, self._stop)


def before_running(chapter: Chapter) -> tuple[Finding, ...]:
    """What is to be put right that shows without running anything."""
    return check(chapter.document, ChapterResult(), chapter.settings.mathematics)
