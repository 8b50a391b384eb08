"""The watcher of the live preview, told of files by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from literate.preview import Watcher

Told = list[str]


class Noting(FileSystemEventHandler):
    """Notes the files that it is told of, as MkDocs would rebuild for them."""

    def __init__(self) -> None:
        self.told: Told = []

    def on_any_event(self, event: FileSystemEvent) -> None:
        self.told.append(Path(str(event.dest_path or event.src_path)).name)


@pytest.fixture(params=["events", "looking"])
def watched(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Told, Told]]:
    """What the handler and the listener were told, with and without the system's events."""
    if request.param == "looking":

        def refuse(self: object) -> None:
            raise OSError("no more watches")

        monkeypatch.setattr(Observer, "start", refuse)
    saved: Told = []
    handler, watcher = Noting(), Watcher(lambda path: saved.append(path.name))
    watcher.schedule(handler, str(tmp_path))
    watcher.start()
    time.sleep(0.2)
    yield handler.told, saved
    watcher.stop()
    watcher.join()


def becomes(told: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and not told():
        time.sleep(0.05)
    return told()


def test_saved_file_is_told_of_once(watched: tuple[Told, Told], tmp_path: Path) -> None:
    told, saved = watched
    (tmp_path / "page.md").write_text("words")
    assert becomes(lambda: "page.md" in told)
    time.sleep(1.5)
    assert told.count("page.md") <= 2  # a file that is made and then written is two states
    assert saved == told


def test_what_runs_and_editors_write_is_not_told_of(
    watched: tuple[Told, Told], tmp_path: Path
) -> None:
    told, _ = watched
    for name in ("__pycache__/a.pyc", ".cache/literate/x.json", ".page.md.swp", "page.md~", "4913"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "last.md").write_text("words")
    assert becomes(lambda: "last.md" in told)
    assert set(told) == {"last.md"}
