"""What a page depended on, and whether it still is as it was."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from literate.environment import inherited
from literate.jobs import Touch, candidates, changed_since, stamp, status

__all__ = ["Dependency", "Digests", "dependencies_of"]

_SETTLED = 10**8
"""Nanoseconds after which a file's times tell its next change from this one."""

_LARGE = 2**24
"""Bytes beyond which a file outside the project is known by its size and time.

Nothing that is checked out lies there, and weights of a model are too large to read at
every build.
"""

_SHELLS = {"_", "OLDPWD", "PWD", "SHLVL"}
"""Variables that a shell sets anew with each command."""


@dataclass(frozen=True, order=True)
class Dependency:
    """Something that a page looked at: see `Touch` for the kinds.

    A ``file`` by its content, or all files below a folder (``tree``). ``path`` is
    relative to the site's folder, where it is near. ``digest`` stands for what is there;
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
        if kind == "env":
            return _variable(path)
        place = self.place(path)
        try:
            return self._of(kind, place, _is_far(path))
        except (OSError, ValueError):
            return ""

    def _of(self, kind: str, place: Path, far: bool) -> str:
        if kind == "names":
            return _digest(sorted(_names(place)))
        if kind == "entries":
            return _digest(sorted(f"{name} {status(place / name)}" for name in _names(place)))
        if kind == "stat":
            return status(place)
        if kind == "module":
            return " ".join(candidates(place))
        if kind == "shadows":
            return _digest(self._shadows(place))
        if kind == "tree" and place.is_dir():
            return _digest(self._below(place))
        return self._file(place, far)

    def unchanged(self, dependency: Dependency) -> bool:
        """Whether what is there is what was."""
        return self.of(dependency.kind, dependency.path) == dependency.digest

    def _below(self, folder: Path) -> Iterator[str]:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(folder).as_posix()
                yield self._file(path)

    def _shadows(self, folder: Path) -> Iterator[str]:
        """What stands in a folder before modules of Python's own, with its content."""
        stems = {name.partition(".")[0] for name in os.listdir(folder)}  # noqa: PTH208
        for stem in sorted(stems & sys.stdlib_module_names):
            for ending in candidates(folder / stem):
                yield stem + ending
                yield self._file(Path(f"{folder / stem}{ending}"))

    def _file(self, path: Path, far: bool = False) -> str:
        now = stamp(path)
        known, digest = self._known.get(path, ("", ""))
        if now and known == now:
            return digest
        if not path.is_file():
            return "other" if path.exists() else ""
        times = path.stat()
        if far and times.st_size > _LARGE:
            return f"{times.st_size} {times.st_mtime_ns}"
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        age = time.time_ns() - max(times.st_mtime_ns, times.st_ctime_ns)
        if now == stamp(path) and age > _SETTLED:
            self._known[path] = (now, digest)
        return digest


def _names(folder: Path) -> Iterator[str]:
    """The names in a folder; those of folders end in a slash."""
    with os.scandir(folder) as entries:
        for entry in entries:
            yield f"{entry.name}/" if entry.is_dir() else entry.name


def _variable(name: str) -> str:
    """The digest of a variable, which may be a secret; of all of them for a star."""
    found = inherited()
    if name == "*":
        return _digest(f"{key}={found[key]}" for key in sorted(found.keys() - _SHELLS))
    return _secret(name, found[name]) if name in found else ""


@cache
def _secret(name: str, value: str) -> str:
    """A digest that takes long to make, so that who has the cache cannot try many values."""
    secret, salt = (text.encode("utf-8", "surrogateescape") for text in (value, name))
    return hashlib.pbkdf2_hmac("sha256", secret, salt, 20_000).hex()


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
        None where the run says nothing about the next one: something changed while it
        ran, or the page wrote over what it had read.
    """
    found = {("tree", path) for path in depends}
    read, written = set[str](), set[str]()
    for touch in touched:
        if touch.kind == "process" or _made(touch, written):
            continue
        if touch.kind == "write":
            if touch.path in read:
                return None
            written.add(touch.path)
        elif changed_since(touch, digests.place(touch.path)):
            return None
        elif touch.kind in {"read", "change"}:
            read.add(touch.path)
        else:
            found.add((touch.kind, touch.path))
    found |= {("file", path) for path in read | {path for path in written if not _is_far(path)}}
    # What a file holds says also that it is there.
    found -= {("stat", path) for path in read | written}
    return [Dependency(kind, path, digests.of(kind, path)) for kind, path in sorted(found)]


def _made(touch: Touch, written: set[str]) -> bool:
    """Whether a page looks at what it has made, or outside the project at something therein."""
    if touch.kind in {"write", "env"}:
        return False
    if _is_far(touch.path):
        return any(str(path) in written for path in (touch.path, *Path(touch.path).parents))
    return touch.kind in {"read", "change", "stat"} and touch.path in written


def _is_far(path: str) -> bool:
    return path.startswith("../") or Path(path).is_absolute()
