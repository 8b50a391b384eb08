"""What can go wrong, said the same way everywhere: where, what, and what to do."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any

from literate.source import Location

__all__ = [
    "ConflictError",
    "ExitStatus",
    "Finding",
    "Level",
    "LiterateError",
    "UnreadableError",
    "UsageError",
    "exit_status",
    "message",
    "shortened",
]


class ExitStatus(IntEnum):
    """The exit statuses of every command."""

    CLEAN = 0
    """Nothing is to be put right."""
    FINDINGS = 1
    """A page says something that is not so."""
    USAGE = 2
    """A command or a setting asks for something that cannot be."""
    BLOCK_FAILED = 3
    """A block did not end as it should."""
    INTERNAL = 4
    """A fault of `literate` itself."""


class Level(Enum):
    """How much a finding weighs."""

    WARNING = "warning"
    """Said, but the exit status stays as it is."""
    ERROR = "error"
    """The page says something that is not so, or cannot be read as meant."""
    FAILURE = "failure"
    """A block did not end as it should."""


def shortened(value: Any) -> str:
    """A value as a message shows it, in at most eighty characters.

    A list of YAML may hold itself so many times over that nothing could write it out.
    """
    text = reprlib.repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def message(where: Location | None, what: str, todo: str) -> str:
    """Join the three parts of every message: ``place: what; what to do``."""
    place = f"{where}: " if where else ""
    return f"{place}{what}; {todo}" if todo else f"{place}{what}"


@dataclass(frozen=True)
class Finding:
    """Something to put right in a chapter.

    ``rule`` names the kind for machines; it never changes its meaning. ``detail``
    holds further lines for a person, such as a difference or a traceback.
    """

    where: Location
    rule: str
    what: str
    todo: str = ""
    level: Level = Level.ERROR
    detail: str = ""

    def __str__(self) -> str:
        return message(self.where, self.what, self.todo)


class LiterateError(Exception):
    """The root of what `literate` raises on purpose."""

    status = ExitStatus.INTERNAL

    def __init__(self, what: str, todo: str = "", where: Location | None = None):
        super().__init__(what, todo, where)
        self.what, self.todo, self.where = what, todo, where

    def __str__(self) -> str:
        return message(self.where, self.what, self.todo)


class UsageError(LiterateError):
    """A command or a setting that asks for something that cannot be."""

    status = ExitStatus.USAGE


class UnreadableError(UsageError):
    """A file that is not there, may not be read, or is not UTF-8 text."""


class ConflictError(LiterateError):
    """A file that somebody else has changed since it was read."""

    status = ExitStatus.FINDINGS


def exit_status(findings: Iterable[Finding]) -> ExitStatus:
    """The status that stands for all of them: the gravest wins."""
    levels = {finding.level for finding in findings}
    if Level.FAILURE in levels:
        return ExitStatus.BLOCK_FAILED
    return ExitStatus.FINDINGS if Level.ERROR in levels else ExitStatus.CLEAN
