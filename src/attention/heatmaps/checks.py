"""Reads what `heatmap` is given into tuples, or says what is wrong with it.

Each reader raises a ``ValueError`` that carries the offending values and
says what to do. Tensors and arrays are read by their ``tolist``, which
knows every device and float type, so neither library is needed here.
"""

import math
import reprlib
from collections.abc import Iterator, Sequence, Set
from numbers import Real
from typing import Any, Protocol

T_MAX = 64
"""More tokens than this make no map that can be read."""

T_NUMBERS = 12
"""With more tokens than this, cells are too small for their numbers."""

DEEPEST = 8
"""Lists within more lists than these are no table; one that holds itself has no end."""

# A weight may miss 1 by some roundings of its float type; where that is
# not known, of float32.
ROUNDINGS = 4
FLOAT32_EPS = 2.0**-23
EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7}

Nested = Any  # a value, or lists of values to any depth


class HasToList(Protocol):
    """A tensor or an array."""

    def tolist(self) -> Any:
        """Give nested lists of Python numbers."""


Table = HasToList | Sequence[Any]
Weights = tuple[tuple[tuple[float, ...], ...], ...]
Mask = tuple[tuple[bool, ...], ...]


def read_weights(weights: Table) -> Weights:
    """Read ``(T, T)`` or ``(N, T, T)`` weights as ``(N, T, T)`` tuples."""
    nested = to_lists(weights, "weights")
    shape = shape_of(nested, "weights")
    check_table(shape, weights, "weights")
    check_shape(shape)
    limit = 1 + ROUNDINGS * epsilon(weights)
    for place, value in walk(nested):
        check_weight(value, f"weights{list(place)}", limit)
    maps = nested if len(shape) == 3 else [nested]
    return tuple(tuple(tuple(map(clean, row)) for row in table) for table in maps)


def read_layers(layers: Sequence[HasToList]) -> list[Any]:
    """Read the weights of layers, each ``(H, T, T)``, as they are."""
    wanted = "give (H, T, T) weights for each layer"
    try:
        found = list(layers)
    except TypeError as error:
        raise ValueError(
            f"weights are {shown(layers)}, of type {type(layers).__name__}; {wanted}"
        ) from error
    if not found:
        raise ValueError(f"weights hold no layer; {wanted}")
    for place, heads in enumerate(found):
        name = f"weights[{place}]"
        shape = shape_of(to_lists(heads, name), name)
        if len(shape) != 3:
            raise ValueError(f"{name} of shape {shape} is not (H, T, T); {wanted}")
    return found


def read_tokens(tokens: Sequence[str], T: int) -> tuple[str, ...]:
    """Read ``T`` labels."""
    names = read_strings(tokens, "tokens")
    if len(names) != T:
        raise ValueError(f"{len(names)} tokens for {T} × {T} weights; give one token for each row")
    return names


def read_titles(titles: Sequence[str] | None, N: int) -> tuple[str, ...]:
    """Read ``N`` titles; without any, several maps are numbered from 1."""
    if titles is None:
        return () if N == 1 else tuple(f"Map {n + 1}" for n in range(N))
    names = read_strings(titles, "titles")
    if len(names) != N:
        raise ValueError(f"{len(names)} titles for {N} maps; give one for each map")
    return tuple(map(tidy, names))


def read_mask(mask: Table, T: int) -> Mask:
    """Read a boolean ``(T, T)`` mask, True = hidden."""
    nested = to_lists(mask, "mask")
    shape = shape_of(nested, "mask")
    check_table(shape, mask, "mask")
    if shape != (T, T):
        larger = len(shape) == 2 and min(shape) >= T
        hint = f"mask[:{T}, :{T}] fits" if larger else f"make it {(T, T)}"
        raise ValueError(f"mask of shape {shape} for {T} tokens; {hint}")
    for place, value in walk(nested):
        if not isinstance(value, bool):
            dtype = getattr(mask, "dtype", type(value).__name__)
            raise ValueError(
                f"mask{list(place)} is {shown(value)}, of type {dtype}; "
                "give a boolean mask, True = hidden"
            )
    return tuple(tuple(row) for row in nested)


def read_words(**words: object) -> dict[str, str]:
    """Read texts, given by their names."""
    found: dict[str, str] = {}
    for name, text in words.items():
        if not isinstance(text, str):
            raise ValueError(
                f"{name}={shown(text)} is no string, but of type {type(text).__name__}; give words"
            )
        found[name] = tidy(text)
    return found


