"""Workers forked from one process that has imported what is heavy; Linux."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from literate.environment import environment
from literate.execute.kin import Kin, children
from literate.execute.link import Events
from literate.execute.process import COMMAND

__all__ = ["Forked", "Nursery"]

_SOON = 0.5
"""Seconds after which a page's processes have ended, if nobody holds them up."""

_GRACE = 5.0
"""Seconds in which they are to end in any case; what forks without end may take longer."""

_LONG = 60.0

_STOPPED = os.WSTOPPED | os.WNOHANG if sys.platform == "linux" else 0


class Nursery:
    """A process that forks workers, with the environment of all of them.

    It ends when this process does, whatever ends that: the kernel closes the line.
    """

    def __init__(self, threads: int, root: Path, kin: Kin) -> None:
        """Start it.

        Args:
            threads: how many numerical libraries may use.
            root: the folder that the code runs in.
            kin: what it is marked as.
        """
        self.threads = threads
        self._lock = threading.Lock()
        self._told = False
        self._workers: list[Forked] = []
        self._folder = tempfile.TemporaryDirectory(prefix="literate-", ignore_cleanup_errors=True)
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                COMMAND,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd=root,
                env=environment(threads, Path(self._folder.name)),
                start_new_session=True,
            )
        kin.add(self._process.pid)

    def preload(self, names: Sequence[str]) -> None:
        """Have it import modules; once, before the first page."""
        with self._lock:
            if not self._told:
                self._told = True
                with contextlib.suppress(OSError):
                    self._orders.send(json.dumps(list(names)).encode())

    @property
    def alive(self) -> bool:
        """Whether it can be asked for workers."""
        return self._process.poll() is None

    def over(self, seconds: float) -> bool:
        """Whether it has ended, or does within that time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return not self.alive

    def wake(self, deep: bool = False) -> None:
        """Have it go on if a page has stopped it.

        Args:
            deep: also the supervisors, which end pages.
        """
        # Where it has ended there is nothing to wake, and its number may be another's.
        with contextlib.suppress(ChildProcessError):
            if self.alive and (deep or os.waitid(os.P_PID, self._process.pid, _STOPPED)):
                for process in [*(children(self._process.pid) if deep else ()), self._process.pid]:
                    _go_on(process)

    def worker(self) -> Forked:
        """A new worker, before it has run anything."""
        worker = self._forked(Forked)
        self._workers = [*(worker for worker in self._workers if not worker.ended), worker]
        return worker

    def only_worker(self) -> Forked:
        """A worker that takes this process with it."""
        return self._forked(_Only)

    def _forked(self, kind: type[Forked]) -> Forked:
        ours, theirs = socket.socketpair()
        leash_end, leash = os.pipe()
        self.preload(())
        with self._lock, contextlib.suppress(OSError):
            socket.send_fds(self._orders, [b"page"], [theirs.fileno(), leash_end])
        theirs.close()
        os.close(leash_end)
        return kind(ours, leash, self)

    def end(self) -> None:
        """End it, with all of its workers."""
        self._orders.close()
        ended = [worker.end() for worker in self._workers]
        self.close(all(ended))

    def close(self, over: bool = True) -> None:
        """Take it away.

        Args:
            over: whether nothing is left of its workers.
        """
        self._orders.close()
        if over and self.alive:
            # Nothing is left but itself, and it may be importing.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self.wake(deep=True)
        if not self.over(_LONG):
            # All that it has forked ends with it; what those leave comes to this process.
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


def _go_on(process: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGCONT)


class Forked:
    """A worker with a supervisor of its own, which ends all that the page has started."""

    def __init__(self, line: socket.socket, leash: int, nursery: Nursery) -> None:
        self._line, self._leash = line, leash
        self._nursery = nursery
        self._stream = line.makefile("rb")
        self._events = Events(self._stream)
        self.ended = False

    def send(self, order: dict[str, Any]) -> None:
        """Tell the worker what to do next."""
        with contextlib.suppress(OSError):
            self._line.sendall(self._events.written(order))

    def event(self, seconds: float) -> dict[str, Any] | None:
        """What the worker says, if it says something within that time."""
        event = self._events.next(seconds)
        if event is None:
            self._nursery.wake()
        return event

    def lost(self, seconds: float = 0) -> bool:
        """Whether what it came from has ended, or does within that time."""
        return self._nursery.over(seconds)

    def end(self) -> bool:
        """End the worker and whatever it has started; whether that is over."""
        if self._leash >= 0:
            os.close(self._leash)
            self._leash = -1
            with contextlib.suppress(OSError):
                self._line.shutdown(socket.SHUT_WR)
        # The line ends when the last process that has it does.
        over = self._events.over(_SOON)
        if not over:
            self._nursery.wake(deep=True)
            over = self._events.over(_GRACE)
        self.ended = over and self._events.complete
        if over:
            self._stream.close()
        self._line.close()
        return self.ended


class _Only(Forked):
    """The only worker of a nursery."""

    def end(self) -> bool:
        """End the worker, whatever it has started, and the nursery."""
        over = super().end()
        self._nursery.close(over)
        return over
