"""Text with its place: where a chapter's characters stand, and edits to them."""

from __future__ import annotations

import bisect
import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

__all__ = ["Edit", "Location", "Source", "Span", "apply", "read", "write"]

BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, order=True, slots=True)
class Location:
    """A place in a file; line and column count from 1, columns in characters."""

    path: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """A half-open range of offsets into a source's text."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: the text at ``span`` becomes ``text``."""

    span: Span
    text: str


@dataclass(frozen=True)
class Source:
    """A file's text, without its byte-order mark but with its own line ends.

    ``digest`` is the SHA-256 of the bytes that were read, empty for a text that
    never was a file; `write` refuses a file whose bytes have another one.
    """

    path: str
    text: str
    bom: bool = False
    digest: str = field(default="", compare=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def location(self, offset: int) -> Location:
        """The place of the character at ``offset``."""
        line = bisect.bisect_right(self._line_starts, offset)
        return Location(self.path, line, offset - self._line_starts[line - 1] + 1)

    def slice(self, span: Span) -> str:
        """The characters of ``span``."""
        return self.text[span.start : span.end]

    @cached_property
    def newline(self) -> str:
        """The line end that new lines take: the file's first one, else a line feed."""
        first = _LINE_END.search(self.text)
        return first.group() if first else "\n"


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Make every edit at once.

    Raises:
        ValueError: two edits overlap, so that one would undo the other.
    """
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if edit.span.start < position:
            raise ValueError(f"two edits overlap at offset {edit.span.start}")
        pieces += text[position : edit.span.start], edit.text
        position = edit.span.end
    return "".join([*pieces, text[position:]])


def read(path: Path, name: str | None = None) -> Source:
    """Read a file as UTF-8, keeping its line ends.

    Args:
        path: the file.
        name: how messages call it; by default the path as given.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    data = path.read_bytes()
    text = data.decode("utf-8")
    bom = text.startswith(BOM)
    digest = hashlib.sha256(data).hexdigest()
    return Source(name or str(path), text.removeprefix(BOM), bom, digest)


def write(path: Path, source: Source, text: str) -> bool:
    """Replace the file that ``source`` was read from, all at once or not at all.

    Returns:
        Whether it was written: False when the file's bytes are no longer those
        that were read, so that somebody else's edit would be lost.
    """
    try:
        data = path.read_bytes()
    except OSError:
        return False
    if hashlib.sha256(data).hexdigest() != source.digest:
        return False
    target = path.resolve()
    data = ((BOM if source.bom else "") + text).encode("utf-8")
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(target.stat().st_mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return True
