"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Attachment", "write_file"]


@dataclass(frozen=True)
class Attachment:
    """A file beside the results: what else a build would make anew each time.

    Args:
        file: where it is.
        prepare: makes the folder of the cache; False where nothing may be kept there.
        warn: told what is wrong with it.
    """

    file: Path
    prepare: Callable[[], bool]
    warn: Callable[[str], None]

    def read(self) -> bytes | None:
        """What was written; None where there is nothing or something else."""
        try:
            digest, _, body = self.file.read_bytes().partition(b"\n")
        except OSError:
            return None
        if hashlib.sha256(body).hexdigest().encode() == digest:
            with contextlib.suppress(OSError):
                os.utime(self.file)
            return body
        self.warn(f"{self.file} is damaged and was dropped")
        with contextlib.suppress(OSError):
            self.file.unlink()
        return None

    def write(self, body: bytes) -> None:
        """Keep this for the next build, where that is possible."""
        try:
            if self.prepare():
                write_file(self.file, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        except OSError as error:
            self.warn(f"{self.file} cannot be written, and is made anew at the next build: {error}")


def write_file(path: Path, data: bytes) -> None:
    """Write a file all at once or not at all, also beside others that do the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
