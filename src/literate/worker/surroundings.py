"""The environment's variables, with an ear."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["ALL", "listen"]

ALL = "*"
"""Stands for the whole environment."""


def listen(ear: Callable[[str], None]) -> None:
    """Have an ear told of each variable that is asked for, there or not."""
    environ: Any = os.environ
    decode = environ.decodekey

    class Heard(dict[Any, Any]):
        """What `os.environ` keeps its variables in."""

        def __getitem__(self, key: Any) -> Any:
            ear(decode(key))
            return super().__getitem__(key)

        def __contains__(self, key: object) -> bool:
            ear(decode(key))
            return super().__contains__(key)

        def __iter__(self) -> Iterator[Any]:
            ear(ALL)
            return super().__iter__()

        def keys(self) -> Any:
            ear(ALL)
            return super().keys()

        def values(self) -> Any:
            ear(ALL)
            return super().values()

        def items(self) -> Any:
            ear(ALL)
            return super().items()

    environ._data = heard = Heard(environ._data)
    if hasattr(os, "environb"):
        bare: Any = os.environb
        bare._data = heard
