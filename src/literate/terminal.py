"""What a terminal would show of a stream of bytes; pure."""

from __future__ import annotations

import re

__all__ = ["as_shown"]

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?"
    r"|[ -/]*[0-~])"
)
_CONTROL = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r\b"}
_CONTROL[0x7F] = 0x2421


def as_shown(data: bytes) -> str:
    """Decode output and resolve its control characters.

    Escape sequences vanish, a carriage return goes back to the start of the line
    and what follows overwrites it, a backspace goes back by one, and any other
    control character becomes its picture (U+2400 and on), so that the text can
    stand in a page.
    """
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    text = _ESCAPE.sub("", text)
    if "\r" in text or "\b" in text:
        text = "\n".join(_overwrite(line) for line in text.split("\n"))
    return text.translate(_CONTROL)


def _overwrite(line: str) -> str:
    """Play the carriage returns and backspaces of one line."""
    if "\r" not in line and "\b" not in line:
        return line
    shown: list[str] = []
    column = 0
    for character in line:
        if character == "\r":
            column = 0
        elif character == "\b":
            column = max(column - 1, 0)
        else:
            shown[column : column + 1] = [character]
            column += 1
    return "".join(shown)
