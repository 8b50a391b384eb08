"""Every form in which a page writes a number is read; what only looks so is not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from literate.numbers import Kind, find, read, tokens

# text, value
FORMS = [
    ("8", "8"),
    ("2362368", "2362368"),
    ("0.576", "0.576"),
    (".665", "0.665"),
    ("2.", "2"),
    ("007", "7"),
    ("-9.799", "-9.799"),
    ("−0.33", "-0.33"),
    ("+0.5", "0.5"),
    ("-.129", "-0.129"),
    ("-0.000", "0"),
    ("2,362,368", "2362368"),
    ("1,024.5", "1024.5"),
    ("1{,}024", "1024"),
    ("2\u2009362\u2009368", "2362368"),
    ("2\u202f362\u202f368", "2362368"),
    (r"2\,362\,368", "2362368"),
    ("1_000_000", "1000000"),
    ("93%", "0.93"),
    ("24.5%", "0.245"),
    (r"93\%", "0.93"),
    (r"93\,\%", "0.93"),
    ("93\u202f%", "0.93"),
    ("93 %", "0.93"),
    ("-5%", "-0.05"),
    ("2.4e-7", "2.4E-7"),
    ("2.384e-07", "2.384E-7"),
    ("1E5", "1E+5"),
    ("1e+16", "1E+16"),
    ("1.e-05", "1E-5"),
    ("2.4 × 10⁻⁷", "2.4E-7"),
    ("−2.4\u00a0×\u00a010⁻⁷", "-2.4E-7"),
    ("2.4×10⁷", "2.4E+7"),
    ("2.4 ×\n    10⁻⁷", "2.4E-7"),
    ("2.4 · 10⁻⁷", "2.4E-7"),
    ("10⁻⁷", "1E-7"),
    ("10⁺¹²", "1E+12"),
    (r"2.4 \times 10^{-7}", "2.4E-7"),
    (r"2.4\times10^{-7}", "2.4E-7"),
    (r"2.4 \cdot 10^{-7}", "2.4E-7"),
    (r"2.4\,\times\,10^{−7}", "2.4E-7"),
    ("10^{-7}", "1E-7"),
    ("10^7", "1E+7"),
    ("-10^7", "-1E+7"),
    ("2.4x10^-7", "2.4E-7"),
    ("2.4*10^-7", "2.4E-7"),
    ("inf", "Infinity"),
    ("-inf", "-Infinity"),
    ("−∞", "-Infinity"),
    (r"-\infty", "-Infinity"),
    ("Infinity", "Infinity"),
]


@pytest.mark.parametrize(("text", "value"), FORMS)
def test_form_is_read_whole(text: str, value: str) -> None:
    literal = read(text)
    assert literal is not None
    assert literal.text == text
    assert literal.value == Decimal(value)


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "nan%"])
def test_nan_is_read(text: str) -> None:
    literal = read(text)
    assert literal is not None
    assert literal.value.is_nan()


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ".", "-", "+", "−", "%", "e5", "1 ", " 1", "1 2", "--1", "+-1"),
        *("x2", "float32", "GPT-2", "0x1F", "1_0", "16th", "3d9f2e1", "half", "info"),
        *("2.13.0", "127.0.0.1", "2026-07-31", "1,24", "1,0245", "1,2,3", "0,123"),
        *("1e", "1e12345", "10^", "10^{", "10^{x}", "2^{10}", "5²", "1..2", "½", "٣"),
        *("25MB", "0.5ms", "3-4", "1/6", "0.576*", "(1,024)", "1{,}24", "2\u20091"),
    ],
)
def test_what_is_not_one_number_is_not_read(text: str) -> None:
    assert read(text) is None


# title, text, the numbers in it
PROSE = [
    ("point of a sentence", "it is 2. It was 0.5.", "2 0.5"),
    ("bare points in prose", "rows [0., 1.]", "0 1"),
    ("operands", "3-4 and 3−4, 1-p, n-1, x-0.5, dx-0.5", "3 4 3 4 1 1 0.5 0.5"),
    ("sign after a blank", "3 -4, from 3 to −4", "3 -4 3 −4"),
    ("sign after an opening", "(-0.5) [−1] =+2 e^{-0.5} |-3|", "-0.5 −1 +2 -0.5 -3"),
    ("no sign twice", "--2 +-8 ±8", "2 8 8"),
    ("range", "5–10% or 10%-20%", "5 10% 10% 20%"),
    ("thousands", "1,024 and (1,024), 1,771,776", "1,024 1,024 1,771,776"),
    ("list with blanks", "`[8, 256, 768]`", "8 256 768"),
    ("list without blanks", "[8,256,768] 1,2,3", "8 256 768 1 2 3"),
    ("list with some blanks", "[8,256, 768] [8, 256,768]", "8 256 768 8 256 768"),
    ("groups of other sizes", "1{,}024{,}5 1,024,12", "1 024 5 1 024 12"),
    ("list of three digits", "100,200,-300 and 0.5,100,200", "100 200 -300 0.5 100 200"),
    ("thousands in brackets", "[1,024]", "1,024"),
    ("shape", "(1,3,4) -> (1,3,2,2)", "1 3 4 1 3 2 2"),
    ("identifiers", "x2 float32 W_q x_1 GPT-2 GPT-3.5 top-5 h.0.attn v2.5 x86-64", ""),
    ("versions", "torch 2.13.0+cpu, 127.0.0.1, 1.0.0-rc.1, -2.13.0", ""),
    ("dates", "2026-07-31, 2026-07-31T10:00:00Z, 31.07.2026", ""),
    ("programmer's numbers", "0x1F 0xff 1_000 1_0 1_000x 3d9f2e1", "1_000"),
    ("underscores", "2_layers _5_ _0.5_ x_1", "5 0.5"),
    ("ordinals", "the 1st, 2nd, 16th", ""),
    ("units", "25MB, 0.3ms, 1.5-2.5ms, 1.5ms-2.5ms", "25 0.3 1.5 2.5 1.5 2.5"),
    ("hyphened", "12-head, sub-1%, 4-by-4", "12 1% 4"),
    ("products", "8 × 12 × 256, 2x2, 3·10", "8 12 256 3 10"),
    ("powers", "2^{10} 5² 110^{2} 10³ 10^7.5", "2 10 5 110 2 10³ 10 7.5"),
    ("remainders", "7 % 3, 5%3, %s", "7 3 5 3"),
    ("emphasis", "**0.576** _0.577_ `0.578` $0.579$ *-1*", "0.576 0.577 0.578 0.579 -1"),
    ("addresses", "https://a.org/3.5/1706.03762 arXiv:1706.03762 &#8722;5", "5"),
    ("words", "nan, inf. −∞ np.inf info inf-norm _inf_", "nan inf −∞ inf"),
    ("TeX", r"\frac{0.576}{0.333} = 1.73 \alpha_1 \sqrt2", "0.576 0.333 1.73 1 2"),
    ("rows by hand", "0.212[1,0]+0.576[.665,.090]", "0.212 1 0 0.576 .665 .090"),
    ("fractions", "1/6=0.167, e^1 = 2.718", "1 6 0.167 1 2.718"),
    ("hashes", "1e5f3a 550e8400e29b", ""),
    ("runs of points", "0..1 1...5 .1.2.3 25MB.5", "0 1 1 5 25 5"),
]


@pytest.mark.parametrize(
    ("text", "numbers"), [row[1:] for row in PROSE], ids=[row[0] for row in PROSE]
)
def test_numbers_of_prose_are_found(text: str, numbers: str) -> None:
    assert [found.literal.text for found in find(text)] == numbers.split()


# title, text, the numbers in it
OUTPUT = [
    ("bare points", "tensor([[2., 0.], [-1., 2.]])", "2. 0. -1. 2."),
    ("infinities", "[[0.000,  -inf,  -inf]]", "0.000 -inf -inf"),
    ("columns", "[ 0.5 -0.25]", "0.5 -0.25"),
    ("sizes", "torch.Size([8, 256, 768])", "8 256 768"),
    ("address", "<object object at 0x7f3b2c10>", ""),
    ("gradient", "[0.5], grad_fn=<AddBackward0>)", "0.5"),
    ("complex", "(0.5-0.25j) 1.+2.j", "0.5 0.25 1. 2"),
    ("dtype", "array([1], dtype=float32)", "1"),
    ("keys", "0.weight h.0.attn.bias", "0"),
    ("exponents", "1.e-05 2.3842e-07", "1.e-05 2.3842e-07"),
    ("remainder", "print 93 % of", "93"),
    ("version", "2.13.0+cpu", ""),
]


@pytest.mark.parametrize(
    ("text", "numbers"), [row[1:] for row in OUTPUT], ids=[row[0] for row in OUTPUT]
)
def test_numbers_of_output_are_found(text: str, numbers: str) -> None:
    found = [found.literal.text for found in find(text, output=True)]
    assert found == numbers.split()


def test_wrapped_number_is_found_whole() -> None:
    (found,) = find("the error is 2.4 ×\n  10⁻⁷ here")
    assert (found.start, found.end) == (13, 25)


def test_what_looks_like_numbers_can_be_told_apart() -> None:
    kinds = [token.kind for token in tokens("0.5 2.13.0 2026-07-31 GPT-2 0x1F http://a.org/5")]
    name = [Kind.NAME] * 3
    assert kinds == [Kind.NUMBER, Kind.VERSION, Kind.DATE, *name]


@pytest.mark.parametrize(
    "text", ["0.5", ".5", "5%", "1e5", "10⁻⁷", "1024", "1,024", "2 × 10³", "2."]
)
def test_prose_owes_a_proof(text: str) -> None:
    literal = read(text)
    assert literal is not None
    assert literal.checkable


@pytest.mark.parametrize("text", ["5", "-12", "768", "inf", "nan", "∞"])
def test_prose_owes_no_proof(text: str) -> None:
    literal = read(text)
    assert literal is not None
    assert not literal.checkable


MEGABYTE = 1_000_000
LONG_RUNS = [
    *("1", "0", "a", "_", " ", "⁷", ".", "é", "1_", "1_000_", "1e", "1.1.", "a.", "ab-"),
    *("100,", "100,-", "1{,}000{,}", "1\u2009000\u2009", r"1\,000\,", "-", "aa-1.", "0x"),
    *("https:", "&a", "10^{10^{", "1.1e1", "\\", "\\a", "1" + " " * 9999, "inf-"),
]
MANY_NUMBERS = ["1,", "1 × 10^{", "[1,", "1%", "-inf", "10⁻", "1.5x", "100\u2009", ".1 "]


@pytest.mark.parametrize("unit", LONG_RUNS)
def test_long_run_is_read_in_linear_time(unit: str) -> None:
    # In quadratic time one of these would take hours: no clock is needed.
    text = (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]
    list(zip(range(4_000), tokens(text), strict=False))


@pytest.mark.parametrize("unit", MANY_NUMBERS)
def test_many_numbers_are_read_in_linear_time(unit: str) -> None:
    assert len(find(unit * 5_000)) <= 10_000
