"""What the first characters of a line say about it."""

from __future__ import annotations

import re

__all__ = ["BOX", "FENCE", "HEADING", "ITEM", "RULE", "is_table_rule", "starts_block"]

FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})(?P<info>[^\r\n]*)")
ITEM = re.compile(r"(?:[*+-]|\d{1,9}\.)(?:[ \t]+|(?=[\r\n]|\Z))")
RULE = re.compile(r"(?:([*_-])[ \t]*)(?:\1[ \t]*){2,}(?=[\r\n]|\Z)")
BOX = re.compile(r"(?:!!!|\?\?\?\+?|===[!+]{0,2})[ \t]|\[\^[^\]\r\n]+\]:|:[ \t]{1,3}\S")
TABLE_CELL = re.compile(r":?-+:?")
HEADING = re.compile(r"#{1,6}(?:[ \t]|(?=[\r\n]|\Z))")


def starts_block(text: str, offset: int) -> bool:
    """Whether what stands at ``offset`` ends a paragraph instead of going on with it."""
    if text.startswith((">", "<!--"), offset):
        return True
    return any(pattern.match(text, offset) for pattern in (FENCE, ITEM, BOX, HEADING, RULE))


def is_table_rule(line: str) -> bool:
    """Whether a line parts a table's head from its rows."""
    cells = line.strip().removeprefix("|").removesuffix("|").split("|")
    return all(TABLE_CELL.fullmatch(cell.strip()) for cell in cells)
