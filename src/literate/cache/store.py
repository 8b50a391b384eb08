"""The files of the cache: one for each result, in a folder for each page's key."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from literate.cache.dependencies import Dependency, Digests, dependencies_of
from literate.cache.files import Attachment, write_file
from literate.cache.keys import key_of, key_of_machine
from literate.jobs import Question, Step, Touch
from literate.results import BlockResult, ChapterResult, ClaimValue

__all__ = ["Cache", "Contents"]

Steps = Sequence[Step | Question]

FORMAT = 1
_OWN_FILE = re.compile(r"[0-9a-f]{2}/[0-9a-f]{62}/[0-9a-f]{32}\.json|[a-z]+-[0-9a-f]{64}\.bin")
_OWN_NAME = re.compile(r"[0-9a-f]{2}|\.gitignore|\.new-.*|[a-z]+-[0-9a-f]{64}\.bin")
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Results that literate keeps.\n"


@dataclass(frozen=True)
class Contents:
    """How much a cache holds: results, and their bytes."""

    results: int
    size: int


class Cache:
    """Results of pages in a folder, kept by what ran and by the files that it looked at.

    A result is a file of two lines: what it depended on with a digest of the rest, and
    the result. Its name is made from its dependencies, so that caches that were filled
    on different machines merge by copying files.
    """

    def __init__(self, folder: Path, root: Path, size: int, warn: Callable[[str], None]) -> None:
        """A cache; nothing is made until there is something to keep.

        Args:
            folder: where it is.
            root: the site's folder, to which dependencies are relative.
            size: bytes beyond which what was used longest ago is dropped.
            warn: told what is wrong with a file of it.
        """
        self._folder, self._root, self._size, self._warn = folder, root, size, warn
        self._digests = Digests(root)
        self._grown, self._writable = False, True

    def key(self, steps: Steps, path: str, threads: int, depends: Sequence[str]) -> str:
        """The name of what runs on a page."""
        return key_of(steps, path, threads, depends, self._root, self._machine)

    @cached_property
    def _machine(self) -> str:
        """What is installed while this object is used: for one build."""
        return key_of_machine()

    def find(self, key: str, steps: Steps) -> ChapterResult | None:
        """The result of the same code, if every file that it looked at is as it was."""
        for file in sorted(self._place(key).glob("*.json"), key=_last_use, reverse=True):
            try:
                result = self._read(file, steps)
            except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
                self._warn(f"{file} is damaged and was dropped; its page runs again")
                with contextlib.suppress(OSError):
                    file.unlink()
                continue
            if result:
                with contextlib.suppress(OSError):
                    os.utime(file)
                return result
        return None

    def _place(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

    def _read(self, file: Path, steps: Steps) -> ChapterResult | None:
        """What a file holds; None where something that it depended on has changed."""
        with file.open("rb") as lines:
            head = json.loads(lines.readline())
            dependencies = [Dependency(*words) for words in head["dependencies"]]
            if not all(map(self._digests.unchanged, dependencies)):
                return None
            body = lines.read()
        if hashlib.sha256(body).hexdigest() != head["digest"]:
            raise ValueError("not what was written")
        return _unpack(json.loads(body), steps)

    def keep(
        self,
        key: str,
        steps: Steps,
        result: ChapterResult,
        touched: Sequence[Touch],
        depends: Sequence[str],
    ) -> None:
        """Keep a result, unless it failed or says nothing about the next run."""
        body = _pack(result, steps) if self._is_ours() else None
        dependencies = dependencies_of(touched, depends, self._digests) if body else None
        if body is None or dependencies is None:
            return
        listed = [astuple(item) for item in dependencies]
        digest = hashlib.sha256(body).hexdigest()
        head = {"format": FORMAT, "dependencies": listed, "digest": digest}
        name = hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:32]
        try:
            self._prepare()
            write_file(self._place(key) / f"{name}.json", json.dumps(head).encode() + b"\n" + body)
            self._grown = True
        except OSError as error:
            if self._writable:
                self._warn(f"{self._folder} cannot be written, so nothing is kept: {error}")
            self._writable = False

    def attachment(self, name: str) -> Attachment:
        """The file for something that is made with this Python and what is installed."""
        file = self._folder / f"{name}-{self._machine}.bin"
        return Attachment(file, self._make_room, self._warn)

    def _make_room(self) -> bool:
        if not self._is_ours():
            return False
        self._prepare()
        return True

    def tidy(self) -> None:
        """Drop what is beyond the cache's size, if something has been kept."""
        if self._grown:
            self.prune(self._size)

    def _prepare(self) -> None:
        """Make the folder, and have version control and backups pass it over."""
        if not (self._folder / ".gitignore").exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            write_file(self._folder / ".gitignore", b"*\n")
            write_file(self._folder / "CACHEDIR.TAG", _TAG.encode())

    def _is_ours(self) -> bool:
        """Whether the folder is a cache, or may become one; says so where it is another."""
        if not self._writable or not self._folder.is_dir():
            return self._writable
        tagged = (self._folder / "CACHEDIR.TAG").is_file()
        if tagged or all(_OWN_NAME.fullmatch(path.name) for path in self._folder.iterdir()):
            return True
        self._warn(
            f"{self._folder} holds other files, so nothing is kept; name a folder of its own"
        )
        self._writable = False
        return False

    def contents(self) -> Contents:
        """How much there is."""
        files = list(self._files())
        results = sum(file.suffix == ".json" for _, _, file in files)
        return Contents(results, sum(size for _, size, _ in files))

    def prune(self, size: int) -> int:
        """Drop what was used longest ago until the rest fits; how many results went."""
        files = sorted(self._files())
        left, dropped = sum(size for _, size, _ in files), 0
        for _, taken, file in files:
            if left <= size:
                break
            with contextlib.suppress(OSError):
                file.unlink()
                left, dropped = left - taken, dropped + (file.suffix == ".json")
        return dropped

    def clear(self) -> int:
        """Drop everything; how many results went."""
        files = [file for _, _, file in self._files()]
        for file in files:
            with contextlib.suppress(OSError):
                file.unlink()
        inner = {file.parent for file in files} - {self._folder}
        for folder in [*inner, *{path.parent for path in inner}]:
            # Only where nothing is left in it.
            with contextlib.suppress(OSError):
                folder.rmdir()
        return sum(file.suffix == ".json" for file in files)

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """When each file of it was used last, its bytes, and where; nobody else's files."""
        for file in [*self._folder.glob("??/*/*.json"), *self._folder.glob("*.bin")]:
            if not _OWN_FILE.fullmatch(file.relative_to(self._folder).as_posix()):
                continue
            # Another build may have dropped it in the meantime.
            with contextlib.suppress(OSError):
                status = file.stat()
                yield status.st_mtime, status.st_size, file


def _last_use(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _pack(result: ChapterResult, steps: Steps) -> bytes | None:
    """A whole result as JSON, by the order of the steps; None if it is not whole.

    Not by the indices of blocks and claims: a block that does not run, or a claim that
    cites, moves them.
    """
    values: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Step):
            block = result.blocks.get(step.index)
            if block is None or block.failure:
                return None
            values.append(block.to_json())
        else:
            claim = result.claims.get(step.index)
            if claim is None or claim.error:
                return None
            values.append(claim.to_json())
    whole = {"versions": result.versions, "steps": values}
    return json.dumps(whole).encode()


def _unpack(whole: dict[str, Any], steps: Steps) -> ChapterResult:
    blocks: dict[int, BlockResult] = {}
    claims: dict[int, ClaimValue] = {}
    for step, value in zip(steps, whole["steps"], strict=True):
        if isinstance(step, Step):
            blocks[step.index] = replace(BlockResult.from_json(value), index=step.index)
        else:
            claims[step.index] = replace(ClaimValue.from_json(value), index=step.index)
    return ChapterResult(blocks, claims, whole["versions"])
