"""Takes in what a worker says of its page, and ends what goes beyond its limits."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from literate.document import CodeBlock, Document
from literate.execute.limits import LARGEST, SHOWN, STARTUP, Clock, Limits
from literate.execute.link import FOREIGN, Link
from literate.execute.memory import takes_more
from literate.jobs import BROKEN, LINE_GONE, Question, Step
from literate.results import BlockResult, ChapterResult, ClaimValue, Failure, Text
from literate.terminal import as_shown

__all__ = ["Answers", "Listener", "LostError", "RefusedError", "result_of"]

Answers = dict[int, BlockResult | ClaimValue]
"""What came of steps, by their numbers."""

_TICK = 0.1

_BROKEN = {
    LINE_GONE: Failure(
        "the block closed the line between its process and literate",
        "close only files that the block has opened",
    ),
    BROKEN: Failure(
        "the block broke what literate needs to go on in its process",
        "leave Python's own functions and streams as they are, and allow some open files",
    ),
}
"""What is said of the statuses with which a worker gives up."""

_SAME_TIME = 0.2
"""Seconds within which one process has ended because another has."""


class RefusedError(Exception):
    """The worker cannot be forked; it has to be started."""


class LostError(RefusedError):
    """What pages come from has ended, and nobody knows which page did it."""


class Listener:
    """Takes in a worker's events until the page is done, or has to be ended."""

    def __init__(
        self,
        link: Link,
        document: Document,
        steps: Sequence[Step | Question],
        limits: Limits,
        capture: Path,
        progress: Callable[[CodeBlock], None],
        stop: threading.Event,
        alone: bool = False,
    ) -> None:
        self._alone = alone
        self._link = link
        self._document, self._steps, self._limits = document, steps, limits
        self._capture = capture
        self._progress, self._stop = progress, stop
        self._clock = Clock(STARTUP)
        self._taken = 0
        self.answers: Answers = {}
        self.versions: dict[str, str] = {}
        self.running: int | None = None
        self.process = 0
        self.at: int | None = None
        """The step at which a process waits to be told what to do."""
        self.killed = False
        """Whether the system has ended the process."""

    def listen(self) -> bool:
        """Take events until the page is done: True, or has failed or must be ended: False."""
        while True:
            event = self._link.event(_TICK)
            failure = self._beyond() if event is None else None
            if event:
                failure = self._take_unless_foreign(event)
                if event["event"] == "done" and not failure:
                    return True
            if failure:
                self._fail(failure)
                return False

    def _take_unless_foreign(self, event: dict[str, Any]) -> Failure | None:
        """Take an event, unless it is none of the worker's."""
        try:
            return self._take(event)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            # Without the worker's word, or with it and out of turn.
            what = "the block wrote to a descriptor that is not its own, and literate's line broke"
            return Failure(what, "write only to files that the block has opened")

    def _take(self, event: dict[str, Any]) -> Failure | None:
        """Note that something has begun, or what came of it."""
        kind = event["event"]
        if kind == "begin":
            self._begin(self._in_turn(event["number"]), event["process"])
        elif kind == "end":
            self.answers[self._in_turn(self.running)] = BlockResult.from_json(event["result"])
            self._taken, self._clock = self._capture.stat().st_size, Clock(STARTUP)
        elif kind == "answer":
            self.answers[self._in_turn(self.running)] = ClaimValue.from_json(event["value"])
        elif kind == "done" and self._whole():
            self.versions = event["versions"]
        elif kind in {"done", FOREIGN}:
            raise ValueError(kind)
        elif kind == "unsafe":
            raise RefusedError
        elif kind in {"at", "gone"}:
            self.at = event.get("number")
            return self._death(event.get("status"))
        return None

    def _whole(self) -> bool:
        """Whether all steps have been answered, or all up to a block that failed."""
        last = self.answers.get(len(self.answers) - 1)
        failed = isinstance(last, BlockResult) and last.failure is not None
        return failed or len(self.answers) == len(self._steps)

    def _in_turn(self, number: int | None) -> int:
        """The step's number, if it is the one that is to be answered next."""
        if number != len(self.answers):
            raise ValueError(number)
        return number

    def _begin(self, number: int, process: int) -> None:
        self.running, self.process = number, process
        step = self._steps[number]
        seconds = self._limits.timeout
        if isinstance(step, Step):
            block = self._document.blocks[step.index]
            seconds = block.options.timeout or seconds
            self._progress(block)
        self._clock = Clock(seconds)

    def _beyond(self) -> Failure | None:
        """Why the page has to be ended, if it has; else it goes on running."""
        limits = self._limits
        step = self._steps[self.running] if self.running is not None else None
        if isinstance(step, Step):
            self._progress(self._document.blocks[step.index])
        if self._stop.is_set():
            return Failure("the run was interrupted", "run it again")
        if self._link.lost():
            return self._loss()
        if self._clock.over:
            what = f"the block took longer than the {self._clock.seconds:g} seconds it is allowed"
            return Failure(what, "make it faster, or allow more with timeout=")
        if self._capture.exists() and self._capture.stat().st_size > LARGEST:
            return Failure(f"the block printed more than {LARGEST // 2**20} MB", "print less")
        if limits.memory and self.process and takes_more(self.process, limits.memory):
            what = f"the block took more than the {limits.memory / 2**20:g} MB it is allowed"
            return Failure(what, "take less, or allow more with the setting memory")
        return None

    def _loss(self) -> Failure:
        """What is said of a page that no other can have cut off from what it came from."""
        if not self._alone:
            raise LostError
        what = "the block killed the process that its page came from"
        return Failure(what, "end only processes that the block has started")

    def _death(self, code: int | None) -> Failure:
        if code is None and self._link.lost(_SAME_TIME):
            return self._loss()
        self.killed = code is not None and code < 0
        if code in _BROKEN:
            return _BROKEN[code]
        if code is None:
            how = "the block's process is gone"
        elif code >= 0:
            how = f"the block ended its process with status {code}"
        else:
            names = {number.value: number.name for number in signal.Signals}
            how = f"the block's process was killed by {names.get(-code, f'signal {-code}')}"
        return Failure(how, "see what in it leaves Python, or needs more memory than there is")

    def _fail(self, failure: Failure) -> None:
        """Lay a failure at what was running; before anything was, at what was to run."""
        number = self.running
        if number is None:
            number = min(len(self.answers), len(self._steps) - 1)
        step = self._steps[number]
        if isinstance(step, Question):
            what = failure.what.replace("the block", "the claim")
            self.answers[number] = ClaimValue(step.index, error=what, fatal=True)
            return
        parts = _printed(self._capture, self._taken)
        self.answers[number] = BlockResult(step.index, parts, failure=failure)


def result_of(
    answers: Mapping[int, BlockResult | ClaimValue],
    versions: dict[str, str],
    missing: dict[str, str],
) -> ChapterResult:
    """A page's result, from what came of its steps."""
    ordered = [answers[number] for number in sorted(answers)]
    blocks = {item.index: item for item in ordered if isinstance(item, BlockResult)}
    claims = {item.index: item for item in ordered if isinstance(item, ClaimValue)}
    return ChapterResult(blocks, claims, versions, missing)


def _printed(capture: Path, taken: int) -> tuple[Text, ...]:
    """What a block that never ended had printed."""
    if not capture.exists():
        return ()
    with capture.open("rb") as file:
        file.seek(taken)
        text = as_shown(file.read(SHOWN))
    return (Text(text),) if text else ()
