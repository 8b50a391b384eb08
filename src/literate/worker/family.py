"""Processes that wait for one that they have forked, and let none outlive it; Linux."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
from pathlib import Path

__all__ = ["adopt_orphans", "die_with_parent", "end_children", "threads", "wait_for"]

_SET_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36
_TICK = 50
"""Milliseconds between looks, where a process cannot be waited for beside something else."""


def die_with_parent() -> None:
    """Have the kernel end this process when the parent ends."""
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of what children of this process leave behind."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1)


def threads() -> int:
    """How many threads this process has, also those that Python does not know."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - the names are all it takes


def wait_for(child: int, leash: int | None = None) -> int:
    """Wait until a child ends, then end all others; its status as `subprocess` has it.

    Args:
        child: its number.
        leash: a descriptor at whose end the child is to be killed.
    """
    if leash is not None:
        _watch(child, leash)
    status = _reap(child)
    end_children()
    return status


def _watch(child: int, leash: int) -> None:
    """Return when a child has ended; kill it when the leash has."""
    poll = select.poll()
    poll.register(leash, select.POLLHUP)
    try:
        process = os.pidfd_open(child)
    except OSError:
        process = -1
    if process >= 0:
        poll.register(process, select.POLLIN)
    while process < 0 and not poll.poll(_TICK):
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
    if leash in {ready for ready, _ in poll.poll()}:
        _kill(child)
    if process >= 0:
        os.close(process)


def _reap(child: int) -> int:
    while True:
        try:
            _, status = os.waitpid(child, 0)
        except ChildProcessError:
            return 0
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status)


def end_children() -> None:
    """Kill the children of this process, and theirs, which become its own, until none is left."""
    while killed := [child for child in _children() if _kill(child)]:
        for child in killed:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def _kill(process: int) -> bool:
    try:
        os.kill(process, signal.SIGKILL)
    except OSError:
        return False
    return True


def _children() -> list[int]:
    """The processes whose parent this one is."""
    here, found = str(os.getpid()), []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold anything.
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            if fields[1] == here:
                found.append(int(folder.name))
    return found
