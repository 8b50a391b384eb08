"""Tracebacks in the chapter's own lines, where the code counted those of its block."""

from __future__ import annotations

import traceback
from types import TracebackType

from literate.jobs import Step
from literate.terminal import as_shown
from literate.worker.questions import ASKING, HIDDEN
from literate.worker.shell import Page

__all__ = ["line_of", "traceback_of"]


def line_of(error: BaseException, step: Step, page: Page) -> int:
    """The chapter's line at which an exception left the page's own code."""
    file = page.file_of(step)
    if isinstance(error, SyntaxError) and error.filename == file and error.lineno:
        return error.lineno + step.line - 1
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename in page.places and frame.lineno]
    inside = [frame for frame in own if frame.filename == file]
    for frame in (inside or own)[:1]:
        return page.places[frame.filename] + (frame.lineno or 1) - 1
    return step.line


def traceback_of(error: BaseException, page: Page) -> str:
    """The traceback from the page's own code on."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename not in page.places:
        trace = trace.tb_next
    lines = _format(error, trace, page)
    return as_shown("".join(lines if trace else lines[-1:]).rstrip().encode("utf-8", "replace"))


def _format(error: BaseException, trace: TracebackType | None, page: Page) -> list[str]:
    whole = traceback.TracebackException(type(error), error, trace)
    part: traceback.TracebackException | None = whole
    seen = set[int]()
    while part is not None and id(part) not in seen:
        seen.add(id(part))
        _move(part, page)
        part = part.__cause__ or part.__context__
    return list(whole.format())


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
    by = page.places.get(getattr(part, "filename", None) or "", 0) - 1
    if by >= 0:
        part.filename = page.path
        for name in ("lineno", "end_lineno"):
            value = getattr(part, name, None)
            if value is not None:
                # Text up to Python 3.12, and a number after.
                setattr(part, name, type(value)(int(value) + by))
