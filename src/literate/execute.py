"""Starts workers, listens to them, and ends those that take too long."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from literate.document import Claim, ClaimComment, CodeBlock, Document
from literate.environment import environment
from literate.jobs import Job, Question, Step
from literate.results import BlockResult, ChapterResult, ClaimValue, Failure, Text
from literate.terminal import as_shown

__all__ = ["Limits", "run"]

LARGEST = 64 * 2**20
"""Bytes that one page may print before it is ended."""

SHOWN = 2**20
"""Bytes that are kept of what a block printed that had to be ended."""

_GRACE = 2.0
_STARTUP = 60.0
_TICK = 0.1


@dataclass(frozen=True)
class Limits:
    """What a page may take: seconds a block, and threads of numerical libraries.

    ``missing`` are the resources that are not here, with how to get them; what needs
    one of them does not run.
    """

    timeout: float = 60.0
    threads: int = 1
    missing: dict[str, str] = field(default_factory=dict)


def run(
    document: Document,
    limits: Limits,
    root: Path,
    progress: Callable[[CodeBlock], None] = lambda block: None,
    stop: threading.Event | None = None,
) -> ChapterResult:
    """Run a page's blocks and evaluate its claims, in order, in a process of its own.

    Args:
        document: the page.
        limits: what it may take, and the resources that are not here.
        root: the folder that the code runs in.
        progress: told of each block that begins.
        stop: set by another thread to end the page where it is.
    """
    steps = tuple(_steps(document, limits.missing))
    if not steps:
        return ChapterResult(missing=limits.missing)
    with tempfile.TemporaryDirectory(prefix="literate-", ignore_cleanup_errors=True) as folder:
        capture = Path(folder) / "stdout"
        job = Job(document.source.path, str(capture), steps)
        worker = _Worker(job, limits, root, Path(folder), stop or threading.Event())
        try:
            return _Listener(worker, document, limits, capture, progress).listen()
        finally:
            worker.end()


def _steps(document: Document, missing: Container[str]) -> Iterator[Step | Question]:
    """What there is to run, in the order of the page."""
    for node in document.nodes:
        if isinstance(node, CodeBlock):
            options = node.options
            if not options.norun and options.needs not in missing:
                yield Step(node.index, node.code, node.code_line, options.raises, options.source)
            for comment in node.comments:
                yield from _questions(comment, missing)
        elif isinstance(node, ClaimComment):
            yield from _questions(node, missing)


def _questions(comment: ClaimComment, missing: Container[str]) -> Iterator[Question]:
    for claim in comment.claims:
        if claim.kind != "cite" and claim.needs not in missing:
            truth = claim.kind == "assert"
            yield Question(claim.index, claim.expression, claim.location.line, truth)


class _Clock:
    """Runs while a block does, and knows what the block is allowed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._started = time.monotonic()

    @property
    def over(self) -> bool:
        return time.monotonic() - self._started > self.seconds


