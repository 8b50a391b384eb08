"""What is seen of a token: blanks and controls get a visible mark."""

import unicodedata
from typing import NamedTuple

SPACE = "␣"
EMPTY = "∅"
BROKEN = "\N{REPLACEMENT CHARACTER}"
MARKS = {"\n": "↵", "\r": "␍", "\t": "⇥", "\u2028": "↵", "\u2029": "↵"}
NAMES = {"\n": "newline", "\r": "carriage return", "\t": "tab"}

# These turn the direction of the text around them, and are left out.
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

Piece = tuple[str, bool]  # some text, and True where it is a mark


class Label(NamedTuple):
    """How a token is shown.

    Attributes:
        parts: The text, with each part that is a mark told apart.
        words: What to read aloud; empty where the text says it.
    """

    parts: tuple[Piece, ...]
    words: str

    @property
    def text(self) -> str:
        """The label as it is seen."""
        return "".join(text for text, _ in self.parts)


def label(token: str) -> Label:
    """Make the label of a token, such as ``␣cat`` for ``" cat"``."""
    pieces = [show(char) for char in token]
    mark_ends(pieces)
    if all(width(text) == 0 for text, _ in pieces):
        return Label(((EMPTY, True),), spell(token))
    readable = any(width(text) > 0 and not mark for text, mark in pieces)
    return Label(join(pieces), "" if readable else spell(token))


def show(char: str) -> Piece:
    """Give what is seen of one character."""
    if char in MARKS:
        return MARKS[char], True
    if char in TURNING:
        return "", False
    kind = unicodedata.category(char)
    if kind == "Zs":
        return " ", False
    if kind == "Cc" and char < " ":
        return chr(0x2400 + ord(char)), True
    if kind in ("Cc", "Cs"):  # Cs: half a pair, which no file can hold
        return BROKEN, False
    return char, False


def mark_ends(pieces: list[Piece]) -> None:
    """Mark the spaces at both ends, in place; others are seen anyway."""
    for order in (range(len(pieces)), reversed(range(len(pieces)))):
        for place in order:
            if pieces[place] not in ((" ", False), (SPACE, True)):
                break
            pieces[place] = (SPACE, True)


def spell(token: str) -> str:
    """Name the characters of a token that cannot be read aloud."""
    return ", ".join(map(spell_char, token)) if token else "empty"


def spell_char(char: str) -> str:
    """Name one character."""
    if unicodedata.category(char) == "Zs":
        return "space"
    return NAMES.get(char, f"U+{ord(char):04X}")


def join(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Put neighbours of one sort together."""
    joined: list[Piece] = []
    for text, mark in pieces:
        if joined and joined[-1][1] == mark:
            text = joined.pop()[0] + text
        joined.append((text, mark))
    return tuple(joined)


def width(text: str) -> int:
    """Count the columns of a terminal that a text takes, about."""
    return sum(map(char_width, text))


def char_width(char: str) -> int:
    """Count the columns of one character: none, one or two."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, widest: int) -> str:
    """Shorten a text that is too wide, with an ellipsis at its end."""
    if width(text) <= widest:
        return text
    while width(text) >= widest:
        text = text[:-1]
    return f"{text}…"
