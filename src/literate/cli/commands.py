"""The commands: each runs or reads pages, prints, and gives the exit status."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from literate import pipeline
from literate.cli.running import run_pages, say
from literate.errors import ConflictError, ExitStatus, Finding, UsageError, exit_status
from literate.pipeline import Coverage, Page

__all__ = ["audit", "check", "diff", "notebook", "render", "sync"]


def check(options: argparse.Namespace) -> ExitStatus:
    """Run pages and report what is not so."""
    # What a server has to prove, it proves by running it.
    pages = run_pages(options, fresh=bool(os.environ.get("CI")))
    if options.diff:
        for page in pages:
            _show_difference(page)
    return _close(pages, [page.findings for page in pages], options.format)


def sync(options: argparse.Namespace) -> ExitStatus:
    """Run pages and write anew what is stale; with ``--diff`` show it and write nothing."""
    pages = run_pages(options)
    if options.diff:
        for page in pages:
            _show_difference(page)
        return _close(pages, [page.findings for page in pages])
    left = [_mend(page) for page in pages]
    return _close(pages, left)


def _mend(page: Page) -> Sequence[Finding]:
    """Write one page anew and show what changed; what is left to do."""
    text, changes = pipeline.repair(page)
    try:
        if changes:
            pipeline.save(page, text)
    except ConflictError as error:
        say(f"literate: {error}")
        return page.findings
    for change in changes:
        print(f"{change.where}: {change.what}")
    if any(change.of_block for change in changes):
        print(pipeline.difference(page, text))
    return pipeline.left_over(page.findings)


def render(options: argparse.Namespace) -> ExitStatus:
    """Write pages as plain Markdown with image files."""
    site = pipeline.find_site(Path.cwd())
    pages = run_pages(options)
    for target, page in _targets(pages, options.out, site).items():
        plain = pipeline.plain(page)
        _write(target, plain.markdown.encode())
        for name, data in plain.files.items():
            _write(target.parent / name, data)
    return _close(pages, [page.findings for page in pages])


def notebook(options: argparse.Namespace) -> ExitStatus:
    """Write pages as executed notebooks; none of a page that failed."""
    site = pipeline.find_site(Path.cwd())
    pages = run_pages(options)
    targets = _targets(pages, options.out, site, ".ipynb")
    whole = {target: page for target, page in targets.items() if not page.result.stopped}
    written = {page.chapter.file.resolve(): target for target, page in whole.items()}
    for target, page in whole.items():
        resolve = pipeline.links_from(page, target, written)
        _write(target, pipeline.notebook(page, resolve).encode())
    return _close(pages, [page.findings for page in pages])


def audit(options: argparse.Namespace) -> ExitStatus:
    """Count the numbers that have a proof, and list those that have none."""
    site = pipeline.find_site(Path.cwd())
    pages = pipeline.coverage(pipeline.find_chapters(options.paths, site))
    allowed = site.settings.unbound
    unbound = sum(page.count("unbound") for page in pages)
    failed = allowed is not None and unbound > allowed
    if options.json:
        report = {"version": 1, "pages": [page.to_json() for page in pages]}
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        for page in pages:
            _print_coverage(page)
    if failed:
        say(f"literate: {unbound} unbound, and the setting unbound allows {allowed}")
    return ExitStatus.FINDINGS if failed else ExitStatus.CLEAN


def diff(options: argparse.Namespace) -> ExitStatus:
    """Print what changed since a commit; that something did is no finding."""
    site = pipeline.find_site(Path.cwd())
    print(pipeline.changes_since(options.revision, options.paths, site))
    return ExitStatus.CLEAN


def _print_coverage(page: Coverage) -> None:
    counts = ", ".join(f"{status} {page.count(status)}" for status in pipeline.STATUSES)
    print(f"{page.name}: {counts}")
    for mention in page.unbound:
        print(f"{mention.where}: {mention.text} is unbound; bind it with <!--= … --> or cite it")


def _targets(
    pages: Sequence[Page], out: Path, site: pipeline.Site, suffix: str = ""
) -> dict[Path, Page]:
    """Where each page goes; two in one place, or one onto itself, are refused."""
    targets: dict[Path, Page] = {}
    for page in pages:
        file = page.chapter.file.resolve()
        inside = file.is_relative_to(site.docs.resolve())
        target = out / (file.relative_to(site.docs.resolve()) if inside else file.name)
        target = target.with_suffix(suffix) if suffix else target
        if target in targets:
            what = f"{targets[target].name} and {page.name} would both be {target}"
            raise UsageError(what, "render them one at a time")
        if target.resolve() == file:
            raise UsageError(f"{target} is the source itself", "name another folder with --out")
        targets[target] = page
    return targets


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        what = f"{path} cannot be written: {error.strerror}"
        raise UsageError(what, "name a folder that can be written to with --out") from error
    print(path)


def _show_difference(page: Page) -> None:
    text, changes = pipeline.repair(page)
    if changes:
        print(pipeline.difference(page, text))


def _close(
    pages: Sequence[Page], findings: Sequence[Sequence[Finding]], form: str = "text"
) -> ExitStatus:
    """Report on stdout, and give the status."""
    status = exit_status(finding for found in findings for finding in found)
    print(pipeline.report(pages, findings, status, form))
    return status
