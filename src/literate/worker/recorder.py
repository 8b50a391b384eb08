"""Notes what a page looks at or changes outside its own process, while it runs."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from literate.environment import PINNED
from literate.jobs import Touch, candidates, is_folder, stamp, status
from literate.worker import questions, surroundings
from literate.worker.commands import files_named
from literate.worker.places import STDLIB, Places

__all__ = ["Recorder"]

_CHANGES = {
    "os.link": ((1, 3),), "os.mkdir": ((0, 2),), "os.remove": ((0, 1),), "os.rmdir": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)), "os.symlink": ((1, 2),), "os.truncate": ((0, None),),
}  # fmt: skip
"""Events that change files: where their paths stand, and the folders these start from."""

_PROCESSES = {
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system",
    "pty.spawn", "socket.bind", "socket.connect", "subprocess.Popen",
}  # fmt: skip

_LISTS = {"os.listdir", "os.scandir"}
_OTHERS = {"open", "import", "sqlite3.connect", "os.chdir"}
_HEARD = {*_CHANGES, *_PROCESSES, *_LISTS, *_OTHERS}

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_STAMPS = {"read": stamp, "change": stamp, "names": stamp, "entries": stamp, "stat": status}
_STDLIB = {os.path.realpath(path) for path in STDLIB}
_DATABASES = ("", "-wal", "-journal")
_UNKNOWN = "unknown"
"""The stamp of nothing that there is: a result that rests on it is not kept."""


class _Names:
    """Hears of modules that are looked for and not imported; finds none."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        self._recorder.look_for(name)


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
        self._asked: set[Any] = set()
        self._names: dict[str, None] = {}
        self._places = Places(root, Path(file).parent)
        self._path: list[str] = []
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(file, flags, 0o600)
        sys.addaudithook(self._hear)
        questions.listen(self._hear_question)
        surroundings.listen(self._hear_variable)
        finder: Any = _Names(self)
        sys.meta_path.insert(0, finder)

    def at(self, step: int) -> None:
        """Listen from now on, for the page's step with this number."""
        self.step, self._on = step, True

    def pause(self) -> None:
        """Listen no more until the next step; note the modules that this one looked for.

        That is, where each would have been taken from, had it been there.
        """
        self._on = False
        names, self._names = self._names, {}
        for name in names:
            parent, _, tail = name.rpartition(".")
            within = getattr(sys.modules.get(parent), "__path__", ()) if parent else sys.path
            self._note_places(tail, [str(folder) for folder in within])
        if sys.path != self._path:
            self._path = list(sys.path)
            self._note_shadows()

    def _note_shadows(self) -> None:
        """Note the folders whose modules would be taken before Python's own."""
        for folder in self._path:
            if os.path.realpath(folder or self._places.root) in _STDLIB:
                return
            self._note("shadows", folder or self._places.root)

    def look_for(self, name: str) -> None:
        """Remember a module's name; Python's own stand for themselves."""
        if self._on and name.partition(".")[0] not in sys.stdlib_module_names:
            self._names[name] = None

    def _note_places(self, tail: str, folders: list[str]) -> None:
        for folder in folders:
            path = Path(folder or self._places.root, tail)
            self._note("module", str(path))
            if candidates(path):
                return

    def _hear(self, event: str, words: tuple[Any, ...]) -> None:
        if event not in _HEARD or not self._on:
            return
        # Anything may be passed to `open`; a fault of ours must not become one of the page.
        try:
            self._take(event, words)
        except Exception as error:
            self._write(Touch(self.step, "process", f"{event}: {type(error).__name__}"))

    def _hear_question(self, name: str, path: Any, more: Any, named: dict[str, Any]) -> None:
        """What an ear in `os` tells: a file is asked for, or opened from a folder held open."""
        if not self._on or isinstance(path, int):
            return
        folder = named.get("dir_fd")
        try:
            if name == "open":
                if folder is not None:
                    flags = more[0] if more else named["flags"]
                    self._note_open(self._from(folder, path), flags)
            elif folder is None and path in self._asked:
                return
            elif self._places.asker() != "looker" and self._note("stat", self._from(folder, path)):
                self._asked.add(path if folder is None else "")
        except Exception:
            # What it is called with makes no sense, as `os` is about to say.
            return

    def _hear_variable(self, name: str) -> None:
        """What an ear in `os.environ` tells: packages read many for themselves."""
        if not self._on or name in PINNED or self._places.asker() != "page":
            return
        if not {("env", surroundings.ALL), ("env", name)} & self._seen:
            self._seen.add(("env", name))
            self._write(Touch(self.step, "env", name))

    def _take(self, event: str, words: tuple[Any, ...]) -> None:
        if event == "open":
            if not isinstance(words[0], int):
                self._note_open(words[0], words[2])
        elif event == "import":
            self.look_for(words[0])
            if words[1]:
                # C code opens the file of a compiled module.
                self._note("read", words[1])
        elif event in _LISTS:
            self._take_list(event, words[0])
        elif event == "sqlite3.connect":
            self._take_database(words[0])
        elif event == "os.chdir":
            self._asked.clear()
        elif event in _CHANGES:
            paths = [self._from(*_pick(words, at, start)) for at, start in _CHANGES[event]]
            if event == "os.mkdir" and is_folder(paths[0]):
                # Libraries ask for their folders to be there; where they are, nothing happens.
                return
            for path in paths:
                self._note("write", path)
        else:
            self._write(Touch(self.step, "process", event))
            for kind, path in files_named(event, words):
                self._note("names" if is_folder(path) else kind, path)

    def _take_list(self, event: str, path: Any) -> None:
        frame = sys._getframe(3)
        # The import system lists the folders that it searches.
        if frame.f_globals.get("__name__", "").startswith(("importlib", "_frozen_imp")):
            return
        # Python's own modules take names and kinds from what `scandir` gives.
        sizes = event == "os.scandir" and self._places.owner(frame.f_code.co_filename) == "page"
        self._note("entries" if sizes else "names", self._from(path, ".") if path else ".")

    def _take_database(self, path: Any) -> None:
        """SQLite opens its files in C; what changes one changes its times."""
        name = os.fsdecode(path)
        if name.startswith("file:"):
            from urllib.parse import parse_qs, unquote, urlsplit

            address = urlsplit(name)
            name = unquote(address.path)
            if parse_qs(address.query).get("mode") == ["memory"]:
                return
        if name not in {"", ":memory:"}:
            for ending in _DATABASES:
                self._note("change", name + ending)

    def _note_open(self, path: Any, flags: int) -> None:
        writes = flags & _WRITES
        if not writes:
            self._note("read", path)
        elif flags & (os.O_TRUNC | os.O_EXCL):
            self._note("write", path)
        else:
            self._note("change", path)

    def _from(self, folder: Any, path: Any = "") -> str:
        """A path that starts from a folder, which may be one that is held open."""
        if folder is None or (folder == -1 and isinstance(folder, int)):
            return os.fsdecode(path)
        if isinstance(folder, int):
            try:
                folder = questions.readlink(f"/proc/self/fd/{folder}")
            except OSError:
                self._write(Touch(self.step, "read", ".", _UNKNOWN))
                folder = "."
        return os.path.join(os.fsdecode(folder), os.fsdecode(path))  # noqa: PTH118 - as it is

    def _note(self, kind: str, path: Any) -> bool:
        """Write a path down, once, if it belongs to the project; whether it does."""
        name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - as it is, links and all
        if kind in {"read", "change"}:
            name = _source(name)
        if (kind, name) in self._seen:
            return True
        if kind == "read" and is_folder(name):
            return False
        relative = self._places.name(name, kind)
        if relative:
            self._seen.add((kind, name))
            mark = _STAMPS.get(kind)
            self._write(Touch(self.step, kind, relative, mark(name) if mark else ""))
        return bool(relative)

    @property
    def descriptor(self) -> int:
        """What it writes to."""
        return self._file

    def _write(self, touch: Touch) -> None:
        self.changed |= touch.kind in {"process", "write", "change"}
        os.write(self._file, (json.dumps(asdict(touch)) + "\n").encode())


def _pick(words: tuple[Any, ...], at: int, start: int | None) -> tuple[Any, Any]:
    """A path of an event, after the folder that it starts from."""
    return (None if start is None else words[start]), words[at]


def _source(name: str) -> str:
    """The module's source, where Python opens the byte code that it keeps of it."""
    if not name.endswith(".pyc"):
        return name
    try:
        return importlib.util.source_from_cache(name)
    except ValueError:
        return name
