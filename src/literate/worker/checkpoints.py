"""A page that can go back to one of its steps with its state exactly as it was; Linux.

The process forks before a step. The copy goes on; the original waits, and is the
checkpoint. When the copy has ended, the original says where it stands, and is told
either to go on from there with other code, or to end, so that the one before it speaks.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any

from literate.jobs import Job, Step, step_from_json
from literate.worker.conversation import Conversation
from literate.worker.family import adopt_orphans, die_with_parent, threads, wait_for
from literate.worker.player import Player

__all__ = ["ResumablePlayer", "enough_memory"]

_WAITING = 5.0
"""How much less waiting is worth than work: another page may have had the processor."""

_SPARE = 0.2
"""The part of the machine's memory that checkpoints leave free."""


class ResumablePlayer(Player):
    """Plays a page and keeps checkpoints on the way, where that is exact and pays."""

    def __init__(self, line: Conversation, job: Job) -> None:
        super().__init__(line, job)
        self._worth, self._mark = job.worth or 0.0, job.mark
        self._known = _descriptors()
        self._sees_forks = False
        """Whether the page has asked to be told of forks, and would be of ours."""
        self._hear_of_askers()
        # Kept here: a block may put something else in its place.
        self._fork = os.fork
        self._worked, self._waited = time.process_time(), time.monotonic()

    def play(self) -> None:
        """Play to the end, and again from there when steps are added."""
        while True:
            super().play()
            if self.failed:
                os._exit(0)
            self._await_order(0)

    def before_step(self) -> None:
        """Fork, if it is worth it and nothing would be shared with the copy."""
        if self.number == 0 or not self._is_worth_it() or not self._exact():
            return
        state = _Moment(self.recorder.descriptor)
        self.line.say("checkpoint", number=self.number)
        while True:
            # What the copy sends to all processes of the page is not for this one.
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            child = self._fork()
            if child == 0:
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
                die_with_parent()
                state.restore()
                self._worked, self._waited = time.process_time(), time.monotonic()
                return
            adopt_orphans()
            status = wait_for(child)
            self._await_order(status)
            state.rewind()
            while signal.sigtimedwait(signal.valid_signals(), 0):
                pass
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def _hear_of_askers(self) -> None:
        register = os.register_at_fork

        def noted(**functions: Any) -> None:
            # Packages do it when they are imported, and only keep themselves in order.
            self._sees_forks |= sys._getframe(1).f_code.co_filename in self.page.places
            register(**functions)

        functools.update_wrapper(noted, register)
        os.register_at_fork = noted

    def _await_order(self, status: int) -> None:
        """Say where this process stands; return to go on from there, else end."""
        self.line.say("at", number=self.number, status=status)
        order = self.line.hear()
        if order is None or order["do"] != "play":
            os._exit(0)
        self.steps = tuple(map(step_from_json, order["steps"]))
        self._mark = order["mark"]

    def _is_worth_it(self) -> bool:
        """Whether much would have to be done again, or an edit is likely right here."""
        blocks = [number for number, step in enumerate(self.steps) if isinstance(step, Step)]
        if self.number == self._mark or [self.number] == blocks[-1:]:
            return True
        worked, waited = time.process_time() - self._worked, time.monotonic() - self._waited
        return max(worked, waited / _WAITING) >= self._worth

    def _exact(self) -> bool:
        """Whether a copy would have all that this process has, and share none of it."""
        try:
            return (
                not self.recorder.changed
                and not self._sees_forks
                and threads() == 1
                and not _awaits_signals()
                and not _shares_memory()
                and _all_plain(
                    {number for number, _ in _descriptors().items() - self._known.items()}
                )
                and enough_memory(Path("/proc/meminfo").read_text("ascii"))
            )
        except OSError:
            # The page has left itself no descriptor to look with.
            return False


class _Moment:
    """What a fork changes, or shares with the copy, as it is at one moment."""

    def __init__(self, record: int) -> None:
        # Python draws a new random state in every copy of a process.
        self._random = random.getstate()
        self._offsets = {}
        for number in _descriptors():
            with contextlib.suppress(OSError):
                self._offsets[number] = os.lseek(number, 0, os.SEEK_CUR)
        self._sizes = {number: os.fstat(number).st_size for number in (1, record)}

    def restore(self) -> None:
        random.setstate(self._random)

    def rewind(self) -> None:
        """Take back what the copy has written to the run's own files, and read from others."""
        for number, size in self._sizes.items():
            os.ftruncate(number, size)
        for number, offset in self._offsets.items():
            with contextlib.suppress(OSError):
                os.lseek(number, offset, os.SEEK_SET)


def _descriptors() -> dict[int, tuple[int, int]]:
    """What this process holds open, with what each stands for: a block may replace it."""
    found = {}
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - the names are all it takes
        with contextlib.suppress(OSError):
            status = os.fstat(int(name))
            found[int(name)] = status.st_dev, status.st_ino
    return found


def _all_plain(numbers: set[int]) -> bool:
    """Whether all of them are files that are only read, and not locked: all has its place."""
    import fcntl

    for number in numbers:
        status = os.fstat(number)
        reads = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
        if not (stat.S_ISREG(status.st_mode) and reads) or _is_locked(number):
            return False
    return True


def _is_locked(number: int) -> bool:
    """Whether a descriptor holds a lock, which a copy would lack, or share."""
    return b"\nlock:" in Path(f"/proc/self/fdinfo/{number}").read_bytes()


def _awaits_signals() -> bool:
    """Whether a signal is on its way: a copy has neither timers nor what waits to be let in."""
    kinds = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    timers = Path("/proc/self/timers")
    return (
        bool(signal.sigpending())
        or any(signal.getitimer(kind)[0] for kind in kinds)
        # Not every kernel tells.
        or (timers.exists() and timers.read_bytes() != b"")
    )


def _shares_memory() -> bool:
    """Whether some memory of this process is shared and can be written to."""
    with Path("/proc/self/maps").open("rb") as maps:
        return any(line.split(None, 2)[1][1:4:2] == b"ws" for line in maps)


def enough_memory(meminfo: str) -> bool:
    """Whether there is room for another checkpoint.

    Args:
        meminfo: what Linux says in the file of that name.
    """
    lines = (line.partition(":") for line in meminfo.splitlines())
    fields = {name: int(value.split()[0]) for name, _, value in lines}
    available = fields.get("MemAvailable", fields["MemFree"])
    return available > _SPARE * fields["MemTotal"]
