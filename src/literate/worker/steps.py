"""One block run, and what is said of it."""

from __future__ import annotations

import builtins
import functools
import importlib.metadata
import platform
import sys
import time
import traceback

from literate.jobs import Step
from literate.results import BlockResult, Failure
from literate.terminal import as_shown
from literate.worker.listing import find, listing
from literate.worker.shell import Page
from literate.worker.tracebacks import place_of, traceback_of

__all__ = ["PACKAGES", "run_step", "version", "versions"]

PACKAGES = ("torch", "numpy", "matplotlib")
"""Those whose versions a page names."""


def run_step(page: Page, step: Step) -> BlockResult:
    """Run one block and say what came of it."""
    started = time.perf_counter()
    shown: str | None = None
    imported = ""
    error: BaseException | None = None
    if step.source:
        try:
            found = find(step.source)
            page.bind(found.name, found.value)
            shown, imported = listing(found.shown), found.statement
        except Exception as problem:
            error = problem
    else:
        outcome = page.run(step)
        error = outcome.error_before_exec or outcome.error_in_exec
    seconds = time.perf_counter() - started
    parts = page.take()
    raised, failure = _judge(error, step, page)
    if failure is None and (taken := _taken_away()):
        what = f"the block took away what all that follows needs: {taken}"
        failure = Failure(what, "leave it as it was, or put it back")
    return BlockResult(step.index, parts, raised, shown, failure, seconds, imported)


def _judge(error: BaseException | None, step: Step, page: Page) -> tuple[str, Failure | None]:
    """Hold what was raised against what was promised."""
    if error is None:
        if not step.raises:
            return "", None
        what = f"{step.raises} was promised and nothing was raised"
        return "", Failure(what, "mend the code, or take raises= away")
    kind = type(error)
    last = _last_line(error)
    if step.raises in {kind.__name__, f"{kind.__module__}.{kind.__qualname__}"}:
        return last, None
    line, column = place_of(error, step, page)
    if step.source:
        what = f"source={step.source!r} cannot be shown: {last}"
        return "", Failure(what, "name an object of a module that can be imported")
    promise = f"{step.raises} was promised, but the block" if step.raises else "the block"
    verb = "left with" if isinstance(error, SystemExit) else "raised"
    todo = "mend the code, or say raises= where it is meant to"
    if isinstance(error, MemoryError) and page.memory:
        todo = f"take less, or allow more than {page.memory / 2**20:g} MB with the setting memory"
    what = f"{promise} {verb} {last}"
    return "", Failure(what, todo, line, traceback_of(error, page), column)


def _taken_away() -> str:
    """What is no longer there without which another block would fail for no fault of its own."""
    if sys.modules.get("sys") is not sys or sys.modules.get("builtins") is not builtins:
        return "sys.modules"
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        # Without a terminal there may be none from the beginning.
        if getattr(stream, "closed", stream is None) and getattr(sys, f"__{name}__"):
            return f"sys.{name}"
    return ""


def _last_line(error: BaseException) -> str:
    """The line of a traceback that names the exception and its message."""
    lines = traceback.format_exception_only(error)
    text = (lines[-1] if isinstance(error, SyntaxError) else "".join(lines)).strip()
    return as_shown(text.encode("utf-8", "replace"))


def versions() -> dict[str, str]:
    """Python's version and those of the main packages that the page imported."""
    found = {name: version(name) for name in PACKAGES if name in sys.modules}
    return {"python": platform.python_version(), **{k: v for k, v in found.items() if v}}


@functools.cache
def version(package: str) -> str:
    """The version of an installed package, read once; empty if it is not installed as one."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
