"""What a record must be: the checks of `read_record`, kept apart."""

from collections.abc import Iterator
from typing import Any

FORMAT, SCALE = 1, 1000
AGAIN = "make it again with scripts/record_gpt2.py"


def problem_of(values: Any) -> str:
    """Say the first thing that keeps values from being a record."""
    if not isinstance(values, dict) or "format" not in values:
        return "not a record"
    if values["format"] != FORMAT:
        return f"format {values['format']!r} is not {FORMAT}"
    return next(_problems(values), "")


def _problems(values: dict[str, Any]) -> Iterator[str]:
    missing = sorted(_KINDS.keys() - values.keys())
    if missing:
        yield f"it has no {', '.join(missing)}"
    for name, (kind, words) in _KINDS.items():
        if type(values[name]) is not kind:
            yield f"{name} is not {words}"
    if values["scale"] != SCALE:
        yield f"scale {values['scale']} is not {SCALE}"
    T = len(values["tokens"])
    if T < 1 or not all(isinstance(t, str) for t in values["tokens"]):
        yield "tokens are not texts, at least one"
    if len(values["ids"]) != T or not all(map(_is_count, values["ids"])):
        yield f"ids are not {T} whole numbers"
    for name in ("sha256", "versions"):
        if not all(isinstance(v, str) for v in values[name].values()):
            yield f"{name} are not texts by name"
    yield from _wrong_predictions(values["predictions"], T)
    yield from _wrong_maps(values["maps"], T)


_KINDS = {
    "scale": (int, "a whole number"),
    "text": (str, "a text"),
    "tokens": (list, "a list"),
    "ids": (list, "a list"),
    "maps": (list, "a list"),
    "predictions": (list, "a list"),
    "source": (str, "a text"),
    "sha256": (dict, "an object"),
    "published": (bool, "true or false"),
    "versions": (dict, "an object"),
}


def _is_count(value: Any) -> bool:
    """Whether it is a whole number from 0 up; true and false are none."""
    return type(value) is int and value >= 0


def _is_share(value: Any) -> bool:
    return _is_count(value) and value <= SCALE


def _wrong_predictions(predictions: list[Any], T: int) -> Iterator[str]:
    if len(predictions) != T:
        yield f"predictions are for {len(predictions)} positions, not {T}"
    for position, best in enumerate(predictions):
        if not isinstance(best, list) or not best:
            yield f"there is no prediction at position {position}"
        elif not all(map(_is_prediction, best)):
            yield (
                f"a prediction at position {position} is not a token, its "
                f"id and a probability from 0 to {SCALE}"
            )
        elif best != sorted(best, key=lambda one: -one[2]):
            yield f"predictions at position {position} are out of order"


def _is_prediction(one: Any) -> bool:
    return (
        isinstance(one, list)
        and len(one) == 3
        and isinstance(one[0], str)
        and _is_count(one[1])
        and _is_share(one[2])
    )


def _wrong_maps(maps: list[Any], T: int) -> Iterator[str]:
    if not maps or not all(isinstance(h, list) and h for h in maps):
        yield "maps hold no layer, or a layer without heads"
    if len({len(heads) for heads in maps}) > 1:
        yield "layers have different numbers of heads"
    for layer, heads in enumerate(maps):
        for head, rows in enumerate(heads):
            where = f"the map of layer {layer}, head {head}"
            if not isinstance(rows, list) or len(rows) != T:
                yield f"{where} has not {T} rows"
            for i, row in enumerate(rows):
                yield from _wrong_row(f"row {i} of {where}", row, i + 1)


def _wrong_row(where: str, row: Any, count: int) -> Iterator[str]:
    if not isinstance(row, list) or len(row) != count:
        yield f"{where} has not {count} numbers"
    if not all(map(_is_share, row)):
        yield f"{where} holds more than whole numbers from 0 to {SCALE}"
    # Each number was rounded by half a thousandth at most.
    if 2 * abs(sum(row) - SCALE) > count:
        yield f"{where} adds up to {sum(row)} of {SCALE}"
