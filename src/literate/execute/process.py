"""A worker as a process of its own, on any system."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

from literate.environment import environment
from literate.execute.limits import LARGEST, Clock, Limits
from literate.jobs import Job
from literate.results import Failure

__all__ = ["Worker"]

_GRACE = 2.0
_TICK = 0.1


class Worker:
    """A child process with a page's job, in a process group of its own."""

    def __init__(
        self, job: Job, limits: Limits, root: Path, folder: Path, stop: threading.Event
    ) -> None:
        self._stop = stop
        group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-P", "-m", "literate.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
            env=environment(limits.threads, folder),
            encoding="utf-8",
            **group,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        arguments = (self._process.stdout,)
        self._reader = threading.Thread(target=self._read, args=arguments, daemon=True)
        self._reader.start()
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(job.to_json()) + "\n")
            self._process.stdin.flush()

    def _read(self, stream: IO[str]) -> None:
        with contextlib.suppress(ValueError, OSError):
            for line in stream:
                self._events.put(json.loads(line))

    def event(self, clock: Clock, capture: Path) -> dict[str, Any] | Failure:
        """The next event, or why there will be none."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._events.get(timeout=_TICK)
            if self._process.poll() is not None:
                with contextlib.suppress(queue.Empty):
                    return self._events.get(timeout=_TICK)
                return self._death()
            if self._stop.is_set():
                return Failure("the run was interrupted", "run it again")
            if clock.over:
                what = f"the block took longer than the {clock.seconds:g} seconds it is allowed"
                return Failure(what, "make it faster, or allow more with timeout=")
            if capture.exists() and capture.stat().st_size > LARGEST:
                what = f"the block printed more than {LARGEST // 2**20} MB"
                return Failure(what, "print less")

    def _death(self) -> Failure:
        code = self._process.returncode
        if code >= 0:
            how = f"the block ended its process with status {code}"
        else:
            names = {number.value: number.name for number in signal.Signals}
            how = f"the block's process was killed by {names.get(-code, f'signal {-code}')}"
        return Failure(how, "see what in it leaves Python, or needs more memory than there is")

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
        self._reader.join(_GRACE)
        # A process that left the group may hold the other end: reading it then never ends,
        # and closing would wait for the reader.
        streams = [self._process.stdin, None if self._reader.is_alive() else self._process.stdout]
        for stream in streams:
            with contextlib.suppress(OSError):
                if stream:
                    stream.close()
