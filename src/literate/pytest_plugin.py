"""The plugin for pytest: each block, output and claim of a literate page is a test.

pytest collects every Markdown file whose front matter opts in, and names its tests
after their lines::

    docs/chapter.md::line 31: block, weights = torch.softmax(scores, dim=-1)
    docs/chapter.md::line 40: output
    docs/chapter.md::line 145: 0.576 = weights[2, 2]

The page runs once, in a process of its own, when the first of its tests does; its other
tests read off what came of it. ``--collect-only`` runs nothing. What can be seen wrong
without a run, such as a claim that cannot be read, is a test too and fails: ``line 50:
malformed-claim``. Blocks that are ``norun`` and claims that ``cite`` are no tests.

What needs a resource that is not here is skipped, and says how to get it. What a page did
not come to, because it had stopped at a block, is skipped as well as long as that block
is among the tests that were chosen; if it is not, the test fails.

Numbers next to a rounding boundary are listed among pytest's warnings. They fail no test,
even where its filters make errors of warnings.

``pytest docs`` runs the pages alone, ``pytest -p no:literate`` everything else.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    # Whoever has `literate` installed imports this module with every run of pytest: the
    # rest of it waits until there is a page.
    from literate import pipeline
    from literate.errors import Finding

__all__ = ["ChapterFile", "PageWarning", "PartItem", "UntrueError", "pytest_collect_file"]

_HEAD = 2**16
"""Bytes within which a page has to opt in."""

_FRONT = re.compile(
    rb"(?:\xef\xbb\xbf)?---[ \t]*[\r\n](?P<yaml>.*?)[\r\n](?:---|\.\.\.)[ \t]*(?:[\r\n]|\Z)",
    re.DOTALL,
)
_LONGEST = 72
"""Characters of a name behind its line."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ChapterFile | None:
    """Collect a Markdown file that opts in."""
    if file_path.suffix == ".md" and _names_us(file_path):
        return ChapterFile.from_parent(parent, path=file_path)
    return None


def _names_us(path: Path) -> bool:
    """Whether a file begins with front matter in which `literate` stands."""
    try:
        with path.open("rb") as file:
            head = file.read(6)
            if not head.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
                return False
            front = _FRONT.match(head + file.read(_HEAD))
    except OSError:
        return False
    return front is not None and b"literate" in front["yaml"]


class ChapterFile(pytest.File):
    """A literate page, and what came of it once it has run."""

    parts: tuple[pipeline.Part, ...] = ()
    _site: pipeline.Site
    _chapter: pipeline.Chapter
    _page: pipeline.Page | Exception | None = None
    _found: dict[pipeline.Part, list[Finding]]

    def collect(self) -> Iterator[PartItem]:
        """A test for each part of the page, in the order of its lines."""
        self.parts = self._read()
        names = Counter[str]()
        for part in self.parts:
            name = f"line {part.where.line}: {_shortened(part.label)}"
            names[name] += 1
            name += f" #{names[name]}" if names[name] > 1 else ""
            # As text: pytest then reads it as it reads one that a person typed, or that it
            # remembers, and takes brackets for the same in all of them.
            yield PartItem.from_parent(self, name=name, nodeid=f"{self.nodeid}::{name}", part=part)

    def _read(self) -> tuple[pipeline.Part, ...]:
        from literate import pipeline
        from literate.errors import Finding, LiterateError

        try:
            self._site = pipeline.find_site(self._folder())
            chapter = pipeline.open_chapter(self.path, self._site)
        except LiterateError as error:
            where = error.where
            if where is None:
                raise self.CollectError(str(error)) from error
            finding = Finding(where, "unreadable", error.what, error.todo)
            return (pipeline.Part("finding", finding.rule, where, where.line, finding=finding),)
        if chapter is None:
            return ()
        self._chapter = chapter
        return pipeline.parts_of(chapter)

    def _folder(self) -> Path:
        """The folder of the site that the page belongs to, else that of the tests."""
        above = (folder for folder in self.path.parents if (folder / "mkdocs.yml").is_file())
        return next(above, self.config.rootpath)

    def page(self) -> pipeline.Page:
        """What came of the page, which runs the first time that anybody asks."""
        if self._page is None:
            try:
                self._page = self._run()
            except Exception as error:
                self._page = error
        if isinstance(self._page, Exception):
            raise self._page
        return self._page

    def _run(self) -> pipeline.Page:
        from literate import pipeline

        silent = pipeline.Progress(lambda text: None)
        # A test that passes because an earlier one did would be none.
        [page] = pipeline.run_chapters([self._chapter], self._site, silent, fresh=True)
        self._found = pipeline.by_part(page, self.parts)
        return page

    def findings(self, part: pipeline.Part) -> list[Finding]:
        """What was found about a part."""
        return [part.finding] if part.finding else self._found.get(part, [])

    def obstacle(self, part: pipeline.Part) -> pipeline.Part | str | None:
        """What kept a part from its result: a reason to skip it, or where the page stopped."""
        from literate import pipeline

        if part.kind == "finding":
            return None
        if part.lacking:
            return f"needs {part.lacking}"
        if not self._chapter.settings.execute:
            return "the settings keep this page from running (execute: false)"
        return pipeline.stopped_at(self.page(), part, self.parts)


