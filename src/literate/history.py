"""A checkout's past: which pages a revision has and what stands in them, asked of git."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from literate.errors import UsageError
from literate.source import BOM, Source

__all__ = ["History", "PastPage", "last_change", "open_history"]


@dataclass(frozen=True)
class PastPage:
    """A page at a revision and in the working tree.

    ``name`` is its path from the top of the checkout, ``file`` None where it is no
    longer there, ``before`` its text at the revision, None where it was not there. A
    renamed page's ``before`` has its old path.
    """

    name: str
    file: Path | None
    before: Source | None


@dataclass(frozen=True)
class History:
    """A commit of the checkout whose files stand below ``top``."""

    top: Path
    revision: str
    commit: str

    def pages(self, paths: Sequence[Path]) -> list[PastPage]:
        """The pages that paths name, now or at the revision, each once, by name.

        A folder stands for all Markdown files in it, at either time.

        Raises:
            UsageError: a path lies outside the checkout, or is in neither version.
        """
        blobs, renames = self._blobs(), self._renames()
        now = {old: new for new, old in renames.items()}
        names: set[str] = set()
        for path in paths:
            for name in self._named(path, blobs):
                gone = not (self.top / name).is_file()
                names.add(now.get(name, name) if gone else name)
        before = {name: renames.get(name, name) for name in sorted(names)}
        texts = self._texts({old: blobs[old] for old in before.values() if old in blobs})
        return [
            PastPage(name, file if (file := self.top / name).is_file() else None, texts.get(old))
            for name, old in before.items()
        ]

    def _named(self, path: Path, blobs: Iterable[str]) -> set[str]:
        """The pages at or below a path."""
        place = self._place(path)
        below = "" if place == "." else f"{place}/"
        then = {
            name
            for name in blobs
            if name == place or (name.startswith(below) and name.endswith(".md"))
        }
        if path.is_dir():
            files = [file.resolve() for file in path.rglob("*.md")]
            here = [file for file in files if file.is_relative_to(self.top)]
            return then | {file.relative_to(self.top).as_posix() for file in here}
        if not path.is_file() and not then:
            what = f"{path} is neither here nor at {self.revision}"
            raise UsageError(what, "name a page, or a folder of pages")
        return then | ({place} if path.is_file() else set())

    def _place(self, path: Path) -> str:
        try:
            return path.resolve().relative_to(self.top).as_posix()
        except ValueError:
            what = f"{path} lies outside the git checkout in {self.top}"
            raise UsageError(what, "name pages of one checkout") from None

    def _blobs(self) -> dict[str, str]:
        """The regular files of the commit: the ids of their contents by their paths."""
        blobs = {}
        for entry in self._ask("ls-tree", "-r", "-z", "--full-tree", self.commit).split(b"\0"):
            about, _, path = entry.partition(b"\t")
            # The other kinds are symbolic links (mode 120000) and submodules.
            if about.startswith(b"100"):
                blobs[os.fsdecode(path)] = about.split()[2].decode()
        return blobs

    def _renames(self) -> dict[str, str]:
        """The old paths of files that have another now, as far as git can tell."""
        options = ("-z", "-M", "--name-status", "--diff-filter=R")
        words = self._ask("diff-index", *options, self.commit, "--").split(b"\0")
        paths = [os.fsdecode(word) for word in words]
        return dict(zip(paths[2::3], paths[1::3], strict=False))

    def _texts(self, blobs: dict[str, str]) -> dict[str, Source]:
        """What stood in files at the commit, read by one process for all of them."""
        asked = "".join(f"{blob}\n" for blob in blobs.values()).encode()
        answer = self._ask("cat-file", "--batch", stdin=asked)
        return dict(zip(blobs, _sources(blobs, answer), strict=True))

    def _ask(self, *arguments: str, stdin: bytes = b"") -> bytes:
        done = _git(self.top, *arguments, stdin=stdin)
        if done.returncode:
            raise UsageError(f"git {arguments[0]}: {_complaint(done)}", "mend the checkout")
        return done.stdout


def open_history(revision: str, folder: Path) -> History:
    """The commit that a revision names in the checkout around a folder.

    Args:
        revision: what git takes for one: a branch, a tag, ``HEAD~1``, part of an id.
        folder: one in the checkout.

    Raises:
        UsageError: there is no git, no checkout, or no such commit.
    """
    if revision.startswith("-"):
        # git would take it for an option.
        raise UsageError(f"{revision} is no revision", "name a commit, a branch or a tag")
    done = _git(folder, "rev-parse", "--show-toplevel")
    if done.returncode:
        complaint = _complaint(done)
        if "not a git repository" in complaint:
            raise UsageError(f"{folder} is not in a git checkout", "run it in one")
        raise UsageError(f"git cannot read {folder}: {complaint}", "mend the checkout")
    top = Path(os.fsdecode(done.stdout.removesuffix(b"\n"))).resolve()
    done = _git(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if done.returncode:
        todo = "name a commit, a branch or a tag; in a shallow clone, fetch it first"
        raise UsageError(f"git knows no commit {revision!r} in {top}", todo)
    return History(top, revision, done.stdout.decode().strip())


def _sources(names: Iterable[str], answer: bytes) -> Iterator[Source]:
    """The files in an answer of ``git cat-file --batch``, in the order asked for."""
    position = 0
    for name in names:
        end = answer.index(b"\n", position)
        about = answer[position:end].split()
        if about[1] != b"blob":
            raise UsageError(f"git has lost what {name} held", "run git fsck")
        start, position = end + 1, end + 1 + int(about[2]) + 1
        # Nobody can mend the past: what is not UTF-8 there is read past.
        text = answer[start : position - 1].decode("utf-8", "replace")
        yield Source(name, text.removeprefix(BOM), text.startswith(BOM))


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    # Looked up here, so that an empty path never means the working directory.
    program = shutil.which("git")
    if program is None:
        raise UsageError("git is not on the path", "install git, or put it on the path")
    # Messages in English, to tell them apart; and the index is left as it is.
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    return subprocess.run(
        [program, *arguments],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        check=False,
    )


def _complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")


def last_change(folder: Path) -> str:
    """The day of the last commit, such as 2026-07-31; empty where there is none."""
    try:
        done = _git(folder, "log", "-1", "--format=%cs")
    except (OSError, UsageError):
        return ""
    return done.stdout.decode("ascii", "replace").strip() if done.returncode == 0 else ""
