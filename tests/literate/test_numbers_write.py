"""A new value is written in the form of the literal that it takes the place of."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal

import pytest

from literate.numbers import Value, Verdict, compare, read, write

# title, literal, value, what is written
TABLE: list[tuple[str, str, Value, str]] = [
    ("decimals", "0.17", 0.1812, "0.18"),
    ("more places before the point", "0.17", 12.3456, "12.35"),
    ("trailing zeros", "0.576", 0.5, "0.500"),
    ("leading point", ".665", 0.33, ".330"),
    ("leading point, larger", ".665", 1.5, "1.500"),
    ("leading point, negative", ".665", -0.5, "-.500"),
    ("padded", "07", 8, "08"),
    ("bare point", "2.", 3.0, "3."),
    ("integer", "8", 9.0, "9"),
    ("thousands", "2,304", 1771776, "1,771,776"),
    ("fewer thousands", "2,304", 768, "768"),
    ("thousands with decimals", "1,024.5", 2362368.25, "2,362,368.2"),
    ("TeX thousands", "1{,}024", 2304, "2{,}304"),
    ("thin spaces", "2\u2009304", 1771776, "1\u2009771\u2009776"),
    ("narrow spaces", "2\u202f304", 1771776, "1\u202f771\u202f776"),
    ("beyond the usual precision", "1,024", 10**30 + 1, "1" + ",000" * 9 + ",001"),
    ("none where none was", "2362368", 1771776, "1771776"),
    ("percent", "93%", 0.58, "58%"),
    ("TeX percent", r"93.0\%", 0.58, r"58.0\%"),
    ("percent after a blank", "93\u202f%", 0.58, "58\u202f%"),
    ("minus", "-0.5", -0.25, "-0.2"),
    ("typeset minus", "−0.5", -0.75, "−0.8"),
    ("minus goes", "−0.5", 0.75, "0.8"),
    ("minus comes", "0.5", -0.75, "-0.8"),
    ("typeset minus comes", "2.4 × 10⁻⁷", -1e-7, "−1.0 × 10⁻⁷"),
    ("typeset minus, alone", "10⁻⁷", -1e-7, "−10⁻⁷"),
    ("typeset minus in TeX", "10^{−7}", -1e-7, "−10^{−7}"),
    ("plus stays", "+0.5", 0.75, "+0.8"),
    ("plus goes", "+0.5", -0.75, "-0.8"),
    ("no negative zero", "-0.5", -1e-9, "0.0"),
    ("exponent", "2.4e-7", 1.6391e-08, "1.6e-8"),
    ("exponent of two digits", "2.4e-07", 1.6391e-08, "1.6e-08"),
    ("exponent, Python's plus", "2.4e-07", 1.6e5, "1.6e+05"),
    ("exponent, no plus", "2.4e-7", 1.6e5, "1.6e5"),
    ("exponent, capital", "2.4E7", 1.6e-5, "1.6E-5"),
    ("exponent, carried", "2.4e-7", 9.96e-7, "1.0e-6"),
    ("exponent, mantissa of two", "24e-8", 2.98e-7, "30e-8"),
    ("exponent, mantissa below one", "0.24e-6", 2.98e-5, "0.30e-4"),
    ("exponent, bare point", "1.e-05", 2e-6, "2.e-06"),
    ("exponent, zero", "2.4e-07", 0.0, "0.0e+00"),
    ("exponent, from zero", "0.0e+00", 1.23e-9, "1.2e-09"),
    ("exponent of zero stays", "0 × 10¹", 0, "0 × 10¹"),
    ("zero of any exponent", "768", Decimal("0e5"), "0"),
    ("superscript", "2.4 × 10⁻⁷", 2.98e-12, "3.0 × 10⁻¹²"),
    ("superscript, positive", "2.4 × 10⁻⁷", 6291456, "6.3 × 10⁶"),
    ("TeX exponent", r"2.4 \times 10^{-7}", 2.98e6, r"3.0 \times 10^{6}"),
    ("TeX exponent, dot", r"2.4 \cdot 10^{-7}", 2.98e-8, r"3.0 \cdot 10^{-8}"),
    ("TeX braces come", r"2.4 \cdot 10^7", 2.98e-8, r"3.0 \cdot 10^{-8}"),
    ("no TeX braces", "2.4 x 10^-7", 2.98e-8, "3.0 x 10^-8"),
    ("power of ten", "10⁻⁷", 1.2e-9, "10⁻⁹"),
    ("power of ten in TeX", "10^{-7}", 1e9, "10^{9}"),
    ("nan", "0.576", math.nan, "nan"),
    ("nan percent", "93%", math.nan, "nan%"),
    ("nan stays", "NaN", math.nan, "NaN"),
    ("inf", "0.576", -math.inf, "-inf"),
    ("inf keeps its form", "∞", -math.inf, "-∞"),
    ("inf from nan", "nan", math.inf, "inf"),
    ("float as Python prints it", "0.12", 0.285, "0.28"),
    ("text of a float likewise", "0.12", "0.295", "0.29"),
]


@pytest.mark.parametrize(
    ("text", "value", "written"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_value_takes_the_form_of_the_literal(text: str, value: Value, written: str) -> None:
    literal = read(text)
    assert literal is not None
    assert write(literal, value) == written


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("8", 7.6, "not whole"),
        ("2.", 2.5, "not whole"),
        ("inf", 0.5, "no digits"),
        ("nan", 0.5, "no digits"),
        ("10⁻⁷", 2.384e-7, "no power of ten"),
        ("10⁻⁷", 0, "no power of ten"),
        ("0.5", "1e99999", "too large"),
        ("1e5", "1e-99999", "too small"),
        ("0.5", "half", "is not a number"),
    ],
)
def test_what_the_form_cannot_say_is_refused(text: str, value: Value, reason: str) -> None:
    literal = read(text)
    assert literal is not None
    with pytest.raises(ValueError, match=reason):
        write(literal, value)


def test_boolean_is_refused() -> None:
    literal = read("1")
    assert literal is not None
    with pytest.raises(TypeError):
        write(literal, True)


def test_what_a_program_set_as_its_precision_does_not_matter() -> None:
    literal = read("−1,024.500")
    assert literal is not None
    signals = [decimal.Inexact, decimal.Rounded, decimal.FloatOperation]
    with decimal.localcontext(decimal.Context(prec=1, traps=signals)):
        assert write(literal, -2362368.0004) == "−2,362,368.000"
        assert compare(literal, -1024.50049) is Verdict.EQUAL
