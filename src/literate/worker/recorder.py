"""Notes what a page looks at or changes outside its own process, while it runs."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from literate.jobs import Touch, stamp

__all__ = ["Recorder"]

_CHANGES = {
    "os.link": 2, "os.mkdir": 1, "os.remove": 1, "os.rename": 2, "os.rmdir": 1,
    "os.symlink": 2, "os.truncate": 1,
}  # fmt: skip
"""Events that change files, with how many paths they begin with."""

_PROCESSES = {
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system",
    "pty.spawn", "socket.bind", "socket.connect", "subprocess.Popen",
}  # fmt: skip

_LISTS = {"os.listdir", "os.scandir"}
_OTHERS = {"open", "import", "sqlite3.connect"}
_HEARD = {*_CHANGES, *_PROCESSES, *_LISTS, *_OTHERS}

_NOBODYS = {".git", ".cache", ".venv", "site-packages", "dist-packages", "node_modules"}
"""Folders whose files are no part of a project."""


class Recorder:
    """An audit hook that writes down, a line each, what belongs to the project.

    Into a file, not over the line to the parent: what processes that a block has forked
    look at belongs to the page as well. What lies in Python's own folders or in those of
    installed packages is left out; versions stand for that.
    """

    def __init__(self, file: str, root: Path) -> None:
        self.step = -1
        self.changed = False
        """Whether the page has done something that going back would not undo."""
        self._on = False
        self._seen: set[tuple[str, str]] = set()
        self._names: dict[str, int] = {}
        self._prefixes = tuple({f"{root.absolute()}{os.sep}", f"{root.resolve()}{os.sep}"})
        self._root = str(root.absolute())
        installed = (sys.prefix, sys.base_prefix, sys.exec_prefix)
        self._installed = tuple(f"{Path(name).absolute()}{os.sep}" for name in installed)
        inside = (name for name in self._installed if name.startswith(self._prefixes))
        engine = f"{Path(__file__).parents[1]}{os.sep}"
        self._nobodys = (*inside, engine, f"{Path(file).parent}{os.sep}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(file, flags, 0o600)
        sys.addaudithook(self._hear)

    def at(self, step: int) -> None:
        """Listen from now on, for the page's step with this number."""
        self.step, self._on = step, True

    def pause(self) -> None:
        """Listen no more until the next step."""
        self._on = False

    def end(self) -> None:
        """Listen no more; note the modules that would have been taken had they been there."""
        self.pause()
        for name, step in self._names.items():
            parent, _, tail = name.rpartition(".")
            within = getattr(sys.modules.get(parent), "__path__", ()) if parent else sys.path
            self._note_absent(step, tail, [str(folder) for folder in within])

    def _note_absent(self, step: int, tail: str, folders: list[str]) -> None:
        for folder in folders:
            found = Path(folder or self._root, tail)
            for path in (found, found.with_name(f"{tail}.py")):
                if path.exists():
                    return
                # The folder of a package that is not there is none to read: one name each.
                self._note("read", str(path), step)

    def _hear(self, event: str, words: tuple[Any, ...]) -> None:
        if event not in _HEARD or not self._on:
            return
        # Anything may be passed to `open`; a fault of ours must not become one of the page.
        try:
            self._take(event, words)
        except Exception as error:
            self._write(Touch(self.step, "process", f"{event}: {type(error).__name__}"))

    def _take(self, event: str, words: tuple[Any, ...]) -> None:
        if event == "open":
            if not isinstance(words[0], int):
                writes = words[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
                self._note("write" if writes else "read", words[0])
        elif event == "import":
            if words[0].partition(".")[0] not in sys.stdlib_module_names:
                self._names.setdefault(words[0], self.step)
        elif event in _LISTS:
            # The import system lists the folders that it searches.
            asker = sys._getframe(2).f_globals.get("__name__", "")
            if not isinstance(words[0], int) and not asker.startswith(("importlib", "_frozen_imp")):
                self._note("names", words[0] or ".")
        elif event == "sqlite3.connect":
            self._note("write", words[0])
        elif event == "os.mkdir" and os.path.isdir(words[0]):  # noqa: PTH112
            # Libraries ask for their folders to be there; where they are, nothing happens.
            return
        elif event in _CHANGES:
            for path in words[: _CHANGES[event]]:
                self._note("write", path)
        else:
            self._take_process(event, words)

    def _take_process(self, event: str, words: tuple[Any, ...]) -> None:
        """Another process, and the files of the project that its command names."""
        self._write(Touch(self.step, "process", event))
        if event == "subprocess.Popen":
            command = words[1] if isinstance(words[1], list | tuple) else []
            folder = os.fsdecode(words[2]) if words[2] else ""
            for word in command:
                path = Path(folder, os.fsdecode(word))
                if path.is_file():
                    self._note("read", str(path))

    def _note(self, kind: str, path: Any, step: int | None = None) -> None:
        """Write a path down, once, if it belongs to the project."""
        name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - as it is, links and all
        if os.path.isdir(name) and kind == "read":  # noqa: PTH112
            return
        name = _source(name)
        if (kind, name) in self._seen:
            return
        self._seen.add((kind, name))
        relative = self._relative(name, kind)
        if relative:
            at = self.step if step is None else step
            self._write(Touch(at, kind, relative, stamp(name) if kind == "read" else ""))

    def _relative(self, name: str, kind: str) -> str:
        """A path as seen from the root; empty for one that is nobody's business."""
        if name in {self._root, *(prefix[:-1] for prefix in self._prefixes)}:
            return "."
        if name.startswith(self._nobodys) or name.startswith(("/dev/", "/proc/")):
            return ""
        for prefix in self._prefixes:
            if name.startswith(prefix):
                parts = Path(name[len(prefix) :]).parts
                return "" if _NOBODYS & set(parts) else "/".join(parts)
        if kind == "write":
            return name
        # Beside the project only code counts: a package that is installed in place.
        code = kind == "read" and name.endswith(".py")
        return name if code and not name.startswith(self._installed) else ""

    @property
    def descriptor(self) -> int:
        """What it writes to."""
        return self._file

    def _write(self, touch: Touch) -> None:
        self.changed |= touch.kind in {"process", "write"}
        os.write(self._file, (json.dumps(asdict(touch)) + "\n").encode())


def _source(name: str) -> str:
    """The module's source, where Python opens the byte code that it keeps of it."""
    if not name.endswith(".pyc"):
        return name
    try:
        return importlib.util.source_from_cache(name)
    except ValueError:
        return name
