"""Tracebacks in the chapter's own lines, where the code counted those of its block."""

from __future__ import annotations

import linecache
import traceback
from types import TracebackType

from literate.jobs import Step
from literate.terminal import as_shown
from literate.worker.questions import ASKING, HIDDEN
from literate.worker.shell import Page

__all__ = ["place_of", "traceback_of"]


def place_of(error: BaseException, step: Step, page: Page) -> tuple[int, int | None]:
    """The chapter's line at which an exception left the page's own code, and the column there.

    Columns count from 1, in the block's code. It is None where Python does not know it.
    """
    file = page.file_of(step)
    if isinstance(error, SyntaxError) and error.filename == file and error.lineno:
        return error.lineno + step.line - 1, error.offset or None
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename in page.places and frame.lineno]
    inside = [frame for frame in own if frame.filename == file]
    for frame in (inside or own)[:1]:
        return page.places[frame.filename] + (frame.lineno or 1) - 1, _column(frame)
    return step.line, None


def _column(frame: traceback.FrameSummary) -> int | None:
    """Where in its line a frame was; Python counts bytes of UTF-8 there."""
    if frame.colno is None:
        return None
    line = linecache.getline(frame.filename, frame.lineno or 0).encode()
    return len(line[: frame.colno].decode("utf-8", "replace")) + 1


def traceback_of(error: BaseException, page: Page) -> str:
    """The traceback from the page's own code on.

    Code that could not be compiled has none, but its line and the mark below it.
    """
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename not in page.places:
        trace = trace.tb_next
    whole = _moved(error, trace, page)
    lines = whole.format() if trace else whole.format_exception_only()
    return as_shown("".join(lines).rstrip().encode("utf-8", "replace"))


def _moved(
    error: BaseException, trace: TracebackType | None, page: Page
) -> traceback.TracebackException:
    """A traceback that names the chapter and its lines throughout."""
    whole = traceback.TracebackException(type(error), error, trace)
    part: traceback.TracebackException | None = whole
    seen = set[int]()
    while part is not None and id(part) not in seen:
        seen.add(id(part))
        _move(part, page)
        part = part.__cause__ or part.__context__
    return whole


def _move(part: traceback.TracebackException, page: Page) -> None:
    """Name the chapter and its lines in one exception's part of a traceback."""
    # In place of a function in C, which has no frame, stands one of ours.
    part.stack[:] = [
        frame for frame in part.stack if frame.filename != HIDDEN or frame.name not in ASKING
    ]
    for frame in part.stack:
        by = page.places.get(frame.filename, 0) - 1
        if by >= 0:
            frame.filename = page.path
            frame.lineno = (frame.lineno or 1) + by
            end: int | None = getattr(frame, "end_lineno", None)
            if end is not None:
                frame.end_lineno = end + by
    file = getattr(part, "filename", None) or ""
    by = page.places.get(file, 0) - 1
    if by >= 0:
        # Python looks for the line in a file when its compiler, not its parser, complains.
        part.text = part.text or linecache.getline(file, int(part.lineno or 0))
        part.filename = page.path
        for name in ("lineno", "end_lineno"):
            value = getattr(part, name, None)
            if value is not None:
                # Text up to Python 3.12, and a number after.
                setattr(part, name, type(value)(int(value) + by))
