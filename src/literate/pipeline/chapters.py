"""Literate pages found and read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from literate.document import Document
from literate.errors import Finding, UnreadableError, UsageError
from literate.parse import opt_in_place, parse
from literate.settings import Settings, Site, with_values
from literate.source import Source, read

__all__ = ["Chapter", "chapter_of_text", "find_chapters", "modules_to_preload", "open_chapter"]

_HEAVY = re.compile(r"^[ \t]*(?:import|from)[ \t]+((?:torch|numpy|matplotlib)(?:\.\w+)*)\b", re.M)
"""Imports that take longer than all the rest of a small page."""


@dataclass(frozen=True)
class Chapter:
    """A literate page before it has run: its file, its document, its settings.

    ``missing`` are the resources that are not here, with how to get them.
    """

    file: Path
    document: Document
    settings: Settings
    missing: dict[str, str] = field(default_factory=dict)


def open_chapter(file: Path, site: Site, name: str | None = None) -> Chapter | None:
    """Read a page; None where it does not opt in.

    Args:
        file: the Markdown file.
        site: the site whose settings it inherits.
        name: how messages call it; by default relative to the working directory.

    Raises:
        UnreadableError: it is not there, may not be read, or is not UTF-8.
    """
    name = name or _short(file)
    try:
        source = read(file, name)
    except OSError as error:
        what = f"{name}: {error.strerror or error}"
        raise UnreadableError(what, "name a Markdown file that can be read") from error
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        where = Source(name, before).location(len(before))
        what = f"this is not UTF-8: byte 0x{error.object[error.start]:02x}"
        raise UnreadableError(what, "save the file as UTF-8", where) from error
    return _chapter(source, file, site)


def chapter_of_text(text: str, name: str, site: Site) -> Chapter | None:
    """The chapter of a text that is no file; None where it does not opt in."""
    return _chapter(Source(name, text), site.root / name, site)


def _chapter(source: Source, file: Path, site: Site) -> Chapter | None:
    document = parse(source)
    if document.settings is None:
        return None
    findings = list(_unknown_resources(document, site.settings))
    settings = site.settings
    try:
        settings = with_values(site.settings, document.settings, source.path)
    except UsageError as error:
        where = opt_in_place(source)
        what = error.what.removeprefix(f"{source.path}: ")
        findings.append(Finding(where, "front-matter", what, error.todo))
    document = replace(document, findings=(*document.findings, *findings))
    return Chapter(file, document, settings, site.missing)


def _unknown_resources(document: Document, settings: Settings) -> Iterator[Finding]:
    """Blocks and claims that need something of which the settings know nothing."""
    needs = [(block.location, block.options.needs) for block in document.blocks]
    needs += [(claim.location, claim.needs) for claim in document.claims]
    for where, name in needs:
        if name and name not in settings.resources:
            known = ", ".join(settings.resources) or "none"
            what = f"no setting says what the resource {name!r} is"
            yield Finding(where, "unknown-resource", what, f"declare it; declared: {known}")


def find_chapters(paths: Sequence[Path], site: Site) -> list[Chapter]:
    """The chapters that a command's paths name, in order, each once.

    A folder stands for all literate pages in it; no path at all for those of the
    site.

    Raises:
        UsageError: a named file does not opt in, or nothing is left to do.
        UnreadableError: a named file cannot be read.
    """
    chapters: dict[Path, Chapter] = {}
    for path in paths or [site.docs]:
        files = sorted(_pages_below(path)) if path.is_dir() else [path]
        for file in files:
            chapter = open_chapter(file, site)
            if chapter is None and not path.is_dir():
                todo = "add `literate: true` to its front matter"
                raise UsageError(f"{_short(file)} does not opt in", todo)
            if chapter:
                chapters.setdefault(file.resolve(), chapter)
    if not chapters:
        place = ", ".join(map(_short, paths or [site.docs]))
        todo = "name a page with `literate: true` in its front matter"
        raise UsageError(f"no literate page in {place}", todo)
    return list(chapters.values())


def modules_to_preload(chapters: Sequence[Chapter]) -> list[str]:
    """The modules that are worth importing once for all these pages."""
    return list(dict.fromkeys(name for chapter in chapters for name in _preloaded(chapter)))


def _preloaded(chapter: Chapter) -> Iterator[str]:
    if chapter.settings.preload is not None:
        yield from chapter.settings.preload
        return
    for block in chapter.document.blocks:
        if not block.options.norun:
            yield from _HEAVY.findall(block.code)


def _pages_below(folder: Path) -> Iterator[Path]:
    """The Markdown files of a folder that can be read as text, without hidden ones."""
    for file in folder.rglob("*.md"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if hidden or not file.is_file():
            continue
        data = file.read_bytes()
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            # A page that does not opt in is nobody's business, whatever its encoding.
            if not re.search(rb"^literate[ \t]*:", data, re.M):
                continue
        yield file


def _short(path: Path) -> str:
    """A path as messages show it: relative to here if it lies below."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return str(path)
