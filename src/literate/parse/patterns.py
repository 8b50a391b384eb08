"""What the characters of a line say about it."""

from __future__ import annotations

import re

__all__ = ["BOX", "FENCE", "HEADING", "ITEM", "RULE", "has_id", "is_table_rule", "starts_block"]

FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})(?P<info>[^\r\n]*)")
ITEM = re.compile(r"(?:[*+-]|\d{1,9}\.)(?:[ \t]+|(?=[\r\n]|\Z))")
RULE = re.compile(r"(?:([*_-])[ \t]*)(?:\1[ \t]*){2,}(?=[\r\n]|\Z)")
BOX = re.compile(r"(?:!!!|\?\?\?\+?|===[!+]{0,2})[ \t]|\[\^[^\]\r\n]+\]:|:[ \t]{1,3}\S")
TABLE_CELL = re.compile(r":?-+:?")
ID = re.compile(r"#[\w-]")
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


def has_id(line: str) -> bool:
    """Whether a heading ends in attributes that hold an id."""
    line = line.rstrip()
    begin = line.rfind("{")
    attributes = line[begin + 1 : -1]
    closed = begin >= 0 and line.endswith("}") and "}" not in attributes
    return closed and ID.search(attributes) is not None
