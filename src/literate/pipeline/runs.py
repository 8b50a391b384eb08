"""Chapters run, several at a time, and checked."""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from literate.cache import Cache
from literate.check import check
from literate.document import CodeBlock, Document
from literate.errors import Finding
from literate.execute import Limits, Outcome, Workers, run, steps_of
from literate.jobs import Question, Step
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
    chapters: Iterable[Chapter],
    site: Site,
    progress: Progress,
    fresh: bool = False,
    preview: Preview | None = None,
    meanwhile: Callable[[], None] | None = None,
    done: Callable[[Page], None] | None = None,
) -> list[Page]:
    """Run every chapter in a process of its own, several at a time, and check it.

    Args:
        chapters: what to run; the pages come back in this order. They may be opened while
            they are taken from here: what they run in starts with the first that has to run.
        site: whose folder the code runs in.
        progress: told of each block that begins, and of what is wrong with the cache.
        fresh: whether to run also what the cache has a result of.
        preview: in a live preview, what it keeps from one rebuild to the next; by
            default every page that runs does so in a clean process.
        meanwhile: called once while pages run, if any does: what else is to be done.
        done: called with each page, in their order, as soon as those before it are done.

    Raises:
        OvertakenError: in a preview, something was saved that pages depend on.
    """
    runner = _Runner(site, progress, fresh, meanwhile, done)
    if preview:
        found = [(chapter, runner.find(chapter)) for chapter in chapters]
        if not found:
            return []
        preview.prepare([chapter for chapter, _ in found])
        pages = runner.run(found, preview.run)
        known = [chapter for chapter, result in found if result and chapter.settings.execute]
        preview.rest([runner.request(chapter) for chapter in known])
        return pages
    with Workers(site.root) as workers:
        found = []
        for chapter in chapters:
            result = runner.find(chapter)
            if result is None:
                workers.start(chapter.settings.threads)
            found.append((chapter, result))
        # What only pages import whose results are known is not imported for the others.
        waiting = [chapter for chapter, result in found if result is None]
        workers.preload(modules_to_preload(waiting))
        return runner.run(found, functools.partial(_run_clean, workers))


Found = tuple[Chapter, ChapterResult | None]
"""A chapter with what is known of it without running it."""

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
    """Makes results of chapters: from the cache, or by running them."""

    def __init__(
        self,
        site: Site,
        progress: Progress,
        fresh: bool,
        meanwhile: Callable[[], None] | None,
        done: Callable[[Page], None] | None,
    ) -> None:
        self._site, self._progress, self._fresh = site, progress, fresh
        self._meanwhile, self._done = meanwhile, done
        self._cache = open_cache(site, progress.warn)
        self._stop = threading.Event()

    def find(self, chapter: Chapter) -> ChapterResult | None:
        """What is known of a chapter without running it; None where it has to run."""
        steps = steps_of(chapter.document, chapter.missing)
        if not chapter.settings.execute or not steps:
            return ChapterResult(missing=chapter.missing)
        if self._fresh or self._cache is None:
            return None
        found = self._cache.find(self._key(self.request(chapter), steps), steps)
        return replace(found, missing=chapter.missing) if found else None

    def run(self, found: Sequence[Found], run_page: Run) -> list[Page]:
        """The pages of chapters, in their order; those without a result run, several at a time."""
        waiting = [chapter for chapter, result in found if result is None]
        if not waiting:
            return list(self._pages(found, iter(())))
        jobs = self._site.settings.jobs or os.cpu_count() or 1
        with ThreadPoolExecutor(min(jobs, len(waiting))) as pool:
            runs = [pool.submit(self._run, chapter, run_page) for chapter in waiting]
            try:
                if self._meanwhile:
                    self._meanwhile()
                pages = list(self._pages(found, (run.result() for run in runs)))
            except BaseException:
                # Whatever ended this one, an interrupt or a fault, ends the others too.
                self._stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        if self._cache:
            self._cache.tidy()
        return pages

    def _pages(self, found: Sequence[Found], made: Iterator[ChapterResult]) -> Iterator[Page]:
        """Each chapter's page, with the next result that was made where none was known."""
        for chapter, known in found:
            result = next(made) if known is None else known
            findings = check(chapter.document, result, chapter.settings.mathematics)
            page = Page(chapter, result, findings, kept=known is not None)
            if self._done:
                self._done(page)
            yield page

    def request(self, chapter: Chapter) -> Request:
        """What is asked for when a chapter is to run."""
        settings, resources = chapter.settings, self._site.settings.resources
        limits = Limits(settings.timeout, settings.threads, settings.memory, chapter.missing)
        needs = {block.options.needs for block in chapter.document.blocks}
        needs |= {claim.needs for claim in chapter.document.claims}
        paths = [resources[name].path for name in needs - {""} if name in resources]
        return Request(chapter, limits, tuple(sorted({*settings.depends, *paths})))

    def _run(self, chapter: Chapter, run_page: Run) -> ChapterResult:
        request, steps = self.request(chapter), steps_of(chapter.document, chapter.missing)
        tell = functools.partial(self._progress, chapter.document)
        # Before the run: what it is kept by must be what it was asked for by.
        key = self._key(request, steps) if self._cache else ""
        outcome = run_page(request, tell, self._stop)
        if self._cache:
            self._cache.keep(key, steps, outcome.result, outcome.touched, request.depends)
        return outcome.result

    def _key(self, request: Request, steps: Sequence[Step | Question]) -> str:
        assert self._cache is not None
        path, threads = request.chapter.document.source.path, request.limits.threads
        return self._cache.key(steps, path, threads, request.depends)


def before_running(chapter: Chapter) -> tuple[Finding, ...]:
    """What is to be put right that shows without running anything."""
    return check(chapter.document, ChapterResult(), chapter.settings.mathematics)
