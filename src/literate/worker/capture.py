"""Everything that arrives at file descriptor 1, whoever wrote it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from typing import Any

from literate.terminal import as_shown

__all__ = ["Capture"]


class Capture:
    """Standard output led into a file, read back block by block.

    A file and not a pipe: nobody has to empty it while a block runs, what a dying
    process had printed is still there, and a process that a block left behind
    cannot keep it open for others.
    """

    def __init__(self, path: str) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        target = os.open(path, flags, 0o600)
        os.dup2(target, 1)
        os.close(target)
        self._path = path
        self._taken = 0
        self._stdout = sys.stdout
        self._libc: Any = _c_library()

    def take(self) -> str:
        """What was written since the last call, as a terminal would show it."""
        self.flush()
        # Opened anew: a process that a block has forked would share a place in the file.
        reader = os.open(self._path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        os.lseek(reader, self._taken, os.SEEK_SET)
        chunks = []
        while chunk := os.read(reader, 1 << 20):
            chunks.append(chunk)
        os.close(reader)
        data = b"".join(chunks)
        self._taken += len(data)
        return as_shown(data)

    def flush(self) -> None:
        """Push out what Python and C code still hold back."""
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        sys.stdout = self._stdout
        if self._libc is not None:
            self._libc.fflush(None)


def _c_library() -> Any:
    """The C library whose buffers C extensions print into, where there is one."""
    try:
        return ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    except OSError:
        return None
