"""A worker as a process of its own, on any system."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from literate.environment import environment
from literate.execute.kin import Kin
from literate.execute.link import Events

__all__ = ["COMMAND", "Process"]

COMMAND = (sys.executable, "-u", "-P", "-m", "literate.worker")

_GRACE = 2.0


class Process:
    """A child process for one page, in a process group of its own."""

    def __init__(self, threads: int, root: Path, folder: Path | None, kin: Kin) -> None:
        """Start it.

        Args:
            threads: how many numerical libraries may use.
            root: the folder that the code runs in.
            folder: the run's own; None for a process that is to wait for its run.
            kin: what it is marked as.
        """
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if folder is None:
            self._folder = tempfile.TemporaryDirectory(
                prefix="literate-", ignore_cleanup_errors=True
            )
            folder = Path(self._folder.name)
        group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
            env=environment(threads, folder),
            **group,
        )
        kin.add(self._process.pid)
        assert self._process.stdout is not None
        self._events = Events(self._process.stdout)

    @property
    def alive(self) -> bool:
        """Whether it can be given something to do."""
        return self._process.poll() is None

    def send(self, order: dict[str, Any]) -> None:
        """Tell the worker what to do next."""
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.write(self._events.written(order))
            stream.flush()

    def event(self, seconds: float) -> dict[str, Any] | None:
        """What the worker says, if it says something within that time."""
        event = self._events.next(seconds)
        if event is None and self._process.poll() is not None:
            # Something that it left behind may hold the other end open.
            event = self._events.next(seconds) or {"event": "gone"}
        if event is None or event["event"] != "gone":
            return event
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        return {"event": "at", "number": 0, "status": self._process.poll()}

    def lost(self, seconds: float = 0) -> bool:
        """Never: it came from this process."""
        return False

    def end(self) -> None:
        """End the process and whatever it has started."""
        if sys.platform == "win32":
            if self._process.poll() is None:
                command = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
                subprocess.run(command, capture_output=True, check=False)
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        # A process that left the group may hold the other end: reading it then never ends,
        # and closing would wait for the reader.
        over = self._events.over(_GRACE)
        for stream in (self._process.stdin, self._process.stdout if over else None):
            with contextlib.suppress(OSError):
                if stream:
                    stream.close()
        if self._folder:
            self._folder.cleanup()
