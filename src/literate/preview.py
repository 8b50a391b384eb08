"""The watcher of a live preview: quick where the system tells of changes, right everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.livereload import LiveReloadServer
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.polling import PollingObserver

__all__ = ["Watcher", "watch"]

IGNORED = {
    "__pycache__", ".cache", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache",
}  # fmt: skip
"""Folders that runs and tools write to."""

_NOBODYS = re.compile(r".*~|#.*#|\.#.*|.*\.sw[a-z]|4913")
"""Files that editors make while they save, or while somebody types."""

QUIET = 0.05
"""Seconds without a change after which a save is over."""

_LOOKS = 1.0
"""Seconds between two looks at all files, for what the system does not tell."""


def watch(server: LiveReloadServer, saved: Callable[[Path], None]) -> None:
    """Have a server of MkDocs learn at once of what is saved.

    Args:
        server: before it serves.
        saved: told of each file that was saved, while a rebuild may be running.
    """
    paths = list(server._watched_paths)
    for path in paths:
        server.unwatch(path)
    server.observer = Watcher(saved)  # type: ignore[assignment]
    server.build_delay = QUIET
    for path in paths:
        server.watch(path)


class Watcher:
    """Tells of each change once, by events of the system and by looking from time to time.

    File systems of other machines and containers send no events, so it looks as well. A
    file whose times and size are those of which it has told is no news.
    """

    def __init__(self, saved: Callable[[Path], None]) -> None:
        """A watcher that watches nothing.

        Args:
            saved: told of each file that was saved.
        """
        self._saved = saved
        self._observers: list[Any] = [Observer(), PollingObserver(timeout=_LOOKS)]
        self._told: dict[str, str] = {}
        self._watched: dict[str, list[tuple[Any, Any]]] = {}

    def schedule(self, handler: Any, path: str, recursive: bool = True) -> str:
        """Watch a file, or a folder with what is below it."""
        ours = _Handler(self._is_news, handler.on_any_event, self._saved)
        place = Path(path)
        if place.is_file():
            # Its folder: an editor may put a new file in the place of the old one.
            ours.only, place, recursive = path, place.parent, False
        self._watched[path] = [
            (observer, observer.schedule(ours, str(place), recursive=recursive))
            for observer in self._observers
        ]
        return path

    def unschedule(self, path: str) -> None:
        """Watch it no more."""
        for observer, watched in self._watched.pop(path, []):
            observer.unschedule(watched)

    def start(self) -> None:
        """Begin to tell."""
        native, polling = self._observers
        try:
            native.start()
        except OSError:
            # The system watches as many files as it can; looking has to do.
            self._observers = [polling]
        polling.start()

    def stop(self) -> None:
        """Tell no more."""
        for observer in self._observers:
            if observer.is_alive():
                observer.stop()

    def join(self) -> None:
        """Wait until it has stopped."""
        for observer in self._observers:
            if observer.is_alive():
                observer.join()

    def _is_news(self, path: str) -> bool:
        """Whether a file is not as it was when it was told of last."""
        try:
            status = Path(path).stat()
            stamp = f"{status.st_mtime_ns} {status.st_ctime_ns} {status.st_size} {status.st_ino}"
        except OSError:
            stamp = "gone"
        if self._told.get(path) == stamp:
            return False
        self._told[path] = stamp
        return True


class _Handler(FileSystemEventHandler):
    """Passes on what is news and somebody's business."""

    only = ""

    def __init__(
        self,
        is_news: Callable[[str], bool],
        tell: Callable[[FileSystemEvent], None],
        saved: Callable[[Path], None],
    ) -> None:
        self._is_news, self._tell, self._saved = is_news, tell, saved

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.is_directory or event.event_type in {"opened", "closed_no_write"}:
            return
        paths = [str(path) for path in (event.src_path, event.dest_path) if path]
        news = [path for path in paths if self._concerns(path) and self._is_news(path)]
        for path in news:
            self._saved(Path(path).resolve())
        if news:
            self._tell(event)

    def _concerns(self, path: str) -> bool:
        place = Path(path)
        if self.only and path != self.only:
            return False
        return not (IGNORED & set(place.parts) or _NOBODYS.fullmatch(place.name))
