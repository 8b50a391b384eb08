"""Findings for a person, for a code host, or for a program; pure.

The JSON is stable: keys are added, never renamed or removed. It is one object::

    {"version": 1,
     "status": 1,                        # the exit status
     "pages": [{"page": "docs/a.md",
                "blocks_run": 3,
                "blocks_kept": 0,                    # from an earlier run, by the cache
                "findings": [{"path": "docs/a.md", "line": 8, "column": 1,
                              "level": "error",          # or "warning", "failure"
                              "rule": "stale-output",
                              "what": "1 shown, 2 computed (line 1 of the output)",
                              "todo": "run \\"literate sync\\"",
                              "detail": "..."}]}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from literate.errors import ExitStatus, Finding, Level

__all__ = ["FORMATS", "PageReport", "as_github", "as_json", "as_text", "summary"]

FORMATS = ("text", "github", "json")


@dataclass(frozen=True)
class PageReport:
    """What is said about one page."""

    name: str
    blocks_run: int
    findings: tuple[Finding, ...]
    blocks_kept: int = 0


def as_text(finding: Finding) -> str:
    """``path:line:column: what; what to do``, with the traceback of a failed block."""
    level = "warning: " if finding.level is Level.WARNING else ""
    text = f"{finding.where}: {level}{finding.what}"
    text += f"; {finding.todo}" if finding.todo else ""
    if finding.level is Level.FAILURE and finding.detail:
        text += "".join(f"\n    {line}" for line in finding.detail.split("\n"))
    return text


def as_github(finding: Finding) -> str:
    """An annotation, as workflows on a code host print it."""
    kind = "warning" if finding.level is Level.WARNING else "error"
    place = f"file={_property(finding.where.path)},line={finding.where.line}"
    place += f",col={finding.where.column},title={_property(f'literate: {finding.rule}')}"
    text = f"{finding.what}; {finding.todo}" if finding.todo else finding.what
    return f"::{kind} {place}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_json(pages: Iterable[PageReport], status: ExitStatus) -> str:
    """The whole report as one JSON object."""
    value = {
        "version": 1,
        "status": int(status),
        "pages": [
            {
                "page": page.name,
                "blocks_run": page.blocks_run,
                "blocks_kept": page.blocks_kept,
                "findings": [_finding(finding) for finding in page.findings],
            }
            for page in pages
        ],
    }
    return json.dumps(value, ensure_ascii=False, indent=2)


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "path": finding.where.path,
        "line": finding.where.line,
        "column": finding.where.column,
        "level": finding.level.value,
        "rule": finding.rule,
        "what": finding.what,
        "todo": finding.todo,
        "detail": finding.detail,
    }


def summary(pages: Sequence[PageReport], status: ExitStatus) -> str:
    """One line: how much ran, and what came of it."""
    findings = [finding for page in pages for finding in page.findings]
    warnings = sum(finding.level is Level.WARNING for finding in findings)
    verdict = [_count(len(findings) - warnings, "finding")] if status else ["clean"]
    verdict += [_count(warnings, "warning")] if warnings else []
    verdict += ["a block failed"] if status is ExitStatus.BLOCK_FAILED else []
    ran, kept = (sum(page.blocks_run for page in pages), sum(page.blocks_kept for page in pages))
    blocks = f"{_count(ran, 'block')} ran" if ran or not kept else ""
    earlier = f"{_count(kept, 'block')} kept from an earlier run" if kept else ""
    done = ", ".join(filter(None, (_count(len(pages), "page"), blocks, earlier)))
    return f"{done}: {', '.join(verdict)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
