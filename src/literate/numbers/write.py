"""Writes a new value the way a literal was written."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal

from literate.numbers.compare import Value, readings
from literate.numbers.literal import EXACT, Exponent, Literal

__all__ = ["write"]

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

# More digits than this no page can mean; a slip in the code must not write them.
_LONGEST = 10_000

_MINUSES = ("-", "−")


def write(literal: Literal, value: Value) -> str:
    """Write a value in the same form: digits, separators, signs, exponent, percent.

    A float is rounded half-even as the binary fraction it is, which is how Python,
    numpy and torch print it. With an exponent the mantissa keeps its number of digits
    before and after the point, and the exponent takes what is left. Zero has no sign
    but a ``+``. What is written passes `compare` with the value.

    Args:
        literal: whose form is kept.
        value: a number, or the text of one at full precision.

    Raises:
        TypeError: the value is a boolean or no number.
        ValueError: the form has no way to say it: a fraction for a literal that only
            stands for whole numbers, digits for ``inf``, 2 × 10⁻⁷ for ``10⁻⁷``.

    Examples:
        >>> from literate.numbers import read
        >>> write(read("2.4 × 10⁻⁷"), 1.6391e-08), write(read("2,304"), 1771776)
        ('1.6 × 10⁻⁸', '1,771,776')
    """
    number = readings(value)[0]
    if number.is_nan():
        return (literal.word if literal.value.is_nan() else "nan") + literal.percent
    if number.is_infinite():
        word = literal.word if literal.value.is_infinite() else "inf"
        return _sign(literal, number) + word + literal.percent
    if literal.word:
        raise ValueError(f"{literal.text!r} shows no digits that {value} could take")
    if number.adjusted() > _LONGEST + len(literal.text):
        raise ValueError(f"{number:.3e} is too large to be written out")
    if literal.exponent:
        return _scientific(literal, literal.exponent, number)
    if literal.whole and number != number.to_integral_value():
        raise ValueError(
            f"{value} is not whole, and {literal.text!r} only shows whole numbers: "
            f"quote decimals, or round in the expression"
        )
    counted = number.scaleb(-literal.place, EXACT).to_integral_value(ROUND_HALF_EVEN)
    return _sign(literal, counted) + _digits(literal, counted) + literal.percent


def _scientific(literal: Literal, exponent: Exponent, number: Decimal) -> str:
    """Write a number with an exponent that leaves the mantissa its magnitude."""
    rounding = Context(literal.digits, ROUND_HALF_EVEN, EXACT.Emin, EXACT.Emax)
    number = rounding.plus(number.scaleb(2, EXACT) if literal.percent else number)
    # The place of the mantissa's first digit that is not 0.
    first = literal.digits - literal.decimals - 1
    if number:
        power = number.adjusted() - first
    else:
        number, power = Decimal(0), 0 if literal.value else exponent.power
    if abs(power) >= _LONGEST:
        raise ValueError(f"{number:.3e} is too large or too small to be written")
    mantissa = number.scaleb(literal.decimals - power, EXACT).copy_abs()
    if not exponent.alone:
        body = _digits(literal, mantissa)
    elif mantissa == 1:
        body = ""
    else:
        raise ValueError(f"{number:.0e} is no power of ten, as {literal.text!r} is")
    return _sign(literal, number) + body + _power(exponent, power) + literal.percent


def _digits(literal: Literal, counted: Decimal) -> str:
    """Write a whole number of units of the last place shown, without its sign."""
    # A zero may carry a power of ten, which would add zeros of its own.
    text = f"{counted.copy_abs():f}" if counted else "0"
    text = text.zfill(literal.decimals + 1)
    end = len(text) - literal.decimals
    whole, decimals = text[:end], text[end:]
    if whole == "0" and decimals and not literal.width:
        whole = ""
    if literal.separator:
        whole = _grouped(whole, literal.separator)
    point = "." if decimals or literal.bare_point else ""
    return whole.zfill(literal.width) + point + decimals


def _grouped(digits: str, separator: str) -> str:
    head = len(digits) % 3
    groups = [digits[i : i + 3] for i in range(head, len(digits), 3)]
    return separator.join([digits[:head], *groups] if head else groups)


def _power(exponent: Exponent, power: int) -> str:
    """Write the exponent with all that belongs to it: ``e-07``, `` × 10⁻⁷``."""
    digits = str(abs(power)).zfill(exponent.width)
    written = (exponent.minus if power < 0 else exponent.plus) + digits
    if exponent.raised:
        written = written.translate(_RAISED)
    if exponent.before.endswith("^") and exponent.short and len(written) > 1:
        # TeX raises one character unless there are braces.
        written = f"{{{written}}}"
    return exponent.before + written + exponent.after


def _sign(literal: Literal, number: Decimal) -> str:
    if number >= 0:
        return "+" if literal.sign == "+" else ""
    if literal.sign in _MINUSES:
        return literal.sign
    # Typeset numbers have a typeset minus.
    return "−" if set(literal.text) & set("×⁻−") else "-"
