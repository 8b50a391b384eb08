"""What a command's words say of the files that it reads and writes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any

__all__ = ["files_named"]

_LONGEST, _MOST = 250, 200
"""Characters of a path, and words of a line, beyond which it is a program's text."""

_ARGUMENTS = {
    "os.exec": 1, "os.posix_spawn": 1, "os.spawn": 2, "os.system": 0, "pty.spawn": 0,
    "subprocess.Popen": 1,
}  # fmt: skip
"""Events that start a program, and where its words stand in them."""


def files_named(event: str, words: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    """What may be files among the words of a command: ``read`` or ``write``, and a path."""
    if event not in _ARGUMENTS:
        return
    command = words[_ARGUMENTS[event]]
    folder = ""
    if event == "subprocess.Popen" and words[2]:
        folder = os.fsdecode(words[2])
    for word in [command] if isinstance(command, str | bytes) else list(command):
        for kind, path in _in_word(os.fsdecode(word)):
            yield kind, os.path.join(folder, path)  # noqa: PTH118 - as it is


def _in_word(word: str) -> Iterator[tuple[str, str]]:
    parts = _split(word) if set(word) & set(" \t\n<>|;&") else [word]
    before = ""
    for part in parts[:_MOST]:
        # In --input=data.txt, and in NAME=data.txt before a command.
        name = part.rpartition("=")[2]
        if name and len(name) < _LONGEST and not name.startswith("-") and "\0" not in name:
            yield ("write" if before in {">", ">|", "&>"} else "read"), name
        before = part


def _split(line: str) -> list[str]:
    try:
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        return list(words)
    except ValueError:
        return line.split()
