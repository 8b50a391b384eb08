"""Where workers come from: forked where that is safe, else started one by one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from literate.execute.kin import Kin
from literate.execute.link import Link
from literate.execute.nursery import Nursery
from literate.execute.process import Process

__all__ = ["CAN_FORK", "Workers"]

CAN_FORK = sys.platform == "linux"
"""Elsewhere system libraries may have threads that a copy of a process would lack."""


class Workers:
    """Gives workers to pages, and ends what they came from."""

    def __init__(self, root: Path) -> None:
        """Start nothing yet.

        Args:
            root: the folder that the code runs in.
        """
        self.root = root
        self._preload: list[str] = []
        self._kin = Kin()
        self._nurseries: dict[int, Nursery] = {}
        self._lock = threading.Lock()
        self._spare: Process | None = None

    def preload(self, names: Sequence[str]) -> None:
        """Have modules imported once for all pages; before the first of them.

        Args:
            names: of the modules.
        """
        # One of the project's own would be taken for it, from the folder the code runs in.
        self._preload = [name for name in names if not self._is_ours(name)]
        for nursery in self._nurseries.values():
            self._tell(nursery)

    def _tell(self, nursery: Nursery) -> None:
        # With more threads than one, importing starts some, and forking is over.
        nursery.preload(self._preload if nursery.threads == 1 else ())

    def _is_ours(self, name: str) -> bool:
        package = name.partition(".")[0]
        return any((self.root / found).exists() for found in (package, f"{package}.py"))

    def worker(
        self, threads: int, folder: Path, fork: bool = CAN_FORK, alone: bool = False
    ) -> Link:
        """A worker in a clean process.

        Args:
            threads: how many numerical libraries may use.
            folder: the run's own.
            fork: False for a process that is not forked from one that was there.
            alone: True for one that is forked from a process of which nothing else is.
        """
        if not fork:
            return self._started(threads, folder)
        if alone:
            return Nursery(threads, self.root, self._kin).only_worker()
        nursery = self._nursery(threads)
        self._tell(nursery)
        return nursery.worker()

    def _nursery(self, threads: int) -> Nursery:
        with self._lock:
            nursery = self._nurseries.get(threads)
            if nursery is None or not nursery.alive:
                if nursery:
                    # Each run ends its own worker; here goes what no run knows of.
                    nursery.close()
                    self._kin.end_orphans()
                nursery = Nursery(threads, self.root, self._kin)
                self._nurseries[threads] = nursery
            return nursery

    def _started(self, threads: int, folder: Path) -> Process:
        """A process of its own: the spare one if there is, else one that starts now."""
        with self._lock:
            spare = self._spare
            if spare and threads == 1 and spare.alive:
                self._spare = None
                return spare
        return Process(threads, self.root, folder, self._kin)

    def start(self, threads: int) -> None:
        """Start what pages will come from, where that is one process, ahead of `preload`.

        Args:
            threads: how many numerical libraries may use.
        """
        if CAN_FORK:
            self._nursery(threads)

    def make_ready(self) -> None:
        """Start what the next page will come from before anybody asks for it."""
        if CAN_FORK:
            self._tell(self._nursery(1))
            return
        with self._lock:
            if self._spare is None:
                self._spare = Process(1, self.root, None, self._kin)
                self._spare.send({"do": "load", "names": self._preload})

    def end(self) -> None:
        """End everything."""
        if self._spare:
            self._spare.end()
            self._spare = None
        for nursery in self._nurseries.values():
            nursery.end()
        self._nurseries.clear()
        self._kin.end()

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()
