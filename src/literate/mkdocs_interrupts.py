"""Interrupts that wait while MkDocs writes a site."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["Interrupts"]

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Keeps a request to end until the site is whole; a second one does not wait."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Keep nothing yet.

        Args:
            say: told that one waits.
        """
        self._say = say
        self._before: dict[signal.Signals, Any] = {}
        self._heard: signal.Signals | None = None

    def hold(self) -> None:
        """Keep what comes from now on, where this is the thread that signals interrupt."""
        if not self._before and threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                self._before[number] = signal.signal(number, self._hear)

    def release(self) -> None:
        """Let what has come have its effect, and keep nothing any more."""
        self._restore()
        heard, self._heard = self._heard, None
        if heard is not None:
            signal.raise_signal(heard)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._heard = signal.Signals(number)
        self._restore()
        self._say("ends when the site is written, so that none is left half done")

    def _restore(self) -> None:
        before, self._before = self._before, {}
        for number, handler in before.items():
            # One that C code has set cannot be set again from here.
            with contextlib.suppress(TypeError):
                signal.signal(number, handler)
