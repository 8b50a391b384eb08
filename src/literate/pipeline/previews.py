"""What a live preview keeps from one rebuild to the next."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from literate.cache import Digests
from literate.document import CodeBlock
from literate.execute import CAN_FORK, Limits, Outcome, Session, Workers, run
from literate.jobs import stamp
from literate.pipeline.chapters import Chapter, modules_to_preload

__all__ = ["OvertakenError", "Preview", "Request"]

MOST = 8
"""Pages that keep their checkpoints; the one that ran longest ago gives its up first."""


@dataclass(frozen=True)
class Request:
    """A page to run, what it may take, and the files that nobody sees it look at."""

    chapter: Chapter
    limits: Limits
    depends: tuple[str, ...]

    @property
    def file(self) -> Path:
        """By which a preview knows the page."""
        return self.chapter.file.resolve()


class OvertakenError(Exception):
    """A file was saved while pages ran that depend on it: run them again as they are now."""


class Preview:
    """Holds the processes from which pages go on after an edit."""

    def __init__(self, root: Path) -> None:
        """A preview that has run nothing.

        Args:
            root: the site's folder.
        """
        self._root = root
        self._digests = Digests(root)
        self._workers = Workers(root)
        self._preload: list[str] = []
        self._sessions: OrderedDict[Path, Session] = OrderedDict()
        self._running: dict[Path, threading.Event] = {}
        self._lock = threading.Lock()
        self._resting: threading.Thread | None = None
        self._awake = threading.Event()

    def prepare(self, chapters: Sequence[Chapter]) -> None:
        """Have what these pages import at hand."""
        self._wake()
        names = modules_to_preload(chapters)
        if not set(names) <= set(self._preload):
            self.end()
            self._preload = list(dict.fromkeys([*self._preload, *names]))
            self._workers = Workers(self._root)
            self._workers.preload(self._preload)

    def saved(self, path: Path) -> None:
        """Stop the pages that a saved file makes run in vain."""
        with self._lock:
            for file, stop in self._running.items():
                if path == file or path.suffix != ".md":
                    stop.set()

    def run(
        self, request: Request, progress: Callable[[CodeBlock], None], stop: threading.Event
    ) -> Outcome:
        """Bring a page to what it is now.

        Args:
            request: the page.
            progress: told of each block that begins.
            stop: set by another thread to end the page where it is.

        Raises:
            OvertakenError: a file that it may depend on was saved in the meantime.
        """
        with self._lock:
            overtaken = self._running[request.file] = threading.Event()
        try:
            outcome = self._play(request, progress, _Either(stop, overtaken))
        finally:
            with self._lock:
                del self._running[request.file]
        if overtaken.is_set():
            raise OvertakenError
        return outcome

    def _play(
        self, request: Request, progress: Callable[[CodeBlock], None], stop: threading.Event
    ) -> Outcome:
        document, limits = request.chapter.document, request.limits
        if CAN_FORK and limits.threads == 1:
            session = self._session(request.file)
            return session.play(document, limits, request.depends, progress, stop)
        return run(document, limits, self._workers, progress, stop)

    def rest(self, requests: Sequence[Request]) -> None:
        """Use the time until the next rebuild: have ready what an edit would go on from.

        Args:
            requests: the pages that were not run, as the cache had their results.
        """
        self._workers.make_ready()
        with self._lock:
            waiting = [request for request in requests if request.file not in self._sessions]
            room = MOST - len(self._sessions)
        waiting.sort(key=lambda request: stamp(request.file), reverse=True)
        if CAN_FORK and waiting[:room]:
            self._resting = threading.Thread(
                target=self._run_ahead, args=(waiting[:room], self._awake), daemon=True
            )
            self._resting.start()

    def finish_rest(self, seconds: float) -> None:
        """Wait until all that an edit would go on from is ready, if it is by then."""
        if self._resting:
            self._resting.join(seconds)

    def _run_ahead(self, requests: Sequence[Request], awake: threading.Event) -> None:
        for request in requests:
            if not awake.is_set() and request.limits.threads == 1:
                self._play(request, lambda block: None, awake)

    def _wake(self) -> None:
        """End the rest; what has run so far is of use."""
        self._awake.set()
        if self._resting:
            self._resting.join()
            self._resting = None
        self._awake = threading.Event()

    def _session(self, file: Path) -> Session:
        with self._lock:
            session = self._sessions.pop(file, None)
            if session is None:
                session = Session(self._workers, self._root, self._digests.of)
            self._sessions[file] = session
            idle = [known for known in self._sessions if known not in self._running]
            while len(self._sessions) > MOST and idle:
                self._sessions.pop(idle.pop(0)).end()
            return session

    def end(self) -> None:
        """End all processes."""
        self._wake()
        for session in self._sessions.values():
            session.end()
        self._sessions.clear()
        self._workers.end()


class _Either(threading.Event):
    """Is set when one of two others is."""

    def __init__(self, *events: threading.Event) -> None:
        super().__init__()
        self._events = events

    def is_set(self) -> bool:
        return any(event.is_set() for event in self._events)
