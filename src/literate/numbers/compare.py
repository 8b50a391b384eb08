"""The rule for equal: whether a value, rounded to the digits shown, is the literal."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from enum import Enum
from typing import TypeAlias

from literate.numbers.literal import EXACT, Literal

__all__ = ["Value", "Verdict", "compare", "readings", "within"]

Value: TypeAlias = int | float | Decimal | str
"""What code computed; a `str` holds a number at full precision, as ``repr`` gives."""

_VALUE = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,5})?|nan|inf|infinity)",
    re.IGNORECASE,
)

# Two per cent of half a unit of the last place, counted from the rounding boundary,
# which lies half a unit from the literal.
_INNERMOST = Decimal("0.49")


class Verdict(Enum):
    """What came of comparing a literal with a value."""

    EQUAL = "equal"
    BOUNDARY = "boundary"
    DIFFERENT = "different"

    @property
    def passes(self) -> bool:
        """Whether the literal is true."""
        return self is not Verdict.DIFFERENT


def compare(literal: Literal, value: Value) -> Verdict:
    """Compare a literal with the value that it is meant to show.

    The literal passes if the value, rounded half-even *or* half-up to the digits
    shown, is the literal. Digits shown are those after the point; with an exponent
    they are the significant ones, as in every notation of this form, so that
    ``1.0e-06`` is 9.96e-07 but not 9.94e-07. A percentage is compared with 100 times
    the value. A literal with neither point, exponent nor percent sign, or with a bare
    point, only passes for the same whole number; nan and infinities only for
    themselves. The sign of zero does not count.

    A value that passes and lies within 2% of half a unit of the last place from the
    rounding boundary is a ``BOUNDARY``: another machine's last bits may carry it over.
    One on the boundary's other side rounds to another literal: it is ``DIFFERENT``
    however near, for else a page could show a digit that no reader will ever see.

    A float passes if the binary fraction it is passes, or the shortest decimal
    fraction that it prints as: of 0.285 the first prints as 0.28, and people round the
    second to 0.29. They are apart only on a boundary.

    Args:
        literal: as read.
        value: a number, or the text of one at full precision.

    Raises:
        TypeError: the value is a boolean or no number.
        ValueError: the text is not that of a number.

    Examples:
        >>> from literate.numbers import read
        >>> compare(read("93%"), 0.92977)
        <Verdict.EQUAL: 'equal'>
        >>> compare(read("0.13"), 0.125)
        <Verdict.BOUNDARY: 'boundary'>
    """
    for reading in readings(value):
        verdict = _compare(literal, reading)
        if verdict.passes:
            return verdict
    return Verdict.DIFFERENT


def within(literal: Literal, value: Value, tolerance: Value) -> bool:
    """Whether a value lies no further from a literal than an explicit tolerance.

    Args:
        literal: as read.
        value: a number, or the text of one at full precision.
        tolerance: in the value's own units; 0.01 for one point of per cent.

    Raises:
        TypeError: the value or the tolerance is a boolean or no number.
        ValueError: one of them is not the text of a number, or the tolerance is
            negative or not finite.
    """
    allowed = readings(tolerance)[-1]
    if not allowed.is_finite() or allowed < 0:
        raise ValueError(f"a tolerance is a number from 0 on, not {tolerance}")
    reading = readings(value)[-1]
    if not (literal.value.is_finite() and reading.is_finite()):
        return _same(literal.value, reading)
    # A value can be as small as 1e-99999: it is not added to anything.
    lowest = EXACT.subtract(literal.value, allowed)
    return lowest <= reading <= EXACT.add(literal.value, allowed)


def readings(value: Value) -> tuple[Decimal, ...]:
    """The exact numbers that a value may be taken for.

    That is one, but for a float, or the text of one, two: the binary fraction that it
    is, then the shortest decimal fraction that stands for it.

    Raises:
        TypeError: the value is a boolean or no number.
        ValueError: the text is not that of a number.
    """
    if isinstance(value, bool):
        raise TypeError(f"{value} is a boolean, not a number")
    if isinstance(value, Decimal):
        return (value,)
    if isinstance(value, int):
        return (Decimal(value),)
    if isinstance(value, float):
        # By this name also for subclasses, which may print themselves otherwise.
        return _of_float(value, EXACT.create_decimal(float.__repr__(value)))
    if isinstance(value, str):
        return _of_text(value.strip())
    raise TypeError(f"an int, float, Decimal or text is wanted, not {type(value)}")


def _of_text(text: str) -> tuple[Decimal, ...]:
    if not _VALUE.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a number")
    exact = EXACT.create_decimal(text)
    if not exact.is_finite() or not set(text) & set(".eE"):
        return (exact,)
    return _of_float(float(text), exact)


def _of_float(number: float, shortest: Decimal) -> tuple[Decimal, ...]:
    binary = Decimal.from_float(number)
    # A text with more digits than a float has is not a float's.
    is_float = shortest == EXACT.create_decimal(float.__repr__(number))
    return (binary, shortest) if is_float and binary != shortest else (shortest,)


def _compare(literal: Literal, value: Decimal) -> Verdict:
    if literal.word or not value.is_finite() or literal.whole or not value:
        same = _same(literal.value, value)
        return Verdict.EQUAL if same else Verdict.DIFFERENT
    place = literal.place
    if literal.exponent:
        place = value.adjusted() - literal.digits + 1
    shown, counted = (number.scaleb(-place, EXACT) for number in (literal.value, value))
    modes = (ROUND_HALF_EVEN, ROUND_HALF_UP)
    if shown not in [counted.to_integral_value(mode) for mode in modes]:
        return Verdict.DIFFERENT
    # The units are whole here, and far apart numbers are compared, never subtracted.
    lowest = EXACT.subtract(shown, _INNERMOST)
    inside = lowest < counted < EXACT.add(shown, _INNERMOST)
    return Verdict.EQUAL if inside else Verdict.BOUNDARY


def _same(first: Decimal, second: Decimal) -> bool:
    return first == second or (first.is_nan() and second.is_nan())
