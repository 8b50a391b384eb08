"""Runs the blocks and claims of pages: ``python -m literate.worker``.

A socket on stdin asks for a nursery, which forks a process for each page; a pipe brings
the job of one page.
"""

from __future__ import annotations

import os
import stat
import sys

from literate.jobs import Job
from literate.worker.conversation import Conversation


def main() -> None:
    """Run what is asked for, and leave."""
    if sys.platform != "win32" and stat.S_ISSOCK(os.fstat(0).st_mode):
        from literate.worker.nursery import serve

        serve()
    from literate.worker.player import Player

    line = Conversation.of_standard_streams()
    order = line.hear()
    if order:
        Player(line, Job.from_json(order["job"])).play()
    os._exit(0)


if __name__ == "__main__":
    main()
