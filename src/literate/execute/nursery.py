"""Workers forked from one process that has imported what is heavy; Linux."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from literate.environment import environment
from literate.execute.link import Events
from literate.execute.process import COMMAND

__all__ = ["Forked", "Nursery"]

_GRACE = 5.0
"""Seconds in which a page's processes are to end; what forks without end may take longer."""

_LONG = 60.0


class Nursery:
    """A process that forks workers, with the environment of all of them.

    It ends when this process does, whatever ends that: the kernel closes the line.
    """

    def __init__(self, threads: int, root: Path, preload: Sequence[str]) -> None:
        """Start it.

        Args:
            threads: how many numerical libraries may use.
            root: the folder that the code runs in.
            preload: modules to import before the first page.
        """
        self._lock = threading.Lock()
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
        with contextlib.suppress(OSError):
            self._orders.send(json.dumps(list(preload)).encode())

    @property
    def alive(self) -> bool:
        """Whether it can be asked for workers."""
        return self._process.poll() is None

    def worker(self) -> Forked:
        """A new worker, before it has run anything."""
        ours, theirs = socket.socketpair()
        leash_end, leash = os.pipe()
        with self._lock, contextlib.suppress(OSError):
            socket.send_fds(self._orders, [b"page"], [theirs.fileno(), leash_end])
        theirs.close()
        os.close(leash_end)
        worker = Forked(ours, leash)
        self._workers = [*(worker for worker in self._workers if not worker.ended), worker]
        return worker

    def end(self) -> None:
        """End it, with all of its workers."""
        self._orders.close()
        ended = [worker.end() for worker in self._workers]
        if all(ended):
            # Nothing is left but itself, and it may be importing.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LONG)
        self._folder.cleanup()


class Forked:
    """A worker with a supervisor of its own, which ends all that the page has started."""

    def __init__(self, line: socket.socket, leash: int) -> None:
        self._line, self._leash = line, leash
        self._stream = line.makefile("rb")
        self._events = Events(self._stream)
        self.ended = False

    def send(self, order: dict[str, Any]) -> None:
        """Tell the worker what to do next."""
        with contextlib.suppress(OSError):
            self._line.sendall(json.dumps(order).encode() + b"\n")

    def event(self, seconds: float) -> dict[str, Any] | None:
        """What the worker says, if it says something within that time."""
        return self._events.next(seconds)

    def end(self) -> bool:
        """End the worker and whatever it has started; whether that is over."""
        if self._leash >= 0:
            os.close(self._leash)
            self._leash = -1
            with contextlib.suppress(OSError):
                self._line.shutdown(socket.SHUT_WR)
        # The line ends when the last process that has it does.
        over = self._events.over(_GRACE)
        self.ended = over and self._events.complete
        if over:
            self._stream.close()
        self._line.close()
        return self.ended
