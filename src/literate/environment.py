"""The environment of a worker, pinned so that every machine gives the same."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["NO_BYTECODE", "PINNED", "environment", "inherited"]

NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""The variable with which Python leaves no byte code beside what it imports."""

_DROPPED = ("LC_", "PYTHON", "PYTEST_", "IPYTHON", "MPL", "FORCE_COLOR", "CLICOLOR")


def environment(threads: int, folder: Path) -> dict[str, str]:
    """The environment of a worker: the same numbers and text on every machine.

    Args:
        threads: how many numerical libraries may use.
        folder: for what libraries want to keep while the page runs.
    """
    kept = ("PYTHONPATH", "PYTHONHOME")
    paths = {name: os.environ[name] for name in kept if name in os.environ}
    found = inherited() | paths | _pinned(threads, folder)
    if not os.environ.get(NO_BYTECODE):
        # The worker says so itself, once it has imported what is literate's own.
        del found[NO_BYTECODE]
    return found


def inherited() -> dict[str, str]:
    """What a worker gets of this process's environment, but for Python's own paths."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_DROPPED) and name not in PINNED
    }


def _pinned(threads: int, folder: Path) -> dict[str, str]:
    count = str(threads)
    return {
        **dict.fromkeys(
            (
                "OMP_NUM_THREADS",
                "OPENBLAS_NUM_THREADS",
                "MKL_NUM_THREADS",
                "NUMEXPR_NUM_THREADS",
                "VECLIB_MAXIMUM_THREADS",
            ),
            count,
        ),
        # glibc would hand the memory of every large tensor back to the system, to be filled
        # with zeros again for the next: a tenth of a page's time. Other systems take no notice.
        "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
        "MALLOC_TRIM_THRESHOLD_": str(128 * 2**20),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        NO_BYTECODE: "1",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "80",
        "LINES": "24",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "MPLBACKEND": "module://literate.worker.backend",
        "MATPLOTLIBRC": str(Path(__file__).parent / "assets" / "matplotlibrc"),
        "IPYTHONDIR": str(folder / "ipython"),
    }


PINNED = frozenset({*_pinned(1, Path()), "PYTHONPATH", "PYTHONHOME"})
"""Variables that pages find as they are given here, or by which results are kept anyway."""
