"""The source of an object of a package, as a page shows it."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from dataclasses import dataclass
from typing import Any

__all__ = ["Found", "find", "listing"]


@dataclass(frozen=True)
class Found:
    """What a dotted name means.

    Attributes:
        name: the name that the page gets.
        value: its value.
        shown: the object whose source is shown; for ``package.Class.method`` the value
            is the class and this the method.
        statement: the import that does the same.
    """

    name: str
    value: Any
    shown: Any
    statement: str


def find(name: str) -> Found:
    """Import what a dotted name means.

    Raises:
        ImportError: no module stands at the beginning of ``name``, or it has no
            such attribute.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module_name = ".".join(parts[:length])
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name and module_name.startswith(error.name):
                continue
            raise
        return _attributes(module, parts[length - 1 :])
    raise ImportError(f"no module named {parts[0]!r}")


def _attributes(module: Any, parts: list[str]) -> Found:
    name = module.__name__
    if len(parts) == 1:
        package, _, last = name.rpartition(".")
        statement = f"from {package} import {last}" if package else f"import {name}"
        return Found(parts[0], module, module, statement)
    bound, value = None, module
    for attribute in parts[1:]:
        try:
            value = getattr(value, attribute)
        except AttributeError as error:
            raise ImportError(f"{module.__name__!r} has no {'.'.join(parts[1:])!r}") from error
        bound = value if bound is None else bound
    return Found(parts[1], bound, value, f"from {name} import {parts[1]}")


def listing(value: Any) -> str:
    """The object's source, dedented, with docstrings cut to their first line.

    Raises:
        OSError, TypeError: the object has no Python source.
    """
    source = textwrap.dedent(inspect.getsource(value)).strip("\n")
    lines = source.split("\n")
    for docstring in reversed(_long_docstrings(ast.parse(source))):
        first, last = docstring.lineno - 1, (docstring.end_lineno or docstring.lineno) - 1
        quotes = lines[last].rstrip()[-3:]
        lines[first : last + 1] = [lines[first].rstrip() + quotes]
    return "\n".join(line.rstrip() for line in lines)


def _long_docstrings(tree: ast.Module) -> list[ast.expr]:
    """The docstrings that run over several lines, in order."""
    found: list[ast.expr] = []
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        if not isinstance(node, kinds) or ast.get_docstring(node) is None:
            continue
        statement = node.body[0]
        assert isinstance(statement, ast.Expr)
        if statement.value.end_lineno != statement.value.lineno:
            found.append(statement.value)
    return sorted(found, key=lambda value: value.lineno)
