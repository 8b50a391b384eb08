"""Whose a file is, and whose code asks for it."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

__all__ = ["STDLIB", "Places"]

STDLIB = {path for name in ("stdlib", "platstdlib") if (path := sysconfig.get_path(name))}
"""The folders of Python's own modules."""

_NOBODYS = {".git", ".cache", ".venv", "site-packages", "dist-packages", "node_modules"}
"""Folders whose files are no part of a project."""

_PACKAGES = ("site-packages", "dist-packages")

_SYSTEMS = ("/dev/", "/proc/", "/sys/")

_LOOKERS = {"linecache.py", "inspect.py", "tokenize.py", "traceback.py", "warnings.py"}
"""Modules of Python that look for the source of what they are about to show."""

_NEAR_ROOTS = ("/etc/", "/usr/", "/var/", "/opt/", "/Library/", "/System/", "C:\\Windows\\")
"""Where packages find fonts, certificates and settings for themselves."""


class Places:
    """Tells what belongs to a page from what belongs to Python, packages and `literate`."""

    def __init__(self, root: Path, folder: Path) -> None:
        """Places as one page sees them.

        Args:
            root: the folder that the code runs in.
            folder: the run's own.
        """
        self.root = str(root.absolute())
        self._prefixes = tuple({f"{root.absolute()}{os.sep}", f"{root.resolve()}{os.sep}"})
        self._beside = tuple(
            f"{Path(name).parent}{os.sep}" for name in self._prefixes if len(Path(name).parts) > 2
        )
        installed = {sys.prefix, sys.base_prefix, sys.exec_prefix}
        self._installed = tuple(f"{Path(name).absolute()}{os.sep}" for name in installed)
        inside = (name for name in self._installed if name.startswith(self._prefixes))
        self._engine = f"{Path(__file__).parents[1]}{os.sep}"
        self._nobodys = (*inside, self._engine, f"{folder}{os.sep}")
        self._stdlib = tuple(f"{name}{os.sep}" for name in STDLIB)
        self._whose: dict[str, str] = {}

    def name(self, path: str, kind: str) -> str:
        """A path as seen from the root; empty for one that is nobody's business.

        A file of the project is everybody's. For one that is not, it counts whose code
        asks: what packages keep for themselves is theirs.
        """
        if path == self.root or f"{path}{os.sep}" in self._prefixes:
            return "."
        if path.startswith(self._nobodys) or path.startswith(_SYSTEMS):
            return ""
        for prefix in self._prefixes:
            if path.startswith(prefix):
                parts = Path(path[len(prefix) :]).parts
                ours = not _NOBODYS & set(parts) or self._asked_for(parts, kind)
                return "/".join(parts) if ours else ""
        return self._far(path) if self._counts_outside(path, kind) else ""

    def _asked_for(self, parts: tuple[str, ...], kind: str) -> bool:
        """Whether page code means a file there: lists of all folders go through these too."""
        if kind not in {"read", "change", "stat"}:
            return False
        return not set(_PACKAGES) & set(parts) and self.asker() == "page"

    def _counts_outside(self, path: str, kind: str) -> bool:
        """Whether something beside the project counts."""
        if kind == "write":
            return True
        parts = Path(path).parts
        if path.startswith(self._installed) or set(_PACKAGES) & set(parts):
            return False
        if kind in {"module", "shadows"}:
            return True
        if self.root.startswith(path.rstrip(os.sep) + os.sep):
            # Resolving a path asks for each folder above it.
            return False
        if self.asker() == "page" or (kind == "read" and path.endswith(".py")):
            return True
        hidden = any(part.startswith(".") for part in parts)
        return kind == "read" and not hidden and not path.startswith(_NEAR_ROOTS)

    def _far(self, path: str) -> str:
        """The name of what is outside: as seen from the root where it is near."""
        for beside in self._beside:
            if path.startswith(beside):
                return "/".join(["..", *Path(path[len(beside) :]).parts])
        return path

    def asker(self) -> str:
        """Whose code asks: that of the ``page`` or project, a ``looker``'s, or ``other``.

        Python's own modules ask on behalf of what has called them.
        """
        frame = sys._getframe(1)
        while True:
            file = frame.f_code.co_filename
            whose = self.owner(file)
            if whose:
                return whose
            if frame.f_back is None:
                # A thread that the page has started.
                return "page"
            frame = frame.f_back

    def owner(self, file: str) -> str:
        """Whose a file of code is; empty for Python's own and for the ears of this package."""
        whose = self._whose.get(file)
        if whose is None:
            whose = self._whose[file] = self._find_owner(file)
        return whose

    def _find_owner(self, file: str) -> str:
        path = Path(file)
        if file.startswith(("<frozen importlib", "<frozen zipimport")):
            return "looker"
        if file.startswith("<"):
            return ""
        if not path.is_absolute():
            return "page"
        if file.startswith(self._engine):
            ears = {"places.py", "recorder.py", "questions.py", "surroundings.py"}
            return "" if path.name in ears else "other"
        if set(_PACKAGES) & set(path.parts):
            return "other"
        if file.startswith(self._stdlib):
            imports = path.parent.name == "importlib" or path.parent.name == "metadata"
            return "looker" if path.name in _LOOKERS or imports else ""
        return "other" if file.startswith((*self._installed, *self._nobodys)) else "page"
