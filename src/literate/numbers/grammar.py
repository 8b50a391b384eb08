"""How a number is written: the patterns, and from a match to a literal."""

from __future__ import annotations

import re
from decimal import Decimal

from literate.numbers.literal import EXACT, Exponent, Literal

__all__ = ["PERCENT", "WORDS", "build", "build_word", "pattern"]

WORDS = {
    **dict.fromkeys(("nan", "NaN", "NAN"), Decimal("NaN")),
    **dict.fromkeys(
        ("inf", "Inf", "INF", "infinity", "Infinity", "INFINITY", "∞", r"\infty"),
        Decimal("Infinity"),
    ),
}
"""The numbers without digits."""

_RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = str.maketrans("⁺⁻−" + _RAISED_DIGITS, "+--0123456789")

# Four digits of exponent are more than any float has. A longer run of digits is a
# name, and no text can make us write out a number as long as a library.
_POWER = "[-−+]?[0-9]{1,4}"

# A source's line may end within a number, hence the line feed and the sixteen: they
# are the depth of a nested list. The tilde is TeX's blank.
_BLANKS = r"(?:[ \t\n\u00a0\u2009\u202f~]|\\[,;:!]){0,16}"

_WHOLE = r"(?P<whole>[0-9]+)"
_GROUPED = rf"""(?:
    (?P<grouped>[1-9][0-9]{{0,2}}
        (?P<separator>,|\{{,\}}|\\,|[\u2009\u202f_])[0-9]{{3}}
        (?:(?P=separator)[0-9]{{3}})*
        (?!(?P=separator)?[0-9])
    )
  | {_WHOLE}
)"""

# A point without digits belongs to the number before an exponent (numpy's 1.e-05),
# and in what programs print. In prose it ends the sentence.
_POINT = r"\.(?:(?P<decimals>[0-9]+)|(?=[eE][-+]?[0-9]))"
_OUTPUT_POINT = r"\.(?:(?P<decimals>[0-9]+)|(?=[eE][-+]?[0-9])|(?![\w.]))"

# 1e5f3a is a hash: what follows an exponent holds no further digit. The 10 of a
# power without mantissa is those two digits and no others.
_EXPONENT = rf"""(?:
    (?P<mark>[eE])(?P<power>{_POWER})(?!\w*[0-9])
  | (?:
      (?P<times>{_BLANKS}(?:[×·⋅x*]|\\times|\\cdot){_BLANKS}10)
    | (?<=10)(?<![0-9.]10)
    )
    (?:
      (?P<raised>[⁺⁻]?[{_RAISED_DIGITS}]{{1,4}}(?![{_RAISED_DIGITS}]))
    | \^\{{(?P<braced>{_POWER})\}}
    | \^(?P<caret>{_POWER})(?![0-9]|\.[0-9])
    )
)"""

# 5%3 is a remainder, %s a placeholder. A blank before the sign, as in 93 %, is for
# prose; programs that print one print a remainder's expression.
_SIGN = r"(?:[\u00a0\u2009\u202f]|\\,)?\\?%(?![^\W_])"
_PROSE_SIGN = rf"(?:{_SIGN}|[ ]\\?%(?![^\W_]|[ ]{{0,9}}[0-9]))"
PERCENT = {False: re.compile(_PROSE_SIGN), True: re.compile(_SIGN)}
"""The percent sign after a number, by whether a program printed it."""


def _compile(grouped: bool, output: bool) -> re.Pattern[str]:
    whole = _GROUPED if grouped else _WHOLE
    point = _OUTPUT_POINT if output else _POINT
    percent = PERCENT[output].pattern
    return re.compile(
        rf"(?:{whole}(?P<point>{point})?|\.(?P<fraction>[0-9]+))"
        rf"{_EXPONENT}?(?P<percent>{percent})?",
        re.VERBOSE,
    )


_PATTERNS = {(g, o): _compile(g, o) for g in (False, True) for o in (False, True)}


def pattern(*, grouped: bool, output: bool) -> re.Pattern[str]:
    """The pattern of an unsigned number; it matches at any digit.

    Args:
        grouped: whether thousands may be separated at this place.
        output: whether a program printed the text.
    """
    return _PATTERNS[grouped, output]


def build(match: re.Match[str], sign: str) -> Literal:
    """The literal of a match of `pattern`, with the sign that stands before it."""
    groups = match.groupdict()
    separator = groups.get("separator") or ""
    whole = (groups.get("grouped") or groups["whole"] or "").replace(separator, "")
    decimals = groups["decimals"] or groups["fraction"] or ""
    exponent = _exponent(groups)
    if exponent and exponent.alone:
        number = f"1e{exponent.power}"
    else:
        number = f"{whole or 0}.{decimals}e{exponent.power if exponent else 0}"
    value = EXACT.create_decimal(("-" if sign in ("-", "−") else "") + number)
    percent = groups["percent"] or ""
    significant = len((whole + decimals).lstrip("0")) or len(decimals) + 1
    return Literal(
        text=sign + match[0],
        value=value.scaleb(-2, EXACT) if percent else value,
        sign=sign,
        width=len(whole) if whole.startswith("0") else min(len(whole), 1),
        decimals=len(decimals),
        digits=1 if exponent and exponent.alone else significant,
        separator=separator,
        bare_point=groups["point"] == ".",
        exponent=exponent,
        percent=percent,
    )


def _exponent(groups: dict[str, str | None]) -> Exponent | None:
    raised, braced, caret = groups["raised"], groups["braced"], groups["caret"]
    written = groups["power"] or raised or braced or caret
    if written is None:
        return None
    digits = written.lstrip("⁺⁻+-−")
    sign = written.removesuffix(digits)
    mark = groups["mark"]
    base = mark or groups["times"] or "10"
    caret_text = "^{" if braced else "^" if caret else ""
    # A programming language writes e-07 and e+16; people write e-7 and e16.
    padded = digits[0] in "0⁰" or bool(mark and sign and len(digits) > 1)
    negative = sign in ("-", "−", "⁻")
    plus = sign
    if negative:
        plus = "+" if mark and padded else ""
    return Exponent(
        power=int(written.translate(_LOWERED)),
        before=base + caret_text,
        after="}" if braced else "",
        minus=sign if negative else "⁻" if raised else "-",
        plus=plus,
        width=len(digits) if digits[0] in "0⁰" else 2 if padded else 1,
        raised=bool(raised),
        short=len(written) == 1,
        alone=not mark and not groups["times"],
    )


def build_word(sign: str, word: str, percent: str) -> Literal:
    """The literal of one of `WORDS`, with the signs around it."""
    value = WORDS[word]
    if sign in ("-", "−"):
        value = value.copy_negate()
    text = sign + word + percent
    return Literal(text=text, value=value, sign=sign, percent=percent, word=word)
