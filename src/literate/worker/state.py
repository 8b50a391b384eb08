"""The state of a page that a claim may look at and must not change."""

from __future__ import annotations

import random
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["State"]

_LEAVES = (
    str | bytes | int | float | complex | bool | None | type | types.ModuleType
    | types.FunctionType | types.BuiltinFunctionType | types.MethodType
)  # fmt: skip
_MOST = 100_000


class State:
    """A page's names, random states and tensors, as they are at one moment."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._bound = dict(names)
        self._random = _random_states()
        self._tensors = [(tensor, tensor._version) for tensor in _tensors(names)]

    def forget(self, name: str) -> None:
        """Take a name out that evaluating binds by itself."""
        if name not in self._bound:
            self._names.pop(name, None)

    def changes(self) -> list[str]:
        """What is no longer as it was, in words."""
        found = []
        for name in sorted({*self._bound, *self._names}):
            if self._bound.get(name, self) is not self._names.get(name, self):
                found.append(f"binds the name {name!r}")
        for name, state in _random_states().items():
            if name in self._random and not _equal(state, self._random[name]):
                found.append(f"moves the random state of {name}")
        if any(tensor._version != version for tensor, version in self._tensors):
            found.append("changes a tensor in place")
        return found

    def restore(self) -> None:
        """Bring back names and random states; a tensor's old values are gone."""
        self._names.clear()
        self._names.update(self._bound)
        for name, state in self._random.items():
            _set_random_state(name, state)


def _random_states() -> dict[str, Any]:
    states: dict[str, Any] = {"random": random.getstate()}
    if "numpy" in sys.modules:
        states["numpy"] = sys.modules["numpy"].random.get_state()
    torch = sys.modules.get("torch")
    if torch is not None:
        states["torch"] = torch.get_rng_state()
    return states


def _set_random_state(name: str, state: Any) -> None:
    if name == "random":
        random.setstate(state)
    elif name == "numpy":
        sys.modules["numpy"].random.set_state(state)
    else:
        sys.modules["torch"].set_rng_state(state)


def _equal(first: Any, second: Any) -> bool:
    """Whether two random states are the same; they hold arrays and tensors."""
    if isinstance(first, tuple):
        return all(_equal(a, b) for a, b in zip(first, second, strict=True))
    same = first == second
    return bool(same.all()) if hasattr(same, "all") else bool(same)


def _tensors(names: dict[str, Any]) -> Iterator[Any]:
    """The tensors that can be reached from the page's names."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    waiting, seen = list(names.values()), set[int]()
    while waiting and len(seen) < _MOST:
        value = waiting.pop()
        if isinstance(value, _LEAVES) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, torch.Tensor):
            if not value.is_inference():
                yield value
        elif isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            waiting += value
        elif isinstance(getattr(value, "__dict__", None), dict):
            waiting += value.__dict__.values()
