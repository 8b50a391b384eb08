"""Processes that wait for one that they have forked, and let none outlive it; Linux."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import time
from pathlib import Path

__all__ = [
    "adopt_orphans",
    "die_with_parent",
    "end_children",
    "forget_code",
    "give_way",
    "threads",
    "wait_for",
]

_SET_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36
_DO_NOT_NEED = 4
_PATIENCE = 2000
"""How often a child may be looked for in vain that the kernel says there is."""

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
        _signal(child, signal.SIGKILL)
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
    """Kill what this process has started, and what that has started, until none is left.

    What a killed process leaves becomes a child of this one, so that only the kernel's
    word that there is none counts: processes that fork and end fast are on no list.
    """
    refused = 0
    while refused < _PATIENCE:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if ended:
            refused = 0
        else:
            killed = [_signal(child, signal.SIGKILL) for child in _children()]
            refused = 0 if any(killed) else refused + 1
        if not ended:
            time.sleep(0.0005)


def give_way() -> None:
    """Have the kernel end this process before others when there is no memory left."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(b"500")


def forget_code() -> None:
    """Let go of the pages of programs that this process has in memory.

    They are those of files, unchanged: what is needed again comes from there.
    """
    with contextlib.suppress(OSError, ValueError):
        advise = ctypes.CDLL(None).madvise
        for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
            span, rights, _, _, inode, *_ = line.split()
            if rights == "r-xp" and inode != "0":
                start, end = (int(number, 16) for number in span.split("-"))
                advise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _DO_NOT_NEED)


def _signal(process: int, number: int) -> bool:
    try:
        os.kill(process, number)
    except OSError:
        return False
    return True


def _children() -> list[int]:
    """The processes whose parent this one is."""
    with contextlib.suppress(OSError):
        here = os.getpid()
        text = Path(f"/proc/self/task/{here}/children").read_text("ascii")
        return [int(word) for word in text.split()]
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            # The name in parentheses may hold anything.
            fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                found.append(int(folder.name))
    return found
