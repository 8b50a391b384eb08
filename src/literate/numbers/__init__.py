"""Number literals: found in a text, compared with a value, written back alike."""

from __future__ import annotations

from literate.numbers.compare import Value, Verdict, compare, readings, within
from literate.numbers.literal import Exponent, Literal
from literate.numbers.scan import Found, Kind, Token, find, read, tokens
from literate.numbers.text import Difference, TextComparison, same_text
from literate.numbers.write import write

__all__ = [
    "Difference",
    "Exponent",
    "Found",
    "Kind",
    "Literal",
    "TextComparison",
    "Token",
    "Value",
    "Verdict",
    "compare",
    "find",
    "read",
    "readings",
    "same_text",
    "tokens",
    "within",
    "write",
]
