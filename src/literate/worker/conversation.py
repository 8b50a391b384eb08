"""The private line to the parent: one JSON value a line."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

from literate.jobs import LINE_GONE

__all__ = ["Conversation", "empty_stdin"]


class Conversation:
    """Events go out, orders come in, over descriptors that no block knows of."""

    def __init__(self, out: int, into: int) -> None:
        self._out, self._in = out, into
        self._rest = b""
        self._token = ""
        self._place = _place(out)
        # Kept here: a block may put something else in their places.
        self._write, self._leave, self._encode = os.write, os._exit, json.JSONEncoder().encode

    @classmethod
    def of_standard_streams(cls) -> Conversation:
        """Take over stdin and stdout, on which the parent is, before a block sees them."""
        return cls(os.dup(1), os.dup(0))

    @property
    def descriptors(self) -> set[int]:
        """What it holds open."""
        return {self._out, self._in}

    def hear(self) -> Any:
        """The next order; None when the parent is gone. Its word goes with all events."""
        while b"\n" not in self._rest:
            try:
                data = os.read(self._in, 1 << 16)
            except OSError:
                data = b""
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        order = json.loads(line)
        self._token = order["token"]
        return order

    def say(self, event: str, **values: Any) -> None:
        """Tell the parent; an empty line first ends what a killed process has begun."""
        text = self._encode({"event": event, "token": self._token, **values})
        data = b"\n" + text.encode() + b"\n"
        if _place(self._out) != self._place:
            # A block has closed what was not its own; a file of the page may stand there.
            self._leave(LINE_GONE)
        # If the parent is gone, nobody listens.
        with contextlib.suppress(OSError):
            while data:
                data = data[self._write(self._out, data) :]


def _place(number: int) -> tuple[int, int] | None:
    """What a descriptor stands for; None if it is closed."""
    try:
        status = os.fstat(number)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def empty_stdin() -> None:
    """Let blocks find a stdin that is at its end."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
