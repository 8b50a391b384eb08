"""Finds the numbers of a text, and what only looks like numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from literate.numbers.grammar import PERCENT, WORDS, build, build_word, pattern
from literate.numbers.literal import Literal

__all__ = ["Found", "Kind", "Token", "find", "read", "tokens"]


class Kind(Enum):
    """What a run of characters is."""

    NUMBER = "number"
    VERSION = "version"
    DATE = "date"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Token:
    """A number, or something that holds digits and is none, at its place."""

    kind: Kind
    start: int
    end: int
    literal: Literal | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A number literal and the half-open range of offsets at which it stands."""

    start: int
    end: int
    literal: Literal


# Where the next token may begin. A name takes its dots and hyphens with it: GPT-2,
# h.0.attn, top-5. A hyphen after a single letter is a minus (n-1), and so is one
# before what no name ends in (dx-0.5); "sub-1%" is a number.
_NEXT = re.compile(
    r"""
    (?P<skipped>
        (?:[^\W\d_]\w*://|(?:arXiv|doi):)[^\s<>"'`|)\]}]*
      | &\#?\w{1,31};
    )
  | (?P<name>
        \\[A-Za-z]+
      | [^\W\d_]\w*(?:\.\w+)*
        (?:(?<=\w\w)-(?!0?\.[0-9]|[0-9.]*\\?%)\w+(?:\.\w+)*)*
      | ∞
    )
  | (?P<sign>[-−+])(?=[0-9∞A-Za-z]|\\[A-Za-z]|\.[0-9])
  | (?P<digit>[0-9]|\.(?=[0-9]))
    """,
    re.VERBOSE,
)
_NAME = re.compile(r"\\[A-Za-z]+|[^\W\d_]\w*(?:[.-]\w+)*|∞")
_DATE = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"(?![0-9])(?:T[0-9:.]*[0-9]Z?)?"
)
_VERSION = re.compile(
    r"[0-9]+(?:\.[0-9]+){2,}"
    r"(?:[^\W\d_]\w*)?(?:[-+.][^\W\d_]\w*(?:\.\w+)*)*"
)
_WORD = re.compile(r"\w+")
_UNIT = re.compile(r"[^\W\d_]\w*")
_ORDINALS = ("st", "nd", "rd", "th")

# A sign right after one of these, or after a letter or digit, joins two operands.
_CLOSING = frozenset(")]}%.!’”»°∞-−+")
_NO_POINT = re.compile(r"(?<=[.)\]}])\.|\.[0-9]+\.[0-9]")

# After a comma digits are an element of a list. After another separator they belong
# to a number that turned out to be none; to look there again for the longest run of
# groups would take quadratic time.
_CONTINUED = re.compile(r"(?:,|[0-9](?:[\u2009\u202f_]|\{,\}))\Z")
_NEXT_IN_LIST = re.compile(r",[-−+.]?[0-9]")


def tokens(text: str, *, output: bool = False) -> Iterator[Token]:
    """The numbers of a text with the versions, dates and names that hold digits.

    Args:
        text: prose, or what a program printed.
        output: whether a program printed it; then a point after digits is the
            number's own (``2.``), not the end of a sentence.

    Yields:
        Tokens from left to right; what lies between them is plain text.
    """
    position = 0
    while match := _NEXT.search(text, position):
        position = match.end()
        if match["skipped"]:
            token: Token | None = Token(Kind.NAME, *match.span())
        elif match["name"]:
            token = _word_at(text, match.start(), match, output)
            token = token or Token(Kind.NAME, *match.span())
        elif match["sign"]:
            token = _signed_at(text, match.start(), output)
        else:
            token = _digits_at(text, match.start(), match.start(), output)
        if token is None:
            continue
        yield token
        position = token.end
        if token.kind is Kind.NUMBER and (unit := _UNIT.match(text, position)):
            position = unit.end()


