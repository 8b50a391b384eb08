"""Packages imported once for many pages, and out of sight until a page imports them."""

from __future__ import annotations

import contextlib
import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["Shelf"]


class Shelf(MetaPathFinder, Loader):
    """Imported packages that a page gets when it imports them, as if for the first time.

    Until then they are not in `sys.modules`, so that a page sees what it would see in a
    process of its own: what it has imported, and nothing that another page has.
    """

    def __init__(self) -> None:
        self._modules: dict[str, dict[str, ModuleType]] = {}
        self._along: dict[str, set[str]] = {}
        self._taken: set[str] = set()
        sys.meta_path.insert(0, self)

    def load(self, name: str) -> None:
        """Import a module, and put its package aside with all that came along."""
        package = name.partition(".")[0]
        self._taken = {package}
        before = _packages()
        # The page that imports what cannot be imported will say why.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
            came = {package} | _packages() - before - sys.stdlib_module_names
            for known in came:
                self._modules.setdefault(known, {})
                self._along.setdefault(known, {known})
            self._along[package] |= self._taken | came
        self._put_aside()

    def _put_aside(self) -> None:
        for name in list(sys.modules):
            package = name.partition(".")[0]
            if package in self._modules:
                self._modules[package][name] = sys.modules.pop(name)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Claim a package that is here."""
        return ModuleSpec(name, self) if name in self._modules else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module as it was imported, which keeps what it says of where it came from."""
        module = self._modules[spec.name][spec.name]
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Put the package in its place, and those that had come along with it."""
        name = module.__name__
        spec = module.__spec__
        module.__spec__ = spec.loader_state if spec else None
        for package in {name, *self._along.get(name, ())}:
            self._taken.add(package)
            sys.modules.update(self._modules.get(package, {}))

    def renew(self) -> None:
        """Give this process random states of its own, as importing would have."""
        before = len(sys.modules)
        numpy: Any = self._modules.get("numpy", {}).get("numpy")
        if numpy is not None:
            numpy.random.seed()
        torch: Any = self._modules.get("torch", {}).get("torch")
        if torch is not None:
            torch.default_generator.seed()
        # Seeding imports what it needs, the first time.
        if len(sys.modules) != before:
            self._put_aside()


def _packages() -> set[str]:
    return {name.partition(".")[0] for name in sys.modules}
