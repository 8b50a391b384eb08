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
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

__all__ = ["Kin", "children"]

_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37
_LOCKS = 10
"""The limit's number; `resource` has no name for it."""

_QUIET = 3
"""How often in a row no orphan may be found; what a dying process leaves comes late."""

_TICK, _LONG = 0.01, 60.0


class Kin:
    """Marks workers, and ends what is left of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark = 0
        self._adopted_before = True

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
                self._adopted_before = _adopts()
                _adopt(True)
            resource.prlimit(process, _LOCKS, (self._mark, self._mark))

    def end(self, known: Container[int] = ()) -> None:
        """Kill and take away what came to this process, until nothing is left.

        Args:
            known: workers, whose ends others wait for.
        """
        quiet, deadline = 0, time.monotonic() + _LONG
        while self._mark and quiet < _QUIET and time.monotonic() < deadline:
            found = [child for child in children(os.getpid()) if child not in known]
            ours = [child for child in found if self._has_mark(child)]
            for child in ours:
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
                with contextlib.suppress(OSError):
                    os.waitpid(child, os.WNOHANG)
            quiet = 0 if ours else quiet + 1
            time.sleep(0.001 if ours else _TICK)

    def forget(self) -> None:
        """Leave orphans to whom they came before."""
        with self._lock:
            if self._mark and not self._adopted_before:
                _adopt(False)
            self._mark = 0

    def _has_mark(self, process: int) -> bool:
        import resource

        with contextlib.suppress(OSError):
            return resource.prlimit(process, _LOCKS)[1] == self._mark
        return False


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
