"""Pages held against what they were at a commit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from literate.document import Document
from literate.errors import UsageError
from literate.history import PastPage, open_history
from literate.parse import parse
from literate.pipeline.chapters import open_chapter
from literate.settings import Site
from literate.source import Source

__all__ = ["changes_since"]


def changes_since(revision: str, paths: Sequence[Path], site: Site) -> str:
    """Which numbers and outputs changed since a commit, as Markdown; nothing runs.

    Args:
        revision: the commit, as git names it.
        paths: pages, or folders of pages, now or then; by default the site's.
        site: the site around them.

    Raises:
        UsageError: there is no such commit, a path is not of its checkout, or
            nothing is left to compare.
        UnreadableError: a page cannot be read.
    """
    # Here and not above: no other command needs it, and it takes a while to import.
    from literate.diff import compare, markdown

    paths = paths or [site.docs]
    history = open_history(revision, _folder(paths[0]))
    named = {path.resolve() for path in paths if not path.is_dir()}
    differences = []
    for page in history.pages(paths):
        old, new = _versions(page, site)
        if _literate(old) or _literate(new):
            differences.append(compare(old, new))
        elif history.top / page.name in named:
            todo = "add `literate: true` to its front matter"
            raise UsageError(f"{page.name} does not opt in", todo)
    if not differences:
        todo = "name a page with `literate: true` in its front matter"
        raise UsageError(f"no literate page in {', '.join(map(str, paths))}", todo)
    return markdown(differences, revision)


def _versions(page: PastPage, site: Site) -> tuple[Document | None, Document | None]:
    old = parse(page.before) if page.before else None
    if page.file is None:
        return old, None
    chapter = open_chapter(page.file, site, page.name)
    # What does not opt in is there, and has nothing to compare.
    return old, chapter.document if chapter else parse(Source(page.name, ""))


def _literate(document: Document | None) -> bool:
    return document is not None and document.settings is not None


def _folder(path: Path) -> Path:
    """The folder that is nearest to a path and is there."""
    return next(folder for folder in [path, *path.absolute().parents] if folder.is_dir())
