"""Runs the blocks and claims of one page: ``python -m literate.worker``."""

from __future__ import annotations

import builtins
import os
import sys
from pathlib import Path
from typing import NoReturn

from literate.jobs import Job, Question
from literate.worker.capture import Capture
from literate.worker.conversation import Conversation
from literate.worker.recorder import Recorder
from literate.worker.shell import Page
from literate.worker.steps import run_step, versions


def main() -> None:
    """Run one job and leave."""
    _die_with_parent()
    line = Conversation()
    job = Job.from_json(line.hear())
    recorder = Recorder(job.touched, Path.cwd())
    capture = Capture(job.capture)
    builtins.input = _no_input
    sys.path.insert(0, str(Path.cwd()))
    page = Page(job.path, capture)
    here = os.getpid()
    for number, step in enumerate(job.steps):
        recorder.at(number)
        if isinstance(step, Question):
            line.say("ask", index=step.index)
            line.say("answer", value=page.answer(step).to_json())
            continue
        line.say("begin", index=step.index)
        result = run_step(page, step, job.path)
        if os.getpid() != here:
            os._exit(0)
        line.say("end", result=result.to_json())
        if result.failure:
            break
    recorder.end()
    line.say("done", versions=versions())
    sys.stderr.flush()
    os._exit(0)


def _no_input(prompt: object = "") -> NoReturn:
    raise EOFError("a block cannot ask for input: nobody is there to answer")


def _die_with_parent() -> None:
    """On Linux, have the kernel end this process when the parent ends."""
    if sys.platform == "linux":
        import ctypes
        import signal

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


if __name__ == "__main__":
    main()
