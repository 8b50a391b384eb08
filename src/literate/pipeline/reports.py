"""What is said about pages: findings in a format, and the coverage of their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from literate.audit import STATUSES, Coverage, audit
from literate.errors import ExitStatus, Finding
from literate.pipeline.chapters import Chapter
from literate.pipeline.runs import Page
from literate.report import FORMATS, PageReport, as_github, as_json, as_text, summary

__all__ = ["FORMATS", "STATUSES", "Coverage", "coverage", "report"]


def report(
    pages: Sequence[Page],
    findings: Sequence[Sequence[Finding]],
    status: ExitStatus,
    form: str = "text",
) -> str:
    """Findings as text, as annotations of a code host, or as JSON.

    Args:
        pages: the pages that ran.
        findings: what is to be said of each of them.
        status: the exit status that goes with it.
        form: one of `FORMATS`.
    """
    reports = [
        PageReport(page.name, page.blocks_run, tuple(found), page.blocks_kept)
        for page, found in zip(pages, findings, strict=True)
    ]
    if form == "json":
        return as_json(reports, status)
    write = as_github if form == "github" else as_text
    lines = [write(finding) for item in reports for finding in item.findings]
    return "\n".join([*lines, summary(reports, status)])


def coverage(chapters: Sequence[Chapter]) -> list[Coverage]:
    """What stands behind the numbers of pages; nothing runs."""
    return [audit(chapter.document, chapter.missing) for chapter in chapters]
