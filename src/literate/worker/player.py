"""A page played from one of its steps on."""

from __future__ import annotations

import builtins
import contextlib
import os
import sys
from pathlib import Path
from typing import NoReturn

from literate.jobs import BROKEN, Job, Question, Step
from literate.worker.capture import Capture
from literate.worker.conversation import Conversation, empty_stdin
from literate.worker.recorder import Recorder
from literate.worker.shell import Page
from literate.worker.steps import run_step, versions

__all__ = ["Player"]


class Player:
    """Runs the blocks and evaluates the claims of one page, and says what came of each."""

    def __init__(self, line: Conversation, job: Job) -> None:
        """Set the process up for a page: its streams, its names, its limits."""
        self.line = line
        self.steps = job.steps
        self.number = 0
        self.failed = False
        self._leave = os._exit
        empty_stdin()
        os.environ["IPYTHONDIR"] = str(Path(job.folder) / "ipython")
        self.recorder = Recorder(job.touched, Path.cwd())
        self.capture = Capture(job.capture)
        builtins.input = _no_input
        sys.path.insert(0, str(Path.cwd()))
        _limit(job.memory)
        self.page = Page(job.path, self.capture, job.memory)

    def play(self) -> None:
        """Go on from where it stands to the end, or to a block that fails."""
        while self.number < len(self.steps) and not self.failed:
            self.before_step()
            if self.number == len(self.steps):
                # Going back has found that the rest was taken away.
                break
            self.recorder.at(self.number)
            self.page.place(self.steps)
            try:
                self._play(self.steps[self.number])
            except BaseException:
                # Blocks catch their own: this one came from what runs them.
                with contextlib.suppress(BaseException):
                    sys.excepthook(*sys.exc_info())
                self._leave(BROKEN)
            self.recorder.pause()
            self.number += 1
        self.line.say("done", versions=versions())
        with contextlib.suppress(Exception):
            sys.stderr.flush()

    def before_step(self) -> None:
        """A place for what keeps checkpoints."""

    def _play(self, step: Step | Question) -> None:
        here = os.getpid()
        self.line.say("begin", number=self.number, process=here)
        if isinstance(step, Question):
            self.line.say("answer", value=self.page.answer(step).to_json())
            return
        result = run_step(self.page, step)
        if os.getpid() != here:
            # A copy that the block has made of this process: the page goes on in the other.
            os._exit(0)
        self.line.say("end", result=result.to_json())
        self.failed = result.failure is not None


def _no_input(prompt: object = "") -> NoReturn:
    raise EOFError("a block cannot ask for input: nobody is there to answer")


def _limit(memory: int) -> None:
    """Have the system refuse more memory, where it can: the block then ends with its line."""
    if memory and sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
