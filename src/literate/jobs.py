"""What a worker is asked to run: frozen values that travel between processes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["BROKEN", "LINE_GONE", "Job", "Question", "Step", "Touch", "stamp", "step_from_json"]


LINE_GONE, BROKEN = 213, 214
"""Statuses with which a worker ends whose block has closed its line, or broken what it needs."""


def stamp(path: str | Path) -> str:
    """What tells a file from what it is after a change, without reading it; empty for none."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return ""
    return f"{status.st_mtime_ns}-{status.st_ctime_ns}-{status.st_size}-{status.st_ino}"


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

    ``kind`` is ``read`` (a file, there or not), ``names`` (a folder's list), ``write``
    (a file), or ``process`` (another process, or a connection). ``step`` counts the
    steps of the page; ``path`` is relative to the folder that the page runs in;
    ``stamp`` is the file's when it was first read.
    """

    step: int
    kind: str
    path: str
    stamp: str = ""


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
