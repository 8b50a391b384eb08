"""A literal passes when the value, rounded to the digits shown, is the literal."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from literate.numbers import Literal, Value, Verdict, compare, read, within

EQUAL, BOUNDARY, DIFFERENT = Verdict.EQUAL, Verdict.BOUNDARY, Verdict.DIFFERENT


def literal_of(text: str) -> Literal:
    literal = read(text)
    assert literal is not None
    return literal


# title, literal, value, verdict
TABLE: list[tuple[str, str, Value, Verdict]] = [
    ("digits shown", "0.576", 0.57611686, EQUAL),
    ("stale", "0.17", 0.1812, DIFFERENT),
    ("one off", "0.577", 0.5764, DIFFERENT),
    ("leading point", ".665", 0.66524088, EQUAL),
    ("negative", "-.129", -0.12909645, EQUAL),
    ("minus sign", "−0.33", -1 / 3, EQUAL),
    ("wrong sign", "0.33", -1 / 3, DIFFERENT),
    ("plus", "+1.41", 1.4109269, EQUAL),
    ("trailing zeros", "1.00", 0.99767601, EQUAL),
    ("text of a value", "0.090", "0.090030566", EQUAL),
    ("fewer digits computed", "0.5764", 0.58, DIFFERENT),
    ("whole and digits", "8.0", 8, EQUAL),
    ("rounded terms", "12.825", 12.825, EQUAL),
    ("exact sum", "12.825", 2 * math.e + math.exp(2), DIFFERENT),
    ("zero", "0.000", -1e-9, EQUAL),
    ("negative zero", "-0.000", 1e-9, EQUAL),
    ("zero itself", "-0.000", 0, EQUAL),
    ("bfloat16", "0.5", 0.5, EQUAL),
    ("float32", "0.96", 0.9599999785423279, EQUAL),
    ("integer", "2,362,368", 2362368, EQUAL),
    ("integer off by one", "2,362,368", 2362369, DIFFERENT),
    ("integer and whole float", "8", 8.0, EQUAL),
    ("integer and fraction", "8", 7.6, DIFFERENT),
    ("integer and nearly whole", "1", 0.99999988, DIFFERENT),
    ("integer beyond floats", "9007199254740993", 2**53 + 1, EQUAL),
    ("integer next to a float", "9007199254740993", 2.0**53, DIFFERENT),
    ("thin spaces", "6\u2009291\u2009456", 6291456, EQUAL),
    ("bare point, whole", "2.", 2.0, EQUAL),
    ("bare point, fraction", "2.", 2.0001, DIFFERENT),
    ("bare point, zero", "-0.", 0.0, EQUAL),
    ("percent", "93%", 0.92977917, EQUAL),
    ("percent with digits", "24.5%", 0.24472845, EQUAL),
    ("percent is 100 times", "93%", 92.977921, DIFFERENT),
    ("percent whole", "80%", 0.8, EQUAL),
    ("exponent", "2.4 × 10⁻⁷", 2.384e-7, EQUAL),
    ("exponent, another kernel", "2.4e-7", 2.98023224e-07, DIFFERENT),
    ("exponent in TeX", r"2.4 \times 10^{-7}", 2.384e-7, EQUAL),
    ("exponent, magnitude", "2.4e-7", 2.384e-6, DIFFERENT),
    ("exponent, value above one", "6.3 × 10⁶", 6291456, EQUAL),
    ("exponent, carried", "1.0e-06", 9.96e-07, EQUAL),
    ("exponent, not carried", "1.0e-06", 9.94e-07, DIFFERENT),
    ("exponent, unusual mantissa", "24e-8", 2.384e-7, EQUAL),
    ("exponent, zero", "0.0e+00", 0.0, EQUAL),
    ("exponent, zero is not small", "0.0e+00", 1e-9, DIFFERENT),
    ("exponent, small is not zero", "1e-9", 0.0, DIFFERENT),
    ("power of ten", "10⁻⁷", 1.2e-7, EQUAL),
    ("power of ten, other", "10⁻⁷", 1.6e-7, DIFFERENT),
    ("large power of ten", "10^7", 10**7, EQUAL),
    ("inf", "inf", math.inf, EQUAL),
    ("inf, sign", "-inf", math.inf, DIFFERENT),
    ("inf, finite", "inf", 1e308, DIFFERENT),
    ("∞", "−∞", -math.inf, EQUAL),
    ("inf, text", "-∞", "-inf", EQUAL),
    ("nan", "nan", math.nan, EQUAL),
    ("nan and number", "nan", 0.5, DIFFERENT),
    ("number and nan", "0.5", math.nan, DIFFERENT),
    ("number and inf", "0.5", math.inf, DIFFERENT),
    ("nan and inf", "nan", math.inf, DIFFERENT),
    ("tie, half-even", "0.12", 0.125, BOUNDARY),
    ("tie, half-up", "0.13", 0.125, BOUNDARY),
    ("tie, half-even below zero", "-0.12", -0.125, BOUNDARY),
    ("tie, half-up below zero", "-0.13", -0.125, BOUNDARY),
    ("tie, both round up", "0.14", 0.135, BOUNDARY),
    ("tie, neither rounds down", "0.13", Decimal("0.135"), DIFFERENT),
    ("just above", "0.126", 0.1255073, BOUNDARY),
    ("just above, wrong side", "0.125", 0.1255073, DIFFERENT),
    ("just below", "0.125", 0.1254927, BOUNDARY),
    ("at 2%", "0.125", Decimal("0.12549"), BOUNDARY),
    ("beyond 2%", "0.125", Decimal("0.125489"), EQUAL),
    ("2% below the literal", "0.125", Decimal("0.12451"), BOUNDARY),
    ("near, not within 2%", "-4.000", -4.0004659, EQUAL),
    ("percent boundary", "93%", 0.92505, BOUNDARY),
    ("exponent boundary", "2.4e-7", 2.4495e-7, BOUNDARY),
    ("around zero", "0.0", -0.0499, BOUNDARY),
    ("the printed form of a float", "0.29", 0.285, BOUNDARY),
    ("the binary form of a float", "0.28", 0.285, BOUNDARY),
    ("Python prints 0.29", "0.29", 0.295, BOUNDARY),
    ("people round to 0.30", "0.30", 0.295, BOUNDARY),
    ("the same as text", "0.29", "0.295", BOUNDARY),
    ("a decimal is one number", "0.29", Decimal("0.295"), DIFFERENT),
    ("tiny beyond floats", "0.000", "1e-99999", EQUAL),
    ("huge beyond floats", "0.5", "1e99999", DIFFERENT),
    ("integer of many digits", "8", 10**6000, DIFFERENT),
]


@pytest.mark.parametrize(
    ("text", "value", "verdict"),
    [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)
def test_rule_for_equal(text: str, value: Value, verdict: Verdict) -> None:
    assert compare(literal_of(text), value) is verdict


# The literals of a chapter on attention with the values that its code gives.
CHAPTER: list[tuple[str, str]] = [
    ("2.718 7.389 12.825 1.414", "2.7182818 7.3890561 12.825 1.4142136"),
    (".665 .090 .245", "0.66524088 0.090030566 0.24472845"),
    ("0.212 0.788 0.576", "0.21194156 0.7880584 0.57611686"),
    ("2 0 1 0 2 1", "2.0 0.0 1.0 0.0 2.0 1.0"),
    ("1.41 2.00 7.99 27.73", "1.4109269 2.0024285 7.9938855 27.725668"),
    ("-9.799 -4.000 -0.607", "-9.7990971 -4.0004659 -0.60687101"),
    ("2.800 -3.593 -0.429", "2.8003042 -3.5933187 -0.42859387"),
    ("0.000 0.001 0.031", "3.1371067e-06 0.0010347681 0.030807929"),
    ("0 -inf .707", "0.0 -inf 0.70710677"),
    ("0.000 0.000 0.299", "0 0 0.29922688"),
    ("-.782 .115 -.200", "-0.78152996 0.11531329 -0.19987398"),
    ("1,769,472 2,304 590,592", "1769472 2304 590592"),
    ("24.5% 0.250 0.125", "0.24472845 0.25 0.125"),
    ("6.3 0.167", "6.291456 0.16666667"),
]


@pytest.mark.parametrize(("texts", "values"), CHAPTER)
def test_literals_of_a_chapter_pass(texts: str, values: str) -> None:
    for text, value in zip(texts.split(), values.split(), strict=True):
        assert compare(literal_of(text), value) is EQUAL


@pytest.mark.parametrize("value", [True, None, [0.5], 1j])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        compare(literal_of("1"), value)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "True", "0.5 s", "1_000", "1e999999", "1,024"])
def test_text_of_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        compare(literal_of("1"), text)


def test_float_subclass_is_its_number() -> None:
    class Loud(float):
        def __repr__(self) -> str:
            return f"loud({float(self)})"

    assert compare(literal_of("0.96"), Loud(0.96)) is EQUAL


@pytest.mark.parametrize(
    ("text", "value", "tolerance", "inside"),
    [
        ("0.05", 0.07, 0.02, True),
        ("0.05", 0.0701, 0.02, False),
        ("0.05", 0.03, "0.02", True),
        ("93%", 0.94, 0.01, True),
        ("93%", 0.95, 0.01, False),
        ("8", 7.6, 0.5, True),
        ("inf", math.inf, 1, True),
        ("nan", math.nan, 1, True),
        ("5", math.inf, 1, False),
        ("inf", 5, 1, False),
    ],
)
def test_tolerance_is_in_the_units_of_the_value(
    text: str, value: Value, tolerance: Value, inside: bool
) -> None:
    assert within(literal_of(text), value, tolerance) is inside


@pytest.mark.parametrize("tolerance", [-1, math.inf, math.nan])
def test_tolerance_is_a_number_from_zero_on(tolerance: float) -> None:
    with pytest.raises(ValueError, match="from 0 on"):
        within(literal_of("1"), 1, tolerance)
