"""What a page may take, and the clock that holds it to that."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

__all__ = ["LARGEST", "SHOWN", "STARTUP", "Clock", "Limits"]

LARGEST = 64 * 2**20
"""Bytes that one page may print before it is ended."""

SHOWN = 2**20
"""Bytes that are kept of what a block printed that had to be ended."""

STARTUP = 60.0
"""Seconds that a worker may take between its steps, the first import included."""


@dataclass(frozen=True)
class Limits:
    """What a page may take: seconds a block, threads of numerical libraries, and memory.

    ``memory`` is in bytes, 0 for what there is. ``missing`` are the resources that are
    not here, with how to get them; what needs one of them does not run.
    """

    timeout: float = 60.0
    threads: int = 1
    memory: int = 0
    missing: dict[str, str] = field(default_factory=dict)


class Clock:
    """Runs while a block does, and knows what the block is allowed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._started = time.monotonic()

    @property
    def over(self) -> bool:
        return time.monotonic() - self._started > self.seconds
