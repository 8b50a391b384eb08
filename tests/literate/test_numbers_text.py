"""An output block is true when its numbers are, and all between them is the same."""

from __future__ import annotations

import pytest

from literate.numbers import Difference, same_text

TENSOR = """\
tensor([[0.000,  -inf,  -inf],
        [0.707, 0.000,  -inf],
        [0.707, 0.000, 0.707]])"""

# title, shown, computed
SAME = [
    ("nothing", "", ""),
    ("the same", TENSOR, TENSOR),
    ("blanks between", TENSOR, TENSOR.replace(",  ", ", ")),
    ("blanks before", "  [1]", " [1]"),
    ("tabs", "a\tb", "a  b"),
    ("blanks at line ends", "a  \nb", "a\nb\t"),
    ("blank lines at the end", "a\n", "a\n \n\n"),
    ("line ends", "a\r\nb\r\n", "a\nb\n"),
    ("fewer digits shown", "[0.58, 0.17]", "[0.5764, 0.1712]"),
    ("no negative zero", "[0.000]", "[-0.000]"),
    ("bare points", "[2., 0.]", "[2.0, 0.00]"),
    ("exponents", "2.4e-07", "2.3842e-07"),
    ("thousands", "1,024 tokens", "1024 tokens"),
    ("percent", "93% done", "92.98% done"),
    ("nan", "nan NaN", "NaN nan"),
    ("prose that holds numbers", "it is 2.", "it is 2."),
    ("names", "x2 at 0x7f, GPT-2, 2.13.0", "x2 at 0x7f, GPT-2, 2.13.0"),
]


@pytest.mark.parametrize(
    ("shown", "computed"), [row[1:] for row in SAME], ids=[row[0] for row in SAME]
)
def test_same(shown: str, computed: str) -> None:
    comparison = same_text(shown, computed)
    assert comparison.equal
    assert not comparison.boundary


# title, shown, computed, the first difference
DIFFERENT = [
    ("stale", "a 0.17", "a 0.1812", ("0.17", "0.1812", 1, 3)),
    ("fewer digits computed", "0.5764", "0.58", ("0.5764", "0.58", 1, 1)),
    ("second line", "a 1\n b 2", "a 1\n b 3", ("2", "3", 2, 4)),
    ("whole no more", "[2.]", "[2.0001]", ("2.", "2.0001", 1, 2)),
    ("integer", "8", "7.6", ("8", "7.6", 1, 1)),
    ("inf", "-inf", "inf", ("-inf", "inf", 1, 1)),
    ("nan", "0.5", "nan", ("0.5", "nan", 1, 1)),
    ("percent", "93% on", "0.93 on", ("93%", "0.93", 1, 1)),
    ("words", "loss: 1", "cost: 1", ("loss: 1", "cost: 1", 1, 1)),
    ("number and word", "is 1 now", "is one now", ("1 now", "one now", 1, 4)),
    ("blank and none", "[ 0.5]", "[0.5]", (" 0.5]", "0.5]", 1, 2)),
    ("shown ends", "a", "a 1", ("", " 1", 1, 2)),
    ("shown is empty", "", "1 2", ("", "1 2", 1, 1)),
    ("computed ends", "1 2\n3", "1 2", ("", "", 1, 4)),
    ("line missing", "1\n\n2", "1\n2", ("", "2", 2, 1)),
    ("line ends early", "1\n2", "1 2", ("", " 2", 1, 2)),
    ("names", "GPT-2", "GPT-3", ("GPT-2", "GPT-3", 1, 1)),
    ("versions", "v 2.13.0", "v 2.13.1", ("2.13.0", "2.13.1", 1, 3)),
    ("addresses", "at 0x7f", "at 0x8f", ("0x7f", "0x8f", 1, 4)),
    ("imaginary", "1-2j", "1+2j", ("-2j", "+2j", 1, 2)),
    ("case", "True", "true", ("True", "true", 1, 1)),
    ("long", "x" * 50, "y" * 50, ("x" * 39 + "…", "y" * 39 + "…", 1, 1)),
]


@pytest.mark.parametrize(
    ("shown", "computed", "difference"),
    [row[1:] for row in DIFFERENT],
    ids=[row[0] for row in DIFFERENT],
)
def test_first_difference_is_named(
    shown: str, computed: str, difference: tuple[str, str, int, int]
) -> None:
    comparison = same_text(shown, computed)
    assert not comparison.equal
    assert comparison.difference == Difference(*difference)


def test_first_rounding_boundary_passes_and_is_named() -> None:
    comparison = same_text("[0.5,\n 0.126, 0.4]", "[0.5,\n 0.125507, 0.35]")
    assert comparison.equal
    assert comparison.boundary
    assert comparison.near == Difference("0.126", "0.125507", 2, 2)


def test_boundary_before_a_difference_is_kept() -> None:
    comparison = same_text("0.126 1", "0.125507 2")
    assert comparison.boundary
    assert comparison.difference == Difference("1", "2", 1, 7)


def test_full_precision_of_a_code_span_is_rounded() -> None:
    values = "[0.21194156, 0.21194156, 0.57611686]"
    assert same_text("[0.212, 0.212, 0.576]", values).equal
    assert not same_text("[0.212, 0.213, 0.576]", values).equal
