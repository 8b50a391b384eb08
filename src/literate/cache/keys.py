"""The part of a page's key that is known before it runs."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from literate.jobs import Question, Step

__all__ = ["key_of", "key_of_machine"]

_PACKAGE = Path(__file__).parents[1]
_MAKERS = ("cache", "environment.py", "execute", "jobs.py", "results.py", "terminal.py", "worker")
"""What of this package decides what a run gives, or how it is kept."""


def key_of(
    steps: Sequence[Step | Question],
    path: str,
    threads: int,
    depends: Sequence[str],
    root: Path,
    machine: str,
) -> str:
    """A digest of what runs, in which order and with what, but of no file of the project.

    Neither the lines on which blocks stand nor their time limits are part of it.

    Args:
        steps: what runs.
        path: the page's, as messages call it.
        threads: of numerical libraries.
        depends: the files that nobody sees it look at.
        root: the folder that it runs in.
        machine: what `key_of_machine` gives, which takes longer than all the rest.
    """
    ran = [
        [step.code, step.raises, step.source]
        if isinstance(step, Step)
        else [step.expression, step.truth]
        for step in steps
    ]
    search = [os.path.relpath(name, root) for name in _python_path()]
    value = [path, ran, threads, sorted(depends), search, _engine(), machine]
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def key_of_machine() -> str:
    """A digest of this Python and the packages that are installed for it."""
    value = [*_machine(), sys.implementation.cache_tag, _installed()]
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def _python_path() -> list[str]:
    return [name for name in os.environ.get("PYTHONPATH", "").split(os.pathsep) if name]


def _machine() -> list[str]:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return [python, sys.platform, platform.machine()]


@cache
def _engine() -> str:
    """A digest of the sources that run pages: another version may give something else."""
    digest = hashlib.sha256()
    for name in (*_MAKERS, "assets/matplotlibrc"):
        path = _PACKAGE / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.read_bytes() + b"\0")
    return digest.hexdigest()


def _installed() -> list[str]:
    """The installed packages with their versions.

    By the names of the folders that installers keep about them: reading them all would
    take longer than the rest of a build in which nothing runs.
    """
    return sorted(set(_packages()))


def _packages() -> Iterator[str]:
    for folder in sys.path:
        if Path(folder).name in {"site-packages", "dist-packages"} and Path(folder).is_dir():
            names = (item.name for item in Path(folder).iterdir())
            yield from (name for name in names if name.endswith((".dist-info", ".egg-info")))