def read_strings(strings: Sequence[Any], name: str) -> tuple[str, ...]:
    """Read a sequence of strings, which is not one string itself."""
    if isinstance(strings, str | bytes):
        raise ValueError(f"{name}={shown(strings)} is one string; give a list of strings")
    if isinstance(strings, Set):
        raise ValueError(
            f"{name}, of type {type(strings).__name__}, has no order; give a list of strings"
        )
    try:
        found = tuple(strings)
    except TypeError as error:
        raise ValueError(
            f"{name} is {shown(strings)}, of type {type(strings).__name__}; give a list of strings"
        ) from error
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise ValueError(
                f"{name}[{place}] is {shown(text)}, of type {type(text).__name__}; give strings"
            )
    return tuple(map(str, found))  # numpy has a string type of its own


def tidy(text: str) -> str:
    """Put a text on one line, without what no file can hold."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())


def shown(value: object) -> str:
    """Write a value as a message shows it: on one line, and short."""
    return tidy(reprlib.repr(value))


def to_lists(values: Nested, name: str, depth: int = 0) -> Nested:
    """Turn tensors, arrays and sequences into lists, down to a depth that no table has."""
    if isinstance(values, list | tuple):
        if depth > DEEPEST:
            raise ValueError(
                f"{name} is a list in more than {DEEPEST} others; give (N, T, T) at most"
            )
        named = ((value, f"{name}[{place}]") for place, value in enumerate(values))
        return [to_lists(value, part, depth + 1) for value, part in named]
    if isinstance(values, type) or not hasattr(values, "tolist"):
        return values
    try:
        return values.tolist()
    except Exception as error:  # each library and layout raises its own
        about = [str(getattr(values, part, "")) for part in ("layout", "device")]
        kind = " ".join([type(values).__name__, *filter(None, about)])
        raise ValueError(
            f"{name}, of type {kind}, cannot be read: {tidy(str(error))}; "
            "give a dense tensor that holds its numbers, or nested lists"
        ) from error


def shape_of(nested: Nested, name: str) -> tuple[int, ...]:
    """Give the shape of nested lists, or raise where they are ragged."""
    if not isinstance(nested, list):
        return ()
    shapes = [shape_of(part, f"{name}[{place}]") for place, part in enumerate(nested)]
    for place, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(
                f"{name}[{place}] has shape {shape}, but {name}[0] has {shapes[0]}; make them alike"
            )
    return (len(shapes), *(shapes[0] if shapes else ()))


def check_table(shape: tuple[int, ...], values: object, name: str) -> None:
    """Raise if what was given has no rows at all."""
    if not shape:
        wanted = "(T, T) or (N, T, T)" if name == "weights" else "(T, T)"
        verb = "are" if name == "weights" else "is"
        raise ValueError(
            f"{name} of shape () {verb} not {wanted}, but {shown(values)}, of type "
            f"{type(values).__name__}; give a tensor, an array or nested lists"
        )


def check_shape(shape: tuple[int, ...]) -> None:
    """Raise unless a shape is ``(T, T)`` or ``(N, T, T)``, T from 1 to 64."""
    given = f"weights of shape {shape}"
    if 0 in shape:
        raise ValueError(f"{given} hold nothing; give at least one token")
    if len(shape) not in (2, 3):
        hint = "take one text, weights[0]" if len(shape) == 4 else "reshape"
        raise ValueError(f"{given} are not (T, T) or (N, T, T); {hint}")
    *_, T, columns = shape
    if columns != T:
        raise ValueError(
            f"{given} have {T} rows and {columns} columns; give one of each for each token"
        )
    if T > T_MAX:
        raise ValueError(
            f"{given} are for {T} tokens, more than {T_MAX}; "
            f"cut them, as by weights[..., :{T_MAX}, :{T_MAX}]"
        )


def check_weight(value: object, name: str, limit: float) -> None:
    """Raise unless a value is a number from 0 to the limit."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(
            f"{name} is {shown(value)}, of type {type(value).__name__}; give real numbers"
        )
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} is {number}; give finite weights")
    if number < 0:
        raise ValueError(f"{name} is {number:.6g}, below 0; give weights, not scores")
    if number > limit:
        raise ValueError(
            f"{name} is {number:.9g}, above 1; give weights, not scores, "
            "or divide by the largest value"
        )


def clean(value: Real) -> float:
    """Take off the rounding above 1, and the sign of -0.0."""
    return min(float(value), 1.0) + 0.0


def epsilon(values: object) -> float:
    """Give the step from 1 to the next number of the values' float type."""
    if isinstance(values, list | tuple):
        return max(map(epsilon, values), default=FLOAT32_EPS)
    dtype = str(getattr(values, "dtype", "")).removeprefix("torch.")
    return EPS.get(dtype, FLOAT32_EPS)


def walk(nested: Nested) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Give every value in nested lists with its indices, in order."""
    if not isinstance(nested, list):
        yield (), nested
        return
    for place, part in enumerate(nested):
        for rest, value in walk(part):
            yield (place, *rest), value
