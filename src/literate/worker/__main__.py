"""Runs the blocks and claims of pages: ``python -m literate.worker``.

A socket on stdin asks for a nursery, which forks a process for each page; a pipe brings
the job of one page.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from literate.environment import NO_BYTECODE
from literate.jobs import Job
from literate.worker.conversation import Conversation
from literate.worker.player import Player
from literate.worker.shelf import Shelf


def main() -> None:
    """Run what is asked for, and leave."""
    if sys.stderr is None:
        # Whoever started the command has closed it, and a page's file would come to stand there.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.platform != "win32" and stat.S_ISSOCK(os.fstat(0).st_mode):
        from literate.worker.nursery import serve

        _leave_no_bytecode()
        serve()
    _leave_no_bytecode()
    line = Conversation.of_standard_streams()
    order = line.hear()
    if order and order["do"] == "load":
        shelf = Shelf()
        for name in order["names"]:
            shelf.load(name)
        order = line.hear()
    if order:
        Player(line, Job.from_json(order["job"])).play()
    os._exit(0)


def _leave_no_bytecode() -> None:
    """Have pages leave nothing beside the modules that they import."""
    sys.dont_write_bytecode = True
    os.environ[NO_BYTECODE] = "1"


if __name__ == "__main__":
    main()
