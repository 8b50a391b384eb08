"""What holds for every literal and every value, not only for those of a table."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from literate.numbers import (
    Literal,
    Verdict,
    compare,
    find,
    read,
    readings,
    same_text,
    write,
)

# A machine that is busy with something else says nothing about these properties.
holds = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

RAISED = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

signs = st.sampled_from(["", "", "-", "−", "+"])
percents = st.sampled_from(["", "", "", "%", r"\%", "\u202f%"])
whole_numbers = st.one_of(st.integers(0, 9), st.integers(0, 10**9))


@st.composite
def wholes(draw: st.DrawFn) -> str:
    """The digits before a point: plain, padded with zeros, or with thousands."""
    number = draw(whole_numbers)
    if draw(st.booleans()):
        separator = draw(st.sampled_from([",", "{,}", r"\,", "_", "\u2009", "\u202f"]))
        return f"{number:,}".replace(",", separator)
    return "0" * draw(st.sampled_from([0, 0, 0, 2])) + str(number)


@st.composite
def exponents(draw: st.DrawFn, *, alone: bool) -> str:
    """The power of ten that follows a mantissa, or stands alone."""
    power = draw(st.integers(-40, 40))
    mark = "" if alone else draw(st.sampled_from(["e", "E"]))
    if mark and draw(st.booleans()):
        python = f"{power:+03d}"
        return mark + draw(st.sampled_from([python, str(power)]))
    times = "" if alone else draw(st.sampled_from([" × ", "×", r" \times ", r"\cdot "]))
    raised = f"{power}".translate(RAISED)
    form = draw(st.sampled_from([raised, f"^{{{power}}}", f"^{power}"]))
    return f"{times}10{form}"


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A number in any form that a page may hold."""
    sign, percent = draw(signs), draw(percents)
    if draw(st.integers(0, 9)) == 0:
        return sign + draw(exponents(alone=True)) + percent
    decimals = draw(st.text("0123456789", max_size=6))
    whole = draw(wholes())
    if decimals and draw(st.integers(0, 4)) == 0:
        whole = ""
    exponent = draw(exponents(alone=False)) if draw(st.integers(0, 2)) == 0 else ""
    point = "." if decimals else ""
    return sign + whole + point + decimals + exponent + percent


literals = texts().map(lambda text: read_whole(text))
values = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000),
    st.decimals(allow_nan=False, allow_infinity=False, places=4).filter(
        lambda value: value.adjusted() < 40
    ),
    st.integers(-(10**12), 10**12),
    st.integers(-(10**60), 10**60),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.floats(-2, 2),
)


def read_whole(text: str) -> Literal:
    literal = read(text)
    assert literal is not None, text
    return literal


def written(literal: Literal, value: Decimal | float) -> str:
    """Write a value that the form can say; skip the example where it cannot."""
    try:
        return write(literal, value)
    except ValueError:
        assume(False)
        raise


@holds
@given(texts())
def test_number_is_found_whole_and_read_back(text: str) -> None:
    literal = read_whole(text)
    assert literal.text == text
    (found,) = find(f"so {text} it is")
    assert (found.start, found.end, found.literal) == (3, 3 + len(text), literal)
    assert [f.literal for f in find(text, output=True)] == [literal]


@holds
@given(literals)
def test_writing_the_same_value_changes_nothing(literal: Literal) -> None:
    assume(literal.value != 0 or literal.sign not in ("-", "−"))
    assert write(literal, literal.value) == literal.text


@holds
@given(literals, values)
def test_reading_what_was_written_gives_the_same(literal: Literal, value: Decimal | float) -> None:
    new = read_whole(written(literal, value))
    assert compare(new, value).passes
    assert (new.decimals, new.percent) == (literal.decimals, literal.percent)
    assert bool(new.exponent) == bool(literal.exponent)
    assert new.separator in ("", literal.separator)
    # Writing once more gives the same text: the form was kept, not only the value.
    assert write(literal, new.value) == new.text
    assert write(new, new.value) == new.text


def rounded(value: Fraction, unit: Fraction) -> set[Fraction]:
    """The value in units, half-even and half-up, worked out with fractions."""
    units = value / unit
    if (units * 2) % 2 == 1:
        away = math.floor(abs(units)) + 1
        up = Fraction(-away if units < 0 else away)
        return {Fraction(round(units)), up}
    return {Fraction(round(units))}


def unit_of(literal: Literal, value: Fraction) -> Fraction:
    """The unit of the last digit shown, found by counting from the first digit."""
    if not literal.exponent:
        return Fraction(10) ** (-literal.decimals - (2 if literal.percent else 0))
    first = 0
    while abs(value) >= Fraction(10) ** (first + 1):
        first += 1
    while abs(value) < Fraction(10) ** first:
        first -= 1
    return Fraction(10) ** (first - literal.digits + 1)