class PartItem(pytest.Item):
    """One test: a part of a page, held against what the page gave."""

    def __init__(self, *, part: pipeline.Part, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.part = part

    @property
    def file(self) -> ChapterFile:
        """The page that it is of."""
        assert isinstance(self.parent, ChapterFile)
        return self.parent

    def setup(self) -> None:
        """Run the page, unless it has run, and see whether it came to this part."""
        obstacle = self.file.obstacle(self.part)
        if isinstance(obstacle, str):
            raise _skipped(obstacle)
        self.stopped = obstacle
        if obstacle and obstacle != self.part and self._is_chosen(obstacle):
            raise _skipped(_not_run(obstacle))

    def _is_chosen(self, part: pipeline.Part) -> bool:
        """Whether another part of the page is a test of this session."""
        ours = (item for item in self.session.items if item.parent is self.parent)
        return any(isinstance(item, PartItem) and item.part == part for item in ours)

    def runtest(self) -> None:
        """Fail if the part is not as the page says; list what merely may not be."""
        if self.stopped == self.part:
            raise UntrueError((), "not run, and nobody knows why")
        if self.stopped:
            raise UntrueError(self.file.findings(self.stopped), _not_run(self.stopped))
        untrue = []
        for finding in self.file.findings(self.part):
            if finding.level.value == "warning":
                self._warn(finding)
            else:
                untrue.append(finding)
        if untrue:
            raise UntrueError(untrue, untrue[0].what)

    def _warn(self, finding: Finding) -> None:
        """Have pytest list a warning, past the filters that would make an error of it."""
        text, where = f"{finding.what}; {finding.todo}", finding.where
        # Without its line, which may be a paragraph.
        warning = warnings.WarningMessage(
            PageWarning(text), PageWarning, where.path, where.line, line=""
        )
        about = {"when": "runtest", "nodeid": self.nodeid, "location": None}
        self.ihook.pytest_warning_recorded.call_historic(
            kwargs={"warning_message": warning, **about}
        )

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the part is, with lines from 0 on, and what a failure is headed with."""
        return self.path, self.part.where.line - 1, f"{self.path.name}, {self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What a failure shows; no traceback of ours says more than its message."""
        if isinstance(excinfo.value, UntrueError):
            return _Shown(excinfo.value, str(self.part.where))
        return super().repr_failure(excinfo, style)


class PageWarning(UserWarning):
    """Something on a page is so, but may not be on another machine."""


class UntrueError(Exception):
    """A part of a page is not so, or nobody could see whether it is."""

    def __init__(self, findings: Iterable[Finding], what: str) -> None:
        super().__init__(what)
        self.findings = tuple(findings)


class _Crash:
    """Where a failure is and what it is, in one line; the names are pytest's."""

    def __init__(self, path: str, message: str) -> None:
        self.path, self.message = path, message

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class _Shown:
    """A failure as pytest shows it: whole in its report, in one line where it sums up."""

    def __init__(self, error: UntrueError, path: str) -> None:
        self.reprcrash = _Crash(path, str(error))
        self.paragraphs = [_paragraph(finding) for finding in error.findings]
        if not error.findings or error.findings[0].what != str(error):
            self.paragraphs.insert(0, str(self.reprcrash))

    def toterminal(self, terminal: Any) -> None:
        """Write it, the first line of each paragraph marked."""
        for paragraph in self.paragraphs:
            first, *rest = paragraph.split("\n")
            terminal.line(first, bold=True, red=True)
            for line in rest:
                terminal.line(line)

    def __str__(self) -> str:
        return "\n".join(self.paragraphs)


def _paragraph(finding: Finding) -> str:
    """A finding with what belongs to it, and the command as it can be typed."""
    message = str(finding).replace('"literate sync"', f'"literate sync {finding.where.path}"')
    lines = finding.detail.split("\n") if finding.detail else []
    return "\n".join([message, *(f"    {line}".rstrip() for line in lines)])


def _not_run(at: pipeline.Part) -> str:
    return f"not run, because the {at.kind} on line {at.where.line} failed"


def _skipped(reason: str) -> BaseException:
    """What skips a test, with the page as the place that pytest names, not this module."""
    skip = pytest.skip.Exception(reason)
    skip._use_item_location = True
    return skip


def _shortened(label: str) -> str:
    """A label on one line, without the mark that would part a test's name in two."""
    label = " ".join(label.split()).replace("::", ": :")
    return label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"
