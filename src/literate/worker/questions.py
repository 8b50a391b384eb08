"""Functions of `os` that ask for a file without opening it, each with an ear.

No audit event tells of them. What stands in for one behaves as it did: it is called,
shown, pickled and looked up in ``os.supports_dir_fd`` alike, binds to no class, and its
frame is named like one of the frozen `os`, so that `literate` can drop it.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from typing import Any

__all__ = ["ASKING", "HIDDEN", "listen", "readlink"]

readlink = os.readlink
"""As it was before anybody listened."""

Ear = Callable[[str, Any, Any, dict[str, Any]], None]

HIDDEN = "<frozen os>"
"""The file that the frames of this module say they are from; it has no such functions."""

ASKING = ("stat", "lstat", "access", "readlink", "open")
_TESTS = ("exists", "lexists", "isfile", "isdir", "islink", "isjunction")
"""Functions of `os.path` that ask by themselves where they are written in C."""

_SETS = ("supports_dir_fd", "supports_effective_ids", "supports_fd", "supports_follow_symlinks")


def listen(ear: Ear) -> None:
    """Have an ear told of each call: the name, the path, the other arguments.

    The import system has its own way to these functions and is not heard.
    """
    for name in ASKING:
        original = getattr(os, name, None)
        if original is None:
            continue
        heard = _heard(name, "os", original, ear)
        for kind in _SETS:
            known: set[Any] = getattr(os, kind, set())
            if original in known:
                known.add(heard)
        setattr(os, name, heard)
    for name in _TESTS:
        original = getattr(os.path, name, None)
        if isinstance(original, types.BuiltinFunctionType):
            setattr(os.path, name, _heard(name, "os.path", original, ear))


def _heard(name: str, module: str, original: Any, ear: Ear) -> Any:
    """What stands in for a function written in C."""

    def call(self: Any, /, *args: Any, **named: Any) -> Any:
        ear(name, args[0] if args else named.get("path"), args[1:], named)
        return original(*args, **named)

    call.__code__ = call.__code__.replace(co_filename=HIDDEN, co_name=name, co_qualname=name)
    body = {
        "__call__": call,
        "__doc__": original.__doc__,
        "__module__": module,
        "__repr__": lambda self: repr(original),
        # By its name, as functions are.
        "__reduce__": lambda self: name,
    }
    made = type("builtin_function_or_method", (), body)()
    made.__name__ = made.__qualname__ = name
    made.__self__ = getattr(original, "__self__", None)
    made.__text_signature__ = getattr(original, "__text_signature__", None)
    made.__wrapped__ = original
    return made