def find(text: str, *, output: bool = False) -> list[Found]:
    """Every number literal of a text, from left to right, each as long as can be.

    Not numbers are identifiers (``x2``, ``GPT-2``, ``float32``), dotted versions of
    three parts and more (``2.13.0``), dates (``2026-07-31``), hexadecimal numbers
    and hashes, ordinals and addresses: `tokens` tells them apart. A sign belongs to
    a number unless it joins two operands: ``3-4`` holds 3 and 4, ``3 -4`` holds -4.

    It takes time in proportion to the text's length, whatever the text.

    Args:
        text: prose, or what a program printed.
        output: whether a program printed it; then a point after digits is the
            number's own (``2.``), not the end of a sentence.

    Examples:
        >>> [found.literal.text for found in find("Of 1,024, 93% fell by −0.5.")]
        ['1,024', '93%', '−0.5']
    """
    return [
        Found(token.start, token.end, token.literal)
        for token in tokens(text, output=output)
        if token.literal is not None
    ]


def read(text: str) -> Literal | None:
    """The literal that the whole text is, or None where it is not one literal.

    Examples:
        >>> read("2.4 × 10⁻⁷").value
        Decimal('2.4E-7')
        >>> read("2.13.0") is None
        True
    """
    for output in (True, False):
        token = next(tokens(text, output=output), None)
        if token and (token.start, token.end) == (0, len(text)):
            return token.literal
    return None


def _signed_at(text: str, start: int, output: bool) -> Token | None:
    """The number whose sign stands at ``start``, None where that joins operands."""
    before = text[start - 1 : start]
    if before.isalnum() or before in _CLOSING:
        return None
    if name := _NAME.match(text, start + 1):
        return _word_at(text, start, name, output)
    return _digits_at(text, start, start + 1, output)


def _word_at(text: str, start: int, name: re.Match[str], output: bool) -> Token | None:
    """The number that is a name, with its sign from ``start`` on, if it is one."""
    # Underscores around a word are emphasis.
    word = name[0].rstrip("_")
    if word not in WORDS:
        return None
    percent = PERCENT[output].match(text, name.start() + len(word))
    sign = text[start : name.start()]
    literal = build_word(sign, word, percent[0] if percent else "")
    return Token(Kind.NUMBER, start, start + len(literal.text), literal)


def _digits_at(text: str, start: int, first: int, output: bool) -> Token | None:
    """The token whose digits begin at ``first`` and whose sign, if any, at ``start``.

    None where the point at ``first`` begins no number.
    """
    if text[first] == ".":
        if text[start - 1 : start].isalnum() or _NO_POINT.match(text, first):
            return None
    elif dated := _DATE.match(text, first):
        return Token(Kind.DATE, first, dated.end())
    elif version := _VERSION.match(text, first):
        return Token(Kind.VERSION, first, version.end())
    match = _number_at(text, start, first, output)
    if match.end() == match.end("whole"):
        word = _WORD.match(text, match.end())
        rest = word[0].rstrip("_") if word else ""
        if _is_name(match[0], rest):
            return Token(Kind.NAME, first, match.end() + len(rest))
    literal = build(match, text[start:first])
    return Token(Kind.NUMBER, start, match.end(), literal)


def _number_at(text: str, start: int, first: int, output: bool) -> re.Match[str]:
    """The longest unsigned number at ``first``, which is a digit or the point of one.

    Commas between groups of three digits are taken for thousands unless the place
    says that they part the elements of a list.
    """
    if not _CONTINUED.search(text[max(0, start - 4) : start]):
        match = pattern(grouped=True, output=output).match(text, first)
        if match and not (match["separator"] and _is_list(text, start, match)):
            return match
    match = pattern(grouped=False, output=output).match(text, first)
    assert match is not None  # any digit begins a number
    return match


def _is_list(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the groups of a match are numbers of their own.

    So it is when the list goes on (``100,200,-300``), and inside square brackets
    (``[8,256,768]``) unless a group begins with 0, as no number of a list does.
    """
    after = text[match.end() : match.end() + 1]
    if match["separator"] == "_":
        return after.isalnum() or after == "_"
    if match["separator"] != ",":
        return False
    if _NEXT_IN_LIST.match(text, match.end()):
        return True
    in_brackets = text[start - 1 : start] == "[" or after == "]"
    return in_brackets and ",0" not in match["grouped"]


def _is_name(digits: str, rest: str) -> bool:
    """Whether digits are only the beginning of a word: 16th, 0xff, 3d9f2e1, 2x4."""
    if rest in _ORDINALS or rest.startswith("_"):
        return True
    if digits == "0" and len(rest) > 1 and rest[0] in "xXoObB":
        return True
    return any("0" <= character <= "9" for character in rest)
