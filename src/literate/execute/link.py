"""The line to a worker: orders go out, events come in."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import threading
from collections.abc import Iterable
from typing import Any, Protocol

__all__ = ["FOREIGN", "Events", "Link"]

Event = dict[str, Any]

FOREIGN = "foreign"
"""The event that stands for what looks like one and is none of the worker's."""


class Link(Protocol):
    """A page's worker, as those who listen to it know it."""

    def send(self, order: Event) -> None:
        """Tell the worker what to do next."""

    def event(self, seconds: float) -> Event | None:
        """What the worker says, if it says something within that time."""

    def lost(self, seconds: float = 0) -> bool:
        """Whether what the worker came from has ended, or does within that time."""

    def end(self) -> object:
        """End the worker and whatever it has started."""


class Events:
    """Reads events in a thread of its own, so that waiting for one can be limited.

    When the worker's end of the line is closed the event ``gone`` comes, again and again.
    A page can reach the line by its descriptor. So each order brings the worker a word
    that its events are to carry, and what comes without it is foreign.
    """

    def __init__(self, stream: Iterable[bytes]) -> None:
        self._token = os.urandom(16).hex()
        self._queue: queue.Queue[Event] = queue.Queue()
        self.complete = False
        """Whether the worker has said that nothing of it is left."""
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: Iterable[bytes]) -> None:
        with contextlib.suppress(ValueError, OSError):
            for line in stream:
                # A process that was killed may have left half a line.
                with contextlib.suppress(ValueError, TypeError):
                    self._hear({"event": "", **json.loads(line)})
        self._queue.put({"event": "gone"})

    def written(self, order: Event) -> bytes:
        """An order as the worker reads it.

        Args:
            order: what the worker is to do.
        """
        return json.dumps({**order, "token": self._token}).encode() + b"\n"

    def _hear(self, event: Event) -> None:
        if event.pop("token", None) != self._token:
            event = {"event": FOREIGN}
        if event["event"] == "ended":
            self.complete = True
        else:
            self._queue.put(event)

    def next(self, seconds: float) -> Event | None:
        """The next event, if there is one within that time."""
        try:
            event = self._queue.get(timeout=seconds)
        except queue.Empty:
            return None
        if event["event"] == "gone":
            self._queue.put(event)
        return event

    def over(self, seconds: float) -> bool:
        """Whether the stream has ended, or does within that time."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
