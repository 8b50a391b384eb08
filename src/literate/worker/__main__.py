"""Runs the blocks and claims of pages: ``python -m literate.worker``.

A socket on stdin asks for a nursery, which forks a process for each page; a pipe brings
the job of one page.
"""

from __future__ import annotations

import gc
import os
import stat
import sys
from pathlib import Path
from typing import NoReturn

from literate.environment import NO_BYTECODE


def main() -> NoReturn:
    """Run what is asked for, and leave."""
    if sys.stderr is None:
        # Whoever started the command has closed it, and a page's file would come to stand there.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    # What is imported stays, so that looking for what could go takes time for nothing.
    gc.disable()
    if sys.platform != "win32" and stat.S_ISSOCK(os.fstat(0).st_mode):
        from literate.worker.nursery import serve

        _leave_no_bytecode()
        serve()
    from literate.worker.only import run

    _leave_no_bytecode()
    gc.enable()
    run()


def _leave_no_bytecode() -> None:
    """Have pages leave nothing beside the modules that they import."""
    sys.dont_write_bytecode = True
    os.environ[NO_BYTECODE] = "1"


if __name__ == "__main__":
    main()
