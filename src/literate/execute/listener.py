"""Takes in what a worker says of its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from literate.document import Claim, CodeBlock, Document
from literate.execute.limits import SHOWN, STARTUP, Clock, Limits
from literate.execute.process import Worker
from literate.results import BlockResult, ChapterResult, ClaimValue, Failure, Text
from literate.terminal import as_shown

__all__ = ["Listener"]


class Listener:
    """Takes in a worker's events until the page is done, or has to be ended."""

    def __init__(
        self,
        worker: Worker,
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
        self._clock = Clock(STARTUP)

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
            self._clock = Clock(block.options.timeout or self._limits.timeout)
            self._progress(block)
        elif kind == "ask":
            self._running = self._document.claims[event["index"]]
            self._clock = Clock(self._limits.timeout)
        elif kind == "end":
            result = BlockResult.from_json(event["result"])
            self._blocks[result.index] = result
            self._taken, self._clock = self._capture.stat().st_size, Clock(STARTUP)
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
