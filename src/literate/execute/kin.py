"""What descends from a run's workers, also when the processes between are gone; Linux.

A page can kill the process that pages come from, and what it has started would then
belong to nobody. For the time of a run such orphans come to this process. It may have
children of other origin, so each worker carries a mark, which all that it starts
inherits: a limit that the kernel keeps for every process and has not looked at for
twenty years.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["Kin", "children"]

_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37
_LOCKS = 10
"""The limit's number; `resource` has no name for it."""

_LOOKS = 3
"""How often in a row no orphan may be found: the kernel's lists may miss one that moves."""

_LONG = 60.0
"""Seconds after which an orphan that cannot be killed is left."""


class Kin:
    """Marks workers, and ends what is left of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark = 0
        self._workers: set[int] = set()

    def add(self, process: int) -> None:
        """Mark a worker that has just been started, and has not started anything.

        Args:
            process: its number.
        """
        if sys.platform != "linux":
            return
        import resource

        with self._lock, contextlib.suppress(OSError, ValueError):
            if not self._mark:
                _, most = resource.getrlimit(_LOCKS)
                # What runs inside a page has its mark, and can only take a lower one.
                most = 1 << 48 if most == resource.RLIM_INFINITY else most
                self._mark = random.SystemRandom().randrange(most // 2, most)
                _ADOPTION.begin()
            self._workers.add(process)
            resource.prlimit(process, _LOCKS, (self._mark, self._mark))

    def end_orphans(self) -> None:
        """Kill and take away what came to this process, until nothing is left.

        A process hands on its children before it can be taken away, so that none is late.
        """
        empty, deadline = 0, time.monotonic() + _LONG
        while self._mark and empty < _LOOKS and time.monotonic() < deadline:
            found = [child for child in children(os.getpid()) if self._is_orphan(child)]
            for child in found:
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
                with contextlib.suppress(OSError):
                    os.waitpid(child, os.WNOHANG)
            empty = 0 if found else empty + 1
            time.sleep(0.001 if found else 0)

    def end(self) -> None:
        """End what is left, workers too, and leave later orphans to whom they came before."""
        self._workers.clear()
        self.end_orphans()
        with self._lock:
            if self._mark:
                _ADOPTION.end()
            self._mark = 0

    def _is_orphan(self, child: int) -> bool:
        import resource

        with contextlib.suppress(OSError):
            return child not in self._workers and resource.prlimit(child, _LOCKS)[1] == self._mark
        return False


class _Adoption:
    """Counts who has orphans come to this process: it has one flag for all of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before = False

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._before = _adopts()
                _adopt(True)
            self._count += 1

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                _adopt(self._before)


_ADOPTION = _Adoption()


def children(process: int) -> list[int]:
    """The processes whose parent a process is, as far as the system tells.

    Args:
        process: its number.
    """
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (task / "children").read_text("ascii").split())
    return found


def _adopts() -> bool:
    import ctypes

    answer = ctypes.c_int()
    _prctl()(_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
    return bool(answer.value)


def _adopt(whether: bool) -> None:
    _prctl()(_SET_CHILD_SUBREAPER, int(whether), 0, 0, 0)


def _prctl() -> Callable[..., Any]:
    import ctypes

    call: Callable[..., Any] = ctypes.CDLL(None).prctl
    return call
