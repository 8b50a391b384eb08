"""How much memory a process and its descendants take, where the system says so."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable
from pathlib import Path

from literate.execute.kin import children

__all__ = ["takes_more"]

_BOUND, _EXACT = (b"RssAnon:", b"RssShmem:"), (b"Pss_Anon:", b"Pss_Shmem:")


def takes_more(process: int, limit: int) -> bool:
    """Whether a process and its descendants have more bytes in memory than they may.

    Shared memory counts, files that are mapped do not. What several processes share is
    counted once, which takes long to find out; so that is asked only where counting it
    for each of them gives too much.

    Args:
        process: its number.
        limit: bytes.

    Returns:
        Also False where nobody can know.
    """
    if sys.platform != "linux":
        return False
    family = [process]
    for member in family:
        family += children(member)
    most = _sum(family, "status", _BOUND)
    # Older kernels do not say what is shared by how many.
    return most > limit and (_sum(family, "smaps_rollup", _EXACT) or most) > limit


def _sum(processes: Iterable[int], file: str, fields: tuple[bytes, bytes]) -> int:
    """The sum of what a file says of processes, in bytes; of one that has ended, 0."""
    taken = 0
    for process in processes:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{process}/{file}").read_bytes().splitlines()
            taken += sum(int(line.split()[1]) for line in lines if line.startswith(fields))
    return taken * 1024
