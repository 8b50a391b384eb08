"""What a worker is asked to run: frozen values that travel between processes."""

from __future__ import annotations

import importlib.machinery
import os
import stat as modes
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "BROKEN",
    "LINE_GONE",
    "Job",
    "Question",
    "Step",
    "Touch",
    "candidates",
    "changed_since",
    "is_folder",
    "stamp",
    "status",
    "step_from_json",
]

_stat, _lstat, _readlink = os.stat, os.lstat, os.readlink
"""As they were before a worker listens to those that pages call."""

_SUFFIXES = tuple(importlib.machinery.all_suffixes())

LINE_GONE, BROKEN = 213, 214
"""Statuses with which a worker ends whose block has closed its line, or broken what it needs."""


def stamp(path: str | Path) -> str:
    """What tells a file from what it is after a change, without reading it; empty for none."""
    try:
        found = _stat(path)
    except (OSError, ValueError):
        return ""
    return f"{found.st_mtime_ns}-{found.st_ctime_ns}-{found.st_size}-{found.st_ino}"


def status(path: str | Path) -> str:
    """What can be learnt of a path without reading it; empty for nothing.

    Its kind, where a link leads, and of a file its size and whether it may be run. No
    times: a checkout changes them.
    """
    try:
        link = modes.S_ISLNK(_lstat(path).st_mode)
        words = f"link {_readlink(path)} " if link else ""
    except (OSError, ValueError):
        return ""
    try:
        found = _stat(path)
    except (OSError, ValueError):
        return f"{words}nowhere"
    if modes.S_ISREG(found.st_mode):
        return f"{words}file {found.st_size} {bool(found.st_mode & modes.S_IXUSR)}"
    return f"{words}folder" if modes.S_ISDIR(found.st_mode) else f"{words}other"


def is_folder(path: str | Path) -> bool:
    """Whether a path leads to a folder."""
    try:
        return modes.S_ISDIR(_stat(path).st_mode)
    except (OSError, ValueError):
        return False


def candidates(path: str | Path) -> list[str]:
    """The endings under which a module of this name, without one, is there to be imported."""
    endings = [f"{os.sep}__init__{suffix}" for suffix in _SUFFIXES] if is_folder(path) else []
    endings += _SUFFIXES
    found = [ending for ending in endings if stamp(f"{path}{ending}")]
    return [ending for ending in found if not is_folder(f"{path}{ending}")]


@dataclass(frozen=True)
class Step:
    """One block: its code, the chapter's line it begins on, and what it promised."""

    index: int
    code: str
    line: int
    raises: str = ""
    source: str = ""


@dataclass(frozen=True)
class Question:
    """One claim: its expression, its line, and whether only its truth is asked for."""

    index: int
    expression: str
    line: int
    truth: bool = False


def step_from_json(data: dict[str, Any]) -> Step | Question:
    """Read back what ``asdict`` gave of a step."""
    return Step(**data) if "code" in data else Question(**data)


@dataclass(frozen=True)
class Touch:
    """Something outside its own process that a page looked at or changed.

    ``kind`` is ``read`` (a file, there or not), ``change`` (a file, read and perhaps
    changed), ``write`` (a file), ``names`` or ``entries`` (a folder's list, without or
    with what can be learnt of each), ``stat`` (what can be learnt of a path without
    reading it), ``module`` (which modules of a name a folder has), ``shadows`` (which of
    Python's own modules a folder hides), ``env`` (a variable of the environment), or
    ``process`` (another process, or a connection). ``step`` counts the steps of the
    page; ``path`` is relative to the folder that the page runs in, or absolute;
    ``stamp`` tells what was there when it was first looked at.
    """

    step: int
    kind: str
    path: str
    stamp: str = ""


def changed_since(touch: Touch, place: Path) -> bool:
    """Whether what was looked at is no longer as it was then, as far as the stamp tells."""
    if touch.kind in {"read", "change", "names", "entries"}:
        return stamp(place) != touch.stamp
    return touch.kind == "stat" and status(place) != touch.stamp


@dataclass(frozen=True)
class Job:
    """One page: its blocks and claims in order, and where things go.

    ``folder`` is the run's own: the file ``stdout`` in it takes what blocks print, the
    file ``touched`` what they look at or change. ``memory`` is what it may take in
    bytes, 0 for what there is. ``worth`` is how many seconds of work are worth a
    checkpoint, None for a page that keeps none; ``mark`` is a step before which one is
    worth it in any case.
    """

    path: str
    folder: str
    steps: tuple[Step | Question, ...]
    memory: int = 0
    worth: float | None = None
    mark: int = 0

    @property
    def capture(self) -> str:
        """The file that takes what blocks print."""
        return str(Path(self.folder) / "stdout")

    @property
    def touched(self) -> str:
        """The file that takes what blocks look at or change, a line each."""
        return str(Path(self.folder) / "touched")

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Job:
        """Read back what `to_json` gave."""
        steps = tuple(step_from_json(step) for step in data["steps"])
        return cls(**{**data, "steps": steps})

    def to_json(self) -> dict[str, Any]:
        """A value of lists, mappings and plain values."""
        return asdict(self)
