"""A page in the live preview, which goes on from where an edit has changed it."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from literate.document import CodeBlock, Document
from literate.execute.limits import Limits
from literate.execute.link import Link
from literate.execute.listener import Answers, Listener, LostError, RefusedError, result_of
from literate.execute.run import Outcome, run, touched_in
from literate.execute.steps import steps_of
from literate.execute.workers import Workers
from literate.jobs import Job, Question, Step, Touch, changed_since
from literate.results import BlockResult, ChapterResult, ClaimValue

__all__ = ["Session"]

_WORTH = 0.2

_DEEDS = {"process", "write", "change"}

_GRACE = 10.0
"""Seconds in which a process that has ended its work, or was killed, is replaced."""

Steps = tuple[Step | Question, ...]
Digest = Callable[[str, str], str]


class Session:
    """The processes that hold a page's checkpoints, and what came of its steps.

    A run goes back to the last checkpoint before the first step that differs, or that
    had looked at a file that differs. The result is that of a run from the beginning:
    only what would be the same again is not done again.
    """

    def __init__(self, workers: Workers, root: Path, digest: Digest, worth: float = _WORTH) -> None:
        """A session that has run nothing.

        Args:
            workers: where its processes come from; they can be forked.
            root: the folder that the code runs in.
            digest: stands for what is in a file, or a folder, of a kind and a path.
            worth: seconds of work from which on a checkpoint is made; less is done again.
        """
        self._worth = worth
        self._workers, self._root, self._digest = workers, root, digest
        self._folder = tempfile.TemporaryDirectory(prefix="literate-", ignore_cleanup_errors=True)
        self._link: Link | None = None
        self._at: int | None = None
        self._steps: Steps = ()
        self._answers: Answers = {}
        self._touched: tuple[Touch, ...] = ()
        self._known: dict[Touch, str] = {}
        self._frame: object = None

    def play(
        self,
        document: Document,
        limits: Limits,
        depends: Sequence[str] = (),
        progress: Callable[[CodeBlock], None] = lambda block: None,
        stop: threading.Event | None = None,
    ) -> Outcome:
        """Bring the page to what it is now.

        Args:
            document: the page.
            limits: what it may take, and the resources that are not here.
            depends: files and folders that nobody sees it look at.
            progress: told of each block that begins.
            stop: set by another thread to end the page where it is.
        """
        steps = steps_of(document, limits.missing)
        if not steps:
            return Outcome(ChapterResult(missing=limits.missing))
        stop = stop or threading.Event()
        seen = [self._digest("tree", path) for path in depends]
        frame = (document.source.path, limits.threads, limits.memory, seen)
        if frame != self._frame:
            self._reset()
            self._frame = frame
        listener = self._listener(document, steps, limits, progress, stop)
        try:
            done = listener.listen()
        except RefusedError as refused:
            self._reset()
            alone = isinstance(refused, LostError)
            return run(document, limits, self._workers, progress, stop, alone)
        self._settle(listener, steps, done)
        if listener.killed and self._at and not stop.is_set():
            # Checkpoints may have taken what it needed: it shall have all there is.
            self._reset()
            return run(document, limits, self._workers, progress, stop)
        return Outcome(
            result_of(listener.answers, listener.versions, limits.missing), self._touched
        )

    def _listener(
        self,
        document: Document,
        steps: Steps,
        limits: Limits,
        progress: Callable[[CodeBlock], None],
        stop: threading.Event,
    ) -> Listener:
        """Go back as far as needed, tell the process there to play, and listen."""
        first = self._first_to_run(steps)
        number = self._go_back(first)
        if number is None or self._link is None or self._link.lost():
            self._reset()
            self._link = self._workers.worker(limits.threads, Path(self._folder.name))
            number = 0
        path, folder = document.source.path, self._folder.name
        job = Job(path, folder, steps, limits.memory, self._worth, first)
        capture = Path(job.capture)
        link = self._link
        listener = Listener(link, document, steps, limits, capture, progress, stop)
        if number == 0:
            for file in (capture, Path(job.touched)):
                file.write_bytes(b"")
            link.send({"do": "start", "job": job.to_json()})
        else:
            listener.answers = {at: self._renamed(at, steps[at]) for at in range(number)}
            link.send({"do": "play", "steps": job.to_json()["steps"], "mark": first})
        return listener

    def _first_to_run(self, steps: Steps) -> int:
        """The first step that may give something else than it has given."""
        first = 0
        for old, new in zip(self._steps, steps, strict=False):
            if _code(old) != _code(new) or not _good(self._answers.get(first)):
                break
            first += 1
        for touch, digest in self._known.items():
            if touch.step < first and self._digest(_kind(touch), touch.path) != digest:
                first = touch.step
        if first == self._at:
            return first
        # What was done to files and other processes cannot be taken back, but done again.
        outside = (touch.step for touch in self._touched if touch.kind in _DEEDS)
        return min([first, *outside])

    def _go_back(self, first: int) -> int | None:
        """Drop processes until one is left that stands at a step, or before it."""
        while self._at is not None and self._link and self._at > first:
            self._link.send({"do": "drop"})
            self._at = _place(self._link)
        return self._at

    def _settle(self, listener: Listener, steps: Steps, done: bool) -> None:
        """Have the process end what it does, and remember what came of the steps."""
        assert self._link is not None
        self._at = listener.at
        if self._at is None:
            if not done and listener.process:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(listener.process, signal.SIGKILL)
            self._at = _place(self._link)
        self._steps, self._answers = steps, listener.answers
        self._touched = touched_in(Path(self._folder.name, "touched"))
        # The environment stays what it is as long as this process does.
        looked = [touch for touch in self._touched if touch.kind not in {"write", "process", "env"}]
        self._known = {touch: self._as_read(touch) for touch in looked}

    def _as_read(self, touch: Touch) -> str:
        """The digest of what was read; one that nothing has if it has changed since."""
        if changed_since(touch, self._root / touch.path) and touch.kind != "change":
            return "changed while the page ran"
        return self._digest(_kind(touch), touch.path)

    def _renamed(self, number: int, step: Step | Question) -> BlockResult | ClaimValue:
        return replace(self._answers[number], index=step.index)

    def end(self) -> None:
        """End its processes, for good."""
        self._reset()
        self._folder.cleanup()

    def _reset(self) -> None:
        if self._link:
            self._link.end()
        self._link, self._at = None, None
        self._steps, self._answers, self._touched, self._known = (), {}, (), {}


def _place(link: Link) -> int | None:
    """The number of the step at which a process says that it waits."""
    for _ in range(int(_GRACE * 10)):
        event = link.event(0.1)
        if event and event["event"] == "at":
            return int(event["number"])
        if event and event["event"] == "gone":
            return None
    return None


def _code(step: Step | Question) -> object:
    """What of a step decides what it gives."""
    if isinstance(step, Step):
        return step.code, step.raises, step.source
    return step.expression, step.truth


def _good(answer: BlockResult | ClaimValue | None) -> bool:
    if isinstance(answer, BlockResult):
        return answer.failure is None
    return answer is not None and not answer.fatal


def _kind(touch: Touch) -> str:
    return "file" if touch.kind in {"read", "change"} else touch.kind
