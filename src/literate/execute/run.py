"""A page run from its beginning, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from literate.document import CodeBlock, Document
from literate.execute.limits import Limits
from literate.execute.listener import Listener, LostError, RefusedError, result_of
from literate.execute.steps import steps_of
from literate.execute.workers import CAN_FORK, Workers
from literate.jobs import Job, Touch
from literate.results import ChapterResult

__all__ = ["Outcome", "run", "touched_in"]


@dataclass(frozen=True)
class Outcome:
    """What a run gave, and what the page looked at or changed outside its process."""

    result: ChapterResult
    touched: tuple[Touch, ...] = ()


def run(
    document: Document,
    limits: Limits,
    workers: Workers,
    progress: Callable[[CodeBlock], None] = lambda block: None,
    stop: threading.Event | None = None,
    alone: bool = False,
) -> Outcome:
    """Run a page's blocks and evaluate its claims, in order.

    Args:
        document: the page.
        limits: what it may take, and the resources that are not here.
        workers: where its process comes from.
        progress: told of each block that begins.
        stop: set by another thread to end the page where it is.
        alone: whether its process is to be forked from one of which no other page is.
    """
    stop = stop or threading.Event()
    try:
        return _run(document, limits, workers, progress, stop, CAN_FORK, alone)
    except LostError:
        # Some page did that. With what this one comes from for itself it will show who.
        return run(document, limits, workers, progress, stop, alone=True)
    except RefusedError:
        return _run(document, limits, workers, progress, stop, False, True)


def _run(
    document: Document,
    limits: Limits,
    workers: Workers,
    progress: Callable[[CodeBlock], None],
    stop: threading.Event,
    fork: bool,
    alone: bool,
) -> Outcome:
    steps = steps_of(document, limits.missing)
    if not steps:
        return Outcome(ChapterResult(missing=limits.missing))
    with tempfile.TemporaryDirectory(prefix="literate-", ignore_cleanup_errors=True) as folder:
        job = Job(document.source.path, folder, steps, limits.memory)
        link = workers.worker(limits.threads, Path(folder), fork, alone)
        capture = Path(job.capture)
        listener = Listener(link, document, steps, limits, capture, progress, stop, alone)
        try:
            link.send({"do": "start", "job": job.to_json()})
            listener.listen()
        finally:
            link.end()
        result = result_of(listener.answers, listener.versions, limits.missing)
        return Outcome(result, touched_in(Path(job.touched)))


def touched_in(file: Path) -> tuple[Touch, ...]:
    """What a worker has written down; a line that it did not end is left out."""
    with contextlib.suppress(OSError):
        lines = file.read_text("utf-8", "replace").split("\n")[:-1]
        try:
            return tuple(Touch(**json.loads(line)) for line in lines)
        except (ValueError, TypeError):
            # A block wrote into it. No file is as this says, so the result is not kept.
            return (Touch(0, "read", ".", "unknown"),)
    return ()
