"""What a page depended on, and whether it still is as it was."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from literate.jobs import Touch, stamp

__all__ = ["Dependency", "Digests", "dependencies_of"]

_SETTLED = 10**8
"""Nanoseconds after which a file's times tell its next change from this one."""


@dataclass(frozen=True, order=True)
class Dependency:
    """A file, a folder's list (``names``), or all files below a folder (``tree``).

    ``path`` is relative to the site's folder. ``digest`` stands for what is there;
    empty for nothing.
    """

    kind: str
    path: str
    digest: str = ""


class Digests:
    """Digests of files and folders under a root, as they are now.

    Within one process a file whose times, size and number are the same is not read
    twice. Nothing of that is kept: over a longer time they prove nothing.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[Path, tuple[str, str]] = {}

    def place(self, path: str) -> Path:
        """Where a path that is relative to the root is."""
        return self._root / path

    def of(self, kind: str, path: str) -> str:
        """The digest of what is there; empty for nothing."""
        place = self.place(path)
        try:
            if kind == "names":
                return _digest(sorted(item.name for item in place.iterdir()))
            if kind == "tree" and place.is_dir():
                return _digest(self._below(place))
            return self._file(place)
        except (OSError, ValueError):
            return ""

    def unchanged(self, dependency: Dependency) -> bool:
        """Whether what is there is what was."""
        return self.of(dependency.kind, dependency.path) == dependency.digest

    def _below(self, folder: Path) -> Iterator[str]:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(folder).as_posix()
                yield self._file(path)

    def _file(self, path: Path) -> str:
        now = stamp(path)
        known, digest = self._known.get(path, ("", ""))
        if now and known == now:
            return digest
        if not path.is_file():
            return "other" if path.exists() else ""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        times = path.stat()
        age = time.time_ns() - max(times.st_mtime_ns, times.st_ctime_ns)
        if now == stamp(path) and age > _SETTLED:
            self._known[path] = (now, digest)
        return digest


def _digest(words: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()


def dependencies_of(
    touched: Iterable[Touch], depends: Iterable[str], digests: Digests
) -> list[Dependency] | None:
    """What a run depended on, as it is now.

    Args:
        touched: what it looked at or changed.
        depends: files and folders that nobody can see being read.
        digests: of the folder that it ran in.

    Returns:
        None where the run says nothing about the next one: a file changed while it ran,
        or the page wrote over what it had read.
    """
    found = {Dependency("tree", path, digests.of("tree", path)) for path in depends}
    read, written = set[str](), set[str]()
    for touch in touched:
        if touch.kind == "write" and not Path(touch.path).is_absolute():
            if touch.path in read:
                return None
            written.add(touch.path)
        elif touch.kind == "read" and touch.path not in written:
            read.add(touch.path)
            if stamp(digests.place(touch.path)) != touch.stamp:
                return None
        if touch.kind == "names":
            found.add(Dependency("names", touch.path, digests.of("names", touch.path)))
    found |= {Dependency("file", path, digests.of("file", path)) for path in read | written}
    return sorted(found)