def passes(literal: Literal, value: Fraction) -> bool:
    """The rule for equal, in the words of the design."""
    shown = Fraction(literal.value)
    if value == 0 or literal.whole:
        return shown == value
    unit = unit_of(literal, value)
    return shown / unit in rounded(value, unit)


@st.composite
def literals_and_values(draw: st.DrawFn) -> tuple[Literal, Decimal]:
    """A literal and a value near it, at most a few units of the last place away."""
    literal = draw(literals)
    units = draw(
        st.one_of(
            st.sampled_from(["0", "0.5", "-0.5", "0.49", "-0.49", "0.51", "1", "-0.05"]),
            st.decimals(min_value=-3, max_value=3, places=3).map(str),
        )
    )
    unit = Fraction(10) ** literal.place
    value = Fraction(literal.value) + Fraction(units) * unit
    # Tenths of powers of ten are exact in decimal digits.
    digits = str(int(value * Fraction(10) ** (4 - literal.place)))
    return literal, Decimal(f"{digits}e{literal.place - 4}")


@holds
@given(literals_and_values())
@example((read_whole("0.12"), Decimal("0.125")))
@example((read_whole("1.0e-6"), Decimal("9.95e-7")))
def test_value_passes_exactly_when_rounding_it_gives_the_literal(
    pair: tuple[Literal, Decimal],
) -> None:
    literal, value = pair
    assert compare(literal, value).passes is passes(literal, Fraction(value))


@holds
@given(literals, values)
def test_any_value_passes_exactly_when_rounding_it_gives_the_literal(
    literal: Literal, value: Decimal | float
) -> None:
    allowed = any(passes(literal, Fraction(number)) for number in readings(value))
    assert compare(literal, value).passes is allowed


@holds
@given(literals_and_values())
def test_boundary_is_two_per_cent_of_half_a_unit(pair: tuple[Literal, Decimal]) -> None:
    literal, value = pair
    verdict = compare(literal, value)
    assume(verdict.passes and value != 0 and not literal.whole)
    unit = unit_of(literal, Fraction(value))
    from_boundary = unit / 2 - abs(Fraction(literal.value) - Fraction(value))
    near = from_boundary <= unit / 2 * Fraction(2, 100)
    assert (verdict is Verdict.BOUNDARY) is near


@holds
@given(st.data(), literals, values)
def test_one_digit_changed_is_caught(
    data: st.DataObject, literal: Literal, value: Decimal | float
) -> None:
    text = written(literal, value)
    places = [place for place, digit in enumerate(text) if digit in "0123456789"]
    assume(places)
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from("0123456789").filter(lambda d: d != text[place]))
    changed = read(text[:place] + digit + text[place + 1 :])
    if changed is None or changed.value == read_whole(text).value:
        # No number any more, or another exponent of zero: the same number.
        return
    verdict = compare(changed, value)
    if verdict.passes:
        # Halfway between both, which the page is warned of.
        assert verdict is Verdict.BOUNDARY
        assert passes(changed, Fraction(readings(value)[0])) or len(readings(value)) > 1


tricky = st.one_of(
    st.text("0123456789.,-+−%eE xX_()[]{}\\^×⁻⁷ab∞\n\u2009", max_size=40),
    st.lists(
        st.one_of(
            texts(),
            st.sampled_from([*" ,.-()[]{}%", ", ", "\n", "x", "inf", "nan", "2.13.0"]),
        ),
        max_size=12,
    ).map("".join),
    st.text(max_size=40),
)


@holds
@given(tricky, st.booleans())
def test_found_numbers_are_in_order_apart_and_readable(text: str, output: bool) -> None:
    end = 0
    for found in find(text, output=output):
        assert end <= found.start < found.end <= len(text)
        end = found.end
        assert text[found.start : found.end] == found.literal.text
        assert read(found.literal.text) == found.literal


@holds
@given(tricky)
def test_no_digit_of_plain_numbers_is_lost(text: str) -> None:
    # Digits with nothing but blanks around them are always a number.
    (found,) = find(f"{text.replace('×', '')}\n\n 1234 ")[-1:]
    assert found.literal.text.endswith("1234")


@holds
@given(tricky)
def test_text_is_the_same_as_itself_with_other_blanks(text: str) -> None:
    assert same_text(text, text).equal
    assert not same_text(text, text).boundary
    assert same_text(text.replace(" ", "  "), text + "\n").equal


@holds
@given(st.data(), tricky)
def test_one_digit_changed_in_a_text_is_caught(data: st.DataObject, text: str) -> None:
    places = [place for place, digit in enumerate(text) if digit in "0123456789"]
    assume(places)
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from("0123456789").filter(lambda d: d != text[place]))
    changed = text[:place] + digit + text[place + 1 :]
    comparison = same_text(changed, text)
    zeros = any(f.literal.value == 0 and f.literal.exponent for f in find(text))
    assert zeros or comparison.boundary or not comparison.equal
