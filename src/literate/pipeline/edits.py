"""Sources put right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from literate.errors import ConflictError, Finding
from literate.pipeline.runs import Page
from literate.source import apply, write
from literate.sync import Change, sync

__all__ = ["Change", "difference", "left_over", "repair", "save"]


def repair(page: Page) -> tuple[str, tuple[Change, ...]]:
    """The source as it should be, and the changes that make it so."""
    changes = sync(page.chapter.document, page.result)
    text = page.chapter.document.source.text
    return apply(text, [change.edit for change in changes]), changes


def save(page: Page, text: str) -> None:
    """Write a page's source.

    Raises:
        ConflictError: the file changed since it was read.
    """
    if not write(page.chapter.file, page.chapter.document.source, text):
        what = f"{page.name}: the file changed since it was read, and was left alone"
        raise ConflictError(what, "run the command again")


def difference(page: Page, text: str) -> str:
    """A unified diff from a page's source to ``text``."""
    before = page.chapter.document.source.text.splitlines()
    lines = difflib.unified_diff(
        before, text.splitlines(), page.name, f"{page.name} (synced)", lineterm=""
    )
    return "\n".join(lines)


def left_over(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that `sync` does not mend."""
    mended = {
        "stale-output",
        "missing-output",
        "unchecked-output",
        "stale-listing",
        "stale-number",
    }
    return [finding for finding in findings if finding.rule not in mended]
