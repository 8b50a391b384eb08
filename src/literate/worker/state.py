"""The state of a page that a claim may look at and must not change."""

from __future__ import annotations

import copy
import random
import sys
import types
from collections.abc import Mapping
from typing import Any

__all__ = ["State"]

_LEAVES = (
    str, bytes, int, float, complex, bool, type(None), type, types.ModuleType,
    types.FunctionType, types.BuiltinFunctionType, types.MethodType,
)  # fmt: skip
_MOST = 100_000


class State:
    """A page's names, random states and tensors, as they are at one moment."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names = names
        self._bound = dict(names)
        self._random = _random_states()
        tensors, generators = _reachable(names)
        self._tensors = [(value, value._version) for value in tensors]
        self._generators = [(made, copy.deepcopy(_generator_state(made))) for made in generators]
        self._figures = _figures()

    def forget(self, name: str) -> None:
        """Take a name out that evaluating binds by itself."""
        if name not in self._bound:
            self._names.pop(name, None)

    def changes(self) -> list[str]:
        """What is no longer as it was, in words."""
        found = []
        for name in sorted({*self._bound, *self._names}, key=str):
            if self._bound.get(name, self) is not self._names.get(name, self):
                found.append(f"binds the name {name!r}")
        for name, state in _random_states().items():
            if name in self._random and not _equal(state, self._random[name]):
                found.append(f"moves the random state of {name}")
        if any(not _equal(_generator_state(made), state) for made, state in self._generators):
            found.append("moves a random generator of the page")
        if _figures() != self._figures:
            found.append("opens or closes a figure")
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
    numpy: Any = sys.modules.get("numpy")
    torch: Any = sys.modules.get("torch")
    # A page may put a stub, or nothing, in place of a package.
    if hasattr(numpy, "random"):
        states["numpy"] = numpy.random.get_state()
    if hasattr(torch, "get_rng_state"):
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


def _generator_state(value: Any) -> Any:
    """The state of a random generator that a page made; None for anything else."""
    if isinstance(value, random.Random):
        return value.getstate()
    kind = f"{type(value).__module__}.{type(value).__name__}"
    if kind.startswith("numpy.random") and hasattr(value, "bit_generator"):
        return repr(value.bit_generator.state)
    if kind.startswith("torch") and type(value).__name__ == "Generator":
        return value.get_state()
    return None


def _figures() -> list[int]:
    """The numbers of the figures that pyplot holds open."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    return list(pyplot.get_fignums()) if hasattr(pyplot, "get_fignums") else []


def _reachable(names: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The tensors and the random generators that can be reached from the page's names.

    Through containers and attributes; what kind of thing a value is depends on its type
    alone, and is looked up once for each.
    """
    kinds: dict[type, str] = {}
    tensors: list[Any] = []
    generators: list[Any] = []
    waiting, seen = list(names.values()), set[int]()
    while waiting and len(seen) < _MOST:
        value = waiting.pop()
        kind = kinds.get(type(value)) or kinds.setdefault(type(value), _kind(type(value)))
        if kind == "leaf" or id(value) in seen:
            continue
        seen.add(id(value))
        if kind == "tensor":
            if not value.is_inference():
                tensors.append(value)
        elif kind == "generator":
            generators.append(value)
        elif kind == "mapping":
            waiting += [*value.keys(), *value.values()]
        elif kind == "sequence":
            waiting += value
        else:
            waiting += _attributes(value)
    return tensors, generators


def _kind(kind: type) -> str:
    """What a type's values are to this module: nothing, something it looks for, or a way on."""
    torch: Any = sys.modules.get("torch")
    name = f"{kind.__module__}.{kind.__name__}"
    if hasattr(torch, "Tensor") and issubclass(kind, torch.Tensor):
        return "tensor"
    numpys = name.startswith("numpy.random") and hasattr(kind, "bit_generator")
    if issubclass(kind, random.Random) or numpys or name == "torch._C.Generator":
        return "generator"
    # Whole pictures hang on a figure, and no tensors.
    if issubclass(kind, _LEAVES) or name.startswith("matplotlib."):
        return "leaf"
    if issubclass(kind, Mapping):
        return "mapping"
    return "sequence" if issubclass(kind, list | tuple | set | frozenset) else "object"


def _attributes(value: Any) -> list[Any]:
    """The attributes of an object; a proxy may refuse to show them."""
    try:
        held = value.__dict__
    except Exception:
        return []
    return list(held.values()) if isinstance(held, dict) else []
