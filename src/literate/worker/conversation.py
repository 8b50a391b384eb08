"""The private line to the parent: one JSON value a line."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

__all__ = ["Conversation"]


class Conversation:
    """Events go out on stdout, orders come in on stdin.

    Both are moved to private descriptors before any block runs, so that a block finds
    an empty stdin and a stdout that is captured.
    """

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
        self._in = os.fdopen(os.dup(0), "r", encoding="utf-8")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115

    def hear(self) -> Any:
        return json.loads(self._in.readline())

    def say(self, event: str, **values: Any) -> None:
        self._out.write(json.dumps({"event": event, **values}) + "\n")
        self._out.flush()
