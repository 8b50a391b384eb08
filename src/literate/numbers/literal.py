"""A number as it was written: its value, and all that writing another one needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import (
    MAX_EMAX,
    MAX_PREC,
    MIN_EMIN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)

__all__ = ["EXACT", "Exponent", "Literal"]

# Nothing is rounded but where the rule says so. The limits are those of the
# library, so no operation depends on what a program set as its own precision.
EXACT = Context(
    prec=MAX_PREC,
    Emax=MAX_EMAX,
    Emin=MIN_EMIN,
    traps=[InvalidOperation, DivisionByZero, Overflow],
)


@dataclass(frozen=True, slots=True)
class Exponent:
    """The power of ten of a literal, and how it is written.

    ``before`` is the text between the mantissa and the exponent (``e``, `` × 10``,
    ``\\times 10^{``), ``after`` what closes it (``}``). ``minus`` and ``plus`` are
    the signs that the exponent takes, ``plus`` empty where none is written.
    ``width`` is the least number of digits. ``raised`` says that they are
    superscripts, ``short`` that there is a single character, ``alone`` that no
    mantissa is written: ``10⁻⁷``.
    """

    power: int
    before: str
    after: str = ""
    minus: str = "-"
    plus: str = ""
    width: int = 1
    raised: bool = False
    short: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as it stands in a text.

    Attributes:
        text: the characters, sign and percent sign included.
        value: what it stands for, exactly: 0.93 for ``93%``; NaN and infinities
            are those of `decimal.Decimal`.
        sign: ``""``, ``-``, ``−`` (U+2212) or ``+``.
        width: least number of digits before the point: 0 for ``.665``, 2 for
            ``07``, else 1.
        decimals: digits shown after the point, of the mantissa where there is an
            exponent.
        digits: significant digits shown.
        separator: what stands between thousands: ``,``, ``{,}``, ``\\,``, ``_``, a
            thin (U+2009) or narrow no-break (U+202F) space, or nothing.
        bare_point: no digit follows the point: ``2.``, ``1.e-05``.
        exponent: the power of ten, None without one.
        percent: the percent sign with the blank before it: ``%``, ``\\%``.
        word: the word or sign of a number without digits: ``nan``, ``inf``, ``∞``.
    """

    text: str
    value: Decimal = field(compare=False)  # follows from the text; NaN is not NaN
    sign: str = ""
    width: int = 1
    decimals: int = 0
    digits: int = 1
    separator: str = ""
    bare_point: bool = False
    exponent: Exponent | None = None
    percent: str = ""
    word: str = ""

    @property
    def whole(self) -> bool:
        """Whether only a whole number can be meant: ``8``, ``2,304``, ``2.``."""
        return not (self.word or self.decimals or self.exponent or self.percent)

    @property
    def place(self) -> int:
        """The power of ten of the last digit shown, in the value's own units.

        It is -3 for ``0.576``, -2 for ``93%``, -8 for ``2.4 × 10⁻⁷``.
        """
        power = self.exponent.power if self.exponent else 0
        return power - self.decimals - (2 if self.percent else 0)

    @property
    def checkable(self) -> bool:
        """Whether prose owes a proof for it.

        That is so for a decimal point, a percent sign, an exponent, and four
        digits and more.
        """
        if self.word:
            return False
        shown = [character for character in self.text if "0" <= character <= "9"]
        return not self.whole or self.bare_point or len(shown) >= 4
