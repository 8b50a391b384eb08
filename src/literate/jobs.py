"""What a worker is asked to run: frozen values that travel between processes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Job", "Question", "Step"]


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


@dataclass(frozen=True)
class Job:
    """One page: its blocks and claims in order, and the file that takes what they print."""

    path: str
    capture: str
    steps: tuple[Step | Question, ...]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Job:
        """Read back what `to_json` gave."""
        steps = tuple(
            Step(**step) if "code" in step else Question(**step) for step in data["steps"]
        )
        return cls(data["path"], data["capture"], steps)

    def to_json(self) -> dict[str, Any]:
        """A value of lists, mappings and plain values."""
        return asdict(self)