class _Listener:
    """Takes in a worker's events until the page is done, or has to be ended."""

    def __init__(
        self,
        worker: _Worker,
        document: Document,
        limits: Limits,
        capture: Path,
        progress: Callable[[CodeBlock], None],
    ) -> None:
        self._worker = worker
        self._document = document
        self._limits = limits
        self._capture = capture
        self._progress = progress
        self._blocks: dict[int, BlockResult] = {}
        self._claims: dict[int, ClaimValue] = {}
        self._running: CodeBlock | Claim | None = None
        self._taken = 0
        self._clock = _Clock(_STARTUP)

    def listen(self) -> ChapterResult:
        while True:
            event = self._worker.event(self._clock, self._capture)
            if isinstance(event, Failure):
                self.fail(event)
                return self.result({})
            if event["event"] == "done":
                return self.result(event["versions"])
            self.take(event)

    def take(self, event: dict[str, Any]) -> None:
        """Note that something has begun, or what came of it."""
        kind = event["event"]
        if kind == "begin":
            self._running = block = self._document.blocks[event["index"]]
            self._clock = _Clock(block.options.timeout or self._limits.timeout)
            self._progress(block)
        elif kind == "ask":
            self._running = self._document.claims[event["index"]]
            self._clock = _Clock(self._limits.timeout)
        elif kind == "end":
            result = BlockResult.from_json(event["result"])
            self._blocks[result.index] = result
            self._taken, self._clock = self._capture.stat().st_size, _Clock(_STARTUP)
        else:
            value = ClaimValue.from_json(event["value"])
            self._claims[value.index] = value

    def fail(self, failure: Failure) -> None:
        """Lay a failure at what was running; before anything was, at the first block."""
        running = self._running
        if isinstance(running, Claim):
            what = failure.what.replace("the block", "the claim")
            self._claims[running.index] = ClaimValue(running.index, error=what, fatal=True)
            return
        block = running or self._document.blocks[0]
        parts = _printed(self._capture, self._taken)
        self._blocks[block.index] = BlockResult(block.index, parts, failure=failure)

    def result(self, versions: dict[str, str]) -> ChapterResult:
        return ChapterResult(self._blocks, self._claims, versions, self._limits.missing)


def _printed(capture: Path, taken: int) -> tuple[Text, ...]:
    """What a block that never ended had printed."""
    if not capture.exists():
        return ()
    with capture.open("rb") as file:
        file.seek(taken)
        text = as_shown(file.read(SHOWN))
    return (Text(text),) if text else ()


class _Worker:
    """A child process with a page's job, in a process group of its own."""

    def __init__(
        self, job: Job, limits: Limits, root: Path, folder: Path, stop: threading.Event
    ) -> None:
        self._stop = stop
        group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-P", "-m", "literate.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
            env=environment(limits.threads, folder),
            encoding="utf-8",
            **group,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        arguments = (self._process.stdout,)
        self._reader = threading.Thread(target=self._read, args=arguments, daemon=True)
        self._reader.start()
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(job.to_json()) + "\n")
            self._process.stdin.flush()

    def _read(self, stream: IO[str]) -> None:
        with contextlib.suppress(ValueError, OSError):
            for line in stream:
                self._events.put(json.loads(line))

    def event(self, clock: _Clock, capture: Path) -> dict[str, Any] | Failure:
        """The next event, or why there will be none."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._events.get(timeout=_TICK)
            if self._process.poll() is not None:
                with contextlib.suppress(queue.Empty):
                    return self._events.get(timeout=_TICK)
                return self._death()
            if self._stop.is_set():
                return Failure("the run was interrupted", "run it again")
            if clock.over:
                what = f"the block took longer than the {clock.seconds:g} seconds it is allowed"
                return Failure(what, "make it faster, or allow more with timeout=")
            if capture.exists() and capture.stat().st_size > LARGEST:
                what = f"the block printed more than {LARGEST // 2**20} MB"
                return Failure(what, "print less")

    def _death(self) -> Failure:
        code = self._process.returncode
        if code >= 0:
            how = f"the block ended its process with status {code}"
        else:
            names = {number.value: number.name for number in signal.Signals}
            how = f"the block's process was killed by {names.get(-code, f'signal {-code}')}"
        return Failure(how, "see what in it leaves Python, or needs more memory than there is")

    def end(self) -> None:
        """End the process and whatever it has started."""
        if sys.platform == "win32":
            if self._process.poll() is None:
                command = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
                subprocess.run(command, capture_output=True, check=False)
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self._reader.join(_GRACE)
        # A process that left the group may hold the other end: reading it then never ends,
        # and closing would wait for the reader.
        streams = [self._process.stdin, None if self._reader.is_alive() else self._process.stdout]
        for stream in streams:
            with contextlib.suppress(OSError):
                if stream:
                    stream.close()
